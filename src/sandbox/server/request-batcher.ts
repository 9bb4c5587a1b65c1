import type { SandboxReply, SandboxRequest } from '../checks/request.js';
import type { Sandbox } from './sandbox.js';

/** Answers concurrent requests in one transaction: one wait for the disk, and every reply after it. */
export interface RequestBatcher {
  answer(request: SandboxRequest): Promise<SandboxReply>;
  /** Drops requests that were not started; no further reply is sent. */
  stop(): void;
}

interface PendingRequest {
  readonly request: SandboxRequest;
  readonly reply: (reply: SandboxReply) => void;
}

/** Largest batch, so that its first request does not wait long. */
const maxBatchSize = 64;

export function batchRequests(sandbox: Sandbox, beforeReply: () => Promise<void> | undefined): RequestBatcher {
  const waiting: PendingRequest[] = [];
  let isOver = false;
  const run = (): void => {
    const group = isOver ? [] : waiting.splice(0, maxBatchSize);
    const replies = sandbox.handleAll(group.map(({ request }) => request));
    const send = () => {
      for (const [at, { reply }] of group.entries()) {
        const own = replies[at];
        if (own !== undefined) reply(own);
      }
    };
    const first = beforeReply();
    if (first === undefined) send();
    else void first.then(send);
    if (!isOver && waiting.length > 0) setImmediate(run);
  };
  return {
    answer: (request) =>
      new Promise((reply) => {
        waiting.push({ request, reply });
        // After everything that has arrived was read.
        if (waiting.length === 1) setImmediate(run);
      }),
    stop() {
      isOver = true;
    },
  };
}

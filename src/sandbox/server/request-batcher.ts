import type { SandboxReply, SandboxRequest } from '../checks/request.js';
import type { Sandbox } from './sandbox.js';

/**
 * Answers requests that arrive together in one transaction: the disk is waited for once, and every reply after that.
 */
export interface RequestBatcher {
  answer(request: SandboxRequest): Promise<SandboxReply>;
  /** Requests not yet begun are dropped; no further reply is sent. */
  stop(): void;
}

interface PendingRequest {
  readonly request: SandboxRequest;
  readonly reply: (reply: SandboxReply) => void;
}

/** More than this share no commit, so that the first of them does not wait long. */
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
        // Once everything that has arrived by now was read.
        if (waiting.length === 1) setImmediate(run);
      }),
    stop() {
      isOver = true;
    },
  };
}

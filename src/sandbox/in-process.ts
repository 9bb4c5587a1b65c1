import type { Clock } from '../runtime/ports.js';
import type { Sandbox } from './gateway.js';
import { answerPlain } from './http.js';
import type { SandboxReply } from './request.js';

export interface InProcessOptions {
  /** Scheme, host and port that requests have to name. */
  readonly origin: string;
  readonly sleep: Clock['sleep'];
  /** Returns what replies have to wait for, if anything. */
  readonly beforeReply: () => Promise<void> | undefined;
  /** The sandbox is stopped: open requests fail, and no other is answered. */
  readonly stopped: AbortSignal;
}

/**
 * A `fetch` that asks a sandbox inside this process, without a socket; it fails as the global one does. It follows no
 * redirect: the only one there is points away from the sandbox.
 */
export function inProcessFetch(sandbox: Sandbox, options: InProcessOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.origin !== options.origin) throw failed(`only ${options.origin} is answered here`, 'ENOTFOUND');
    const reply = await answer(sandbox, request, url, new Uint8Array(await request.arrayBuffer()), options);
    if (reply.headers['location'] !== undefined && request.redirect !== 'manual') throw failed('unexpected redirect');
    const { status, headers, body } = reply;
    return new Response(status === 204 ? null : body, { status, headers });
  };
}

async function answer(
  sandbox: Sandbox,
  { method, headers, signal }: Request,
  url: URL,
  body: Uint8Array,
  { sleep, beforeReply, stopped }: InProcessOptions,
): Promise<SandboxReply> {
  if (stopped.aborted) throw failed('the sandbox was stopped', 'ECONNREFUSED');
  signal.throwIfAborted();
  const sent = { accept: '*/*', ...Object.fromEntries(headers) };
  const reply = answerPlain(sandbox, { method, url: url.href, headers: sent, body });
  await beforeReply();
  const { delivery } = reply;
  if (delivery === 'none') throw failed('the connection ended before a reply', 'UND_ERR_SOCKET');
  if (delivery === undefined) return reply;
  const arrival = delivery === 'hang' ? new Promise<void>(() => undefined) : sleep(delivery.afterMs);
  await Promise.race([arrival, ended(signal, () => signal.reason), ended(stopped, stoppedError)]);
  return reply;
}

const stoppedError = () => failed('the sandbox was stopped', 'UND_ERR_SOCKET');

/** Rejects once the client gives up, or the sandbox is stopped. */
function ended(signal: AbortSignal, reason: () => unknown): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(reason());
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** The error of a failed `fetch`: what went wrong is in its cause. */
function failed(message: string, code?: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(message), code === undefined ? {} : { code }),
  });
}

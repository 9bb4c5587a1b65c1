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

// As the Fetch standard has it.
const maxRedirects = 20;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A `fetch` that asks a sandbox inside this process, without a socket; it fails as the global one does. */
export function inProcessFetch(sandbox: Sandbox, options: InProcessOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = new Uint8Array(await request.arrayBuffer());
    let url = new URL(request.url);
    if (url.origin !== options.origin) throw failed(`only ${options.origin} is answered here`, 'ENOTFOUND');
    for (let redirects = 0; ; redirects += 1) {
      const reply = await answer(sandbox, request, url, body, options);
      const location = redirectStatuses.has(reply.status) ? reply.headers['location'] : undefined;
      if (location === undefined || request.redirect === 'manual') return toResponse(reply);
      if (request.redirect === 'error' || redirects === maxRedirects) throw failed('unexpected redirect');
      url = new URL(location, url);
    }
  };
}

function toResponse({ status, headers, body }: SandboxReply): Response {
  return new Response(status === 204 || status === 304 ? null : body, { status, headers });
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

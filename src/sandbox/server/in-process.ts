import type { Clock } from '../../runtime/ports.js';
import type { SandboxReply } from '../checks/request.js';
import { servePage } from '../web/hosted-pages.js';
import { pagesPath } from '../web/pages/html.js';
import type { Sandbox } from './sandbox.js';

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
      if (location === undefined || request.redirect === 'manual') return responseOf(reply);
      if (request.redirect === 'error' || redirects === maxRedirects) throw failed('unexpected redirect', undefined);
      url = new URL(location, url);
    }
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
  const asked = { method, url: url.href, headers: { accept: '*/*', ...Object.fromEntries(headers) }, body };
  const isPage = url.pathname.startsWith(`${pagesPath}/`);
  const reply = isPage ? sandbox.servePage(asked, servePage) : sandbox.handle(asked);
  await beforeReply();
  const { delivery } = reply;
  if (delivery === 'none') throw failed('the connection ended before a reply', 'UND_ERR_SOCKET');
  if (delivery === 'hang') return unlessEnded(new Promise(() => undefined), signal, stopped);
  if (delivery !== undefined) await unlessEnded(sleep(delivery.afterMs), signal, stopped);
  return reply;
}

/** Rejects when the client gives up, and when the sandbox is stopped. */
function unlessEnded<T>(work: Promise<T>, signal: AbortSignal, stopped: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    const end = () => reject(failed('the sandbox was stopped', 'UND_ERR_SOCKET'));
    signal.addEventListener('abort', giveUp, { once: true });
    stopped.addEventListener('abort', end, { once: true });
    void work.then(resolve, reject);
    if (signal.aborted) giveUp();
    if (stopped.aborted) end();
  });
}

function responseOf({ status, headers, body }: SandboxReply): Response {
  return new Response(status === 204 || status === 304 ? null : body, { status, headers });
}

/** The error of a failed `fetch`: what went wrong is in its cause. */
function failed(message: string, code: string | undefined): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(message), code === undefined ? {} : { code }),
  });
}

import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { fail } from '../errors/index.js';
import type { Delivery, Env, HttpReply, HttpRequest, NotSent, Transport, TransportOptions } from './ports.js';

/** How long a connection that is not in use is kept. The older it is, the likelier the peer has closed it. */
const idleMs = 1000;

/**
 * A connection for each request, closed afterwards. With `keep` a connection is used again, by one request at a time,
 * and what fails on it counts as lost.
 */
export function openTransport(options: TransportOptions, env: Env): Transport {
  let agent = openAgent(options, env);
  let usedAt = Date.now();
  return {
    async post(request, replyMs, signal) {
      if (!URL.canParse(request.url)) return { kind: 'never-sent', reason: 'the address is not a valid URL' };
      if (signal?.aborted === true) return { kind: 'never-sent', reason: 'interrupted' };
      // A computer that slept has no connections any more, and does not know it.
      if (Date.now() - usedAt > idleMs) {
        void agent.close();
        agent = openAgent(options, env);
      }
      usedAt = Date.now();
      return exchange(agent, { request, replyMs, reset: options.keep !== true, signal });
    },
    close: () => agent.destroy(),
  };
}

/** Only https goes through a proxy, and never to the machine itself. */
function openAgent({ ca, target = 'https:' }: TransportOptions, env: Env): EnvHttpProxyAgent {
  const proxy = target.startsWith('https:') ? env['https_proxy'] || env['HTTPS_PROXY'] || '' : '';
  const exceptions = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').trim();
  const tls = {
    // Set here, so that neither NODE_TLS_REJECT_UNAUTHORIZED nor NODE_OPTIONS weakens it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    // The caller's own timer spans name lookup, TCP, proxy and TLS together.
    timeout: 0,
    // The default of 250 ms gives up on a good address of a slow link.
    autoSelectFamilyAttemptTimeout: 1000,
    // An own list replaces the usual roots, so it must contain them.
    ...(ca === undefined ? {} : { ca: [...process.getBuiltinModule('node:tls').rootCertificates, ca] }),
  } as const;
  try {
    return new EnvHttpProxyAgent({
      ...{ allowH2: false, httpProxy: '', httpsProxy: proxy && proxyAddress(proxy) },
      noProxy: exceptions === '*' ? '*' : `localhost 127.0.0.1 [::1] ${exceptions}`,
      ...{ connect: buildConnector(tls), proxyTls: tls, requestTls: tls, factory: openPool, clientFactory: openPool },
      ...{ keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs },
    });
  } catch {
    throw fail('ENVIRONMENT_INVALID', {
      problems: 'HTTPS_PROXY is not the address of a proxy that can be used, so nothing is sent',
      how: 'correct it: only http and https proxies; in a name or password write % as %25, # as %23, / as %2F, @ as %40',
    });
  }
}

/** Throws where it is no address of a proxy. */
function proxyAddress(text: string): string {
  const { href, protocol } = new URL(text.includes('://') ? text : `http://${text}`);
  if (!/^https?:$/.test(protocol)) throw new Error('neither http nor https');
  return href;
}

/** No connection was made; the reason is its cause. */
class Unconnected extends Error {}

/**
 * Of connections to the gateway, and to a proxy. The library repeats some failed connections for ever, by their codes:
 * it sees none of them.
 */
function openPool(origin: string | URL, options: { connect?: buildConnector.connector }): Pool {
  const connect: buildConnector.connector = (where, done) =>
    options.connect?.(where, (cause, socket) => {
      if (cause === null) done(null, socket);
      else done(new Unconnected('no connection', { cause }), null);
    });
  return new Pool(origin, { ...options, connect, maxResponseSize: 1_048_576 });
}

interface Sending {
  readonly request: HttpRequest;
  readonly replyMs: number;
  /** Closes the connection afterwards. */
  readonly reset: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A byte is sent only once the library says that the request starts. */
function exchange(agent: Dispatcher, sending: Sending): Promise<Delivery> {
  const { request, replyMs, signal } = sending;
  const connectMs = Math.min(10_000, replyMs);
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isDone = false;
    const finish = (delivery: Delivery) => {
      isDone = true;
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
      resolve(delivery);
    };
    const stop = (reason: string) => {
      finish({ kind: controller === undefined ? 'never-sent' : 'lost', reason });
      controller?.abort(new Error(reason));
    };
    const interrupt = () => stop('interrupted');
    const timers = [
      setTimeout(() => controller ?? stop(`no connection within ${connectMs / 1000} s`), connectMs),
      setTimeout(() => stop(`no complete reply within ${replyMs / 1000} s`), replyMs),
    ];
    signal?.addEventListener('abort', interrupt);
    agent.dispatch(dispatchOptions(sending), {
      ...collector((reply) => isDone || finish({ kind: 'reply', reply })),
      onRequestStart(started) {
        if (!isDone && request.isLate?.() === true) stop('too much time passed since it was started');
        // Stopped while it was connecting, or begun a second time: aborted here, nothing of it is written.
        if (isDone || controller !== undefined) started.abort(new Error('a second connection'));
        controller = started;
      },
      onResponseError(_, error) {
        if (isDone) return;
        finish(controller === undefined ? explainNotSent(error) : { kind: 'lost', reason: explainLost(error) });
      },
    });
  });
}

function dispatchOptions({ request, reset }: Sending): Dispatcher.DispatchOptions {
  const { method = 'POST', headers, body } = request;
  const { origin, pathname, search } = new URL(request.url);
  return {
    ...{ origin, path: pathname + search, method, headers: { ...headers }, body: method === 'GET' ? null : body },
    // The timers of `exchange` end what takes too long.
    ...{ reset, headersTimeout: 0, bodyTimeout: 0 },
  };
}

/** Never pauses what is received. */
function collector(finish: (reply: HttpReply) => void): Dispatcher.DispatchHandler {
  const pieces: Buffer[] = [];
  let head: Omit<HttpReply, 'body'> | undefined;
  return {
    onResponseStart(_, status, headers) {
      const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      if (status >= 200) head = { status, headers: Object.fromEntries(given) };
    },
    onResponseData: (_, piece) => void pieces.push(piece),
    onResponseEnd() {
      if (head !== undefined) finish({ ...head, body: Buffer.concat(pieces) });
    },
  };
}

const aboutCertificates =
  /^(?:(?:ERR_TLS|ERR_SSL|CERT|CRL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|INVALID|PATH_LENGTH|HOSTNAME|ERROR_IN)_|EPROTO$)/;

const remedy =
  'check the base address, its port and the clock of this machine; if the gateway has a CA of its own, name its certificate with --ca-file FILE, or `paycli profile set NAME --ca-file FILE`';

/** Why a request never left. */
function explainNotSent(error: unknown): NotSent {
  if (!(error instanceof Unconnected))
    return { kind: 'never-sent', reason: `the request could not be built (${codeOf(error)})` };
  const { cause } = error;
  if (cause instanceof Unconnected)
    return { kind: 'never-sent', reason: `the proxy could not be used: ${explainNotSent(cause).reason}` };
  const code = codeOf(cause);
  if (aboutCertificates.test(code))
    return { kind: 'certificate', reason: `its TLS certificate or version was not accepted (${code})`, remedy };
  const proxyStatus = /Proxy response \((\d+)\)/.exec(String(cause))?.[1];
  if (proxyStatus !== undefined) return { kind: 'never-sent', reason: `the proxy answered ${proxyStatus}` };
  return { kind: 'never-sent', reason: `the connection failed (${code})` };
}

/** Why the reply to a request that was sent cannot be used. */
function explainLost(error: unknown): string {
  const code = codeOf(error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'reply larger than 1 MiB';
  if (/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code))
    return 'the connection was closed before the reply was complete';
  return `the reply is not valid HTTP, or the connection failed (${code})`;
}

/** The code of a system or library error; its name where it has none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { fail } from '../errors/index.js';
import { explainLost, explainNotSent, Unconnected, Unusable } from './failed-request.js';
import type { Delivery, Env, HttpReply, HttpRequest, Limits, NotSent, Transport, TransportOptions } from './ports.js';

type Stop = (reason: string) => void;

/**
 * A connection for each request, closed afterwards. With `keep` a connection is used again, by one request at a time,
 * and what fails on it counts as lost.
 */
export function openTransport(options: TransportOptions, env: Env): Transport {
  const running = new Set<Stop>();
  const open = () => openAgent(options, env);
  let agent = open();
  let usedAt = Date.now();
  return {
    post(request, limits, signal) {
      if (!URL.canParse(request.url)) return notSent('the address is not a valid URL');
      if (signal?.aborted === true) return notSent('interrupted');
      // A computer that slept has no connections any more, and does not know it.
      if (Date.now() - usedAt > idleMs) {
        void agent.close();
        agent = open();
      }
      usedAt = Date.now();
      return exchange(agent, { request, limits, reset: options.keep !== true }, signal, running);
    },
    async close() {
      for (const stop of running) stop('paycli is shutting down');
      await agent.destroy();
    },
  };
}

/** How long a connection that is not in use is kept. The older it is, the likelier the peer has closed it. */
const idleMs = 1000;

async function notSent(reason: string): Promise<NotSent> {
  return { kind: 'never-sent', reason };
}

const loopback = 'localhost 127.0.0.1 [::1]';

/** Only https goes through a proxy, and never to the machine itself. */
function openAgent({ ca, target = 'https:' }: TransportOptions, env: Env): EnvHttpProxyAgent {
  const name = isSet(env['https_proxy']) ? 'https_proxy' : 'HTTPS_PROXY';
  const text = target.startsWith('https:') ? (env[name] ?? '') : '';
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
      ...{ allowH2: false, httpProxy: '', noProxy: exceptions === '*' ? '*' : `${loopback} ${exceptions}` },
      ...{ httpsProxy: addressOfProxy(text), connect: buildConnector(tls), proxyTls: tls, requestTls: tls },
      ...{ keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs },
      ...{ factory: openPool, clientFactory: openPool },
    });
  } catch {
    throw fail('ENVIRONMENT_INVALID', {
      problems: `${name} is not the address of a proxy that can be used, so nothing is sent`,
      how: 'correct it: only http and https proxies; in a name or password write % as %25, # as %23, / as %2F, @ as %40',
    });
  }
}

/** Of connections to the gateway, and to a proxy. */
function openPool(origin: string | URL, options: object): Pool {
  return new Pool(origin, { ...options, connect: tryOnce(options) });
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}

/** '' for none. Throws where it is no address of a proxy. */
function addressOfProxy(text: string): string {
  if (text === '') return '';
  const { href, protocol } = new URL(text.includes('://') ? text : `http://${text}`);
  if (!/^https?:$/.test(protocol)) throw new Error('neither http nor https');
  return href;
}

/** The library repeats some failed connections for ever, by their codes: it sees none of them. */
function tryOnce({ connect }: { connect?: buildConnector.connector }): buildConnector.connector {
  return (where, done) =>
    connect?.(where, (error, socket) => {
      if (error === null) done(null, socket);
      else done(new Unconnected(error), null);
    });
}

interface Sending {
  readonly request: HttpRequest;
  readonly limits: Limits;
  /** Closes the connection afterwards. */
  readonly reset: boolean;
}

/** A byte is sent only once the library says that the request starts. */
function exchange(
  agent: Dispatcher,
  { request, limits, reset }: Sending,
  signal: AbortSignal | undefined,
  running: Set<Stop>,
): Promise<Delivery> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isDone = false;
    const finish = (delivery: Delivery) => {
      if (isDone) return;
      isDone = true;
      release();
      running.delete(stop);
      resolve(delivery);
    };
    const stop: Stop = (reason) => {
      if (isDone) return;
      finish({ kind: controller === undefined ? 'never-sent' : 'lost', reason });
      controller?.abort(new Unusable(reason));
    };
    running.add(stop);
    const release = watch(stop, () => controller !== undefined, limits, signal);
    const { origin, pathname, search } = new URL(request.url);
    const { method = 'POST', headers, body } = request;
    const options: Dispatcher.DispatchOptions = {
      ...{ origin, path: pathname + search, method, headers: { ...headers }, body: method === 'GET' ? null : body },
      ...{ reset, headersTimeout: limits.firstByteMs, bodyTimeout: limits.gapMs },
    };
    agent.dispatch(options, {
      ...collector(limits.maxBodyBytes, (reply) => finish({ kind: 'reply', reply })),
      onRequestStart(started) {
        if (request.isLate?.() === true) stop('too much time passed since it was started');
        // Stopped while it was connecting, or begun a second time: aborted here, nothing of it is written.
        if (isDone || controller !== undefined) started.abort(new Unusable('a second connection'));
        controller = started;
      },
      onResponseError(_, error) {
        if (isDone) return;
        finish(controller === undefined ? explainNotSent(error) : { kind: 'lost', reason: explainLost(error, limits) });
      },
    });
  });
}

/** Starts the timers and listens to the signal; returns how to end both. */
function watch(stop: Stop, isStarted: () => boolean, limits: Limits, signal: AbortSignal | undefined): () => void {
  const connecting = setTimeout(() => {
    if (!isStarted()) stop(`no connection within ${limits.connectMs / 1000} s`);
  }, limits.connectMs);
  const whole = setTimeout(() => stop(`no complete reply within ${limits.totalMs / 1000} s`), limits.totalMs);
  const interrupt = () => stop('interrupted');
  signal?.addEventListener('abort', interrupt);
  return () => {
    clearTimeout(connecting);
    clearTimeout(whole);
    signal?.removeEventListener('abort', interrupt);
  };
}

/** Never pauses what is received. */
function collector(maxBytes: number, finish: (reply: HttpReply) => void): Dispatcher.DispatchHandler {
  const pieces: Buffer[] = [];
  let size = 0;
  let head: Omit<HttpReply, 'body'> | undefined;
  return {
    onResponseStart(_, status, headers) {
      const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      if (status >= 200) head = { status, headers: Object.fromEntries(given) };
    },
    onResponseData(controller, piece) {
      size += piece.length;
      if (size > maxBytes) controller.abort(new Unusable(`reply larger than ${maxBytes / 1_048_576} MiB`));
      else pieces.push(piece);
    },
    onResponseEnd() {
      if (head !== undefined) finish({ ...head, body: Buffer.concat(pieces) });
    },
  };
}

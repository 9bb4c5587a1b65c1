import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { monotonicMs } from './clock.js';
import { type Connection, codeOf, openConnection, proxyFor } from './connector.js';
import type { Delivery, Env, HttpReply, HttpRequest, Limits, Transport, TransportOptions } from './ports.js';

type Stop = (reason: string) => void;

/**
 * One new connection per request, closed afterwards: with no reused socket, "never connected" is a proof. With `keep` a
 * connection is reused, by one request at a time, and whatever fails on it counts as lost.
 */
export function openTransport(options: TransportOptions, env: Env): Transport {
  const running = new Set<Stop>();
  const idle = new IdleConnections();
  if (options.target !== undefined) proxyFor(new URL(options.target), env);
  return {
    async post(request, limits, signal) {
      if (!URL.canParse(request.url)) return { kind: 'never-sent', reason: 'the address is not a valid URL' };
      if (signal?.aborted === true) return { kind: 'never-sent', reason: 'interrupted' };
      const url = new URL(request.url);
      const keep = options.keep === true;
      const peer = { ca: options.ca, proxy: proxyFor(url, env) };
      const connection = idle.take(url.origin) ?? openConnection(url, peer, clientOptions(limits));
      const delivery = await attempt(connection, { url, request, limits, keep }, signal, running);
      if (keep && delivery.kind === 'reply' && !isLast(delivery.reply)) idle.put(connection);
      else connection.destroy();
      return delivery;
    },
    async close() {
      for (const stop of running) stop('paycli is shutting down');
      idle.close();
    },
  };
}

const idleMs = 2000;
/** Reused only while younger than this, so that its keep-alive time does not end just as a request is sent. */
const freshMs = 1000;

function clientOptions(limits: Limits) {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.firstByteMs,
    bodyTimeout: limits.gapMs,
    keepAliveTimeout: idleMs,
    // Even if the peer announces a longer time: the older a connection, the likelier it is closed.
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: 500,
  };
}

function isLast({ headers }: HttpReply): boolean {
  return /\bclose\b/i.test(String(headers['connection'] ?? ''));
}

/** Connections that are not in use. One that the peer closes is removed. */
class IdleConnections {
  readonly #idle = new Map<Connection, Moment>();

  take(origin: string): Connection | undefined {
    const now = moment();
    for (const [connection, since] of this.#idle) if (passed(since, now) > freshMs) this.#forget(connection);
    // The newest is the likeliest to be still open.
    const connection = [...this.#idle.keys()].findLast((each) => each.origin === origin);
    if (connection === undefined) return undefined;
    this.#idle.delete(connection);
    connection.client.removeAllListeners('disconnect');
    return connection;
  }

  put(connection: Connection): void {
    this.#idle.set(connection, moment());
    connection.client.once('disconnect', () => this.#forget(connection));
  }

  close(): void {
    for (const connection of this.#idle.keys()) this.#forget(connection);
  }

  #forget(connection: Connection): void {
    this.#idle.delete(connection);
    connection.destroy();
  }
}

/**
 * The time by both clocks: the monotonic one stops while a computer sleeps, and its connections do not survive that.
 */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

function moment(): Moment {
  return { steady: monotonicMs(), wall: Date.now() };
}

function passed(since: Moment, now: Moment): number {
  return Math.max(now.steady - since.steady, now.wall - since.wall);
}

interface Sending {
  readonly url: URL;
  readonly request: HttpRequest;
  readonly limits: Limits;
  readonly keep: boolean;
}

async function attempt(
  connection: Connection,
  sending: Sending,
  signal: AbortSignal | undefined,
  running: Set<Stop>,
): Promise<Delivery> {
  const { limits } = sending;
  let stopped: string | undefined;
  // An AbortSignal given to undici does nothing while it connects, so stopping means destroying.
  const stop: Stop = (reason) => {
    stopped ??= reason;
    connection.destroy(reason);
  };
  running.add(stop);
  const release = watch(stop, connection, limits, signal);
  try {
    const reply = await exchange(connection, sending);
    // A body without a length ends with its connection, so one that we aborted looks like a complete reply.
    return stopped === undefined ? { kind: 'reply', reply } : { kind: 'lost', reason: stopped };
  } catch (error) {
    if (connection.isEstablished()) return { kind: 'lost', reason: stopped ?? lostWords(error, limits) };
    if (stopped !== undefined) return { kind: 'never-sent', reason: stopped };
    return connection.failure() ?? { kind: 'never-sent', reason: `the request could not be built (${codeOf(error)})` };
  } finally {
    release();
    running.delete(stop);
  }
}

/** Starts the timers and listens to the signal; returns how to end both. */
function watch(stop: Stop, connection: Connection, limits: Limits, signal: AbortSignal | undefined): () => void {
  const connecting = setTimeout(() => {
    if (!connection.isEstablished()) stop(`no connection within ${seconds(limits.connectMs)}`);
  }, limits.connectMs);
  const whole = setTimeout(() => stop(`no complete reply within ${seconds(limits.totalMs)}`), limits.totalMs);
  const interrupt = () => stop('interrupted');
  // One listener for each request in flight.
  if (signal !== undefined) setMaxListeners(0, signal);
  signal?.addEventListener('abort', interrupt);
  return () => {
    clearTimeout(connecting);
    clearTimeout(whole);
    signal?.removeEventListener('abort', interrupt);
  };
}

/** A reply that cannot be used, with the reason in words. */
class Unusable extends Error {}

async function exchange(connection: Connection, { url, request, limits, keep }: Sending): Promise<HttpReply> {
  const { client, received } = connection;
  received.length = 0;
  const options: Dispatcher.DispatchOptions = {
    path: url.pathname + url.search,
    method: request.method ?? 'POST',
    headers: { ...request.headers },
    body: request.method === 'GET' ? null : request.body,
    reset: !keep,
  };
  const reply = await new Promise<HttpReply>((resolve, reject) =>
    client.dispatch(options, collector(limits.maxBodyBytes, resolve, reject)),
  );
  if (hasSurplus(Buffer.concat(received), reply)) throw new Unusable('more than one reply was received');
  return reply;
}

/** Never pauses what is received, so that each byte is read from the socket once. */
function collector(
  maxBytes: number,
  resolve: (reply: HttpReply) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const pieces: Buffer[] = [];
  let size = 0;
  let head: Omit<HttpReply, 'body'> | undefined;
  return {
    onRequestStart: () => undefined,
    onResponseStart(_, status, headers) {
      const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      if (status >= 200) head = { status, headers: Object.fromEntries(given) };
    },
    onResponseData(controller, piece) {
      size += piece.length;
      if (size > maxBytes) controller.abort(new Unusable(`reply larger than ${sizeText(maxBytes)}`));
      else pieces.push(piece);
    },
    onResponseEnd() {
      if (head !== undefined) resolve({ ...head, body: Buffer.concat(pieces) });
    },
    onResponseError: (_, error) => reject(error),
  };
}

/** Whether more was received than one reply: one request has one. */
function hasSurplus(received: Buffer, { headers, body }: HttpReply): boolean {
  const text = received.toString('latin1').replace(/^(?:HTTP\/1\.[01] 1.*\r\n(?:.+\r\n)*\r\n)+/, '');
  const afterHead = text.slice(text.indexOf('\r\n\r\n') + 4);
  if (headers['content-length'] !== undefined) return afterHead.length > body.length;
  // Without either, the reply ends with its connection.
  return headers['transfer-encoding'] !== undefined && !/(?:^|\n)0+(?:;.*)?\r\n(?:.+\r\n)*\r\n$/.test(afterHead);
}

const closed = 'the connection was closed before the reply was complete';
const lost: Readonly<Record<string, (limits: Limits) => string>> = {
  UND_ERR_HEADERS_TIMEOUT: (limits) => `no reply within ${seconds(limits.firstByteMs)}`,
  UND_ERR_BODY_TIMEOUT: (limits) => `the reply stalled for ${seconds(limits.gapMs)}`,
  UND_ERR_HEADERS_OVERFLOW: (limits) => `reply headers larger than ${sizeText(limits.maxHeaderBytes)}`,
  UND_ERR_SOCKET: () => closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: () => 'the reply length does not match its Content-Length',
  ECONNRESET: () => closed,
  EPIPE: () => closed,
};

function lostWords(error: unknown, limits: Limits): string {
  if (error instanceof Unusable) return error.message;
  const code = codeOf(error);
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) return 'the reply is not valid HTTP';
  return lost[code]?.(limits) ?? `the connection failed (${code})`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function sizeText(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

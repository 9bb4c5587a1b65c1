import { setMaxListeners } from 'node:events';
import { Agent, type IncomingMessage, request as requestHttp, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs } from './clock.js';
import { codeOf, connect, explain, proxyFor } from './connector.js';
import type { Delivery, Env, HttpReply, HttpRequest, Limits, Transport, TransportOptions } from './ports.js';

/**
 * A connection is established before the request is written, so what fails until then is a proof that nothing was
 * sent. Each request has its own; with `keep` one is reused, by one request at a time, and whatever fails on it counts
 * as lost. Nothing here sends a request again.
 */
export function openTransport(options: TransportOptions, env: Env): Transport {
  const running = new Set<AbortController>();
  const idle = new IdleConnections();
  if (options.target !== undefined) proxyFor(new URL(options.target), env);
  return {
    async post(request, limits, signal) {
      const problem = problemOf(request, signal);
      if (problem !== undefined) return { kind: 'never-sent', reason: problem };
      const stop = new AbortController();
      const release = watch(stop, limits, signal);
      running.add(stop);
      try {
        return await attempt({ request, limits, keep: options.keep === true, stop }, idle, options.ca, env);
      } finally {
        release();
        running.delete(stop);
      }
    },
    async close() {
      for (const stop of running) stop.abort('paycli is shutting down');
      idle.close();
    },
  };
}

/** Why a request cannot be sent at all. */
function problemOf({ url, headers }: HttpRequest, signal: AbortSignal | undefined): string | undefined {
  if (!URL.canParse(url)) return 'the address is not a valid URL';
  if (signal?.aborted === true) return 'interrupted';
  try {
    for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
    return undefined;
  } catch (error) {
    return `the request could not be built (${codeOf(error)})`;
  }
}

/** Aborts at the limit for everything and at the signal; returns how to end that. */
function watch(stop: AbortController, limits: Limits, signal: AbortSignal | undefined): () => void {
  const whole = setTimeout(() => stop.abort(`no complete reply within ${seconds(limits.totalMs)}`), limits.totalMs);
  const interrupt = () => stop.abort('interrupted');
  // One listener for each request in flight.
  if (signal !== undefined) setMaxListeners(0, signal);
  signal?.addEventListener('abort', interrupt);
  return () => {
    clearTimeout(whole);
    signal?.removeEventListener('abort', interrupt);
  };
}

interface Sending {
  readonly request: HttpRequest;
  readonly limits: Limits;
  readonly keep: boolean;
  /** Its reason is a text. */
  readonly stop: AbortController;
}

async function attempt(sending: Sending, idle: IdleConnections, ca: string | undefined, env: Env): Promise<Delivery> {
  const { limits, stop } = sending;
  const url = new URL(sending.request.url);
  const proxy = proxyFor(url, env);
  let connection = idle.take(url.origin);
  if (connection === undefined) {
    const limit = setTimeout(() => stop.abort(`no connection within ${seconds(limits.connectMs)}`), limits.connectMs);
    try {
      connection = new Connection(url.origin, await connect(url, { ca, proxy, signal: stop.signal }), sending.keep);
    } catch (error) {
      return stop.signal.aborted ? { kind: 'never-sent', reason: String(stop.signal.reason) } : explain(error);
    } finally {
      clearTimeout(limit);
    }
  }
  // From here on whatever fails may have arrived.
  try {
    const reply = await exchange(connection, sending, url);
    // A body without a length ends with its connection, so one that was aborted here looks like a complete reply.
    stop.signal.throwIfAborted();
    if (connection.isFree()) idle.put(connection);
    else connection.close();
    return { kind: 'reply', reply };
  } catch (error) {
    connection.close();
    return { kind: 'lost', reason: stop.signal.aborted ? String(stop.signal.reason) : lostWords(error, limits) };
  }
}

/** Gives its requests the one socket it has, and never opens another. */
class Connection extends Agent {
  readonly origin: string;
  readonly socket: Socket;

  constructor(origin: string, socket: Socket, keep: boolean) {
    super({ keepAlive: keep, maxSockets: 1 });
    this.origin = origin;
    this.socket = socket;
  }

  override createConnection(): Socket {
    return this.socket;
  }

  /** Its request was sent and answered as a whole, and the peer keeps it open. */
  isFree(): boolean {
    return Object.keys(this.freeSockets).length > 0;
  }

  close(): void {
    this.destroy();
    this.socket.destroy();
  }
}

/** Reused only while younger than this, so that the peer does not end it just as a request is sent. */
const freshMs = 1000;

/** Connections that are not in use. One that the peer closes, or on which it says something unasked, is removed. */
class IdleConnections {
  readonly #idle = new Map<Connection, { readonly since: Moment; readonly forget: () => void }>();

  take(origin: string): Connection | undefined {
    const now = moment();
    for (const { since, forget } of this.#idle.values()) if (passed(since, now) > freshMs) forget();
    // The newest is the likeliest to be still open.
    const connection = [...this.#idle.keys()].findLast((each) => each.origin === origin);
    if (connection === undefined) return undefined;
    this.#release(connection);
    return connection;
  }

  put(connection: Connection): void {
    const forget = () => {
      this.#release(connection);
      connection.close();
    };
    this.#idle.set(connection, { since: moment(), forget });
    connection.socket.once('close', forget).once('data', forget);
  }

  close(): void {
    for (const { forget } of this.#idle.values()) forget();
  }

  #release(connection: Connection): void {
    const forget = this.#idle.get(connection)?.forget;
    this.#idle.delete(connection);
    if (forget !== undefined) connection.socket.off('close', forget).off('data', forget);
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

/** A reply that cannot be used, with the reason in words. */
class Unusable extends Error {}

/** One request and its one reply. */
function exchange(connection: Connection, { request, limits, keep, stop }: Sending, url: URL): Promise<HttpReply> {
  const { socket } = connection;
  const body = request.method === 'GET' ? undefined : request.body;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  stop.signal.addEventListener('abort', () => socket.destroy());
  return new Promise((resolve, reject) => {
    const sent = requestHttp({
      agent: connection,
      ...{ host: url.hostname, path: url.pathname + url.search, method: request.method ?? 'POST' },
      headers: { host: url.host, connection: keep ? 'keep-alive' : 'close', ...request.headers, ...length },
      maxHeaderSize: limits.maxHeaderBytes,
    });
    const late = (ms: number, words: string) => setTimeout(() => sent.destroy(new Unusable(words)), ms);
    const first = late(limits.firstByteMs, `no reply within ${seconds(limits.firstByteMs)}`);
    // Node ends the connection at once where a second reply follows the first.
    const seeSecond = () => {
      if (socket.destroyed) reject(new Unusable('more than one reply was received'));
    };
    sent.on('socket', () => socket.on('data', seeSecond));
    sent.on('error', reject);
    sent.on('close', () => {
      clearTimeout(first);
      socket.off('data', seeSecond);
    });
    sent.on('response', (reply) => {
      clearTimeout(first);
      const gap = late(limits.gapMs, `the reply stalled for ${seconds(limits.gapMs)}`);
      reply.on('data', () => gap.refresh()).on('close', () => clearTimeout(gap));
      collect(reply, limits.maxBodyBytes, resolve, reject);
    });
    sent.end(body);
  });
}

function collect(
  reply: IncomingMessage,
  maxBytes: number,
  resolve: (reply: HttpReply) => void,
  reject: (error: Error) => void,
): void {
  const pieces: Buffer[] = [];
  let size = 0;
  reply.on('data', (piece: Buffer) => {
    size += piece.length;
    pieces.push(piece);
    if (size <= maxBytes) return;
    reject(new Unusable(`reply larger than ${sizeText(maxBytes)}`));
    reply.destroy();
  });
  reply.on('error', (error) =>
    reject(reply.headers['content-length'] === undefined ? error : new Unusable(wrongLength)),
  );
  reply.on('end', () => {
    // Repeated values as they came: Node drops some, and joins others.
    const { headersDistinct, statusCode = 0 } = reply;
    const headers = Object.entries(headersDistinct).map(([name, values = []]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]);
    resolve({ status: statusCode, headers: Object.fromEntries(headers), body: Buffer.concat(pieces) });
  });
}

const closed = 'the connection was closed before the reply was complete';
const wrongLength = 'the reply length does not match its Content-Length';
const lost: Readonly<Record<string, string>> = {
  HPE_UNEXPECTED_CONTENT_LENGTH: wrongLength,
  HPE_INVALID_CONTENT_LENGTH: wrongLength,
  HPE_INVALID_TRANSFER_ENCODING: wrongLength,
  HPE_CLOSED_CONNECTION: 'more than one reply was received',
  ECONNRESET: closed,
  EPIPE: closed,
};

function lostWords(error: unknown, limits: Limits): string {
  if (error instanceof Unusable) return error.message;
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return `reply headers larger than ${sizeText(limits.maxHeaderBytes)}`;
  return lost[code] ?? (code.startsWith('HPE_') ? 'the reply is not valid HTTP' : `the connection failed (${code})`);
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function sizeText(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

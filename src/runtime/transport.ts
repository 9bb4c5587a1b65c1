import { setMaxListeners } from 'node:events';
import { Client, type Dispatcher } from 'undici';
import { monotonicMs } from './clock.js';
import { codeOf, openPeerConnection, type PeerConnection, proxyFor } from './connector.js';
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
      const wire =
        idle.take(url.origin) ??
        openClient(url, openPeerConnection(url, { ca: options.ca, proxy: proxyFor(url, env) }), limits);
      const delivery = await attempt(wire, { url, request, limits, keep }, signal, running);
      if (keep && delivery.kind === 'reply' && !isLast(delivery.reply)) idle.put(wire);
      else closeClient(wire);
      return delivery;
    },
    async close() {
      for (const stop of running) stop('paycli is shutting down');
      idle.close();
    },
  };
}

/** A client of undici and the one connection it may open. */
interface ClientConnection {
  readonly origin: string;
  readonly client: Client;
  readonly peer: PeerConnection;
}

const idleMs = 2000;
/** Reused only while younger than this, so that its keep-alive time does not end just as a request is sent. */
const freshMs = 1000;

function openClient(url: URL, peer: PeerConnection, limits: Limits): ClientConnection {
  const client = new Client(url.origin, {
    connect: peer.connect,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.firstByteMs,
    bodyTimeout: limits.gapMs,
    keepAliveTimeout: idleMs,
    // Even if the peer announces a longer time: the older a connection, the likelier it is closed.
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: 500,
  });
  return { origin: url.origin, client, peer };
}

function closeClient({ peer, client }: ClientConnection): void {
  peer.destroy();
  void client.destroy();
}

function isLast({ headers }: HttpReply): boolean {
  return /\bclose\b/i.test(String(headers['connection'] ?? ''));
}

/** Connections that are not in use. One that the peer closes is removed. */
class IdleConnections {
  #idle: { readonly wire: ClientConnection; readonly since: Moment }[] = [];

  take(origin: string): ClientConnection | undefined {
    const now = moment();
    for (const { wire, since } of this.#idle) if (passed(since, now) > freshMs) this.#forget(wire);
    // The newest is the likeliest to be still open.
    const wire = this.#idle.findLast((each) => each.wire.origin === origin)?.wire;
    if (wire === undefined) return undefined;
    this.#idle = this.#idle.filter((each) => each.wire !== wire);
    wire.client.removeAllListeners('disconnect');
    return wire;
  }

  put(wire: ClientConnection): void {
    this.#idle.push({ wire, since: moment() });
    wire.client.once('disconnect', () => this.#forget(wire));
  }

  close(): void {
    for (const { wire } of this.#idle) this.#forget(wire);
  }

  #forget(wire: ClientConnection): void {
    this.#idle = this.#idle.filter((each) => each.wire !== wire);
    closeClient(wire);
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
  wire: ClientConnection,
  sending: Sending,
  signal: AbortSignal | undefined,
  running: Set<Stop>,
): Promise<Delivery> {
  const { client, peer } = wire;
  const { limits } = sending;
  let stopped: string | undefined;
  // An AbortSignal given to undici does nothing while it connects, so stopping means destroying.
  const stop: Stop = (reason) => {
    stopped ??= reason;
    peer.destroy();
    void client.destroy(new Error(reason));
  };
  running.add(stop);
  const release = watch(stop, peer, limits, signal);
  try {
    const reply = await exchange(wire, sending);
    // A body without a length ends with its connection, so one that we aborted looks like a complete reply.
    return stopped === undefined ? { kind: 'reply', reply } : { kind: 'lost', reason: stopped };
  } catch (error) {
    if (peer.isEstablished()) return { kind: 'lost', reason: stopped ?? lostWords(error, limits) };
    if (stopped !== undefined) return { kind: 'never-sent', reason: stopped };
    return peer.failure() ?? { kind: 'never-sent', reason: `the request could not be built (${codeOf(error)})` };
  } finally {
    release();
    running.delete(stop);
  }
}

/** Starts the timers and listens to the signal; returns how to end both. */
function watch(stop: Stop, line: PeerConnection, limits: Limits, signal: AbortSignal | undefined): () => void {
  const connecting = setTimeout(() => {
    if (!line.isEstablished()) stop(`no connection within ${seconds(limits.connectMs)}`);
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

async function exchange(
  { client, peer }: ClientConnection,
  { url, request, limits, keep }: Sending,
): Promise<HttpReply> {
  peer.received.length = 0;
  const reply = await dispatch(client, limits.maxBodyBytes, {
    path: url.pathname + url.search,
    method: request.method ?? 'POST',
    headers: { ...request.headers },
    body: request.method === 'GET' ? null : request.body,
    reset: !keep,
  });
  if (hasSurplus(Buffer.concat(peer.received), reply)) throw new Unusable('more than one reply was received');
  return reply;
}

/** Nothing pauses what is received, so that each byte is read from the socket once. */
function dispatch(client: Client, maxBodyBytes: number, options: Dispatcher.DispatchOptions): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let head: Omit<HttpReply, 'body'> | undefined;
    client.dispatch(options, {
      onRequestStart: () => undefined,
      onResponseStart(_, status, headers) {
        if (status >= 200) head = { status, headers: tidy(headers) };
      },
      onResponseData(controller, piece) {
        size += piece.length;
        if (size > maxBodyBytes) controller.abort(new Unusable(`reply larger than ${sizeText(maxBodyBytes)}`));
        else pieces.push(piece);
      },
      onResponseEnd() {
        if (head !== undefined) resolve({ ...head, body: Buffer.concat(pieces) });
      },
      onResponseError: (_, error) => reject(error),
    });
  });
}

/** Whether more was received than one reply: one request has one. */
function hasSurplus(received: Buffer, { headers, body }: HttpReply): boolean {
  const text = received.toString('latin1').replace(/^(?:HTTP\/1\.[01] 1.*\r\n(?:.+\r\n)*\r\n)+/, '');
  const afterHead = text.slice(text.indexOf('\r\n\r\n') + 4);
  if (headers['content-length'] !== undefined) return afterHead.length > body.length;
  // Without either, the reply ends with its connection.
  return headers['transfer-encoding'] !== undefined && !/(?:^|\n)0+(?:;.*)?\r\n(?:.+\r\n)*\r\n$/.test(afterHead);
}

function tidy(headers: Readonly<Record<string, string | string[] | undefined>>): HttpReply['headers'] {
  const kept: [string, string | readonly string[]][] = [];
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) kept.push([name.toLowerCase(), value]);
  return Object.fromEntries(kept);
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

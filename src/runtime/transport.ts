import { setFlagsFromString } from 'node:v8';
import { Client } from 'undici';
import { codeOf, type Line, openLine } from './connector.js';
import type { Delivery, Env, HttpReply, HttpRequest, Limits, Transport, TransportOptions } from './ports.js';
import { proxyFor } from './proxy.js';

type Stop = (reason: string) => void;

/** One new connection per request, closed afterwards: with no reused socket, "never connected" is a proof. */
export function openTransport(options: TransportOptions, env: Env): Transport {
  easeStart();
  const running = new Set<Stop>();
  return {
    async post(request, limits, signal) {
      if (!URL.canParse(request.url)) return { kind: 'never-sent', reason: 'the address is not usable' };
      if (signal?.aborted === true) return { kind: 'never-sent', reason: 'interrupted' };
      const url = new URL(request.url);
      const line = openLine(url, { ca: options.ca, proxy: proxyFor(url, env) });
      return attempt(url, line, request, limits, signal, running);
    },
    async close() {
      for (const stop of running) stop('paycli is closing');
    },
  };
}

// Node 20 optimises undici's parser at exit, which doubles the time of a short command.
function easeStart(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only');
}

async function attempt(
  url: URL,
  line: Line,
  request: HttpRequest,
  limits: Limits,
  signal: AbortSignal | undefined,
  running: Set<Stop>,
): Promise<Delivery> {
  const client = new Client(url.origin, {
    connect: line.connect,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.firstByteMs,
    bodyTimeout: limits.gapMs,
  });
  let stopped: string | undefined;
  // An AbortSignal given to undici does nothing while it connects, so stopping means destroying.
  const stop: Stop = (reason) => {
    stopped ??= reason;
    line.cut();
    void client.destroy(new Error(reason));
  };
  running.add(stop);
  const release = watch(stop, line, limits, signal);
  try {
    const reply = await exchange(client, url, request, limits);
    if (line.hasSurplus()) stopped ??= 'more than one reply came';
    // A body without a length ends with its connection, so what we cut off ourselves looks like a whole reply.
    return stopped === undefined ? { kind: 'reply', reply } : { kind: 'lost', reason: stopped };
  } catch (error) {
    if (line.isUp()) return { kind: 'lost', reason: stopped ?? lostWords(error, limits) };
    if (stopped !== undefined) return { kind: 'never-sent', reason: stopped };
    return line.failure() ?? { kind: 'never-sent', reason: `the request could not be built (${codeOf(error)})` };
  } finally {
    release();
    running.delete(stop);
    line.cut();
    void client.destroy();
  }
}

/** Starts the timers and listens to the signal; returns how to end both. */
function watch(stop: Stop, line: Line, limits: Limits, signal: AbortSignal | undefined): () => void {
  const connecting = setTimeout(() => {
    if (!line.isUp()) stop(`no connection within ${seconds(limits.connectMs)}`);
  }, limits.connectMs);
  const whole = setTimeout(() => stop(`no whole reply within ${seconds(limits.totalMs)}`), limits.totalMs);
  const interrupt = () => stop('interrupted');
  signal?.addEventListener('abort', interrupt);
  return () => {
    clearTimeout(connecting);
    clearTimeout(whole);
    signal?.removeEventListener('abort', interrupt);
  };
}

class TooLarge extends Error {}

async function exchange(client: Client, url: URL, request: HttpRequest, limits: Limits): Promise<HttpReply> {
  const { statusCode, headers, body } = await client.request({
    path: url.pathname + url.search,
    method: request.method ?? 'POST',
    headers: { ...request.headers },
    body: request.method === 'GET' ? null : request.body,
    reset: true,
  });
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    if (!Buffer.isBuffer(piece)) continue;
    size += piece.length;
    if (size > limits.maxBodyBytes) throw new TooLarge();
    pieces.push(piece);
  }
  return { status: statusCode, headers: tidy(headers), body: Buffer.concat(pieces) };
}

function tidy(headers: Readonly<Record<string, string | string[] | undefined>>): HttpReply['headers'] {
  const kept: [string, string | readonly string[]][] = [];
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) kept.push([name.toLowerCase(), value]);
  return Object.fromEntries(kept);
}

const closed = 'the connection was closed before the whole reply was there';
const lost: Readonly<Record<string, (limits: Limits) => string>> = {
  UND_ERR_HEADERS_TIMEOUT: (limits) => `no reply within ${seconds(limits.firstByteMs)}`,
  UND_ERR_BODY_TIMEOUT: (limits) => `the reply stopped for ${seconds(limits.gapMs)}`,
  UND_ERR_HEADERS_OVERFLOW: (limits) => `reply headers larger than ${size(limits.maxHeaderBytes)}`,
  UND_ERR_SOCKET: () => closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: () => 'the length of the reply is not the announced one',
  ECONNRESET: () => closed,
  EPIPE: () => closed,
};

function lostWords(error: unknown, limits: Limits): string {
  if (error instanceof TooLarge) return `reply larger than ${size(limits.maxBodyBytes)}`;
  const code = codeOf(error);
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) return 'the reply is not valid HTTP';
  return lost[code]?.(limits) ?? `the connection failed (${code})`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function size(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { fail } from '../errors/index.js';
import { queryOf } from './parse-callback.js';
import type { RawCallback } from './store.js';

export interface ListenOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Where callbacks are taken; everything else is answered with 404. */
  readonly path: string;
  /** Names besides those of this machine that are allowed in the Host header. */
  readonly names: readonly string[];
  /** Handles a completely received callback; its result is sent as the answer. */
  readonly receive: (raw: RawCallback) => Promise<Answer>;
  /** Called for each request that is no callback. The path is untrusted text, without a query. */
  readonly onRejected: (status: number, why: string, path: string) => void;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Listener {
  readonly port: number;
  /** The address to give to the gateway. */
  readonly url: string;
  close(): Promise<void>;
}

const maxConnections = 50;
const maxBodyBytes = 65_536;
// A little more is read before the connection is cut, so that most clients see the refusal instead of a reset.
const maxDrainedBytes = 1_048_576;
const limits = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
  requireHostHeader: false,
};

/** Receives callbacks over HTTP. Throws PORT_TAKEN or USAGE. */
export async function listenForCallbacks(options: ListenOptions): Promise<Listener> {
  const { host, path } = options;
  const opened = serverFor(options, () => port);
  let port = 0;
  port = await bind(opened.server, options.port, host);
  return {
    port,
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}${path}`,
    close: () => close(opened),
  };
}

interface OpenServer {
  readonly server: Server;
  /** All connections, the oldest first. */
  readonly open: Set<Socket>;
  /** Those whose request is complete and being answered. */
  readonly busy: Set<Socket>;
}

function serverFor(options: ListenOptions, port: () => number): OpenServer {
  const server = createServer(limits);
  const opened = { server, open: new Set<Socket>(), busy: new Set<Socket>() };
  limitConnections(opened);
  server.on('request', (incoming, response) => {
    void serve(incoming, response, { ...options, ...opened, port: port() }).catch(() => incoming.socket.destroy());
  });
  // Later errors of a listening server, such as too many open files, concern one connection each.
  server.on('error', () => undefined);
  return opened;
}

/**
 * Limits the connections: a new one replaces the oldest without a complete request, so that any number of slow clients
 * only replace each other.
 */
function limitConnections({ server, open, busy }: OpenServer): void {
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= maxConnections) return;
    const oldest = [...open].find((each) => each !== socket && !busy.has(each)) ?? socket;
    open.delete(oldest);
    oldest.destroy();
  });
}

type Serving = ListenOptions & OpenServer;

async function serve(incoming: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const refusal = refusalOf(incoming, serving);
  const body = await bodyOf(incoming, refusal === undefined ? maxBodyBytes : 0, (answer) =>
    send(response, refusal ?? answer),
  );
  if (body === undefined || refusal !== undefined) {
    const { status, text } = refusal ?? tooLarge;
    serving.onRejected(status, text, pathOf(incoming));
    if (!response.headersSent) send(response, refusal ?? tooLarge);
    return;
  }
  const { socket, method = '', url: target = '', headers } = incoming;
  if (body.length === 0 && queryOf(target) === '') {
    // A probe of the port, or a browser.
    serving.onRejected(400, 'the request has no fields', pathOf(incoming));
    return send(response, { status: 400, text: 'a callback must have fields' });
  }
  serving.busy.add(socket);
  response.once('close', () => serving.busy.delete(socket));
  const { status, text } = await serving.receive({ method, target, contentType: headers['content-type'], body });
  const last = serving.server.listening ? {} : { connection: 'close' };
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...last })
    .end(text);
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}

const tooLarge: Answer = { status: 413, text: `the body is larger than ${maxBodyBytes / 1024} KiB` };

function refusalOf({ method, url = '', headersDistinct }: IncomingMessage, serving: Serving): Answer | undefined {
  const hosts = headersDistinct['host'] ?? [];
  if (hosts.length !== 1 || !isOwnHost(hosts[0] ?? '', serving))
    return { status: 421, text: 'this listener does not serve that host' };
  if ((headersDistinct['content-type']?.length ?? 0) > 1)
    return { status: 400, text: 'the header content-type was sent more than once' };
  if (url.split('?')[0] !== serving.path) return { status: 404, text: `callbacks are received at ${serving.path}` };
  if (method !== 'GET' && method !== 'POST') return { status: 405, text: 'a callback must be a GET or a POST' };
  return undefined;
}

/** Against DNS rebinding: the name of another site may point at this machine, and the Host header has that name. */
function isOwnHost(header: string, { host, port, names }: Serving): boolean {
  if (!isLoopbackHost(host)) return true;
  const localNames = ['127.0.0.1', 'localhost', '[::1]', isIP(host) === 6 ? `[${host}]` : host];
  const requested = header.toLowerCase();
  return (
    localNames.some((name) => requested === `${name}:${port}` || (port === 80 && requested === name)) ||
    names.includes(requested.replace(/:\d+$/, ''))
  );
}

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function send(response: ServerResponse, { status, text }: Answer): void {
  if (response.headersSent) return;
  const allow = status === 405 ? { allow: 'GET, POST' } : {};
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...allow })
    .end(`${text}\n`);
}

/** The whole body; undefined when it is too large, which is answered at once. Never keeps more than `maxBytes`. */
function bodyOf(
  incoming: IncomingMessage,
  maxBytes: number,
  refuse: (answer: Answer) => void,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    incoming.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else refuse(tooLarge);
      if (size <= maxDrainedBytes) return;
      resolve(undefined);
      incoming.socket.destroy();
    });
    incoming.once('end', () => resolve(size > maxBytes ? undefined : Buffer.concat(pieces)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('the request was aborted')));
  });
}

function bind(server: Server, wanted: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => {
      const code = 'code' in error ? error.code : '';
      const isNotHere = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND';
      const why = isNotHere
        ? `this machine has no address ${host}; use 127.0.0.1 or another of its own addresses`
        : `port ${wanted} cannot be opened`;
      reject(
        code === 'EADDRINUSE'
          ? fail('PORT_TAKEN', { port: wanted }, { cause: error })
          : fail('USAGE', { why, host, port: wanted, command: 'callback listen' }, { cause: error }),
      );
    };
    server.once('error', refuse);
    server.listen(wanted, host, () => {
      server.off('error', refuse);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : wanted);
    });
  });
}

/** Complete requests are answered first: the gateway would send them again otherwise. */
function close({ server, open, busy }: OpenServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of open) if (!busy.has(socket)) socket.destroy();
  });
}

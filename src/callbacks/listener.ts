import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { fail } from '../errors/index.js';
import { queryOf } from './parse-callback.js';
import type { RawCallback } from './store.js';

export interface ListenOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Handles a completely received callback; its result is sent as the answer. */
  readonly receive: (raw: RawCallback) => Promise<Answer>;
  /** Called for each request that is no callback, with the reason. The path is untrusted text, without a query. */
  readonly onRejected: (why: string, path: string) => void;
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

const callbackPath = '/callback';
const maxConnections = 200;
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
  const { host } = options;
  const server = createServer(limits);
  server.maxConnections = maxConnections;
  const port = await bind(server, options.port, host);
  server.on('request', (incoming, response) => {
    void serve(incoming, response, { ...options, port }).catch(() => incoming.socket.destroy());
  });
  // Later errors of a listening server, such as too many open files, concern one connection each.
  server.on('error', () => undefined);
  return {
    port,
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}${callbackPath}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // What came as a whole was answered at once.
        server.closeAllConnections();
      }),
  };
}

async function serve(incoming: IncomingMessage, response: ServerResponse, options: ListenOptions): Promise<void> {
  const refusal = refusalOf(incoming, options);
  const body = refusal === undefined ? await readBody(incoming) : undefined;
  const answer = refusal ?? (body === undefined ? tooLarge : undefined);
  if (body !== undefined && answer === undefined) {
    const { method = '', url: target = '', headers } = incoming;
    const { status, text } = await options.receive({ method, target, contentType: headers['content-type'], body });
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    return;
  }
  const { status, text } = answer ?? tooLarge;
  options.onRejected(text, incoming.url?.split('?')[0] ?? '');
  incoming.resume();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`);
}

const tooLarge: Answer = { status: 413, text: `the body is larger than ${maxBodyBytes / 1024} KiB` };

function refusalOf({ method, url = '', headersDistinct, headers }: IncomingMessage, options: ListenOptions) {
  const hosts = headersDistinct['host'] ?? [];
  if (hosts.length !== 1 || !isOwnHost(hosts[0] ?? '', options))
    return { status: 421, text: 'this listener does not serve that host; a tunnel has to rewrite the Host header' };
  if ((headersDistinct['content-type']?.length ?? 0) > 1)
    return { status: 400, text: 'the header content-type was sent more than once' };
  if (url.split('?')[0] !== callbackPath) return { status: 404, text: `callbacks are received at ${callbackPath}` };
  if (method !== 'GET' && method !== 'POST') return { status: 405, text: 'a callback must be a GET or a POST' };
  // A probe of the port, or a browser.
  const isEmpty = queryOf(url) === '' && (headers['content-length'] ?? headers['transfer-encoding'] ?? '0') === '0';
  return isEmpty ? { status: 400, text: 'a callback must have fields' } : undefined;
}

/** Against DNS rebinding: the name of another site may point at this machine, and the Host header has that name. */
function isOwnHost(header: string, { host, port }: ListenOptions): boolean {
  if (!isLoopbackHost(host)) return true;
  const names = ['127.0.0.1', 'localhost', '[::1]', host];
  const requested = header.toLowerCase();
  return names.some((name) => requested === `${name}:${port}` || (port === 80 && requested === name));
}

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The whole body; undefined when it is too large. Never keeps more than `maxBodyBytes`. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of incoming) {
    size += piece.length;
    if (size <= maxBodyBytes) pieces.push(piece);
    // Leaving the loop closes the connection.
    if (size > maxDrainedBytes) break;
  }
  return size > maxBodyBytes ? undefined : Buffer.concat(pieces);
}

function bind(server: Server, wanted: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const why = `port ${wanted} of ${host} cannot be opened (${error.code}); use 127.0.0.1 or another address of this machine`;
      reject(
        error.code === 'EADDRINUSE'
          ? fail('PORT_TAKEN', { port: wanted }, { cause: error })
          : fail('USAGE', { why, host, port: wanted, command: 'callback listen' }, { cause: error }),
      );
    };
    server.once('error', refuse);
    server.listen(wanted, host, () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

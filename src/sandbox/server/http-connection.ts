import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../runtime/ports.js';
import { operations } from '../../spec/index.js';
import { gatewayPrefix } from '../checks/check-request.js';
import type { SandboxReply, SandboxRequest } from '../checks/request.js';

/**
 * Keeps bytes after a request from spoiling its reply. By default the server answers unreadable bytes with a bare 400,
 * even while the request before them is being executed: the client would take a completed payment for a refused one.
 */
export function guardReplies(server: Server, onRefused: (status: number, why: string) => void): void {
  // Avoids a listener on the end of each response, which costs as much as the rest of it.
  const newest = new WeakMap<Duplex, ServerResponse>();
  server.on(
    'request',
    (incoming: IncomingMessage, response: ServerResponse) => void newest.set(incoming.socket, response),
  );
  server.on('clientError', (error: Error, socket: Duplex) => {
    const response = newest.get(socket);
    if (response?.req.complete === true && !response.writableFinished) {
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.destroy());
      return;
    }
    // Nothing was executed: a request is answered only after its end.
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const { status, words, why } = httpErrors[code] ?? badRequest;
    if (socket.writable) socket.write(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\n\r\n`);
    socket.destroy();
    if (isRefused(code, socket)) onRefused(status, why);
  });
}

/** False when the client disconnected, or opened a connection and never used it. */
function isRefused(code: string, socket: Duplex): boolean {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'bytesRead' in socket && socket.bytesRead !== 0;
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE';
}

interface HttpError {
  readonly status: number;
  readonly words: string;
  readonly why: string;
}

const badRequest: HttpError = { status: 400, words: 'Bad Request', why: 'this is not an HTTP request' };

// The answers the server would give by default.
const httpErrors: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: { status: 431, words: 'Request Header Fields Too Large', why: 'the headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    words: 'Payload Too Large',
    why: 'the extensions of a chunk are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    words: 'Request Timeout',
    why: 'the rest of the request did not arrive in time',
  },
};

// The parser keeps the first of these and drops the rest silently; which one the client meant is unknown.
const singleHeaders = ['host', 'authorization', 'content-type'] as const;

/** The name of a repeated header that may appear only once. */
export function repeatedHeader({ headersDistinct }: IncomingMessage): string | undefined {
  return singleHeaders.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
}

/** A plain request for an operation, according to its headers. */
interface FastPathRequest {
  readonly url: string;
  readonly headers: SandboxRequest['headers'];
}

interface FastPathLimits {
  readonly hosts: ReadonlySet<string>;
  readonly maxBodyBytes: number;
}

const operationPaths: ReadonlySet<string> = new Set(operations.map(({ path }) => gatewayPrefix + path));
const forwardedHeaders: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-length',
  'content-type',
  'host',
]);
// Headers of a browser, or of a body or connection that is read in another way.
const slowPathHeaders: ReadonlySet<string> = new Set([
  'expect',
  'origin',
  'sec-fetch-site',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Undefined for everything the web framework has to handle: other paths and methods, and whatever may have to be
 * refused.
 */
export function matchFastPath(
  { method, url = '', rawHeaders }: IncomingMessage,
  { hosts, maxBodyBytes }: FastPathLimits,
): FastPathRequest | undefined {
  if (method !== 'POST' || !operationPaths.has(url.slice(0, url.lastIndexOf('/')))) return undefined;
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (slowPathHeaders.has(name) || headers[name] !== undefined) return undefined;
    if (forwardedHeaders.has(name)) headers[name] = rawHeaders[at + 1] ?? '';
  }
  const host = headers['host']?.toLowerCase() ?? '';
  const length = Number(headers['content-length']);
  return hosts.has(host) && length <= maxBodyBytes ? { url: `http://${headers['host']}${url}`, headers } : undefined;
}

/** Reads the body of such a request, whose length is known to be small. `lost` is called if it is incomplete. */
export function readKnownSizeBody(
  incoming: IncomingMessage,
  whole: (body: Uint8Array) => void,
  lost: () => void,
): void {
  const pieces: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => pieces.push(piece));
  incoming.once('end', () => {
    const [first] = pieces;
    whole(first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces));
  });
  incoming.once('close', () => {
    if (!incoming.complete) lost();
  });
  // An aborted connection is an error first, and closed right after it.
  incoming.once('error', () => undefined);
}

/** Sends a reply as it is to be delivered; a late one only while the client still waits for it. */
export function sendReply(
  { status, headers, body, delivery }: SandboxReply,
  response: ServerResponse,
  { sleep }: Pick<Clock, 'sleep'>,
): void {
  const send = () => void response.writeHead(status, headers).end(body);
  if (delivery === 'none') response.socket?.destroy();
  else if (delivery === undefined) send();
  else if (delivery !== 'hang') void sleep(delivery.afterMs).then(() => (response.destroyed ? undefined : send()));
}

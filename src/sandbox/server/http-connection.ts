import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../runtime/ports.js';
import type { SandboxReply } from '../checks/request.js';

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

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Keeps what stands behind a request from spoiling its reply. By itself the server answers unreadable bytes with a bare 400,
 * even while the request before them is being carried out: the client would take a payment that was made for a refused one.
 */
export function guardReplies(server: Server, onRefused: (status: number, why: string) => void): void {
  // Without listening for the end of each response, which costs as much as all the rest of it.
  const newest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => void newest.set(incoming.socket, response));
  server.on('clientError', (error: Error, socket: Duplex) => {
    const response = newest.get(socket);
    if (response?.req.complete === true && !response.writableFinished) {
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.destroy());
      return;
    }
    // Nothing was carried out: a request is answered only after its end.
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const { status, words, why } = refusals[code] ?? unreadable;
    if (socket.writable) socket.write(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\n\r\n`);
    socket.destroy();
    if (isRefused(code, socket)) onRefused(status, why);
  });
}

/** False when the client went away, or opened a connection and never used it. */
function isRefused(code: string, socket: Duplex): boolean {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'bytesRead' in socket && socket.bytesRead !== 0;
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE';
}

interface RefusalRow {
  readonly status: number;
  readonly words: string;
  readonly why: string;
}

const unreadable: RefusalRow = { status: 400, words: 'Bad Request', why: 'these bytes are no HTTP request' };

// As the server would answer by itself.
const refusals: Readonly<Record<string, RefusalRow>> = {
  HPE_HEADER_OVERFLOW: { status: 431, words: 'Request Header Fields Too Large', why: 'the headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, words: 'Payload Too Large', why: 'the extensions of a chunk are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, words: 'Request Timeout', why: 'the rest of the request did not come in time' },
};

// The parser keeps the first of these and drops the rest without a word; which one the client meant, nobody knows.
const single = ['host', 'authorization', 'content-type'] as const;

/** The name of a header that may be there once and is there more often. */
export function repeatedHeader({ headersDistinct }: IncomingMessage): string | undefined {
  return single.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
}

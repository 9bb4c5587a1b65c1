import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Keeps what stands behind a request from spoiling its reply. By itself the server answers unreadable bytes with a bare 400,
 * even while the request before them is being carried out: the client would take a payment that was made for a refused one.
 */
export function guardReplies(server: Server): void {
  const open = new Map<Duplex, ServerResponse>();
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    open.set(incoming.socket, response);
    response.once('close', () => open.delete(incoming.socket));
  });
  server.on('clientError', (error: Error, socket: Duplex) => {
    const response = open.get(socket);
    if (response?.req.complete === true) {
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.destroy());
      return;
    }
    // Nothing was carried out: a request is answered only after its end.
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (socket.writable) socket.write(`HTTP/1.1 ${refusals[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
    socket.destroy();
  });
}

// As the server would answer by itself.
const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

// The parser keeps the first of these and drops the rest without a word; which one the client meant, nobody knows.
const single = ['host', 'authorization', 'content-type'] as const;

/** The name of a header that may be there once and is there more often. */
export function repeatedHeader({ headersDistinct }: IncomingMessage): string | undefined {
  return single.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
}

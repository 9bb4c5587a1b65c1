import { createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createTls, type TlsOptions } from 'node:tls';

/** One connection as it looked on the wire. */
export interface Exchange {
  /** Request line and headers, byte for byte as latin1; empty when none arrived. */
  head: string;
  body: Buffer;
}

/**
 * A way to misbehave. Each hook runs once: when the connection is there, at the first byte of the body,
 * when the whole request is there.
 */
export interface Fault {
  connected?(socket: Socket): void;
  bodyStarted?(socket: Socket, exchange: Exchange): void;
  received?(socket: Socket, exchange: Exchange): void;
}

export interface FaultServer {
  readonly port: number;
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /**
   * How many request bodies were seen on the wire, whole or in part; only those of one operation when its path is
   * given.
   */
  bodies(path?: string): number;
  close(): Promise<void>;
}

export async function faultServer(fault: Fault, tls?: TlsOptions, wantedPort = 0): Promise<FaultServer> {
  const exchanges: Exchange[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    socket.on('error', () => undefined);
    fault.connected?.(socket);
    if (!socket.destroyed) listen(socket, fault, exchanges);
  };
  const server: Server = tls === undefined ? createPlain(serve) : createTls(tls, serve);
  server.on('connection', (socket) =>
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket))),
  );
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((ready) => server.listen(wantedPort, '127.0.0.1', ready));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    exchanges,
    bodies: (path = '') => exchanges.filter((exchange) => exchange.body.length > 0 && isTo(path, exchange)).length,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

function listen(socket: Socket, fault: Fault, exchanges: Exchange[]): void {
  const exchange: Exchange = { head: '', body: Buffer.alloc(0) };
  exchanges.push(exchange);
  let bytes = Buffer.alloc(0);
  let done = false;
  socket.on('data', (piece: Buffer) => {
    const before = exchange.body.length;
    bytes = Buffer.concat([bytes, piece]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return;
    exchange.head = bytes.subarray(0, end + 4).toString('latin1');
    exchange.body = bytes.subarray(end + 4);
    if (before === 0 && exchange.body.length > 0) fault.bodyStarted?.(socket, exchange);
    const wanted = Number(/^content-length: (\d+)\r$/im.exec(exchange.head)?.[1] ?? 0);
    if (done || exchange.body.length < wanted) return;
    done = true;
    fault.received?.(socket, exchange);
  });
}

function isTo(path: string, { head }: Exchange): boolean {
  return head.split('\r\n', 1)[0]?.includes(path) === true;
}

const type = 'content-type: application/vnd.pay+json';

function head(status: number, ...lines: string[]): string {
  return [`HTTP/1.1 ${status} Whatever`, ...lines, 'connection: close', '', ''].join('\r\n');
}

/** A whole reply. */
export function answer(
  body: string | Buffer,
  { status = 200, headers = [type] }: { status?: number; headers?: readonly string[] } = {},
): Fault {
  return {
    received: (socket) => {
      socket.write(head(status, ...headers, `content-length: ${Buffer.byteLength(body)}`));
      socket.end(body);
    },
  };
}

/** Bytes as they are, then the end of the connection. */
export function raw(text: string): Fault {
  return { received: (socket) => socket.end(text, 'latin1') };
}

/** Starts a reply and leaves the connection open. */
export function open(text: string): Fault {
  return { received: (socket) => void socket.write(text, 'latin1') };
}

const accepted = '{"type":"async-response","paynet-order-id":"17","merchant-order-id":"order-1"}';

export const faults = {
  resetAtOnce: { connected: (socket) => void socket.resetAndDestroy() },
  resetInBody: { bodyStarted: (socket) => void socket.resetAndDestroy() },
  resetAfterBody: { received: (socket) => void socket.resetAndDestroy() },
  closeAfterBody: { received: (socket) => void socket.end() },
  silence: {},
  stall: open(`${head(200, type, 'content-length: 100')}{"type":`),
  truncated: raw(`${head(200, type, 'content-length: 500')}${accepted}`),
  twoLengths: raw(`${head(200, type, `content-length: ${accepted.length}`, 'content-length: 5')}${accepted}`),
  notHttp: raw('220 mail.example ESMTP\r\n'),
  continued: raw('HTTP/1.1 100 Continue\r\n\r\n'),
  accepted: answer(accepted),
  html: answer('<html><body>Sign in to the network</body></html>', { headers: ['content-type: text/html'] }),
  plainText: answer(accepted, { headers: ['content-type: text/plain'] }),
  empty: answer(''),
  brokenJson: answer(accepted.slice(0, -5)),
  gzipHeader: answer(accepted, { headers: [type, 'content-encoding: gzip'] }),
  manyHeaders: raw(head(200, ...Array.from({ length: 100_000 }, (_, at) => `x-${at}: a`))),
} as const satisfies Record<string, Fault>;

/** Sends a body that never ends, one byte at a time. */
export function trickle(everyMs: number): Fault {
  return {
    received: (socket) => {
      socket.write(head(200, type));
      const timer = setInterval(() => socket.write('a'), everyMs);
      socket.once('close', () => clearInterval(timer));
    },
  };
}

/** Chunks without end; counts what the client let it send. */
export function endless(sent: { bytes: number }): Fault {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')]);
  return {
    received: (socket) => {
      socket.write(head(200, type, 'transfer-encoding: chunked'));
      const more = () => {
        while (!socket.destroyed) {
          sent.bytes += 65_536;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', more);
      more();
    },
  };
}

export function redirect(status: number, location: string): Fault {
  return answer('', { status, headers: [`location: ${location}`] });
}

/** Misbehaves by operation: the first entry whose path stands in the request line. Anything else is silence. */
export function byPath(table: Readonly<Record<string, Fault>>): Fault {
  const of = (exchange: Exchange) => Object.entries(table).find(([path]) => isTo(path, exchange))?.[1];
  return {
    bodyStarted: (socket, exchange) => of(exchange)?.bodyStarted?.(socket, exchange),
    received: (socket, exchange) => of(exchange)?.received?.(socket, exchange),
  };
}

import { request } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Exchange } from './server.js';

/** A request that came whole, and what can be done about it. */
export interface Turn {
  readonly socket: Socket;
  readonly exchange: Exchange;
  /** Hands it on and waits for the answer, laid out as it would go back. */
  forward(): Promise<string>;
  /** Hands on its head and half of its body, then cuts the connection. */
  forwardHalf(): Promise<void>;
  /** The next connection is reset as soon as it is there. */
  resetNext(): void;
  /** Nobody listens for a moment. */
  leave(): void;
}

export type Conduct = (turn: Turn) => void | Promise<void>;

/** Does what a proxy should. */
export const pass: Conduct = async ({ socket, forward }) => void socket.write(await forward());

export interface FaultyProxy {
  readonly url: string;
  /** What went wrong with the proxy itself. */
  readonly problems: readonly unknown[];
  close(): Promise<void>;
}

const awayMs = 40;

/**
 * Stands before a sandbox, under its port at the other loopback address: signatures and the Host header cover the port,
 * and the sandbox answers to [::1] as well. `choose` says how each request is treated.
 */
export async function faultyProxy(sandbox: string, choose: (exchange: Exchange) => Conduct): Promise<FaultyProxy> {
  const { port: digits, pathname } = new URL(sandbox);
  const port = Number(digits);
  const sockets = new Set<Socket>();
  const problems: unknown[] = [];
  let isAway = false;
  let isNextReset = false;
  let back: NodeJS.Timeout | undefined;

  async function take(socket: Socket, bytes: Buffer, exchange: Exchange): Promise<void> {
    try {
      await choose(exchange)({
        ...{ socket, exchange },
        forward: () => forward(exchange, port, () => isAway),
        forwardHalf: () => writeAndCut(port, bytes.subarray(0, bytes.length - Math.ceil(exchange.body.length / 2))),
        resetNext: () => {
          isNextReset = true;
        },
        leave,
      });
    } catch (error) {
      problems.push(error);
      socket.destroy();
    }
  }

  function serve(socket: Socket): void {
    socket.on('error', () => undefined);
    if (isNextReset) {
      isNextReset = false;
      socket.resetAndDestroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    let bytes = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece]);
      const exchange = wholeIn(bytes);
      if (exchange === undefined) return;
      // No client sends a second request before the reply.
      void take(socket, bytes, exchange);
      bytes = Buffer.alloc(0);
    });
  }

  const open = () =>
    new Promise<Server>((resolve, reject) => {
      const made = createServer(serve).once('error', reject);
      made.listen(port, '::1', () => resolve(made));
    });
  let server = await open();

  function leave(): void {
    if (isAway) return;
    isAway = true;
    server.close();
    const come = () => {
      open().then(
        (made) => {
          server = made;
          isAway = false;
        },
        // Somebody's outgoing connection may have the port for a moment.
        () => {
          back = setTimeout(come, awayMs);
        },
      );
    };
    back = setTimeout(come, awayMs);
  }

  return {
    url: `http://[::1]:${port}${pathname}`,
    problems,
    close: () => {
      clearTimeout(back);
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

/** The request in these bytes; undefined while some of it is still to come. */
function wholeIn(bytes: Buffer): Exchange | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end + 4).toString('latin1');
  const body = bytes.subarray(end + 4);
  return body.length < Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0) ? undefined : { head, body };
}

const ofConnection: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/** On a connection of its own: one that was kept may be closed by the sandbox just as the request leaves. */
function forward({ head, body }: Exchange, port: number, isLast: () => boolean): Promise<string> {
  const [first = '', ...lines] = head.trimEnd().split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  delete headers['connection'];
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece)).once('error', reject);
      reply.once('end', () => {
        const text = Buffer.concat(pieces).toString();
        const kept = Object.entries(reply.headers).filter(([name]) => !ofConnection.has(name));
        const own = [
          ['content-length', Buffer.byteLength(text)] as const,
          ['connection', isLast() ? 'close' : 'keep-alive'] as const,
        ];
        const all = [...kept, ...own].map(([name, value]) => `${name}: ${String(value)}\r\n`);
        resolve(`HTTP/1.1 ${reply.statusCode} ${reply.statusMessage}\r\n${all.join('')}\r\n${text}`);
      });
    });
    asked.once('error', reject).end(body);
  });
}

function writeAndCut(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      // The sandbox may answer half of a request with a reset.
      socket.off('error', reject).on('error', () => undefined);
      socket.end(bytes);
    });
    socket.once('error', reject).once('close', () => resolve());
    socket.resume();
  });
}

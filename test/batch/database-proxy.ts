import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface DatabaseProxy {
  readonly port: number;
  /** How many connections were cut as they were to be. */
  readonly cuts: number;
  /** Cuts the connection on which this is said next: when the server has answered, and the answer is kept. */
  cutAfter(statement: string): void;
  /** The same before the server hears of it. */
  cutBefore(statement: string): void;
  /** From here on nothing comes through in either direction, and nobody is told; held back until `open`. */
  block(): void;
  open(): void;
  /** Ends every connection; new ones are taken. */
  cutAll(): void;
  close(): void;
}

/** Passes everything on to a database but for what it is told to spoil. */
export async function openDatabaseProxy(port: number): Promise<DatabaseProxy> {
  let awaited: { readonly statement: string; readonly isHeard: boolean } | undefined;
  let cuts = 0;
  let isBlocked = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let isCut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      if (isBlocked) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    const cut = () => {
      cuts += 1;
      client.destroy();
    };
    client.on('data', (piece) => {
      const found = awaited !== undefined && piece.includes(awaited.statement) ? awaited : undefined;
      if (found !== undefined) awaited = undefined;
      if (found?.isHeard === false) return cut();
      isCut ||= found !== undefined;
      upstream.write(piece);
    });
    upstream.on('data', (piece) => void (isCut ? cut() : client.write(piece)));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const setBlocked = (blocked: boolean) => {
    isBlocked = blocked;
    for (const socket of sockets) blocked ? socket.pause() : socket.resume();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutAfter: (statement) => {
      awaited = { statement, isHeard: true };
    },
    cutBefore: (statement) => {
      awaited = { statement, isHeard: false };
    },
    get cuts() {
      return cuts;
    },
    block: () => setBlocked(true),
    open: () => setBlocked(false),
    cutAll,
    close: () => {
      cutAll();
      proxy.close();
    },
  };
}

/** Closed when the test is over. */
export async function databaseProxy(port: number): Promise<DatabaseProxy> {
  const proxy = await openDatabaseProxy(port);
  onTestFinished(() => proxy.close());
  return proxy;
}

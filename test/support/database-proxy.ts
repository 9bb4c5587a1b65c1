import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface DatabaseProxy {
  readonly port: number;
  /** Cuts the connection on which this is said next: when the server has answered, and the answer is kept. */
  cutAfter(statement: string): void;
  /** The same before the server hears of it. */
  cutBefore(statement: string): void;
  /** Ends every connection, and takes no new ones. */
  close(): void;
}

/** Passes everything on to a database but for what it is told to spoil. Closed when the test is over. */
export async function databaseProxy(port: number, onCut: () => void = () => {}): Promise<DatabaseProxy> {
  let awaited: { readonly statement: string; readonly isHeard: boolean } | undefined;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let isCut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    const cut = () => {
      client.destroy();
      onCut();
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
  const close = () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutAfter: (statement) => {
      awaited = { statement, isHeard: true };
    },
    cutBefore: (statement) => {
      awaited = { statement, isHeard: false };
    },
    close,
  };
}

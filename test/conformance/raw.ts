import { connect } from 'node:net';

export interface RawReply {
  /** 0 when the connection was closed without a reply. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly isClosed: boolean;
}

/** Sends bytes as they are and reads until the other side closes, or for `forMs` where it does not. */
export function raw(port: number, bytes: string | Buffer, { end = false, forMs = 2000 } = {}): Promise<RawReply> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let isClosed = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setTimeout(() => socket.destroy(), forMs);
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.once('end', () => {
      isClosed = true;
      socket.destroy();
    });
    socket.on('error', () => {
      isClosed = true;
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve({ ...read(Buffer.concat(pieces).toString('utf8')), isClosed });
    });
    socket.once('connect', () => (end ? socket.end(bytes) : socket.write(bytes)));
  });
}

// The last reply that is whole: one to `Expect: 100-continue` stands in front of the real one.
function read(text: string): Omit<RawReply, 'isClosed'> {
  const final = text.replace(/^HTTP\/1\.1 100 [^\r\n]*\r\n\r\n/, '');
  const cut = final.indexOf('\r\n\r\n');
  if (cut === -1) return { status: 0, head: final, body: '' };
  const head = final.slice(0, cut);
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0), head, body: final.slice(cut + 4) };
}

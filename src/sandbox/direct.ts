import type { IncomingMessage, ServerResponse } from 'node:http';
import { operations } from '../spec/index.js';
import { prefix } from './checks/route.js';
import type { SandboxReply, SandboxRequest } from './request.js';

/** A request for an operation with nothing unusual about it, as its headers say. */
export interface Plain {
  readonly url: string;
  readonly headers: SandboxRequest['headers'];
}

export interface PlainLimits {
  readonly hosts: ReadonlySet<string>;
  readonly mostBodyBytes: number;
}

const paths: ReadonlySet<string> = new Set(operations.map(({ path }) => prefix + path));
const read: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-length', 'content-type', 'host']);
// Of a browser, or of a body or a connection that is read in another way.
const unusual: ReadonlySet<string> = new Set(['expect', 'origin', 'sec-fetch-site', 'transfer-encoding', 'upgrade']);

/** Undefined for everything the web framework has to look at: other paths, other methods, and whatever may have to be turned away. */
export function plainOperation(
  { method, url = '', rawHeaders }: IncomingMessage,
  { hosts, mostBodyBytes }: PlainLimits,
): Plain | undefined {
  if (method !== 'POST' || !paths.has(url.slice(0, url.lastIndexOf('/')))) return undefined;
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (unusual.has(name) || headers[name] !== undefined) return undefined;
    if (read.has(name)) headers[name] = rawHeaders[at + 1] ?? '';
  }
  const host = headers['host']?.toLowerCase() ?? '';
  const length = Number(headers['content-length']);
  return hosts.has(host) && length <= mostBodyBytes ? { url: `http://${headers['host']}${url}`, headers } : undefined;
}

/** Reads the body of such a request, whose length is known to be small. `lost` is called when it does not come whole. */
export function readPlainBody(incoming: IncomingMessage, whole: (body: Uint8Array) => void, lost: () => void): void {
  const pieces: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => pieces.push(piece));
  incoming.once('end', () => {
    const [first] = pieces;
    whole(first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces));
  });
  incoming.once('close', () => {
    if (!incoming.complete) lost();
  });
  // A cut connection is an error first, and closed right after it.
  incoming.once('error', () => undefined);
}

export function sendReply({ status, headers, body, silent }: SandboxReply, response: ServerResponse): void {
  if (silent === true) response.socket?.destroy();
  else response.writeHead(status, headers).end(body);
}

import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Address, destinationOf, type Resolve } from './address.js';
import type { CallbackRequest } from './payload.js';

/** What a handler answered, or why there is no answer that counts. */
export interface Answer {
  readonly status: number | undefined;
  /** The first bytes of its reply, fit to be shown. */
  readonly reply: string | undefined;
  readonly reason: string | undefined;
}

export interface SendOptions {
  readonly allowed: readonly string[];
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
}

const mostMs = 5000;
const mostReplyBytes = 65_536;
const shownBytes = 200;

/** One attempt: one connection to a checked address, no redirect followed. Never rejects. */
export async function sendCallback(request: CallbackRequest, { allowed, resolve, signal }: SendOptions): Promise<Answer> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(mostMs)]);
  try {
    const url = new URL(request.url);
    const destination = await Promise.race([destinationOf(url, allowed, resolve), ended(limit)]);
    if (!destination.ok) return nothing(`not sent: ${destination.why}`);
    return await exchange(url, request, destination.addresses, limit);
  } catch (error) {
    if (signal.aborted) return nothing('the sandbox was stopped');
    return nothing(limit.aborted ? `no whole reply within ${mostMs / 1000} s` : wordsOf(error));
  }
}

function nothing(reason: string): Answer {
  return { status: undefined, reply: undefined, reason };
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('ended')));
    if (signal.aborted) reject(new Error('ended'));
  });
}

function exchange(url: URL, { method, body }: CallbackRequest, addresses: readonly Address[], signal: AbortSignal): Promise<Answer> {
  const headers = {
    accept: '*/*',
    'user-agent': 'paycli-sandbox',
    connection: 'close',
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(Buffer.byteLength(body)) }),
  };
  const start = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = start(url, { method, headers, agent: false, signal, lookup: only(addresses), maxHeaderSize: 16_384 });
    sent.once('error', reject);
    sent.once('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      const pieces: Buffer[] = [];
      let size = 0;
      incoming.on('data', (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size <= mostReplyBytes) return;
        sent.destroy();
        resolve({ status, reply: shownReply(pieces), reason: `the reply is larger than ${mostReplyBytes / 1024} KiB` });
      });
      incoming.once('end', () => resolve({ status, reply: shownReply(pieces), reason: reasonOf(status) }));
      incoming.once('error', reject);
    });
    sent.end(body);
  });
}

/** Answers every question with the addresses that were checked. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_, options, done) => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

function reasonOf(status: number): string | undefined {
  if (status === 200) return undefined;
  return status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'only 200 counts as delivered';
}

// Digits of a whole card would be somebody's mistake, but they would stay in the file.
function shownReply(pieces: readonly Buffer[]): string {
  const start = Buffer.concat(pieces).subarray(0, shownBytes).toString('utf8');
  return start.replace(/\p{C}/gu, '·').replace(/\d{12,19}/g, (digits) => '•'.repeat(digits.length));
}

const known: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address',
  ECONNRESET: 'the connection was closed before the whole reply was there',
  HPE_HEADER_OVERFLOW: 'the reply headers are larger than 16 KiB',
};

function wordsOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  if (code.startsWith('HPE_')) return known[code] ?? 'the reply is not valid HTTP';
  return known[code] ?? `the connection failed (${code})`;
}

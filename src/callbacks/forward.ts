import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Clock } from '../runtime/ports.js';
import { withoutCardNumbers } from '../wire/mask.js';
import { deadline } from '../wire/time.js';
import { queryOf } from './parse-callback.js';
import type { ForwardAttempt, RawCallback } from './store.js';

const maxForwardMs = 5000;
const maxReplyBytes = 65_536;
const shownBytes = 200;

/**
 * Forwards a callback to a handler: the same method, query, body and content type, byte for byte. A query of the
 * handler's own address comes first. One attempt of at most five seconds, no redirect followed. Never rejects: what
 * went wrong is the `reason`.
 */
export async function forwardCallback(
  raw: RawCallback,
  url: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ForwardAttempt> {
  const at = clock.now();
  const startedAt = clock.monotonic();
  const limit = deadline(maxForwardMs, signal);
  const answer = await send(raw, url, limit).catch((error: unknown) => {
    return { status: undefined, reply: '', reason: reasonOf(error, limit) };
  });
  return { at, url, ...answer, ms: Math.round(clock.monotonic() - startedAt) };
}

type Answer = Pick<ForwardAttempt, 'status' | 'reply' | 'reason'>;

/** Over a connection of its own: one kept from an earlier callback could be closed while this one is sent. */
async function send(raw: RawCallback, address: string, signal: AbortSignal): Promise<Answer> {
  const { method, contentType, body } = raw;
  const url = new URL(address);
  const start = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const headers = {
    accept: '*/*',
    'user-agent': 'paycli',
    connection: 'close',
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(body.length === 0 && method !== 'POST' ? {} : { 'content-length': String(body.length) }),
  };
  const path = pathWith(url, queryOf(raw.target));
  const sent = start(url, { method, headers, path, agent: false, signal, maxHeaderSize: 16_384 }).end(body);
  // Once there is an answer, reading that fails instead.
  sent.on('error', () => undefined);
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of incoming) {
    // The rest of the answer is counted, not kept.
    if (size < shownBytes) pieces.push(piece);
    size += piece.length;
    if (size > maxReplyBytes) break;
  }
  const status = incoming.statusCode ?? 0;
  const tooLarge = `its answer is larger than ${maxReplyBytes / 1024} KiB`;
  const shown = Buffer.concat(pieces).subarray(0, shownBytes).toString('utf8');
  return {
    status,
    reply: withoutCardNumbers(shown),
    reason: size > maxReplyBytes ? tooLarge : statusWarning(status),
  };
}

/** The path of the handler's address, its own query, then that of the callback. */
function pathWith({ pathname, search }: URL, query: string): string {
  if (query === '') return `${pathname}${search}`;
  return `${pathname}${search === '' ? '?' : `${search}&`}${query}`;
}

/** A gateway sends a callback again until it is answered with 200 (A25). */
function statusWarning(status: number): string | undefined {
  if (status === 200) return undefined;
  return status >= 300 && status < 400
    ? 'a redirect, which is not followed'
    : 'the gateway would retry: only 200 counts as received';
}

function reasonOf(error: unknown, limit: AbortSignal): string {
  if (limit.aborted)
    return limit.reason instanceof Error && limit.reason.name === 'TimeoutError'
      ? 'no complete answer within 5 s'
      : 'interrupted';
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  return code === 'ECONNREFUSED' ? 'nothing is listening at that address' : `the connection failed (${code})`;
}

import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { formType } from '../../signing/request-form.js';
import { isLoopback, webAddress } from '../../wire/address.js';
import { withoutCardData } from '../../wire/mask.js';
import { deadline } from '../../wire/time.js';
import type { CallbackRequest } from './payload.js';

/** A handler's answer, or why there is no valid one. */
export interface CallbackReply {
  readonly status: number | undefined;
  /** The first bytes of its reply, safe to show. */
  readonly reply: string | undefined;
  readonly reason: string | undefined;
}

const timeoutMs = 5000;
const maxReplyBytes = 65_536;
const shownBytes = 200;

/**
 * One attempt: one connection to this machine, or to one of the hosts `allowed`, each with its port; no redirect is
 * followed. Never rejects.
 */
export async function sendCallback(
  request: CallbackRequest,
  allowed: readonly string[],
  signal: AbortSignal,
): Promise<CallbackReply> {
  const limit = deadline(timeoutMs, signal);
  try {
    const url = webAddress(request.url);
    if (url === undefined) return noReply('not sent: it takes an http or https address without a user name');
    // No other name is looked up: one that leads here today may lead elsewhere tomorrow.
    if (!isLoopback(request.url) && !allowed.includes(url.host))
      return noReply(`not sent: ${url.hostname} is not this machine`);
    return await sendRequest(url, request, limit);
  } catch (error) {
    if (signal.aborted) return noReply('the sandbox was stopped');
    return noReply(limit.aborted ? `no complete answer within ${timeoutMs / 1000} s` : errorText(error));
  }
}

function noReply(reason: string): CallbackReply {
  return { status: undefined, reply: undefined, reason };
}

async function sendRequest(url: URL, { method, body }: CallbackRequest, signal: AbortSignal): Promise<CallbackReply> {
  const headers = {
    ...{ accept: '*/*', 'user-agent': 'paycli-sandbox', connection: 'close' },
    ...(body === undefined ? {} : { 'content-type': formType, 'content-length': Buffer.byteLength(body) }),
  };
  const start = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const options = { method, headers, agent: false, signal };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    start(url, options).once('response', resolve).once('error', reject).end(body);
  });
  const status = incoming.statusCode ?? 0;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of incoming) {
    pieces.push(piece);
    size += pieces.at(-1)?.length ?? 0;
    if (size > maxReplyBytes)
      return { status, reply: shownReply(pieces), reason: `the answer is larger than ${maxReplyBytes / 1024} KiB` };
  }
  return { status, reply: shownReply(pieces), reason: reasonOf(status) };
}

function reasonOf(status: number): string | undefined {
  if (status === 200) return undefined;
  return 'only 200 counts as delivered, and no redirect is followed';
}

// A handler might reply with card data by mistake, and the reply is stored. It is masked before it is cut, so that no
// part of a number is left at the end.
function shownReply(pieces: readonly Buffer[]): string {
  const start = Buffer.concat(pieces)
    .subarray(0, 4 * shownBytes)
    .toString('utf8');
  const shown = withoutCardData(start).slice(0, shownBytes);
  // Drops a trailing line break.
  return shown.trimEnd().replace(/\p{C}/gu, '·');
}

function errorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  return code === 'ECONNREFUSED' ? 'nothing is listening at that address' : `the connection failed (${code})`;
}

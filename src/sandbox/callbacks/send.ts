import { promises as dns } from 'node:dns';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { formType } from '../../signing/request-form.js';
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

export interface SendOptions {
  readonly allowed: readonly string[];
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
}

const timeoutMs = 5000;
const maxReplyBytes = 65_536;
const shownBytes = 200;

/** One attempt: one connection to a checked address, no redirect followed. Never rejects. */
export async function sendCallback(
  request: CallbackRequest,
  { allowed, resolve, signal }: SendOptions,
): Promise<CallbackReply> {
  const limit = deadline(timeoutMs, signal);
  try {
    const url = new URL(request.url);
    const addresses = await Promise.race([destinationOf(url, allowed, resolve), rejectOnAbort(limit)]);
    if (typeof addresses === 'string') return noReply(`not sent: ${addresses}`);
    return await sendRequest(url, request, addresses, limit);
  } catch (error) {
    if (signal.aborted) return noReply('the sandbox was stopped');
    return noReply(limit.aborted ? `no complete answer within ${timeoutMs / 1000} s` : errorText(error));
  }
}

function noReply(reason: string): CallbackReply {
  return { status: undefined, reply: undefined, reason };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('ended')));
    if (signal.aborted) reject(new Error('ended'));
  });
}

async function sendRequest(
  url: URL,
  { method, body }: CallbackRequest,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<CallbackReply> {
  const [{ address, family } = { address: '', family: 4 }] = addresses;
  // Whatever the name resolves to by now, the connection goes to the addresses that were checked.
  const lookup: LookupFunction = (_, { all }, done) =>
    all === true ? done(null, [...addresses]) : done(null, address, family);
  const headers = {
    ...{ accept: '*/*', 'user-agent': 'paycli-sandbox', connection: 'close' },
    ...(body === undefined ? {} : { 'content-type': formType, 'content-length': Buffer.byteLength(body) }),
  };
  const start = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const options = { method, headers, agent: false, signal, lookup };
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

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true, verbatim: true });

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/**
 * Resolves a host once and checks its addresses; why nothing is sent there, in words. `allowed` are hosts, with or
 * without a port, that need not be on this machine.
 */
async function destinationOf(
  url: URL,
  allowed: readonly string[],
  resolve: Resolve,
): Promise<readonly Address[] | string> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return 'callbacks are sent only to http and https addresses';
  if (url.username !== '' || url.password !== '') return 'the address contains a user name';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await resolve(host).catch(() => []) : [{ address: host, family }];
  if (found.length === 0) return `host ${host} not found`;
  const away = found.find((each) => !loopback.check(each.address, each.family === 6 ? 'ipv6' : 'ipv4'));
  if (away !== undefined && !isAllowedHost(url, allowed)) return `${host} is ${away.address}, not on this machine`;
  // IPv4 first, which is usually meant for this machine.
  return [...found].sort((a, b) => a.family - b.family);
}

/** An entry with a port allows that port, one without allows all. */
function isAllowedHost({ protocol, hostname, port }: URL, allowed: readonly string[]): boolean {
  const withPort = `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
  return allowed.some((entry) => entry === hostname || entry === withPort);
}

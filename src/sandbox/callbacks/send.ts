import { promises as dns } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
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
    const destination = await Promise.race([destinationOf(url, allowed, resolve), rejectOnAbort(limit)]);
    if (!destination.ok) return noReply(`not sent: ${destination.why}`);
    return await sendRequest(url, request, destination.addresses, limit);
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

function sendRequest(
  url: URL,
  { method, body }: CallbackRequest,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<CallbackReply> {
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
    const sent = start(url, {
      method,
      headers,
      agent: false,
      signal,
      lookup: lookupOf(addresses),
      maxHeaderSize: 16_384,
    });
    sent.once('error', reject);
    sent.once('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      const pieces: Buffer[] = [];
      let size = 0;
      incoming.on('data', (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size <= maxReplyBytes) return;
        sent.destroy();
        resolve({ status, reply: shownReply(pieces), reason: `the answer is larger than ${maxReplyBytes / 1024} KiB` });
      });
      incoming.once('end', () => resolve({ status, reply: shownReply(pieces), reason: reasonOf(status) }));
      incoming.once('error', reject);
    });
    sent.end(body);
  });
}

/** Resolves every lookup to the addresses that were checked. */
function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_, options, done) => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

function reasonOf(status: number): string | undefined {
  if (status === 200) return undefined;
  return status >= 300 && status < 400 ? 'a redirect, and redirects are not followed' : 'only 200 counts as delivered';
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

const errorTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening at that address',
  ECONNRESET: 'the connection was closed before the answer was complete',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are larger than 16 KiB',
};

function errorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  if (code.startsWith('HPE_')) return errorTexts[code] ?? 'the answer is not valid HTTP';
  return errorTexts[code] ?? `the connection failed (${code})`;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true, verbatim: true });

/** Where a callback may go: checked addresses, or why it is not sent. */
export type Destination =
  | { readonly ok: true; readonly addresses: readonly [Address, ...Address[]] }
  | { readonly ok: false; readonly why: string };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

// Cloud metadata services answer at link-local addresses; the other ranges are no single host.
const blockedAddresses = new BlockList();
blockedAddresses.addSubnet('0.0.0.0', 8);
blockedAddresses.addSubnet('169.254.0.0', 16);
blockedAddresses.addSubnet('224.0.0.0', 3);
blockedAddresses.addSubnet('fe80::', 10, 'ipv6');
blockedAddresses.addSubnet('ff00::', 8, 'ipv6');
blockedAddresses.addAddress('fd00:ec2::254', 'ipv6');
blockedAddresses.addAddress('::', 'ipv6');

/**
 * Resolves a host once and checks its addresses, so that the connection goes to a checked address whatever the name
 * resolves to later. `allowed` are hosts, with or without a port, that need not be on this machine.
 */
export async function destinationOf(url: URL, allowed: readonly string[], resolve: Resolve): Promise<Destination> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refusedDestination('callbacks are sent only to http and https addresses');
  if (url.username !== '' || url.password !== '') return refusedDestination('the address contains a user name');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLiteral = isIP(host) !== 0;
  const addresses = isLiteral ? [{ address: host, family: isIP(host) }] : await resolvedAddresses(host, resolve);
  const [first, ...others] = addresses;
  if (first === undefined) return refusedDestination(`host ${host} not found`);
  const isAllowed = isAllowedHost(url, allowed);
  const bad = addresses.find(
    (each) => !(isIn(loopback, each) || (isAllowed && (isLiteral || !isIn(blockedAddresses, each)))),
  );
  if (bad === undefined) return { ok: true, addresses: [first, ...others] };
  if (isAllowed)
    return refusedDestination(`${host} resolves to ${bad.address}, an address that is blocked for host names`);
  const hint = `allow it with \`paycli sandbox start --callback-host ${url.host}\``;
  return refusedDestination(
    isLiteral
      ? `${host} is not on this machine; ${hint}`
      : `${host} resolves to ${bad.address}, not on this machine; ${hint}`,
  );
}

async function resolvedAddresses(host: string, resolve: Resolve): Promise<readonly Address[]> {
  try {
    const addresses = await resolve(host);
    // IPv4 first, which is usually meant for this machine.
    return [...addresses].sort((a, b) => a.family - b.family);
  } catch {
    return [];
  }
}

/** An entry with a port allows that port, one without allows all. */
function isAllowedHost({ protocol, hostname, port }: URL, allowed: readonly string[]): boolean {
  const withPort = `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
  return allowed.some((entry) => entry === hostname || entry === withPort);
}

/** An allow-list entry in normalized form: the host as a URL writes it. Undefined when it is invalid. */
export function callbackHost(text: string): string | undefined {
  const parts = /^(?<host>\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  const address = `http://${parts?.['host'] ?? ''}`;
  if (parts === undefined || !URL.canParse(address)) return undefined;
  const port = parts['port'];
  return `${new URL(address).hostname}${port === undefined ? '' : `:${port}`}`;
}

function isIn(list: BlockList, { address, family }: Address): boolean {
  return list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function refusedDestination(why: string): Destination {
  return { ok: false, why };
}

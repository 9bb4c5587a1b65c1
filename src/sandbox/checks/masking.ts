import { isPaycliError } from '../../errors/index.js';
import { parseAuthorizationHeader } from '../../signing/index.js';
import { type Operation, operations } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { maskPairs, withoutCardNumbers } from '../../wire/redact.js';
import { maskName } from './body.js';
import type { SandboxRequest } from './request.js';

const maxShownCharacters = 200;
const maxMaskedCharacters = 4000;

/** At most this many fields of a request are logged; no operation has as many. */
export const maxFields = 100;

/**
 * The fields of a request for the log: masked by the secrecy of the row, and long numbers everywhere. Accounts stay, as
 * `sign verify --log` makes the signature of a payout again.
 */
export function maskFields(row: Operation | undefined, pairs: readonly Pair[]): Pair[] {
  return maskPairs(row, pairs, { showAccounts: true }).map((pair): Pair => {
    const name = pair[0];
    const value = pair[1];
    return [
      knownFieldNames.has(name) ? name : maskName(name),
      orderIdFields.has(name) ? truncate(value) : maskText(value),
    ];
  });
}

const knownFieldNames: ReadonlySet<string> = new Set(
  operations.flatMap(({ fields }) => Object.values(fields).map(({ wire }) => wire)),
);

// Ids of orders may be long numbers.
const orderIdFields: ReadonlySet<string> = new Set([
  'client_orderid',
  'client-order-id',
  'orderid',
  'by-request-sn',
  'login',
]);

/** The fields of a reply for the log: ids unmasked, long numbers masked everywhere else. */
export function maskReply(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([name, value]) => [name, replyIds.has(name) ? truncate(value) : maskText(value)]);
}

const replyIds: ReadonlySet<string> = new Set(['merchant-order-id', 'paynet-order-id', 'serial-number']);

/** Foreign text without anything that could be a card number, and not longer than a line or two. */
export function maskText(text: string): string {
  if (text.length <= maxMaskedCharacters) return truncate(withoutCardNumbers(text));
  // A body may hold two million digits. A number cut at the end of the piece could escape masking, so it is dropped.
  const piece = text.slice(0, maxMaskedCharacters).replace(/[\d\uff10-\uff19%\\u+\p{Zs}\p{Pd}A-F]{0,200}$/iu, '');
  return `${withoutCardNumbers(piece).slice(0, maxShownCharacters)}… (${text.length} characters)`;
}

/** Who signed and how, without the signature itself. */
export function maskAuthorization(header: string): string {
  try {
    return maskPairs(undefined, parseAuthorizationHeader(header).pairs)
      .map(([name, value]) => `${maskName(name)}=${maskText(value)}`)
      .join(', ');
  } catch (error) {
    if (isPaycliError(error)) return '[malformed]';
    throw error;
  }
}

function truncate(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}… (${text.length} characters)` : text;
}

export function maskMethod({ method }: Pick<SandboxRequest, 'method'>): string {
  return /^[A-Z]{1,10}$/.test(method) ? method : '[other method]';
}

/** The path of an address, without a query and without long numbers. */
export function maskPath(request: Pick<SandboxRequest, 'url'>): string {
  const path = pathOf(request);
  return /^[\w/.-]{1,100}$/.test(path) ? maskText(path) : `[${path.length} characters]`;
}

export function pathOf({ url }: Pick<SandboxRequest, 'url'>): string {
  return /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url)?.[1] ?? '';
}

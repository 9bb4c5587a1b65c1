import { isPaycliError } from '../errors/index.js';
import { parseAuthorizationHeader } from '../signing/index.js';
import { allFields, idKinds, namesOfKind, type Operation, replyFields } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import { withoutCardNumbers } from '../wire/mask.js';
import { maskPairs } from '../wire/redact.js';
import type { SandboxRequest } from './request.js';

const maxShownCharacters = 200;

/** At most this many fields of a request are logged; no operation has as many. */
export const maxFields = 100;

/** The fields of a request for the log: masked by the secrecy of the row. */
export function maskFields(row: Operation | undefined, pairs: readonly Pair[]): Pair[] {
  return maskPairs(row, pairs).map(
    ([name, value]): Pair => [knownFieldNames.has(name) ? name : maskName(name), truncate(value)],
  );
}

const knownFieldNames: ReadonlySet<string> = new Set(allFields.map(({ wire }) => wire));

/** The fields of a reply for the log; texts of the client may be among them. */
export function maskReply(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([name, value]) => [name, replyIds.has(name) ? truncate(value) : maskText(value)]);
}

const replyIds = namesOfKind(replyFields, ...idKinds);

/** Foreign text without card numbers, and not longer than a line or two. */
export function maskText(text: string): string {
  return truncate(withoutCardNumbers(text));
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

/** A misplaced value may be in place of a name, so only text that looks like a name is repeated. */
export function maskName(name: string): string {
  return /^[A-Za-z][\w.-]{0,63}$/.test(name) && !/\d{6}/.test(name) ? name : `[${[...name].length} characters]`;
}

function truncate(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}… (${text.length} characters)` : text;
}

export function maskMethod({ method }: Pick<SandboxRequest, 'method'>): string {
  return /^[A-Z]{1,10}$/.test(method) ? method : '[other method]';
}

/** The path of an address, without a query and without card numbers. */
export function maskPath(request: Pick<SandboxRequest, 'url'>): string {
  const path = pathOf(request);
  return /^[\w/.-]{1,100}$/.test(path) ? maskText(path) : `[${path.length} characters]`;
}

export function pathOf({ url }: Pick<SandboxRequest, 'url'>): string {
  return /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url)?.[1] ?? '';
}

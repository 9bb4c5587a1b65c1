import { isPaycliError } from '../../errors/index.js';
import { parseAuthorizationHeader } from '../../signing/index.js';
import { type Operation, operations } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { shownPairs, withoutCardNumbers } from '../../wire/redact.js';
import { shownName } from '../checks/body.js';

const mostCharacters = 200;
const mostMasked = 4000;

/** Of the fields of one request so many are written down; no operation has as many. */
export const mostFields = 100;

/** The fields of a request as the log keeps them: by the secrecy of the row, and long numbers wherever they stand. */
export function maskedFields(row: Operation | undefined, pairs: readonly Pair[]): Pair[] {
  return shownPairs(row, pairs).map((pair): Pair => {
    const name = pair[0];
    const value = pair[1];
    return [known.has(name) ? name : shownName(name), names.has(name) ? cut(value) : maskedText(value)];
  });
}

const known: ReadonlySet<string> = new Set(operations.flatMap(({ fields }) => Object.values(fields).map(({ wire }) => wire)));

// Ids of orders may be long numbers.
const names: ReadonlySet<string> = new Set(['client_orderid', 'client-order-id', 'orderid', 'by-request-sn', 'login']);

/** Foreign text without anything that could be a card number, and not longer than a line or two. */
export function maskedText(text: string): string {
  if (text.length <= mostMasked) return cut(withoutCardNumbers(text));
  // A body may hold two million digits. What the cut leaves of a number at the end of the piece could pass for no number.
  const piece = text.slice(0, mostMasked).replace(/[\d\uff10-\uff19%\\u+\p{Zs}\p{Pd}A-F]{0,200}$/iu, '');
  return `${withoutCardNumbers(piece).slice(0, mostCharacters)}… (${text.length} characters)`;
}

/** Who signed and how, without the signature itself. */
export function maskedAuthorization(header: string): string {
  try {
    return shownPairs(undefined, parseAuthorizationHeader(header).pairs)
      .map(([name, value]) => `${shownName(name)}=${maskedText(value)}`)
      .join(', ');
  } catch (error) {
    if (isPaycliError(error)) return `[malformed, ${header.length} characters]`;
    throw error;
  }
}

function cut(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}… (${text.length} characters)` : text;
}

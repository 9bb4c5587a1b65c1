import type { Secrecy } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import { shown, withoutCardNumbers, withoutSecurityCodes } from '../wire/redact.js';

/** The fields of a callback (A24), with how each may be shown. */
export const callbackFields: Readonly<Record<string, Secrecy>> = {
  ...all('open', 'status', 'orderid', 'merchant_order', 'client_orderid', 'type', 'amount', 'currency', 'descriptor'),
  ...all('open', 'error_code', 'error_message', 'bin', 'last-four-digits', 'card-type', 'approval-code'),
  ...all('open', 'processor-rrn', 'processor-tx-id', 'gate-partial-reversal', 'gate-partial-capture', 'reason-code'),
  ...all('open', 'comment', 'merchantdata', 'rapida-balance'),
  ...all('personal', 'name', 'email', 'phone', 'card-holder-name'),
  ...all('secret', 'control'),
};

function all(secrecy: Secrecy, ...names: readonly string[]): Record<string, Secrecy> {
  return Object.fromEntries(names.map((name) => [name, secrecy]));
}

// Ids may be long numbers without being those of a card.
const ids: ReadonlySet<string> = new Set(['orderid', 'merchant_order', 'client_orderid', 'processor-rrn', 'processor-tx-id']);

/** Fields as people may see them. A name that no callback has may hold anything, so its value is left out. */
export function shownFields(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([name, value]): Pair => {
    const secrecy = Object.hasOwn(callbackFields, name) ? callbackFields[name] : undefined;
    if (secrecy === undefined) return [withoutCardNumbers(name), `[redacted ${[...value].length} chars]`];
    return [name, ids.has(name) ? value : withoutSecurityCodes(withoutCardNumbers(shown(secrecy, value)))];
  });
}

import { callbackPairs, callbackProblem } from '../signing/schemes/callback-control.js';
import type { Secrecy } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import { withoutCardNumbers } from '../wire/mask.js';
import { maskValue, withoutSecurityCodes } from '../wire/redact.js';
import type { RawCallback, StoredCallback } from './store.js';

/** A callback as far as it can be parsed. Its fields are untrusted until the checksum was verified. */
export interface ParsedCallback {
  readonly pairs: readonly Pair[];
  readonly status: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  /** Empty when it names none. */
  readonly type: string;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly control: string;
  /** Why it cannot be a callback, whatever its checksum; undefined when it can. */
  readonly problem: string | undefined;
}

/**
 * Reads the fields of a query, or of the form of a POST (A24), whose own query is only part of the address.
 */
export function parseCallback(raw: RawCallback): ParsedCallback {
  const { pairs, problem } = pairsOf(raw);
  const value = (name: string) => pairs.find(([each]) => each === name)?.[1];
  return {
    pairs,
    status: value('status') ?? '',
    orderId: value('orderid') ?? '',
    clientOrderId: value('client_orderid') ?? '',
    type: value('type') ?? '',
    amount: value('amount'),
    currency: value('currency'),
    control: value('control') ?? '',
    problem: problem ?? callbackProblem(pairs),
  };
}

/** The same for a stored one; without any field where the key that sealed it is missing. */
export function readStored({ raw }: Pick<StoredCallback, 'raw'>): ParsedCallback {
  return parseCallback(raw ?? { method: 'GET', target: '', contentType: undefined, body: new Uint8Array() });
}

interface Pairs {
  readonly pairs: readonly Pair[];
  readonly problem?: string;
}

function pairsOf({ method, target, contentType, body }: RawCallback): Pairs {
  const isQuery = method !== 'POST' || body.length === 0;
  const text = isQuery ? queryOf(target) : Buffer.from(body).toString('utf8');
  const kind = contentType?.split(';')[0]?.trim().toLowerCase() ?? 'application/x-www-form-urlencoded';
  if (/^\s*\{/.test(text)) return { pairs: [], problem: 'it is JSON; a callback is a query or a form (A24)' };
  if (!isQuery && kind !== 'application/x-www-form-urlencoded') return { pairs: [], problem: 'its body is not a form' };
  return { pairs: callbackPairs(text) };
}

/** The query of a request's target, unchanged. */
export function queryOf(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? '' : target.slice(at + 1);
}

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
const ids: ReadonlySet<string> = new Set([
  'orderid',
  'merchant_order',
  'client_orderid',
  'processor-rrn',
  'processor-tx-id',
]);

/** Fields as people may see them. A name that no callback has may hold anything, so its value is hidden. */
export function maskFields(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([name, value]): Pair => {
    const secrecy = Object.hasOwn(callbackFields, name) ? callbackFields[name] : undefined;
    if (secrecy === undefined) return [withoutCardNumbers(name), maskValue('secret', value)];
    return [name, ids.has(name) ? value : withoutSecurityCodes(withoutCardNumbers(maskValue(secrecy, value)))];
  });
}

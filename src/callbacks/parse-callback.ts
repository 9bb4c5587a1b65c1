import type { ControlEncoding, Secret } from '../signing/index.js';
import { callbackMatches, callbackPairs, callbackProblem } from '../signing/schemes/callback-control.js';
import { callbackFields, fieldNamed, idKinds, namesOfKind } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import { withoutCardData, withoutCardNumbers } from '../wire/mask.js';
import { maskValue } from '../wire/redact.js';
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
  const value = (key: keyof typeof callbackFields) => pairs.find(([name]) => name === callbackFields[key].wire)?.[1];
  return {
    pairs,
    status: value('status') ?? '',
    orderId: value('orderId') ?? '',
    clientOrderId: value('clientOrderId') ?? '',
    type: value('transactionType') ?? '',
    amount: value('amount'),
    currency: value('currency'),
    control: value('control') ?? '',
    problem,
  };
}

/** The same for a stored one; without any field where the key that sealed it is missing. */
export function readStored({ raw }: Pick<StoredCallback, 'raw'>): ParsedCallback {
  return parseCallback(raw ?? { method: 'GET', target: '', contentType: undefined, body: new Uint8Array() });
}

function pairsOf({ method, target, contentType, body }: RawCallback) {
  const isQuery = method !== 'POST' || body.length === 0;
  const text = isQuery ? queryOf(target) : Buffer.from(body).toString('utf8');
  const kind = contentType?.split(';')[0]?.trim().toLowerCase() ?? 'application/x-www-form-urlencoded';
  const none: Pair[] = [];
  if (/^\s*\{/.test(text)) return { pairs: none, problem: 'it is JSON; a callback is a query or a form (A24)' };
  if (!isQuery && kind !== 'application/x-www-form-urlencoded')
    return { pairs: none, problem: 'its body is not a form' };
  const pairs = callbackPairs(text);
  return { pairs, problem: callbackProblem(pairs) };
}

/** The query of a request's target, unchanged. */
export function queryOf(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? '' : target.slice(at + 1);
}

/** The result of verifying a callback, and why. */
export type Verdict = Pick<StoredCallback, 'verified' | 'why'>;

/** Verifies a callback with the control key of a profile, which may have none. */
export function verifyCallback(read: ParsedCallback, key: Secret | undefined, encoding: ControlEncoding): Verdict {
  const { control, problem } = read;
  if (problem !== undefined) return { verified: 'wrong', why: problem };
  if (key === undefined) return { verified: 'no-key', why: 'the profile has no control key' };
  if (control === '') return { verified: 'wrong', why: 'it carries no checksum (control)' };
  return callbackMatches(read, [key.open()], encoding)[0] === true
    ? { verified: 'fits', why: 'its checksum (control) matches the control key' }
    : { verified: 'wrong', why: 'its checksum (control) does not match' };
}

const ids = namesOfKind(callbackFields, ...idKinds);

/** Fields as people may see them. A name that no callback has may hold anything, so its value is hidden. */
export function maskFields(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([name, value]): Pair => {
    const secrecy = fieldNamed(callbackFields, name)?.secrecy;
    if (secrecy === undefined) return [withoutCardNumbers(name), maskValue('secret', value)];
    return [name, ids.has(name) ? value : withoutCardData(maskValue(secrecy, value))];
  });
}

import { isPaycliError } from '../errors/index.js';
import { decodeForm, type Pair } from '../wire/form.js';
import type { RawCallback, StoredCallback } from './store.js';

/** A callback as far as it can be understood. Its fields are text of a stranger until the checksum was looked at. */
export interface ReadCallback {
  readonly pairs: readonly Pair[];
  readonly status: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  /** Empty when it names none. */
  readonly type: string;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly control: string;
  /** Why it cannot be a callback, whatever its checksum; undefined when nothing stands against it. */
  readonly problem: string | undefined;
}

const names = ['status', 'orderid', 'client_orderid', 'merchant_order', 'type', 'amount', 'currency', 'control'] as const;
const signed = ['status', 'orderid', 'client_orderid'] as const;

/** Takes the fields out of a query, or out of the form of a POST (A24), whose own query belongs to the address alone. */
export function readCallback(raw: RawCallback): ReadCallback {
  const { pairs, problem } = pairsOf(raw);
  const value = (name: (typeof names)[number]) => pairs.find(([each]) => each === name)?.[1];
  const twice = names.find((name) => pairs.filter(([each]) => each === name).length > 1);
  const empty = signed.find((name) => (value(name) ?? '') === '');
  return {
    pairs,
    status: value('status') ?? '',
    orderId: value('orderid') ?? '',
    clientOrderId: value('client_orderid') ?? '',
    type: value('type') ?? '',
    amount: value('amount'),
    currency: value('currency'),
    control: value('control') ?? '',
    problem: problem ?? (twice === undefined ? emptyProblem(empty) : `${twice} is there more than once`),
  };
}

/** The same of one that is stored; without any field where the key that sealed it is not here. */
export function readStored({ raw }: Pick<StoredCallback, 'raw'>): ReadCallback {
  return readCallback(raw ?? { method: 'GET', target: '', contentType: undefined, body: new Uint8Array() });
}

// A checksum over nothing but the key fits as well, so empty fields are no callback.
function emptyProblem(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${name} is missing or empty`;
}

interface Pairs {
  readonly pairs: readonly Pair[];
  readonly problem?: string;
}

function pairsOf({ method, target, contentType, body }: RawCallback): Pairs {
  if (method !== 'POST' || body.length === 0) return decoded(queryOf(target));
  const kind = contentType?.split(';')[0]?.trim().toLowerCase() ?? 'application/x-www-form-urlencoded';
  if (kind !== 'application/x-www-form-urlencoded') return { pairs: [], problem: 'its body is no form' };
  return decoded(Buffer.from(body).toString('utf8'));
}

/** What stands behind the question mark of a request's target, as it stands there. */
export function queryOf(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? '' : target.slice(at + 1);
}

function decoded(text: string): Pairs {
  try {
    return { pairs: decodeForm(text) };
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return { pairs: [], problem: 'it cannot be decoded' };
  }
}

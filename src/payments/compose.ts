import type { Unsigned } from '../signing/index.js';
import type { Assume, Operation } from '../spec/index.js';
import { amountText, digitsOf, type Minor, parseAmount, readAmount } from '../wire/amount.js';
import { fieldsInForce, isAmountField, protectionOf } from '../wire/check.js';
import type { Pair } from '../wire/form.js';

export interface Target {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly login: string;
  readonly assume: Assume;
}

/**
 * Lays out the fields of a request in the row's order. `values` are checked texts by field key; an empty text is a
 * value left out. `extra` pairs, which no field of the row has, follow at the end. Throws AMOUNT_INVALID.
 */
export function compose(
  row: Operation,
  values: Readonly<Record<string, string>>,
  extra: readonly Pair[],
  target: Target,
): Unsigned {
  const money = amountsOf(row, values, target);
  const pairs: Pair[] = [];
  const sent: Record<string, string> = {};
  for (const [key, field] of fieldsInForce(row, target.assume)) {
    const given = key === 'login' ? target.login : values[key];
    if (given === undefined || given === '') continue;
    const text = money.get(key)?.wire ?? given;
    sent[key] = text;
    pairs.push([field.wire, text]);
  }
  const amount = money.get('amount');
  const minor = amount?.minors[0];
  return {
    row,
    url: `${target.baseUrl}${row.path}/${target.endpointId}`,
    endpointId: target.endpointId,
    protection: protectionOf(row, target.assume),
    values: sent,
    ...(minor === undefined || amount?.digits === undefined ? {} : { minor: String(minor), digits: amount.digits }),
    pairs: [...pairs, ...extra],
  };
}

interface Money {
  /** One, or those of a list. */
  readonly minors: readonly Minor[];
  readonly wire: string;
  readonly digits: number | undefined;
}

/**
 * A03, A04: each amount of the request read once, then written for the wire and for the checksum from the same integer.
 */
function amountsOf(
  row: Operation,
  values: Readonly<Record<string, string>>,
  target: Target,
): ReadonlyMap<string, Money> {
  const amounts = new Map<string, Money>();
  const currency = values['currency'];
  if (currency === undefined || currency === '') return amounts;
  const digits = digitsOf(currency, target.assume['minor-digits'], target.endpointId);
  for (const [key, field] of fieldsInForce(row, target.assume)) {
    const text = values[key];
    if (!isAmountField(field) || text === undefined || text === '') continue;
    if (field.takesAny === true && !isReadable(text, currency, digits)) continue;
    const minors = text.split(',').map((item) => parseAmount(item, currency, digits));
    amounts.set(key, {
      minors,
      wire: minors.map((minor) => amountText(minor, digits ?? 0, target.assume)).join(','),
      digits,
    });
  }
  return amounts;
}

function isReadable(text: string, currency: string, digits: number | undefined): boolean {
  return text.split(',').every((item) => readAmount(item, currency, digits).ok);
}

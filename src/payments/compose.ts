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
  const { assume, endpointId } = target;
  const currency = values['currency'] ?? '';
  const digits = currency === '' ? undefined : digitsOf(currency, assume['minor-digits'], endpointId);
  const pairs: Pair[] = [];
  const sent: Record<string, string> = {};
  let minor: Minor | undefined;
  for (const [key, field] of fieldsInForce(row, assume)) {
    const given = key === 'login' ? target.login : values[key];
    if (given === undefined || given === '') continue;
    const minors = isAmountField(field) ? readAmounts(given, currency, digits, field.takesAny === true) : undefined;
    // A03, A04: read once, then written for the wire and for the checksum from the same integer.
    const text = minors?.map((each) => amountText(each, digits ?? 0, assume)).join(',') ?? given;
    if (key === 'amount') minor = minors?.[0];
    sent[key] = text;
    pairs.push([field.wire, text]);
  }
  return {
    row,
    url: `${target.baseUrl}${row.path}/${endpointId}`,
    endpointId,
    protection: protectionOf(row, assume),
    values: sent,
    ...(minor === undefined || digits === undefined ? {} : { minor: String(minor), digits }),
    pairs: [...pairs, ...extra],
  };
}

/** One amount, or those of a list; undefined for a text that is sent as it was given. */
function readAmounts(
  text: string,
  currency: string,
  digits: number | undefined,
  takesAny: boolean,
): readonly Minor[] | undefined {
  const items = text.split(',');
  const isAnyText = takesAny && !items.every((item) => readAmount(item, currency, digits).ok);
  return currency === '' || isAnyText ? undefined : items.map((item) => parseAmount(item, currency, digits));
}

import { type Intent, unitsOf } from '../journal/index.js';
import { replyField } from '../spec/index.js';
import { digitsOf, isCurrency, readAmount } from '../wire/amount.js';

type Fields = ReadonlyMap<string, string>;

export type UnitsOf = (intent: Intent) => bigint | undefined;

/**
 * The amount of a request, in ten-thousandths; one recorded without its digits has those of the profile (A04).
 */
export function unitsWith(minorDigits: string): UnitsOf {
  return ({ sum, endpointId }) =>
    sum && unitsOf({ ...sum, digits: sum.digits ?? digitsOf(sum.currency, minorDigits, endpointId) });
}

/** In ten-thousandths of the currency. */
export interface AmountIn {
  readonly own: bigint | undefined;
  /** Of the first transaction of the order, if the answer is about that one. */
  readonly initial: bigint | undefined;
  /** The same, whatever the answer is about. */
  readonly ofOrder: bigint | undefined;
  readonly returned: bigint | undefined;
}

export function amountIn(
  fields: Fields,
  { sum, endpointId }: Pick<Intent, 'sum' | 'endpointId'>,
  { minorDigits }: { readonly minorDigits: string },
): AmountIn {
  const currency = replyField(fields, 'currency') ?? sum?.currency ?? '';
  const digits = digitsOf(currency, minorDigits, endpointId);
  const read = (name: string): bigint | undefined => {
    const reading = readAmount(fields.get(name) ?? '', currency, digits);
    return reading.ok ? unitsOf({ minor: String(reading.minor), currency, digits }) : undefined;
  };
  const [own, ofOrder] = [read('amount'), read('initial-amount')];
  return { own, initial: ofOrder ?? own, ofOrder, returned: read('total-reversal-amount') };
}

/** Only a code that is one for certain counts against it. */
export function isOtherCurrency({ sum }: Intent, fields: Fields): boolean {
  const shown = replyField(fields, 'currency') ?? '';
  return sum !== undefined && shown !== sum.currency && isCurrency(shown);
}

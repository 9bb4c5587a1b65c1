import type { Intent, Journal, Sum } from '../journal/index.js';
import type { Unsigned } from '../signing/index.js';
import type { Assume, Operation } from '../spec/index.js';
import { digitsOf, parseAmount, parseMinor } from '../wire/amount.js';
import { fieldsInForce, isMoney } from '../wire/check.js';

/** Money in the digits that are in force for it, which a profile may assume to be others than those of ISO 4217. */
export interface Amount {
  readonly minor: bigint;
  readonly digits: number;
  readonly currency: string;
}

/** How much money a request moves: the largest amount it names, all of its order, none, or nobody here can tell. */
export type PaymentValue =
  | { readonly kind: 'named'; readonly amount: Amount }
  /** `amount` is that of the order, when the journal knows it. */
  | { readonly kind: 'whole'; readonly amount: Amount | undefined }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/** The gateway by which the journal knows an order, and the assumptions about amounts. */
export interface ValueContext {
  readonly place: string;
  readonly assume: Assume;
}

/** Without an amount these move all that their order holds. */
const whole: readonly string[] = ['CAPTURE', 'RETURN', 'PAYOUT_V4_PAY'];

export function paymentValueOf(unsigned: Unsigned, context: ValueContext, journal: Journal): PaymentValue {
  const amount = largestNamed(unsigned, context);
  if (amount !== undefined) return { kind: 'named', amount };
  if (whole.includes(unsigned.row.id)) return { kind: 'whole', amount: amountOfOrder(unsigned, context, journal) };
  return { kind: unsigned.row.id === 'REQUEST' ? 'unknown' : 'none' };
}

/** What counts against caps and leases, in the digits of ISO 4217; a finer amount is rounded up. */
export function countedSum(worth: PaymentValue): Sum | undefined {
  if (worth.kind !== 'named' && worth.kind !== 'whole') return undefined;
  if (worth.amount === undefined) return undefined;
  const { minor, digits, currency } = worth.amount;
  const scale = 10n ** BigInt(digits);
  const counted = minor * 10n ** BigInt(digitsOf(currency, 'iso4217', '') ?? 0);
  return { minor: String((counted + scale - 1n) / scale), currency };
}

/** What helps when nobody here can tell how much a request moves. */
export function howToName({ id }: Operation): string {
  if (id === 'REQUEST') return 'name it with --field amount=… and --field currency=…';
  if (id === 'PAYOUT_V4_PAY') return 'the journal knows the amount only of a payout that was checked from here';
  return 'name the amount with --amount and --currency';
}

function largestNamed({ row, values, endpointId }: Unsigned, { assume }: ValueContext): Amount | undefined {
  const currency = values['currency'];
  const digits = currency === undefined ? undefined : digitsOf(currency, assume['minor-digits'], endpointId);
  if (currency === undefined || digits === undefined) return undefined;
  const read = (text: string): bigint => (assume['body-amount'] === 'minor' ? parseMinor(text) : parseAmount(text, currency, digits));
  const minors = fieldsInForce(row, assume)
    .filter(([key, field]) => isMoney(field) && values[key] !== undefined)
    .flatMap(([key]) => (values[key] ?? '').split(',').map(read));
  if (minors.length === 0) return undefined;
  return { minor: minors.reduce((most, minor) => (minor > most ? minor : most)), digits, currency };
}

/** As it was when the order was made here; a part that was captured or returned since is still in it. */
function amountOfOrder({ values }: Unsigned, { place, assume }: ValueContext, journal: Journal): Amount | undefined {
  const { orderId } = values;
  if (orderId === undefined) return undefined;
  const opened = journal.list({ base: place, order: orderId }).filter((each) => each.kind === 'opening' && each.orderId === orderId);
  const sums = opened.map((intent) => amountOf(intent, assume['minor-digits']));
  return sums.length === 1 ? sums[0] : undefined;
}

function amountOf({ sum, endpointId }: Intent, minorDigits: string): Amount | undefined {
  const digits = sum === undefined ? undefined : (sum.digits ?? digitsOf(sum.currency, minorDigits, endpointId));
  return sum === undefined || digits === undefined ? undefined : { minor: BigInt(sum.minor), digits, currency: sum.currency };
}

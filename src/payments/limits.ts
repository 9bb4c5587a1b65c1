import { fail, type PaycliError } from '../errors/index.js';
import type { Journal, Refusal, Sum } from '../journal/port.js';
import type { Unsigned } from '../signing/index.js';
import { type Assume, type Operation, payoutPay } from '../spec/index.js';
import { digitsOf, fromUnits, parseAmount, toUnits } from '../wire/amount.js';
import { fieldsInForce, isAmountField } from '../wire/check.js';
import { dayMs, startOfDay } from '../wire/time.js';
import { sumText } from './words.js';

/**
 * How much money a request moves: the largest amount it names, all of its order, none, or an unknown amount. `sum` is
 * what counts against caps, in the digits that are in force for it; of a whole order where it is known.
 */
export type PaymentValue =
  | { readonly kind: 'named'; readonly sum: Sum }
  | { readonly kind: 'whole' | 'none' | 'unknown'; readonly sum?: Sum | undefined };

/** One amount of a cap, by the digits of ISO 4217. */
interface CapAmount {
  readonly minor: bigint;
  readonly currency: string;
}

/** What the value of a request is read from, and what it is held against. */
export interface CapContext {
  /** Of the profile, for messages. */
  readonly name: string;
  /** The normalized address of the gateway, as the journal has it. */
  readonly gatewayBase: string;
  /** Tells how many decimal places an amount has. */
  readonly assume: Assume;
  /** At most one amount per currency; an empty list is no cap. */
  readonly caps: { readonly maxAmount: readonly CapAmount[]; readonly maxTotalPerDay: readonly CapAmount[] };
}

/** `ofOrder` is what status told of an order that the journal may not know. */
export async function paymentValueOf(
  unsigned: Pick<Unsigned, 'row' | 'values' | 'endpointId'>,
  context: Pick<CapContext, 'gatewayBase' | 'assume'>,
  journal: Journal,
  ofOrder?: Sum,
): Promise<PaymentValue> {
  const named = largestNamed(unsigned, context);
  if (named !== undefined) return { kind: 'named', sum: named };
  const { row, values } = unsigned;
  if (row.withoutAmount !== 'whole order') return { kind: row.withoutAmount === 'unknown' ? 'unknown' : 'none' };
  // The sum when the order was made here; captures and returns since are not subtracted.
  const filter = { base: context.gatewayBase, orderIds: [values['orderId'] ?? ''], kinds: ['payment'] } as const;
  const [made, ...others] = await journal.find(filter, { limit: 2 });
  return { kind: 'whole', sum: (others.length === 0 ? made?.sum : undefined) ?? ofOrder };
}

function largestNamed(
  { row, values, endpointId }: Pick<Unsigned, 'row' | 'values' | 'endpointId'>,
  { assume }: Pick<CapContext, 'assume'>,
): Sum | undefined {
  const { currency = '' } = values;
  const digits = digitsOf(currency, assume['minor-digits'], endpointId);
  if (currency === '' || digits === undefined) return undefined;
  // What is sent was written from whole minor units.
  const read = (text: string): bigint =>
    assume['body-amount'] === 'minor' ? BigInt(text) : parseAmount(text, currency, digits);
  const minors = fieldsInForce(row, assume)
    .filter(([key, field]) => isAmountField(field) && values[key] !== undefined)
    .flatMap(([key]) => (values[key] ?? '').split(',').map(read));
  if (minors.length === 0) return undefined;
  return { minor: String(minors.reduce((max, minor) => (minor > max ? minor : max))), digits, currency };
}

/**
 * Checks the amount of a request against the caps of its profile. Returns the cap of the day, which only the journal
 * can check. A request that moves no money itself, such as a hosted form, is checked against `max-amount` with the
 * amount it names. Throws CAP_EXCEEDED.
 */
export function checkCaps(
  row: Operation,
  { kind, sum: counts }: PaymentValue,
  { name: profile, caps }: Pick<CapContext, 'name' | 'caps'>,
): Sum | undefined {
  const isMoney = row.effect === 'money';
  const max = ['max-amount', caps.maxAmount] as const;
  const perDay = ['max-total-per-day', isMoney ? caps.maxTotalPerDay : []] as const;
  const set = [max, perDay].filter(([, list]) => list.length > 0);
  if (kind === 'none' || set.length === 0 || (!isMoney && counts === undefined)) return undefined;
  if (counts === undefined) {
    const named = set.map(([cap, list]) => `${cap} ${list.map((amount) => sumText(withDigits(amount))).join(', ')}`);
    throw fail('CAP_EXCEEDED', {
      why: `the amount of this ${row.command} is not known here, so it cannot be checked against ${named.join(' and ')}`,
      how: `nothing was sent; ${howToName[row.id] ?? 'give the amount with --amount and --currency'}`,
      ...{ profile, cap: set.map(([cap]) => cap).join(', '), operation: row.command },
    });
  }
  const [asked, { currency }] = [sumText(counts), counts];
  const [cap, list] = set.find(([, amounts]) => sumIn(amounts, currency) === undefined) ?? [];
  if (list !== undefined)
    throw fail('CAP_EXCEEDED', {
      why: `${cap} covers only ${list.map((amount) => amount.currency).join(', ')}, and this request is in ${currency}`,
      how: `nothing was sent; add an amount in ${currency} to ${cap} of the profile if that is intended`,
      ...{ profile, cap, asked, currency },
    });
  const limit = sumIn(caps.maxAmount, currency);
  if (limit !== undefined && toUnits(counts) > toUnits(limit))
    throw fail('CAP_EXCEEDED', {
      why: `max-amount is ${sumText(limit)}, and this request is for ${asked}`,
      how: 'nothing was sent; lower the amount, or raise max-amount in the profile; waiting does not help',
      ...{ profile, cap: 'max-amount', limit: sumText(limit), asked },
    });
  return isMoney ? sumIn(caps.maxTotalPerDay, currency) : undefined;
}

/** What to do where the amount that a request moves is unknown; of most operations it can be given. */
const howToName: Readonly<Record<string, string>> = {
  REQUEST: 'give the amount with --field amount=… and --field currency=…',
  [payoutPay.id]: "the journal knows a payout's amount only if its payout check was made from this journal",
};

/** Throws CAP_EXCEEDED where a request, or several of one currency, would go over what is left of the day. */
export async function assertWithinDay(
  { counts, dayCap: cap }: { readonly counts?: Sum | undefined; readonly dayCap?: Sum | undefined },
  merchant: { readonly base: string; readonly login: string; readonly profile: string },
  journal: Journal,
  now: number,
): Promise<void> {
  if (counts === undefined || cap === undefined) return;
  const known = (await journal.spent(merchant, now)).find(({ currency }) => currency === cap.currency);
  const spent = known ?? { ...cap, minor: '0' };
  const over = overDay(merchant.profile, { cap, spent, counts, day: startOfDay(now) });
  if (over !== undefined) throw over;
}

/** The error for a request for more than is left of the day; undefined where it is not. */
export function overDay(
  profile: string,
  { cap, spent, counts, day }: Omit<Extract<Refusal, { readonly why: 'over-cap' }>, 'why'>,
): PaycliError | undefined {
  const used = toUnits(spent);
  const left = toUnits(cap) - used;
  if (toUnits(counts) <= left) return undefined;
  const text = (units: bigint) => sumText(fromUnits(units, cap.currency));
  const advice = left > 0n ? `at most ${text(left)} more today` : 'nothing more today';
  const resetsAt = new Date(day + dayMs).toISOString();
  return fail('CAP_EXCEEDED', {
    profile,
    why: `max-total-per-day is ${sumText(cap)}, ${text(used)} of it has been sent since 00:00 UTC, and this request is for ${sumText(counts)}`,
    how: `nothing was sent; ${advice}, and the count restarts at ${resetsAt}`,
    ...{ cap: 'max-total-per-day', limit: sumText(cap), spent: text(used), asked: sumText(counts), resetsAt },
  });
}

function sumIn(list: readonly CapAmount[], currency: string): Sum | undefined {
  const money = list.find((each) => each.currency === currency);
  return money && withDigits(money);
}

function withDigits({ minor, currency }: CapAmount): Sum {
  return { minor: String(minor), currency, digits: digitsOf(currency, 'iso4217', '') ?? 0 };
}

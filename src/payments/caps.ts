import { fail } from '../errors/index.js';
import { type SendLimits, type Sum, sumText, unitsOf } from '../journal/index.js';
import type { Operation } from '../spec/index.js';
import { howToName, type PaymentValue } from './payment-value.js';

/** One amount of a cap, by the digits of ISO 4217. */
export interface CapAmount {
  readonly minor: bigint;
  readonly currency: string;
}

/** The caps of a profile, by its name in messages: at most one amount per currency; an empty list is no cap. */
export interface ProfileCaps {
  readonly name: string;
  readonly caps: { readonly maxAmount: readonly CapAmount[]; readonly maxTotalPerDay: readonly CapAmount[] };
}

type CapName = 'max-amount' | 'max-total-per-day';

type CapsInForce = readonly (readonly [CapName, readonly CapAmount[]])[];

/**
 * Holds what a request moves against the caps of its profile. Gives the cap of the day, which only the journal can judge. A
 * request that moves no money itself, such as a hosted form, is held against `max-amount` by the amount it names. Throws CAP_EXCEEDED.
 */
export function checkCaps(row: Operation, value: PaymentValue, counts: Sum | undefined, { name, caps }: ProfileCaps): SendLimits['day'] {
  const isMoney = row.effect === 'money';
  const inForce: CapsInForce = [
    ['max-amount', caps.maxAmount],
    ['max-total-per-day', isMoney ? caps.maxTotalPerDay : []],
  ];
  const set = inForce.filter(([, list]) => list.length > 0);
  if (value.kind === 'none' || set.length === 0 || (!isMoney && counts === undefined)) return undefined;
  if (counts === undefined) throw unknownAmount(row, set, name);
  for (const [cap, list] of set) {
    if (list.some(({ currency }) => currency === counts.currency)) continue;
    const named = list.map(({ currency }) => currency).join(', ');
    throw fail('CAP_EXCEEDED', {
      ...{ profile: name, cap, asked: sumText(counts) },
      why: `${cap} names ${named} only, and this is in ${counts.currency}`,
      how: `nothing was sent; add an amount in ${counts.currency} to ${cap} of the profile if that is meant`,
    });
  }
  const most = sumOf(caps.maxAmount, counts.currency);
  if (most !== undefined && unitsOf(counts) > unitsOf(most))
    throw fail('CAP_EXCEEDED', {
      ...{ profile: name, cap: 'max-amount', limit: sumText(most), asked: sumText(counts) },
      why: `max-amount is ${sumText(most)}, and this asks for ${sumText(counts)}`,
      how: 'nothing was sent; ask for less, or have max-amount of the profile raised: waiting does not free it',
    });
  const ofDay = isMoney ? sumOf(caps.maxTotalPerDay, counts.currency) : undefined;
  return ofDay === undefined ? undefined : { profile: name, most: ofDay };
}

function sumOf(list: readonly CapAmount[], currency: string): Sum | undefined {
  const money = list.find((each) => each.currency === currency);
  return money === undefined ? undefined : { minor: String(money.minor), currency };
}

function unknownAmount(row: Operation, set: CapsInForce, profile: string): Error {
  const named = set.map(([cap, list]) => `${cap} ${list.map(moneyText).join(', ')}`);
  return fail('CAP_EXCEEDED', {
    ...{ profile, cap: set.map(([cap]) => cap).join(', ') },
    why: `nobody here knows how much this ${row.command} moves, so it cannot be held against ${named.join(' and ')}`,
    how: `nothing was sent; ${howToName(row)}`,
  });
}

function moneyText({ minor, currency }: CapAmount): string {
  return sumText({ minor: String(minor), currency });
}

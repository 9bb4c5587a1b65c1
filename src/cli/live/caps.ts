import type { Money } from '../../config/index.js';
import { fail } from '../../errors/index.js';
import { type Sum, sumText, type Terms, unitsOf } from '../../journal/index.js';
import type { Operation } from '../../spec/index.js';
import type { Session } from '../session.js';
import { howToName, type Worth } from './worth.js';

type CapName = 'max-amount' | 'max-total-per-day';

type CapsInForce = readonly (readonly [CapName, readonly Money[]])[];

/**
 * Holds what a request moves against the caps of its profile. Gives the cap of the day, which only the journal can judge. A
 * request that moves no money itself, such as a hosted form, is held against `max-amount` by the amount it names. Throws CAP_EXCEEDED.
 */
export function checkCaps(row: Operation, worth: Worth, counts: Sum | undefined, { name, caps }: Session): Terms['day'] {
  const isMoney = row.effect === 'money';
  const inForce: CapsInForce = [
    ['max-amount', caps.maxAmount],
    ['max-total-per-day', isMoney ? caps.maxTotalPerDay : []],
  ];
  const set = inForce.filter(([, list]) => list.length > 0);
  if (worth.kind === 'none' || set.length === 0 || (!isMoney && counts === undefined)) return undefined;
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

function sumOf(list: readonly Money[], currency: string): Sum | undefined {
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

function moneyText({ minor, currency }: Money): string {
  return sumText({ minor: String(minor), currency });
}

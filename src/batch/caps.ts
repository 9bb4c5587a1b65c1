import { fail, isPaycliError } from '../errors/index.js';
import { findAll } from '../journal/find.js';
import type { Begin, Journal, Request } from '../journal/port.js';
import { unsentStates } from '../journal/states.js';
import { assertWithinDay, type CapContext, checkCaps, paymentValueOf } from '../payments/limits.js';
import type { Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';
import type { PlanHead } from './plan.js';

/** On what a row may begin: the caps of the profile. Throws CAP_EXCEEDED. */
export async function limitsOfRow(
  unsigned: Pick<Unsigned, 'row' | 'values' | 'endpointId'>,
  { sum }: Pick<Request, 'sum'>,
  profile: CapContext,
  journal: Journal,
): Promise<Pick<Begin, 'counts' | 'dayCap'>> {
  const { row } = unsigned;
  const value = sum ? { kind: 'named' as const, sum } : await paymentValueOf(unsigned, profile, journal);
  const dayCap = checkCaps(row, value, profile);
  return row.effect === 'money' ? { counts: value.sum, dayCap } : {};
}

/** Every row that may still be sent against the caps, and all of them against the day. Throws CAP_EXCEEDED. */
export async function checkCapsOfRows(
  head: PlanHead,
  row: Operation,
  profile: CapContext,
  journal: Journal,
  now: number,
): Promise<void> {
  const left = new Map<string, Required<Pick<Begin, 'counts' | 'dayCap'>>>();
  for await (const request of findAll(journal, { batch: head.id, states: unsentStates })) {
    const { endpoint: endpointId, orderId = '', number } = request;
    const limits = limitsOfRow({ row, values: { orderId }, endpointId }, request, profile, journal);
    const { counts, dayCap } = await limits.catch((error: unknown) => {
      if (!isPaycliError(error)) throw error;
      throw fail(error.code, { ...error.facts, why: `row ${number}: ${String(error.facts['why'] ?? '')}` });
    });
    if (counts === undefined || dayCap === undefined) continue;
    const before = BigInt(left.get(counts.currency)?.counts?.minor ?? 0);
    left.set(counts.currency, { counts: { ...counts, minor: String(before + BigInt(counts.minor)) }, dayCap });
  }
  for (const limits of left.values()) await assertWithinDay(limits, head, journal, now);
}

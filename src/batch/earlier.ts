import { findAll } from '../journal/find.js';
import type { Filter, Journal, NewRequest, Request } from '../journal/port.js';
import { reachedStates, type State, unsentStates } from '../journal/states.js';
import { isEqual } from '../payments/decide.js';
import { describe } from '../payments/words.js';
import { operationById } from '../spec/index.js';
import type { Draft } from './draft.js';
import { type BatchPlace, headOf, linesText, rowsText } from './plan.js';

/**
 * What the journal has of a row that is to be sent. `sent`: it would be sent a second time. `planned`: another batch
 * will send it. `other`: its client order id belongs to something else.
 */
export interface Earlier {
  readonly is: 'sent' | 'planned' | 'other';
  readonly request: Request;
}

const isUnsent = ({ state }: Request) => unsentStates.includes(state);

/** For each of some rows what stands against it. */
export async function findEarlier(
  journal: Pick<Journal, 'find'>,
  rows: readonly NewRequest[],
): Promise<readonly (Earlier | undefined)[]> {
  const known = new Map<string, Request[]>();
  for (const filter of filtersFor(rows))
    for await (const request of findAll(journal, filter)) {
      const key = orderKey(request);
      known.set(key, [...(known.get(key) ?? []), request]);
    }
  return rows.map((row) => {
    const all = known.get(orderKey(row)) ?? [];
    return row.kind === 'payment' ? judgePayment(row, all) : judgeFollowUp(row, all);
  });
}

/** Of payments by their client order ids; of what follows on orders by the ids of these. */
function filtersFor(rows: readonly NewRequest[]): readonly Filter[] {
  const [row] = rows;
  if (row === undefined) return [];
  const { base, login, kind } = row;
  const ids = (key: 'clientOrderId' | 'orderId', of = rows) => [...new Set(of.flatMap((each) => each[key] ?? []))];
  if (kind === 'payment') return [{ base, login, kinds: [kind], clientOrderIds: ids('clientOrderId') }];
  const unnamed = rows.filter(({ orderId }) => orderId === undefined);
  return [
    { base, kinds: ['follow-up'], orderIds: ids('orderId') },
    ...(unnamed.length === 0
      ? []
      : [{ base, kinds: ['other' as const], clientOrderIds: ids('clientOrderId', unnamed) }]),
  ];
}

function orderKey({ kind, orderId, clientOrderId }: NewRequest): string {
  return kind === 'payment' || orderId === undefined ? `own ${clientOrderId}` : orderId;
}

function judgePayment(row: NewRequest, all: readonly Request[]): Earlier | undefined {
  const request = all.find(({ state }) => state !== 'cancelled');
  if (request === undefined) return undefined;
  if (isUnsent(request) && request.batch !== undefined) return { is: 'planned', request };
  return { is: isEqual(request, row) && reachedStates.includes(request.state) ? 'sent' : 'other', request };
}

function judgeFollowUp(row: NewRequest, all: readonly Request[]): Earlier | undefined {
  const equal = all.filter((request) => isEqual(request, row));
  const sent = equal.findLast(({ state }) => reachedStates.includes(state));
  if (sent !== undefined) return { is: 'sent', request: sent };
  const planned = equal.find((request) => request.batch !== undefined && isUnsent(request));
  return planned && { is: 'planned', request: planned };
}

/** An earlier request, in words that fit after the line of a row; with the user's id, then the gateway's. */
export function describeEarlier(request: Request): string {
  const { changedAt, state, clientOrderId, orderId, batch } = request;
  const hasBoth = clientOrderId !== undefined && orderId !== undefined && clientOrderId !== orderId;
  const words = hasBoth
    ? `${describe({ ...request, orderId: undefined })} (gateway order id ${orderId})`
    : describe(request);
  const where = batch === undefined ? '' : ` of batch ${batch}`;
  return `${words}${where} is already in the journal, ${state} since ${new Date(changedAt).toISOString().slice(0, 19)}Z`;
}

/** How many days back a new plan is compared with payments that were made or planned. */
export const equalPaymentDays = 7;
/** From this share of its rows on, a file that equals them is planned only when the user asked for it. */
const equalShare = 0.1;

/** Rows whose content equals that of payments in one place: one batch, or all single commands. */
export interface EqualRows {
  /** Undefined for single commands. */
  readonly plan: string | undefined;
  /** When the newest of them was recorded, in milliseconds since 1970. */
  at: number;
  count: number;
  readonly states: Partial<Record<State, number>>;
  /** The first lines of the new file. */
  readonly lines: number[];
}

interface NewPayment {
  readonly number: number;
  readonly line: number;
  readonly request: NewRequest;
}

const maxLines = 100;

/** Finds rows that pay, under other ids, what was paid or planned in the last days. */
export class EqualPayments {
  readonly #journal: Pick<Journal, 'find' | 'findEqual' | 'findBatches'>;
  readonly #since: number;
  readonly #groups = new Map<string | undefined, EqualRows>();
  readonly #found = new Set<number>();

  constructor(journal: Pick<Journal, 'find' | 'findEqual' | 'findBatches'>, now: number) {
    this.#journal = journal;
    this.#since = now - equalPaymentDays * 24 * 3_600_000;
  }

  /** How many rows equal another payment. */
  get count(): number {
    return this.#found.size;
  }

  /** The newest first. */
  groups(): readonly EqualRows[] {
    return [...this.#groups.values()].sort((one, other) => other.at - one.at);
  }

  /** Compares rows with what was sent. A follow-up that equals an earlier one is found by its order. */
  async searchSent(rows: readonly NewPayment[]): Promise<void> {
    const payments = rows.filter(({ request }) => request.kind === 'payment');
    const equal = await this.#journal.findEqual(
      payments.map(({ request }) => request),
      this.#since,
    );
    for (const [at, row] of payments.entries()) {
      const [other] = equal[at] ?? [];
      if (other !== undefined) this.#add(row, other);
    }
  }

  /** Compares all rows of a file with those that other batches have not sent yet. */
  async searchPlanned(draft: Draft, { row, place }: BatchPlace): Promise<void> {
    for (const batch of await this.#journal.findBatches()) {
      const head = headOf(batch);
      const mayPaySame =
        head.base === place.base && (operationById(head.operation).effect === 'money' || row.effect !== 'money');
      if (!mayPaySame || batch.state === 'cancelled' || batch.createdAt < this.#since) continue;
      const filter = { batch: batch.id, kinds: ['payment'], states: unsentStates } as const;
      for await (const request of findAll(this.#journal, filter)) {
        const { payment, clientOrderId } = request;
        if (payment === undefined) continue;
        for (const row of draft.payingAs(payment, clientOrderId)) this.#add(row, request);
      }
    }
  }

  #add({ number, line }: Pick<NewPayment, 'number' | 'line'>, other: Request): void {
    if (this.#found.has(number)) return;
    this.#found.add(number);
    const { batch: plan, createdAt: at, state } = other;
    const group = this.#groups.get(plan) ?? { plan, at, count: 0, states: {}, lines: [] };
    this.#groups.set(plan, group);
    group.at = Math.max(group.at, at);
    group.count += 1;
    group.states[state] = (group.states[state] ?? 0) + 1;
    if (group.lines.length < maxLines) group.lines.push(line);
  }
}

/** Such as `plan b-20261126-abcdef of 2026-11-26: 37 rows (37 done), lines 2, 3, 4, 5, 6 and more`. */
export function equalRowsText({ plan, at, count, states, lines }: EqualRows): string {
  const day = new Date(at).toISOString().slice(0, 10);
  const where = plan === undefined ? `single payments, the last of ${day}` : `plan ${plan} of ${day}`;
  const found = Object.entries(states).map(([state, many]) => `${many} ${state.replace('_', ' ')}`);
  return `${where}: ${rowsText(count)} (${found.join(', ')}), ${linesText(lines)}`;
}

/** Whether so many rows equal other payments that the file may be one that was paid. */
export function mayRepeatFile(equal: number, count: number): boolean {
  return equal > 0 && equal >= count * equalShare;
}

/** Such as `37 of 40 rows match payments of the last 7 days`. */
export function equalCountText(equal: number, count: number): string {
  return `${equal} of ${count} rows ${equal === 1 ? 'matches a payment' : 'match payments'} of the last ${equalPaymentDays} days, with the same amount and destination`;
}

/** Of a file that is planned all the same. */
export function equalWarnings(equal: readonly EqualRows[], count: number): readonly string[] {
  if (equal.length === 0) return [];
  const rows = equal.reduce((sum, each) => sum + each.count, 0);
  return [`${equalCountText(rows, count)}: check that they are new payments; ${equal.map(equalRowsText).join('; ')}`];
}

import { callbackQueue } from './callbacks/outbox.js';
import { optionalNumber } from './columns.js';
import type { DueSource, Happened } from './due.js';
import { abandonedPayers } from './ledger/abandoned.js';
import { holds } from './ledger/holds.js';
import { settlements } from './ledger/settlements.js';
import { recurringCharges } from './recurring/charge.js';
import type { Store } from './store.js';

/** All that comes by itself. Of things due at the same moment, the one of the earlier line comes first. */
const sources: readonly DueSource[] = [abandonedPayers, settlements, holds, recurringCharges, callbackQueue];

// One query for all: most often nothing is due.
const due = queryOf(sources.map((source) => source.due));
const ending = queryOf(sources.map((source) => source.ending ?? source.due));

function queryOf(times: readonly string[]): string {
  return `SELECT ${times.map((time, at) => `(${time}) AS time${at}`).join(', ')}`;
}

function plannedBy({ database }: Store, query: string): { readonly source: DueSource; readonly at: number | undefined }[] {
  const row = database.get(query) ?? {};
  return sources.map((source, at) => ({ source, at: optionalNumber(row, `time${at}`) }));
}

/**
 * Brings the state to the present of the sandbox clock, or to `until`, each thing at its own time and in the order of these times.
 * Called inside a transaction, before anything is read, so that no timer is needed.
 */
export function advance(store: Store, until = store.clock.now()): Happened[] {
  const happened: Happened[] = [];
  for (;;) {
    const planned = plannedBy(store, due);
    const next = earliest(planned);
    // What goes on over several moments makes notes for the others, which follow it here.
    if (next === undefined || next.at > until) return happened.toSorted((a, b) => a.at - b.at);
    const { source, at } = next;
    const other = earliest(planned.filter((each) => each.source !== source))?.at ?? Number.POSITIVE_INFINITY;
    happened.push(...source.run(standingAt(store, at), at, Math.max(at, Math.min(until, other - 1))));
  }
}

/** When something happens next; undefined when nothing is planned. */
export function nextDue(store: Store): number | undefined {
  return earliest(plannedBy(store, due))?.at;
}

/** The same without schedules that never end. */
export function nextEnding(store: Store): number | undefined {
  return earliest(plannedBy(store, ending))?.at;
}

function standingAt(store: Store, at: number): Store {
  return { ...store, clock: { ...store.clock, now: () => at } };
}

type Timed<T> = T & { readonly at: number };

function earliest<T>(all: readonly (T & { readonly at: number | undefined })[]): Timed<T> | undefined {
  let first: Timed<T> | undefined;
  for (const each of all) {
    const { at } = each;
    if (at !== undefined && (first === undefined || at < first.at)) first = { ...each, at };
  }
  return first;
}

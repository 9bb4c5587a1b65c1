import { type Binding, type Bound, isSameEngine } from '../../batch/binding.js';
import type { Engine } from '../../batch/engine.js';
import type { GateView, HoldsMark } from '../../batch/engines/postgres.js';
import { olderDatabase } from '../../batch/older-database.js';
import { pageSize } from '../../batch/pages.js';
import type { BoundPlan } from '../../batch/plan.js';
import { intentOfRow } from '../../batch/standing.js';
import type { Journal, State } from '../../journal/index.js';
import { commandOn } from '../batch-plans.js';
import { wayText } from './bound.js';
import { began } from './earlier-version.js';

export type { HoldsMark } from '../../batch/engines/postgres.js';

interface Database {
  /** The batch was put in. */
  readonly isThere: boolean;
  readonly holds: HoldsMark;
}

/**
 * The database a plan runs on is the one it was, by name and number: what it holds may still be older than what was seen in it. Throws
 * STORAGE.
 */
export async function checkNotOlder(plan: BoundPlan, binding: Binding | undefined, here: Bound, database: Database): Promise<void> {
  if (binding === undefined || !isSameEngine(binding.engine, here.engine)) return;
  const wasRun = plan.events().some(({ what }) => what === began);
  const seen = plan.seen();
  const isGone = wasRun && !database.isThere;
  const isOlder = seen !== undefined && isSameEngine(seen.engine, here.engine) && !(await database.holds(seen.mark));
  if (isGone || isOlder) throw older(plan, here);
}

const never: readonly State[] = ['planned', 'not_sent', 'refused'];

/** What the journal has as sent was sent, whatever the database says now. Throws STORAGE. */
export async function checkNoneLost(plan: BoundPlan, engine: Pick<Engine, 'find'>, journal: Journal, here: Bound): Promise<void> {
  const { head } = plan;
  for (let from = 1; from <= head.count; from += pageSize) {
    const rows = plan.rows(from, pageSize);
    const found = (await engine.find?.(rows)) ?? new Map();
    for (const row of rows) {
      const there: State = found.get(row.number)?.state ?? 'planned';
      if (there !== 'planned' && there !== 'not_sent') continue;
      const state = intentOfRow(row, head, journal)?.state;
      if (state !== undefined && !never.includes(state)) throw older(plan, here);
    }
  }
}

/** Before a plan leaves a database: what that lacks would be sent again from the new engine. Throws STORAGE. */
export async function checkWhole(plan: BoundPlan, view: GateView, journal: Journal, here: Bound): Promise<void> {
  const isThere = view.known !== undefined;
  await checkNotOlder(plan, here, here, { isThere, holds: (mark) => view.holds(mark) });
  if (isThere) await checkNoneLost(plan, view, journal, here);
}

function older({ head }: BoundPlan, { flags }: Bound): Error {
  return olderDatabase(`\`${commandOn('resume', head, `${wayText(flags)} --after-restore`)}\``);
}

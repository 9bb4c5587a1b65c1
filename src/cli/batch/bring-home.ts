import type { BatchConnection } from '../../batch/connection.js';
import { intentOfRow } from '../../batch/connection.js';
import { metBefore, sentText } from '../../batch/duplicates.js';
import type { Engine } from '../../batch/engine.js';
import { pageSize } from '../../batch/pages.js';
import type { BatchRow, PlanStore } from '../../batch/plan.js';
import { fail, isPaycliError } from '../../errors/index.js';
import type { Intent, Journal, NewIntent } from '../../journal/index.js';
import { orderOf } from './bound.js';

/** The gate knows nothing of what this machine sent by itself. Throws BATCH_REFUSED when it sent a row, or another payment under its id. */
export function refuseMet(plan: PlanStore, { row: operation, place, target }: BatchConnection, journal: Journal): void {
  for (let from = 1; from <= plan.head.count; from += pageSize)
    for (const row of plan.rows(from, pageSize)) {
      const before = metBefore(operation, row, { ...place, target }, journal);
      if (before === undefined) continue;
      throw fail('BATCH_REFUSED', {
        why: `row ${row.number}: ${sentText(before.intent)}`,
        how: 'nothing was sent; take it out of the file and plan it again',
      });
    }
}

/** Throws BATCH_REFUSED for a row that is on its way here, or whose id belongs to another payment of this journal. */
export function checkSettled(row: BatchRow, connection: BatchConnection, journal: Journal): void {
  const { place, target } = connection;
  const before = metBefore(connection.row, row, { ...place, target }, journal);
  if (before === undefined || (before.is === 'sent' && isOver(before.intent))) return;
  throw fail('BATCH_REFUSED', {
    why: `row ${row.number}: ${sentText(before.intent)}`,
    how: 'nothing was sent; settle it first with `paycli resolve`',
  });
}

export interface BringPorts {
  readonly plan: PlanStore;
  readonly engine: Pick<Engine, 'find'>;
  readonly connection: BatchConnection;
  readonly journal: Journal;
}

/**
 * Writes into the journal of this machine what all workers made of a plan, so that reports, single commands and caps know of it.
 * The gate stays the one that decides about its rows; what is in doubt there is in doubt here. Gives the numbers of rows that
 * something of this machine keeps out.
 */
export async function bringHome({ plan, engine, connection, journal }: BringPorts): Promise<readonly number[]> {
  const keptOut: number[] = [];
  const here: BatchConnection = { ...connection, hash: (parts) => journal.hash(parts) };
  for (let from = 1; from <= plan.head.count; from += pageSize) {
    const rows = plan.rows(from, pageSize);
    const found = (await engine.find?.(rows)) ?? new Map<number, Intent>();
    const known = rows.flatMap((row) => {
      const intent = found.get(row.number);
      return intent === undefined ? [] : [[row, intent] as const];
    });
    journal.together(() => {
      for (const [row, intent] of known) if (!copy(intentOfRow(here, row), intent, journal)) keptOut.push(row.number);
      const { id, operation } = plan.head;
      const over = rows.filter(({ number }) => isOver(found.get(number)));
      journal.elsewhere.forget(
        id,
        over.map((row) => orderOf(row, operation)),
      );
    });
  }
  return keptOut;
}

/** The engine never sends it again. */
function isOver(intent: Intent | undefined): boolean {
  return intent !== undefined && ['done', 'declined', 'refused'].includes(intent.state);
}

function copy(wanted: NewIntent, { state, reason, orderId, outcome }: Intent, journal: Journal): boolean {
  const own = planned(wanted, journal);
  if (own === undefined) return false;
  const isNew = own.state === 'planned' || ((own.state === 'not_sent' || own.state === 'refused') && own.state !== state);
  const { id } = isNew ? journal.begin(own, false, { isCopy: true }) : own;
  journal.settle(id, state, { reason, orderId, outcome });
  return true;
}

/** Undefined where something of this machine stands in the way, which is for a person to look at. */
function planned(wanted: NewIntent, journal: Journal): Intent | undefined {
  try {
    return journal.plan(wanted, { again: false, isGenerated: false, isAlive: () => false }).intent;
  } catch (error) {
    if (isPaycliError(error) && error.code !== 'STORAGE') return undefined;
    throw error;
  }
}

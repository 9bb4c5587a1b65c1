import { journalPrefilter } from '../../../batch/plan/duplicates.js';
import { type BatchRow, notedCancelled, type PlanStore } from '../../../batch/plan.js';
import { journaledIntentOf } from '../../../batch/run/progress.js';
import { shellWord } from '../../../errors/index.js';
import type { Intent, Journal } from '../../../journal/index.js';
import { operationById } from '../../../spec/index.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { settleCommands } from '../../gateway.js';
import { profileFlagsOf } from './named-commands.js';
import { otherJournalReason } from './plan-history.js';

/** What the journal knows of the rows of a plan. */
export interface JournalLookup {
  /** What is known of these rows, by their numbers. */
  find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>>;
  readonly cancelled: ReadonlySet<number>;
  /** Rows in conflict among those that were found so far. */
  readonly conflicts: readonly Intent[];
}

export function journalLookup(plan: Pick<PlanStore, 'head' | 'noted'>, journal: Journal): JournalLookup {
  const { head } = plan;
  const conflicts: Intent[] = [];
  return {
    cancelled: notedCancelled(plan),
    conflicts,
    async find(rows) {
      const begun = rows.filter(journalPrefilter(operationById(head.operation), rows, journal));
      const found = new Map<number, Intent>();
      for (const row of begun) {
        const intent = journaledIntentOf(row, head, journal);
        if (intent !== undefined) found.set(row.number, intent);
        if (intent?.state === 'conflict') conflicts.push(intent);
      }
      return found;
    },
  };
}

/** Says which rows a person has to look at, and whether this journal knows what was sent at all. */
export function warnOfDoubts(
  plan: PlanStore,
  { conflicts }: Pick<JournalLookup, 'conflicts'>,
  journal: Journal,
  report: Pick<Reporter, 'warn'>,
): void {
  const other = otherJournalReason(plan, journal);
  if (other !== undefined) report.warn([other]);
  const flags = profileFlagsOf(plan.head);
  const named = conflicts.slice(0, 5).map(({ clientOrderId, orderId, reason }) => {
    const name = clientOrderId ?? orderId ?? '';
    return `order ${oneLine(name)} is in conflict: ${oneLine(reason)}; find out the actual outcome, then \`${settleCommands(shellWord(name, 'ORDER'), flags)}\``;
  });
  const more = conflicts.length - named.length;
  if (named.length > 0) report.warn([...named, ...(more > 0 ? [`and ${more} more rows in conflict`] : [])]);
}

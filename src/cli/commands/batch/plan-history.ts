import type { BatchEvent, PlanStore } from '../../../batch/plan.js';
import type { JournalLookup } from '../../../batch/run/progress.js';
import { fail, shellWord } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { settleCommands } from '../../gateway.js';
import { profileFlagsOf } from './named-commands.js';

/** The plan was begun: what was sent is known from here on. */
export const runBeganEvent = 'run began';
export const runEndedEvent = 'run ended';

/** The process of the newest run, where it was on this machine and is gone without an end. */
export function goneProcess(
  events: readonly BatchEvent[],
  { processes }: Pick<Runtime, 'processes'>,
): number | undefined {
  const last = events.findLast(({ what }) => what === runBeganEvent || what === runEndedEvent);
  if (last?.what !== runBeganEvent || last.facts['host'] !== processes.host) return undefined;
  const pid = Number(last.facts['pid']);
  return processes.isAlive(pid) ? undefined : pid;
}

/** This journal, as a plan keeps it. */
export function journalName(journal: Journal): string {
  return journal.hash(['this journal']);
}

/** Why nobody knows here what was sent of a plan; undefined where this journal does. */
export function otherJournalReason(plan: Pick<PlanStore, 'head' | 'sentBy'>, journal: Journal): string | undefined {
  const sentBy = plan.sentBy();
  return sentBy === undefined || sentBy === journalName(journal)
    ? undefined
    : `plan ${plan.head.id} was sent by another journal than this one, which does not know what was sent`;
}

/** Throws BATCH_REFUSED where another journal sent rows: this one would send them again. */
export function checkOwnJournal(plan: Pick<PlanStore, 'head' | 'sentBy'>, journal: Journal): void {
  const why = otherJournalReason(plan, journal);
  if (why !== undefined)
    throw fail('BATCH_REFUSED', {
      why,
      how: `nothing was done; put that journal back, or \`paycli batch run ${plan.head.id} --after-restore\` queries the gateway about every row before it sends the others`,
      plan: plan.head.id,
    });
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

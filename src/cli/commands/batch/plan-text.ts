import { type PlanHead, rowsText, totalsText } from '../../../batch/plan.js';
import type { StateSummary } from '../../../batch/progress.js';
import { shellWord } from '../../../errors/index.js';
import type { Journal } from '../../../journal/port.js';
import { states } from '../../../journal/states.js';
import { sumText } from '../../../payments/words.js';
import type { Paint } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { stateText } from '../../format/journal-entries.js';
import { profileFlag } from '../../format/profile.js';
import { settleCommands } from '../../gateway.js';

export function operationCommand({ operation }: Pick<PlanHead, 'operation'>): string {
  return operationById(operation).command;
}

const cardFileAdvice = {
  open: 'contains the card numbers; keep it unchanged until the batch is finished, then delete it',
  finished: 'contains the card numbers and is no longer needed: delete it if it is still there',
};

/** A plan for people, and more lines about it. */
export function planText(
  head: PlanHead,
  report: Reporter,
  more: readonly (readonly [name: string, text: string])[] = [],
  progress: keyof typeof cardFileAdvice = 'open',
): string {
  const { digest, count, totals, file, planner, profile, login, base, hasCards, madeAt } = head;
  const lines = [
    ['digest', digest],
    ['operation', operationCommand(head)],
    ['rows', String(count)],
    ...totals.map((total) => ['total', `${sumText(total)} in ${rowsText(total.count)}`] as const),
    ['file', `${file.path}${hasCards ? ` (${cardFileAdvice[progress]})` : ''}`],
    ['destination', `profile ${profile} (${head.class}), login ${login}, ${base}`],
    ['planned', `${report.moment(madeAt)} by ${planner.user} on ${planner.host}`],
    ...more,
  ] as const;
  return report.columns(lines.map(([name, text]) => [`  ${report.paint.name(name)}`, oneLine(text)]));
}

const maxNamed = 5;

/** Says which rows a person has to look at. */
export async function warnOfConflicts(
  head: PlanHead,
  journal: Pick<Journal, 'find'>,
  report: Pick<Reporter, 'warn'>,
): Promise<void> {
  const conflicts = await journal.find({ batch: head.id, states: ['conflict'] }, { after: 0, limit: maxNamed + 1 });
  if (conflicts.length === 0) return;
  const named = conflicts.slice(0, maxNamed).map(({ clientOrderId, orderId, reason }) => {
    const name = clientOrderId ?? orderId ?? '';
    const settle = settleCommands(shellWord(name, 'ORDER'), placeOf(head));
    return `order ${oneLine(name)} is in conflict: ${oneLine(reason)}; find out the actual outcome, then \`${settle}\``;
  });
  report.warn([...named, ...(conflicts.length > maxNamed ? ['and more rows in conflict'] : [])]);
}

/** What sends or asks about the rows of a plan; `place` are the flags that lead to its gateway. */
export function runCommand({ id, ...head }: PlanHead, place = placeOf(head)): string {
  return `paycli batch run ${shellWord(id, 'PLAN')}${place}`;
}

function placeOf({ profile, class: kind }: Pick<PlanHead, 'profile' | 'class'>): string {
  return `${profileFlag(profile)}${kind === 'live' ? ' --live' : ''}`;
}

/** How many rows stand where, as lines of a table. */
export function stateRows(found: readonly StateSummary[], paint: Paint): readonly (readonly string[])[] {
  return found.map(({ state, count, totals }) => [
    `  ${stateText(state, paint)}`,
    String(count),
    totalsText(totals),
    paint.dim(states[state]),
  ]);
}

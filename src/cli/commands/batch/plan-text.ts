import { moneyDocument, moneyText, type PlanHead, rowsText } from '../../../batch/plan.js';
import { shellWord } from '../../../errors/index.js';
import type { Journal } from '../../../journal/port.js';
import { operationById } from '../../../spec/index.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { profileFlag } from '../../format/profile.js';
import { settleCommands } from '../../gateway.js';

export function operationCommand({ operation }: Pick<PlanHead, 'operation'>): string {
  return operationById(operation).command;
}

/** What a plan holds, for programs. */
export function headDocument(head: PlanHead): Record<string, unknown> {
  const { id, digest, operation, profile, login, base, madeAt, planner, version, file, count, totals, hasCards } = head;
  return {
    ...{ plan: id, digest, operation, profile, class: head.class, login, gateway: base, count },
    totals: totals.map((total) => ({ count: total.count, ...moneyDocument(total) })),
    file: { path: file.path, bytes: file.bytes, sha256: hasCards ? null : file.sha256, format: file.format },
    ...{ cards: hasCards, madeAt: new Date(madeAt).toISOString(), planner, version },
  };
}

const cardFileAdvice = {
  open: 'contains the card numbers; keep it unchanged until the batch is finished, then delete it',
  finished: 'contains the card numbers and is no longer needed: delete it if it is still there',
};

/** Lines about a plan for people. */
export function headLines(
  head: PlanHead,
  report: Pick<Reporter, 'moment'>,
  progress: keyof typeof cardFileAdvice = 'open',
): (readonly [name: string, text: string])[] {
  const { digest, count, totals, file, planner, profile, login, base, hasCards, madeAt } = head;
  return [
    ['digest', digest],
    ['operation', operationCommand(head)],
    ['rows', String(count)],
    ...totals.map((total) => ['total', `${moneyText(total)} in ${rowsText(total.count)}`] as const),
    ['file', `${file.path}${hasCards ? ` (${cardFileAdvice[progress]})` : ''}`],
    ['destination', `profile ${profile} (${head.class}), login ${login}, ${base}`],
    ['planned', `${report.moment(madeAt)} by ${planner.user} on ${planner.host}`],
  ];
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
  const flags = profileFlagsOf(head);
  const named = conflicts.slice(0, maxNamed).map(({ clientOrderId, orderId, reason }) => {
    const name = clientOrderId ?? orderId ?? '';
    return `order ${oneLine(name)} is in conflict: ${oneLine(reason)}; find out the actual outcome, then \`${settleCommands(shellWord(name, 'ORDER'), flags)}\``;
  });
  report.warn([...named, ...(conflicts.length > maxNamed ? ['and more rows in conflict'] : [])]);
}

/** Commands that next steps of a batch name: what continues it, and what resolves one of its orders. */
export interface BatchCommands {
  readonly again: string;
  readonly resolve: string;
}

/** Commands about a batch; `profile` are the flags that lead to the gateway of its plan. */
export function commandsAbout(plan: string, profile: string): BatchCommands {
  return {
    resolve: `paycli resolve ORDER${profile}`,
    again: `paycli batch run ${shellWord(plan, 'PLAN')}${profile}`,
  };
}

/** What `batch run` needs to find the gateway of a plan. */
export function profileFlagsOf({ profile, class: kind }: Pick<PlanHead, 'profile' | 'class'>): string {
  return `${profileFlag(profile)}${kind === 'live' ? ' --live' : ''}`;
}

import type { Binding } from '../../batch/binding.js';
import { pageSize } from '../../batch/pages.js';
import type { BoundPlan } from '../../batch/plan.js';
import { intentOfRow } from '../../batch/standing.js';
import { fail } from '../../errors/index.js';
import type { Journal } from '../../journal/index.js';
import { operationById } from '../../spec/index.js';
import { commandOn } from '../batch-plans.js';

/** The plan was begun: what was sent is known from here on. */
export const began = 'run began';

/** A plan whose rows may have left, and nobody wrote down from which engine: earlier versions of paycli did not. */
export function isOfEarlierVersion(plan: BoundPlan, binding: Binding | undefined): boolean {
  if (binding !== undefined || operationById(plan.head.operation).effect === 'read') return false;
  return plan.events().some(({ what }) => what === began);
}

/** The engine of this machine alone makes these notes; entries of the journal may be copies of what a database sent. */
export function ranHere(plan: BoundPlan): boolean {
  return plan.noted().size > 0;
}

/** Whether the journal knows rows of it as begun since it was planned, here or as copies. */
export function isInJournal(plan: BoundPlan, journal: Journal): boolean {
  const { head } = plan;
  for (let from = 1; from <= head.count; from += pageSize)
    for (const row of plan.rows(from, pageSize)) {
      const intent = intentOfRow(row, head, journal);
      if (intent !== undefined && intent.attempts > 0 && intent.changedAt >= head.madeAt) return true;
    }
  return false;
}

/** Says how its engine is found; `isAskable` where asking the gateway about every row is a way on. */
export function engineUnknown(plan: BoundPlan, isAskable: boolean): Error {
  const { head } = plan;
  const resume = commandOn('resume', head, ' --engine … --row-key-file …');
  const local = isAskable
    ? `if it ran on this machine alone, \`${commandOn('resume', head, ' --after-restore')}\` asks the gateway about every row first`
    : 'if it ran on this machine alone, nothing of it was sent: plan the file again';
  return fail('BATCH_REFUSED', {
    why: `an earlier version of paycli began plan ${head.id}, and did not write down from which engine`,
    how: `nothing was sent; name the database it runs on, \`${resume}\`; ${local}`,
  });
}

/** Of a plan without a binding that is to be moved. */
export function notMovable(plan: BoundPlan): Error {
  const { head } = plan;
  const isEarlier = isOfEarlierVersion(plan, undefined);
  const run = `\`${commandOn('run', head)}\` sends it from this machine, with --engine and --row-key-file from several`;
  const resume = `\`${commandOn('resume', head)}\`, with --engine where it runs on a database, finds its engine first; then move it`;
  return fail('BATCH_REFUSED', {
    why: isEarlier
      ? `an earlier version of paycli began plan ${head.id}, and did not write down from which engine`
      : `plan ${head.id} runs nowhere yet`,
    how: `nothing was sent; ${isEarlier ? resume : run}`,
  });
}

import type { PlanHead } from '../../../batch/plan.js';
import { fail, isPaycliError, type PaycliError } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt } from '../../command.js';
import { maxOffered } from '../../core/ask-order.js';
import type { CommonOptions } from '../../core/common-options.js';
import { withJournal } from '../../core/user-stores.js';
import { agoText } from '../../format/time.js';
import { openPlanFile, operationCommand, planIdsOf, rowsText, totalsText } from './plan-files.js';

export const planArgument = ['[plan]', 'plan id, or the first characters of it'] as const;

const otherPlan = 'another plan';

/**
 * The plan that a command is about, as it was named; without a name one of the newest on this machine, chosen at a
 * prompt. Throws USAGE where it cannot ask.
 */
export async function planNamed(
  name: string | undefined,
  command: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<string> {
  if (name !== undefined) return name;
  if (!mayPrompt(options, runtime)) throw planNotNamed(command);
  const offered = await newestPlans(options.profile, runtime);
  const prompter = await runtime.prompter(options.color);
  if (offered.length > 0) {
    const chosen = await prompter.ask({
      name: 'plan',
      message: `which plan for ${command}`,
      choices: [...offered.map(({ id }) => id), otherPlan],
      meanings: Object.fromEntries(offered.map(({ id, meaning }) => [id, meaning])),
    });
    if (chosen !== otherPlan) return chosen;
  }
  const none = offered.length === 0 ? 'there is none on this machine (`paycli batch show` shows all); ' : '';
  const typed = await prompter.ask({
    name: 'plan-id',
    message: `${none}the plan: its id`,
    check: (text) => (text.trim() === '' ? 'is empty; type the id of the plan' : undefined),
  });
  return typed.trim();
}

interface OfferedPlan {
  readonly id: string;
  readonly meaning: string;
}

/** Newest first; those that cannot be read are left out. */
async function newestPlans(profile: string | undefined, runtime: Runtime): Promise<readonly OfferedPlan[]> {
  const ids = (await planIdsOf(runtime)).toReversed();
  if (ids.length === 0) return [];
  return withJournal(runtime, async (journal) => {
    const offered: OfferedPlan[] = [];
    for (const id of ids) {
      if (offered.length === maxOffered) break;
      const head = await headOf(id, runtime);
      if (head === undefined || (profile !== undefined && profile !== head.profile)) continue;
      offered.push({ id, meaning: meaningOf(head, journal, runtime.clock.now()) });
    }
    return offered;
  });
}

async function headOf(id: string, runtime: Runtime): Promise<PlanHead | undefined> {
  try {
    const store = await openPlanFile(id, runtime);
    const { head } = store;
    store.close();
    return head;
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

/** What it holds, its age, and whether it is stopped. */
function meaningOf(head: PlanHead, journal: Journal, now: number): string {
  const { id, count, totals, profile, madeAt } = head;
  const state = journal.planStates.newest(id)?.state ?? 'running';
  return [
    ...[operationCommand(head), rowsText(count), totalsText(totals)].filter((text) => text !== ''),
    `profile ${profile}`,
    agoText(madeAt, now),
    ...(state === 'running' ? [] : [state]),
  ].join(', ');
}

/** No plan is named, and there is no terminal to ask for one. */
export function planNotNamed(command: string): PaycliError {
  return fail('USAGE', {
    why: `no plan is named; give its id, as in \`paycli ${command} PLAN\`; \`paycli batch show\` shows all`,
    command,
  });
}

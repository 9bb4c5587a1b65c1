import { headOf, type PlanHead, rowsText, totalsText } from '../../../batch/plan.js';
import { fail } from '../../../errors/index.js';
import type { Batch, Journal } from '../../../journal/port.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt } from '../../command.js';
import { maxOffered } from '../../core/ask-order.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal, journalInUse } from '../../core/order-requests.js';
import { allJournals, journalPath, type WhichJournal } from '../../core/user-stores.js';
import { oneLine } from '../../format/document.js';
import { agoText } from '../../format/time.js';
import { operationCommand } from './plan-text.js';

export interface OpenBatch {
  readonly head: PlanHead;
  readonly batch: Batch;
  readonly journal: Journal;
}

/**
 * Opens the journal that has a batch, by its id or how it begins: that of the profile in use, else another one. Throws
 * USAGE where none has it, or several batches begin so.
 */
export async function withBatch<T>(
  name: string,
  command: string,
  runtime: Runtime,
  work: (open: OpenBatch) => T | Promise<T>,
): Promise<T> {
  const inUse = await journalInUse(undefined, runtime);
  const isOther = (which: WhichJournal) => journalPath(runtime, which) !== journalPath(runtime, inUse);
  for (const which of [inUse, ...(await allJournals(runtime)).filter(isOther)]) {
    const found = await inJournal(runtime, which, undefined, async (journal) => {
      const batch = batchNamed(name, await journal.findBatches(), command);
      return batch && { result: await work({ head: headOf(batch), batch, journal }) };
    });
    if (found !== undefined) return found.result;
  }
  const plan = oneLine(name.slice(0, 40));
  throw fail('USAGE', { why: `there is no plan ${plan}; \`paycli batch show\` shows all`, plan, command });
}

/** The batch that a user means by its id or by how it begins. Throws USAGE where it may be several. */
function batchNamed(name: string, batches: readonly Batch[], command: string): Batch | undefined {
  const exact = batches.find(({ id }) => id === name);
  // `b-$ID` with an empty variable names no plan.
  if (exact !== undefined || name.length <= 'b-'.length) return exact;
  const [found, ...others] = batches.filter(({ id }) => id.startsWith(name));
  if (found === undefined || others.length === 0) return found;
  const ids = [found, ...others].slice(0, 5).map(({ id }) => id);
  throw fail('USAGE', { why: `the id matches several plans: ${ids.join(', ')}`, command });
}

export const planArgument = ['[plan]', 'plan id, or the first characters of it'] as const;

const otherPlan = 'another plan';

/**
 * The plan that a command is about, as it was named; without a name one of the newest, chosen at a prompt. Throws USAGE
 * where it cannot ask.
 */
export async function planNamed(
  name: string | undefined,
  command: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<string> {
  if (name !== undefined) return name;
  if (!mayPrompt(options, runtime))
    throw fail('USAGE', {
      why: `no plan is named; give its id, as in \`paycli ${command} PLAN\`; \`paycli batch show\` shows all`,
      command,
    });
  const offered = await newestPlans(options.profile, runtime);
  const prompter = await runtime.prompter(options.color);
  if (offered.length > 0) {
    const chosen = await prompter.ask({
      name: 'plan',
      message: `which plan for ${command}`,
      choices: [...offered.map(({ id }) => id), otherPlan],
      meanings: Object.fromEntries(offered.map((batch) => [batch.id, meaningOf(batch, runtime.clock.now())])),
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

async function newestPlans(profile: string | undefined, runtime: Runtime): Promise<readonly Batch[]> {
  const which = await journalInUse(profile, runtime);
  return inJournal<readonly Batch[]>(runtime, which, [], async (journal) => {
    const batches = await journal.findBatches();
    const own = batches.filter((batch) => profile === undefined || headOf(batch).profile === profile);
    return own.slice(0, maxOffered);
  });
}

/** What it holds, its age, and whether it is stopped. */
function meaningOf(batch: Batch, now: number): string {
  const head = headOf(batch);
  return [
    ...[operationCommand(head), rowsText(head.count), totalsText(head.totals)].filter((text) => text !== ''),
    `profile ${head.profile}`,
    agoText(head.madeAt, now),
    ...(batch.state === 'paused' || batch.state === 'cancelled' ? [batch.state] : []),
  ].join(', ');
}

import { headOf, type PlanHead } from '../../../batch/plan.js';
import { fail } from '../../../errors/index.js';
import type { Batch, Journal } from '../../../journal/port.js';
import type { Runtime } from '../../../runtime/ports.js';
import { inJournal, journalInUse } from '../../core/order-requests.js';
import { allJournals, journalPath, type WhichJournal } from '../../core/user-stores.js';
import { oneLine } from '../../format/document.js';

export interface OpenBatch {
  readonly head: PlanHead;
  readonly batch: Batch;
  readonly journal: Journal;
}

export const planArgument = {
  text: 'plan id, or the first characters of it',
  ask: 'the plan: its id (`paycli batch show` lists all)',
} as const;

/**
 * Opens the journal that has a batch, by its id or how it begins: that of the profile in use, else another one. Throws
 * USAGE where none has it, or several batches begin so.
 */
export async function withBatch<T>(
  name: string,
  runtime: Runtime,
  work: (open: OpenBatch) => T | Promise<T>,
): Promise<T> {
  const inUse = await journalInUse(undefined, runtime);
  const isOther = (which: WhichJournal) => journalPath(runtime, which) !== journalPath(runtime, inUse);
  for (const which of [inUse, ...(await allJournals(runtime)).filter(isOther)]) {
    const found = await inJournal(runtime, which, undefined, async (journal) => {
      const batch = batchNamed(name.trim(), await journal.findBatches());
      return batch && { result: await work({ head: headOf(batch), batch, journal }) };
    });
    if (found !== undefined) return found.result;
  }
  const plan = oneLine(name.slice(0, 40));
  throw fail('USAGE', { why: `there is no plan ${plan}; \`paycli batch show\` shows all`, plan });
}

/** The batch that a user means by its id or by how it begins. Throws USAGE where it may be several. */
function batchNamed(name: string, batches: readonly Batch[]): Batch | undefined {
  const exact = batches.find(({ id }) => id === name);
  // `b-$ID` with an empty variable names no plan.
  if (exact !== undefined || name.length <= 'b-'.length) return exact;
  const found = batches.filter(({ id }) => id.startsWith(name)).map(({ id }) => id);
  if (found.length > 1) throw fail('USAGE', { why: `the id matches several plans: ${found.slice(0, 5).join(', ')}` });
  return batches.find(({ id }) => id === found[0]);
}

import { makePayPlan } from '../../batch/pay-plan.js';
import type { PlanStore } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';
import type { Journal } from '../../journal/index.js';
import { planFolder, rowsText, totalsText } from '../batch-plans.js';
import { plannerAt } from '../person.js';
import type { Tools } from '../talk.js';
import { packageVersion } from '../version.js';
import { checkApproval } from './approved.js';
import { holdPlan } from './locks.js';

const made = 'pay plan made';

/** The plan of the second step, made once a plan of checks has come to its end: its id. Throws USAGE or BATCH_REFUSED. */
export async function payPlanOf(check: PlanStore, journal: Journal, tools: Tools): Promise<string> {
  const { runtime, report } = tools;
  const { head } = check;
  if (head.operation !== 'PAYOUT_V4_CHECK')
    throw fail('USAGE', { why: `--pay pays what a plan of payout-check validated, and ${head.id} is no such plan`, command: 'batch run' });
  const lock = await holdPlan(head, runtime);
  try {
    const known = check.events().find(({ what }) => what === made)?.facts['plan'];
    if (typeof known === 'string') return known;
    await checkApproval(check, tools);
    const { files, clock, random } = runtime;
    const wanted = {
      id: `${head.id}-pay-${random.letters(4).toLowerCase()}`,
      planner: plannerAt(runtime),
      version: packageVersion,
    };
    const pay = await makePayPlan(check, wanted, {
      files,
      clock,
      journal,
      database: await runtime.database(),
      folder: planFolder(runtime),
    });
    check.addEvent(made, { plan: pay.id, digest: pay.digest });
    report.urgent([`plan ${pay.id} pays what was validated: ${rowsText(pay.count)}, ${totalsText(pay.totals)}`]);
    return pay.id;
  } finally {
    lock.release();
  }
}

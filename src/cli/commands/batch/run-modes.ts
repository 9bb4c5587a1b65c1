import { findPayPlan, makePayPlan } from '../../../batch/pay.js';
import { moneyDocument, type PlanHead, rowsText, totalsText } from '../../../batch/plan.js';
import { type BatchPlace, RowReader, requestOf } from '../../../batch/rows.js';
import { exits, fail } from '../../../errors/index.js';
import { findPages } from '../../../journal/pages.js';
import type { Journal } from '../../../journal/port.js';
import { newNonceAndTimestamp } from '../../../payments/exchange.js';
import { requestSigning } from '../../../signing/index.js';
import { payoutCheck } from '../../../spec/index.js';
import { currentPlanner } from '../../core/current-user.js';
import { packageVersion } from '../../core/version.js';
import { traceExchange } from '../../format/request.js';
import type { Tools } from '../../gateway.js';
import type { OpenBatch } from './open-batch.js';
import { checkApproval } from './run-checks.js';

const shownRows = 3;

/** Lays out and signs every row; opens no connection and writes nothing. The first few are shown, masked. */
export async function dryRun(open: OpenBatch, place: BatchPlace, tools: Tools): Promise<number> {
  const { session, report, runtime } = tools;
  const { journal } = open;
  const { id: plan, count, totals } = open.head;
  const shown = traceExchange(report);
  let signed = 0;
  const rows = new RowReader(open.head, { journal, files: runtime.files });
  // The content of a row is no longer kept once all are final.
  for await (const page of findPages(journal, { batch: plan }))
    for (const row of await rows.read(page)) {
      const unsigned = requestOf(row, place, journal);
      const credentials = await session.credentials(unsigned.protection);
      const nonce = newNonceAndTimestamp(runtime);
      const request = await requestSigning.signAsync(unsigned, credentials, session.assume, nonce);
      signed += 1;
      if (signed <= shownRows) shown.sent(request, unsigned.row);
      report.progress(`signed ${signed} of ${count}`);
    }
  report.progress(undefined);
  await report.show({
    document: { schema: 'paycli.batch-dry-run/1', plan, signed, totals: totals.map(moneyDocument) },
    text: () => `${rowsText(signed)} prepared and signed (${totalsText(totals)}); nothing was sent\n`,
  });
  return exits.ok;
}

/** The batch of the second step, made once a batch of checks has come to its end. Throws USAGE or BATCH_REFUSED. */
export async function preparePayPlan(
  { head: check, journal }: OpenBatch,
  { place, target }: BatchPlace,
  tools: Tools,
): Promise<OpenBatch> {
  const { runtime, report } = tools;
  if (check.operation !== payoutCheck.id)
    throw fail('USAGE', {
      why: `--pay needs a payout-check plan, and ${check.id} is not one`,
      plan: check.id,
      command: 'batch run',
    });
  const known = await findPayPlan(check, journal);
  if (known !== undefined) return openIn(known, journal);
  await checkApproval(check, journal, tools);
  const wanted = {
    id: `${check.id}-pay-${runtime.random.letters(4).toLowerCase()}`,
    madeAt: runtime.clock.now(),
    planner: currentPlanner(runtime),
    version: packageVersion,
  };
  const rows = new RowReader(check, { journal, files: runtime.files });
  const pay = await makePayPlan(check, wanted, { journal, rows, place, target });
  report.urgent([`plan ${pay.id} pays what was validated: ${rowsText(pay.count)}, ${totalsText(pay.totals)}`]);
  return openIn(pay, journal);
}

async function openIn(head: PlanHead, journal: Journal): Promise<OpenBatch> {
  const [batch] = await journal.findBatches(head.id);
  if (batch === undefined) throw new Error(`the journal has no batch ${head.id}`);
  return { head, batch, journal };
}

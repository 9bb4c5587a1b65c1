import { moneyDocument, rowsText, totalsText } from '../../../batch/plan.js';
import { type BatchPlace, RowReader, requestOf } from '../../../batch/rows.js';
import { exits } from '../../../errors/index.js';
import { findPages } from '../../../journal/pages.js';
import { newNonceAndTimestamp } from '../../../payments/exchange.js';
import { requestSigning } from '../../../signing/index.js';
import { traceExchange } from '../../format/request.js';
import type { Tools } from '../../gateway.js';
import type { OpenBatch } from './open-batch.js';

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

import { intentOfRow, unsignedOf } from '../../batch/connection.js';
import { pagesOf } from '../../batch/pages.js';
import type { PlanStore } from '../../batch/plan.js';
import type { Journal } from '../../journal/index.js';
import { freshNow } from '../../payments/exchange.js';
import { requestSigning } from '../../signing/index.js';
import { operationById } from '../../spec/index.js';
import { moneyDocument, rowsText, totalsText } from '../batch-plans.js';
import { exits } from '../outcome.js';
import { watchExchange } from '../present/verbose.js';
import type { Tools } from '../talk.js';

const shownRows = 3;

/** Lays out and signs every row; opens no connection and writes nothing. The first few are shown, masked. */
export async function dryRun(plan: PlanStore, journal: Journal, { session, report, runtime }: Tools): Promise<number> {
  const row = operationById(plan.head.operation);
  const connection = {
    row,
    target: (endpointId: string) => session.target(endpointId),
    place: { base: session.place, login: session.login, profile: session.name, class: session.class },
    hash: (parts: readonly string[]) => journal.hash(parts),
  };
  const shown = watchExchange(row, report);
  let signed = 0;
  for await (const each of pagesOf(plan, runtime.clock)) {
    const unsigned = unsignedOf(connection, each);
    const request = await requestSigning.signAside(
      unsigned,
      await session.credentials(unsigned.protection),
      session.assume,
      freshNow(runtime),
    );
    if (row.effect !== 'read') intentOfRow(connection, each);
    signed += 1;
    if (signed <= shownRows) shown.sent(request);
    report.progress(`signed ${signed} of ${plan.head.count}`);
  }
  report.progress(undefined);
  const { id, totals } = plan.head;
  await report.show({
    document: { schema: 'paycli.batch-dry-run/1', plan: id, signed, totals: totals.map(moneyDocument) },
    text: () => `${rowsText(signed)} laid out and signed (${totalsText(totals)}); nothing was sent\n`,
  });
  return exits.ok;
}

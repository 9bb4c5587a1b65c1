import type { BatchConnection } from '../../batch/connection.js';
import type { PlanStore } from '../../batch/plan.js';
import { type Answer, readRows } from '../../batch/read-rows.js';
import { exits } from '../outcome.js';
import { oneLine } from '../present/table.js';
import type { Tools } from '../talk.js';
import type { WantedRun } from './flags.js';

/** Asks about every row of a plan of status questions. A line a row, or one document, as the output asks for. */
export async function askRows(
  plan: PlanStore,
  connection: BatchConnection,
  wanted: WantedRun,
  stop: AbortSignal,
  { report }: Tools,
): Promise<number> {
  const isStream = report.form === 'text' || report.form === 'ndjson';
  const kept: ReturnType<typeof documentOf>[] = [];
  const { count } = plan.head;
  let asked = 0;
  const end = await readRows({
    ...{ plan, connection, stop, concurrency: wanted.concurrency, rate: wanted.rate },
    tell(answer) {
      asked += 1;
      report.progress(`asked about ${asked} of ${count} rows`);
      if (isStream) void report.event(documentOf(answer), lineOf(answer));
      else kept.push(documentOf(answer));
    },
  });
  report.progress(undefined);
  const left = count - end.answered - end.unanswered;
  const exit = left > 0 ? exitLeft : end.unanswered > 0 ? exits.readFailed : exits.ok;
  const document = { schema: 'paycli.batch-status/1', plan: plan.head.id, planned: count, ...end, left, exit };
  if (report.form === 'ndjson') await report.event(document, '');
  else if (!isStream) await report.show({ document: { ...document, rows: kept.sort((a, b) => a.row - b.row) }, list: 'rows' });
  report.notes([`${end.answered} answered, ${end.unanswered} not answered, ${left} not asked`]);
  return exit;
}

const exitLeft = 12;

function documentOf({ number, row, status, fields, reason }: Answer) {
  const { clientOrderId, orderId } = row.values;
  return {
    row: number,
    clientOrderId: clientOrderId ?? fields?.get('merchant-order-id') ?? null,
    orderId: orderId ?? fields?.get('paynet-order-id') ?? null,
    status: status ?? null,
    stage: fields?.get('order-stage') ?? null,
    reason: status === undefined ? reason : null,
  };
}

function lineOf(answer: Answer): string {
  const { row, clientOrderId, orderId, status, reason } = documentOf(answer);
  return `${row}\t${oneLine(orderId ?? clientOrderId ?? '')}\t${oneLine(status ?? `no answer: ${reason ?? ''}`)}\n`;
}

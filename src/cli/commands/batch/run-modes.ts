import { findPayPlan, makePayPlan } from '../../../batch/pay.js';
import { heldBy, heldText, moneyDocument, rowsText, totalsText } from '../../../batch/plan.js';
import { isFinished } from '../../../batch/progress.js';
import { type BatchConnection, type BatchPlace, checkPlannedFile, RowReader, requestOf } from '../../../batch/rows.js';
import type { RunOptions } from '../../../batch/run-ports.js';
import { queryAllRows, readStatusRows, type StatusAnswer } from '../../../batch/status-batch.js';
import { exits, fail } from '../../../errors/index.js';
import { findPages } from '../../../journal/pages.js';
import type { Journal } from '../../../journal/port.js';
import { compose } from '../../../payments/compose.js';
import { newNonceAndTimestamp } from '../../../payments/nonce.js';
import { requestSigning, type Unsigned } from '../../../signing/index.js';
import { payoutCheck } from '../../../spec/index.js';
import { currentPlanner } from '../../core/current-user.js';
import { packageVersion } from '../../core/version.js';
import { oneLine } from '../../format/document.js';
import { traceExchange } from '../../format/request.js';
import type { Tools } from '../../gateway.js';
import type { OpenBatch } from './open-batch.js';
import { gatewayOf } from './plan.js';
import { checkApproval } from './run-checks.js';

export interface RunSettings {
  readonly concurrency: number;
  /** Requests in a second. */
  readonly rate: number;
  /** Undefined for all. */
  readonly maxRows: number | undefined;
  readonly maxUnknown: number;
  /** How long accepted rows are asked about once no more are sent; undefined where the user did not say. */
  readonly waitMs: number | undefined;
}

const shownRows = 3;

/** Lays out and signs every row; opens no connection and writes nothing. The first few are shown, masked. */
export async function dryRun({ head, journal }: OpenBatch, place: BatchPlace, tools: Tools): Promise<number> {
  const { session, report, runtime } = tools;
  const shown = traceExchange(report);
  let signed = 0;
  for await (const unsigned of requestsOf({ head, journal }, place, tools)) {
    const credentials = await session.credentials(unsigned.protection);
    const nonce = newNonceAndTimestamp(runtime);
    const request = await requestSigning.signAsync(unsigned, credentials, session.assume, nonce);
    signed += 1;
    if (signed <= shownRows) shown.sent(request, unsigned.row);
    report.progress(`signed ${signed} of ${head.count}`);
  }
  report.progress(undefined);
  const { id, totals } = head;
  await report.show({
    document: { schema: 'paycli.batch-dry-run/1', plan: id, signed, totals: totals.map(moneyDocument) },
    text: () => `${rowsText(signed)} prepared and signed (${totalsText(totals)}); nothing was sent\n`,
  });
  const held = await heldBy(journal, id);
  if (held?.state === 'cancelled') report.notes([`batch ${id} was ${heldText(held)}; nothing will be sent`]);
  else if (isFinished(await journal.total({ batch: id })))
    report.notes([`batch ${id} is finished: ${rowsText(head.count)} with a final outcome; nothing is left to send`]);
  return exits.ok;
}

/** Of all rows whose content is still kept, which is no longer needed once all are final; of questions, from their file. */
async function* requestsOf(
  { head, journal }: Pick<OpenBatch, 'head' | 'journal'>,
  place: BatchPlace,
  { session, runtime: { files } }: Tools,
): AsyncGenerator<Unsigned> {
  const { row: operation, target } = place;
  if (operation.effect === 'read') {
    checkPlannedFile(head, files, journal);
    for await (const { values, endpointId } of readStatusRows(head, files, gatewayOf(operation, session)))
      yield compose(operation, values, [], target(endpointId));
    return;
  }
  const rows = new RowReader(head, { journal, files });
  for await (const page of findPages(journal, { batch: head.id }))
    for (const row of await rows.read(page)) yield requestOf(row, place, journal);
}

/** Asks about every row of a batch of questions. A line a row, or one document, as the output asks for. */
export async function runStatusBatch(
  { head, journal }: Pick<OpenBatch, 'head' | 'journal'>,
  connection: BatchConnection,
  { concurrency, rate }: Pick<RunOptions, 'concurrency' | 'rate'>,
  stop: AbortSignal,
  { report, session, runtime }: Tools,
): Promise<number> {
  const isStream = report.form === 'text' || report.form === 'ndjson';
  const kept: ReturnType<typeof documentOf>[] = [];
  const { count, id } = head;
  checkPlannedFile(head, runtime.files, journal);
  let asked = 0;
  const end = await queryAllRows({
    ...{ connection, stop, concurrency, rate },
    rows: readStatusRows(head, runtime.files, gatewayOf(connection.row, session)),
    onAnswer(answer) {
      asked += 1;
      report.progress(`queried ${asked} of ${count} rows`);
      if (isStream) void report.event(documentOf(answer), lineOf(answer));
      else kept.push(documentOf(answer));
    },
  });
  report.progress(undefined);
  const left = count - end.answered - end.unanswered;
  const exit = left > 0 ? exits.batchLeft : end.unanswered > 0 ? exits.readFailed : exits.ok;
  const document = { schema: 'paycli.batch-status/1', plan: id, planned: count, ...end, left, exit };
  if (report.form === 'ndjson') await report.event(document, '');
  else if (!isStream)
    await report.show({ document: { ...document, rows: kept.sort((a, b) => a.row - b.row) }, list: 'rows' });
  report.notes([`${end.answered} answered, ${end.unanswered} not answered, ${left} not queried`]);
  return exit;
}

function documentOf({ row: { number, values }, status, fields, reason }: StatusAnswer) {
  const { clientOrderId, orderId } = values;
  return {
    row: number,
    clientOrderId: clientOrderId ?? fields?.get('merchant-order-id') ?? null,
    orderId: orderId ?? fields?.get('paynet-order-id') ?? null,
    status: status ?? null,
    stage: fields?.get('order-stage') ?? null,
    reason: status === undefined ? reason : null,
  };
}

function lineOf(answer: StatusAnswer): string {
  const { row, clientOrderId, orderId, status, reason } = documentOf(answer);
  return `${row}\t${oneLine(orderId ?? clientOrderId ?? '')}\t${oneLine(status ?? `no answer: ${reason ?? ''}`)}\n`;
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
    planner: currentPlanner(runtime, journal),
    version: packageVersion,
  };
  const rows = new RowReader(check, { journal, files: runtime.files });
  const pay = await makePayPlan(check, wanted, { journal, rows, place, target });
  report.urgent([`plan ${pay.id} pays what was validated: ${rowsText(pay.count)}, ${totalsText(pay.totals)}`]);
  return openIn(pay, journal);
}

async function openIn(head: OpenBatch['head'], journal: Journal): Promise<OpenBatch> {
  const [batch] = await journal.findBatches(head.id);
  if (batch === undefined) throw new Error(`the journal has no batch ${head.id}`);
  return { head, batch, journal };
}

import { type BatchConnection, intentForRow, unsignedOf } from '../../../batch/connection.js';
import { moneyDocument, type PlanStore, planRows } from '../../../batch/plan.js';
import { isFinished, journalLookup, tallyRows } from '../../../batch/run/progress.js';
import { queryAllRows, type StatusAnswer } from '../../../batch/run/status-batch.js';
import { makePayPlan } from '../../../batch/run/two-step-payout.js';
import { exits, fail } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import { newNonceAndTimestamp } from '../../../payments/nonce.js';
import { requestSigning } from '../../../signing/index.js';
import { operationById, payoutCheck } from '../../../spec/index.js';
import { currentPlanner } from '../../core/current-user.js';
import { packageVersion } from '../../core/version.js';
import { oneLine } from '../../format/document.js';
import { traceExchange } from '../../format/request.js';
import type { Tools } from '../../gateway.js';
import { checkApproval } from './authorize.js';
import { lockPlan, planFolder, rowsText, totalsText } from './plan-files.js';
import { cancelledText } from './preflight.js';
import type { RunSettings } from './runner.js';

const shownRows = 3;

/** Lays out and signs every row; opens no connection and writes nothing. The first few are shown, masked. */
export async function dryRun(plan: PlanStore, journal: Journal, { session, report, runtime }: Tools): Promise<number> {
  const row = operationById(plan.head.operation);
  const connection = {
    row,
    target: (endpointId: string) => session.target(endpointId),
    place: { base: session.gatewayBase, login: session.login, profile: session.name, class: session.class },
    hash: (parts: readonly string[]) => journal.hash(parts),
  };
  const shown = traceExchange(report);
  let signed = 0;
  for await (const each of planRows(plan, runtime.clock)) {
    const unsigned = unsignedOf(connection, each);
    const request = await requestSigning.signAsync(
      unsigned,
      await session.credentials(unsigned.protection),
      session.assume,
      newNonceAndTimestamp(runtime),
    );
    if (row.effect !== 'read') intentForRow(connection, each);
    signed += 1;
    if (signed <= shownRows) shown.sent(request, row);
    report.progress(`signed ${signed} of ${plan.head.count}`);
  }
  report.progress(undefined);
  const { id, totals } = plan.head;
  await report.show({
    document: { schema: 'paycli.batch-dry-run/1', plan: id, signed, totals: totals.map(moneyDocument) },
    text: () => `${rowsText(signed)} prepared and signed (${totalsText(totals)}); nothing was sent\n`,
  });
  const over = cancelledText(id, journal) ?? finishedText(plan, journal);
  if (over !== undefined) report.notes([over]);
  return exits.ok;
}

/** Undefined for a plan that is not finished; questions may be asked again. */
function finishedText(plan: PlanStore, journal: Journal): string | undefined {
  const { id, operation, count } = plan.head;
  if (operationById(operation).effect === 'read') return undefined;
  const tally = tallyRows(plan, journalLookup(plan, journal)).totals();
  if (!isFinished(tally)) return undefined;
  return `batch ${id} is finished: ${rowsText(count)} with a final outcome; nothing is left to send`;
}

/** Asks about every row of a plan of status questions. A line a row, or one document, as the output asks for. */
export async function runStatusBatch(
  plan: PlanStore,
  connection: BatchConnection,
  wanted: RunSettings,
  stop: AbortSignal,
  { report }: Tools,
): Promise<number> {
  const isStream = report.form === 'text' || report.form === 'ndjson';
  const kept: ReturnType<typeof documentOf>[] = [];
  const { count } = plan.head;
  let asked = 0;
  const end = await queryAllRows({
    ...{ plan, connection, stop, concurrency: wanted.concurrency, rate: wanted.rate },
    onAnswer(answer) {
      asked += 1;
      report.progress(`queried ${asked} of ${count} rows`);
      if (isStream) void report.event(documentOf(answer), lineOf(answer));
      else kept.push(documentOf(answer));
    },
  });
  report.progress(undefined);
  const left = count - end.answered - end.unanswered;
  const exit = left > 0 ? exitLeft : end.unanswered > 0 ? exits.readFailed : exits.ok;
  const document = { schema: 'paycli.batch-status/1', plan: plan.head.id, planned: count, ...end, left, exit };
  if (report.form === 'ndjson') await report.event(document, '');
  else if (!isStream)
    await report.show({ document: { ...document, rows: kept.sort((a, b) => a.row - b.row) }, list: 'rows' });
  report.notes([`${end.answered} answered, ${end.unanswered} not answered, ${left} not queried`]);
  return exit;
}

const exitLeft = 12;

function documentOf({ number, row, status, fields, reason }: StatusAnswer) {
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

function lineOf(answer: StatusAnswer): string {
  const { row, clientOrderId, orderId, status, reason } = documentOf(answer);
  return `${row}\t${oneLine(orderId ?? clientOrderId ?? '')}\t${oneLine(status ?? `no answer: ${reason ?? ''}`)}\n`;
}

const payPlanMade = 'pay plan made';

/**
 * The plan of the second step, made once a plan of checks has come to its end: its id. Throws USAGE or BATCH_REFUSED.
 */
export async function preparePayPlan(check: PlanStore, journal: Journal, tools: Tools): Promise<string> {
  const { runtime, report } = tools;
  const { head } = check;
  if (head.operation !== payoutCheck.id)
    throw fail('USAGE', {
      why: `--pay needs a payout-check plan, and ${head.id} is not one`,
      plan: head.id,
      command: 'batch run',
    });
  const lock = await lockPlan(head, runtime);
  try {
    const known = check.events().find(({ what }) => what === payPlanMade)?.facts['plan'];
    if (typeof known === 'string') return known;
    await checkApproval(check, tools);
    const { files, clock, random } = runtime;
    const wanted = {
      id: `${head.id}-pay-${random.letters(4).toLowerCase()}`,
      planner: currentPlanner(runtime),
      version: packageVersion,
    };
    const pay = await makePayPlan(check, wanted, {
      files,
      clock,
      journal,
      database: await runtime.database(),
      folder: planFolder(runtime),
    });
    check.addEvent(payPlanMade, { plan: pay.id, digest: pay.digest });
    report.urgent([`plan ${pay.id} pays what was validated: ${rowsText(pay.count)}, ${totalsText(pay.totals)}`]);
    return pay.id;
  } finally {
    lock.release();
  }
}

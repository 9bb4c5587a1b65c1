import { join } from 'node:path';
import { fail } from '../../errors/index.js';
import { finalStates, type Journal, stateClause } from '../../journal/index.js';
import { failureFacts } from '../../payments/failure.js';
import type { Watched } from '../../payments/gateway-connection.js';
import { queryStatus } from '../../payments/status-query.js';
import type { Clock, DatabaseOpener, Files } from '../../runtime/ports.js';
import { operationById, payoutPay, replyField } from '../../spec/index.js';
import { digitsOf, readAmount } from '../../wire/amount.js';
import type { BatchConnection } from '../connection.js';
import { storableKeys } from '../input/check-row.js';
import { CurrencyTotals, PlanDigest } from '../plan/digest.js';
import { PlanDraft } from '../plan/plan-draft.js';
import { type BatchRow, digitsIn, type PlanHead, type PlanStore, planRows } from '../plan.js';
import type { BatchEngine } from './engine.js';
import { journaledIntentOf } from './progress.js';

interface PayPorts {
  readonly files: Files;
  readonly database: DatabaseOpener;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Where plans are kept. */
  readonly folder: string;
}

interface PayPlanRequest {
  readonly id: string;
  readonly planner: PlanHead['planner'];
  readonly version: string;
}

const operation = payoutPay.id;

/**
 * Freezes the second step of a plan of checks: a row for each payout the gateway validated, with its order, amount and
 * recipient. Throws BATCH_REFUSED while the outcome of a check is open, or none was validated.
 */
export async function makePayPlan(check: PlanStore, wanted: PayPlanRequest, ports: PayPorts): Promise<PlanHead> {
  const draftPath = join(ports.folder, `.${wanted.id}.draft`);
  const digest = new PlanDigest();
  const draft = new PlanDraft(ports.database.open(draftPath), digest, storableKeys(operationById(operation)));
  let isOpen = true;
  try {
    const payRows = await addPayRows(draft, check, ports);
    draft.sort();
    draft.commit();
    const head = headOf(check.head, wanted, payRows, ports.clock.now());
    const whole = { ...head, digest: digest.ofHead(head) };
    draft.finish(whole);
    draft.database.close();
    isOpen = false;
    ports.files.move(draftPath, join(ports.folder, `${wanted.id}.db`));
    return whole;
  } finally {
    if (isOpen) draft.database.close();
    for (const name of ['', '-wal', '-shm', '-journal']) ports.files.remove(`${draftPath}${name}`);
  }
}

interface PayRows {
  readonly count: number;
  readonly totals: CurrencyTotals;
}

async function addPayRows(draft: PlanDraft, check: PlanStore, { journal, clock }: PayPorts): Promise<PayRows> {
  const planDigits = digitsIn(check.head);
  const totals = new CurrencyTotals();
  let count = 0;
  for await (const row of planRows(check, clock)) {
    const intent = journaledIntentOf(row, check.head, journal);
    const { line, endpointId, sum, destination } = row;
    if (!finalStates.includes(intent?.state ?? 'planned'))
      throw fail('BATCH_REFUSED', {
        why: `plan ${check.head.id} cannot be paid: row ${row.number} ${stateClause(intent?.state ?? 'not_sent')}`,
        how: `nothing was paid; run \`paycli batch run ${check.head.id}\` first`,
        plan: check.head.id,
        row: row.number,
      });
    if (intent?.state !== 'done' || intent.orderId === undefined) continue;
    count += 1;
    const values = { clientOrderId: row.values['clientOrderId'] ?? '', orderId: intent.orderId };
    const place = { number: count, line, destination };
    draft.add({ ...place, values, endpointId, sum, same: intent.orderId, range: { line, from: 0, bytes: 0 } });
    if (sum !== undefined)
      totals.add({ ...place, minor: BigInt(sum.minor), currency: sum.currency, digits: planDigits(sum.currency) });
  }
  if (count === 0)
    throw fail('BATCH_REFUSED', {
      why: `plan ${check.head.id} cannot be paid: the gateway validated none of its rows`,
      how: 'nothing was paid, and there is nothing to pay',
      plan: check.head.id,
    });
  return { count, totals };
}

function headOf(
  { file, profile, base, login, ...check }: PlanHead,
  wanted: PayPlanRequest,
  { count, totals }: PayRows,
  madeAt: number,
): Omit<PlanHead, 'digest'> {
  return {
    ...{ id: wanted.id, operation, madeAt, planner: wanted.planner, version: wanted.version },
    ...{ profile, class: check.class, base, login, file, count },
    ...{ totals: totals.totals(), hasCards: false },
  };
}

/**
 * Whether the gateway still holds a payout as it validated it: asked right before it is paid. Gives the reason against
 * it, as a whole clause; undefined where there is none.
 */
async function payoutChangeReason(
  row: BatchRow,
  connection: BatchConnection,
  watched: Watched,
): Promise<string | undefined> {
  const { endpointId, values, sum } = row;
  const about = { endpointId, orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const classified = await queryStatus(connection, about, watched);
  const { class: kind, fields } = classified;
  if (kind !== 'accepted' || fields === undefined)
    return `the gateway does not confirm its payout check: ${failureFacts(classified).why}`;
  // A29
  const stage = replyField(fields, 'stage')?.toLowerCase() ?? '';
  if (stage !== 'payout_check_validated')
    return `the gateway reports it as ${stage === '' ? (replyField(fields, 'status') ?? 'unknown') : stage}, not as checked`;
  if (sum === undefined) return undefined;
  const currency = replyField(fields, 'currency') ?? sum.currency;
  const amount = replyField(fields, 'amount');
  if (amount === undefined) return undefined;
  const reading = readAmount(amount, currency, digitsOf(currency, connection.assume['minor-digits'], endpointId));
  const isSame = reading.ok && reading.minor === BigInt(sum.minor) && currency === sum.currency;
  return isSame ? undefined : 'its amount at the gateway differs from the validated amount';
}

/** Throws BATCH_REFUSED when a payout is not as it was checked; false when stopped before that was known. */
export async function revalidatePayout(
  row: BatchRow,
  connection: BatchConnection,
  engine: Pick<BatchEngine, 'pace'>,
  stop: AbortSignal,
): Promise<boolean> {
  if (!(await engine.pace(stop))) return false;
  const change = await payoutChangeReason(row, connection, { signal: stop, received: () => undefined });
  if (stop.aborted) return false;
  if (change === undefined) return true;
  const order = row.values['orderId'] ?? '';
  throw fail('BATCH_REFUSED', {
    why: `row ${row.number}, order ${order}, is not paid: ${change}`,
    how: 'see `paycli status` and `paycli order ORDER`',
    row: row.number,
    order,
  });
}

import { fail } from '../errors/index.js';
import { findPages } from '../journal/find.js';
import type { Journal, NewRow, Request } from '../journal/port.js';
import { finalStates } from '../journal/states.js';
import type { Watched } from '../payments/exchange.js';
import { queryStatus } from '../payments/exchange.js';
import { failureFacts } from '../payments/failure.js';
import { stateClause } from '../payments/words.js';
import { payoutPay, replyField } from '../spec/index.js';
import { readSum } from '../wire/amount.js';
import { CurrencyTotals, PlanDigest } from './digest.js';
import { findEarlier } from './earlier.js';
import { storableKeys } from './input/check-row.js';
import { recordBatch } from './make-plan.js';
import type { BatchPlace, PlanHead } from './plan.js';
import { type BatchConnection, type BatchRow, layOut, type RowReader, writePayload } from './rows.js';

interface PayPorts {
  readonly journal: Journal;
  readonly rows: RowReader;
  readonly gateway: BatchPlace;
}

type PayRequest = Pick<PlanHead, 'id' | 'planner' | 'version' | 'madeAt'>;

/**
 * Records the second step of a plan of checks as a batch: a row for each payout that the gateway validated and nobody
 * paid, with its order, amount and recipient. Throws BATCH_REFUSED while the outcome of a check is open, or nothing is
 * left to be paid.
 */
export async function makePayPlan(check: PlanHead, wanted: PayRequest, ports: PayPorts): Promise<PlanHead> {
  const totals = new CurrencyTotals();
  const digest = new PlanDigest();
  let count = 0;
  for await (const rows of payRows(check, ports)) {
    count += rows.length;
    for (const { number, endpoint, sum, payload } of rows) {
      digest.add([number, endpoint, sum?.minor ?? null, sum?.currency ?? null, payload]);
      if (sum !== undefined) totals.add({ number, line: number, sum, destination: '' });
    }
  }
  if (count === 0) {
    const made = (await ports.journal.findBatches()).find(
      ({ state, head }) => state !== 'cancelled' && head['pays'] === check.id,
    );
    throw fail('BATCH_REFUSED', {
      why: `plan ${check.id} cannot be paid: the gateway validated none of its rows, or all of them are paid or planned`,
      how:
        made === undefined
          ? 'nothing was planned'
          : `nothing was planned; \`paycli batch show ${made.id}\` shows the plan that pays them`,
      plan: check.id,
    });
  }
  const { file, profile, class: kind, base, login } = check;
  const head = {
    ...{ ...wanted, operation: payoutPay.id, profile, class: kind, base, login, file, count },
    ...{ totals: totals.totals(), hasCards: false, pays: check.id },
  };
  const whole: PlanHead = { ...head, digest: digest.ofHead(head) };
  await recordBatch(whole, payRows(check, ports), ports.journal);
  return whole;
}

/** Of the checks that were validated and that nobody paid. */
async function* payRows(check: PlanHead, ports: PayPorts): AsyncGenerator<readonly NewRow[]> {
  let number = 0;
  for await (const checks of findPages(ports.journal, { batch: check.id })) {
    for (const { state, number: row = 0 } of checks)
      if (!finalStates.includes(state))
        throw fail('BATCH_REFUSED', {
          why: `plan ${check.id} cannot be paid: row ${row} ${stateClause(state)}`,
          how: `nothing was paid; run \`paycli batch run ${check.id}\` first`,
          plan: check.id,
          row,
        });
    const validated = checks.filter(({ state, orderId }) => state === 'done' && orderId !== undefined);
    const destinations = new Map((await ports.rows.read(validated)).map((row) => [row.request.id, row]));
    const rows = validated.map((request) => payRow(request, destinations.get(request.id), ports));
    const earlier = await findEarlier(ports.journal, rows);
    yield rows
      .filter((_, at) => earlier[at] === undefined)
      .map((row) => {
        number += 1;
        return { ...row, number };
      });
  }
}

function payRow(
  { orderId = '', clientOrderId = '', endpoint: endpointId, sum, card4, payment, number: line = 0 }: Request,
  read: BatchRow | undefined,
  { journal, gateway }: PayPorts,
): NewRow {
  const values = { clientOrderId, orderId };
  const { wanted } = layOut({ values, endpointId }, gateway, journal);
  const destination = read?.destination ?? (card4 === undefined ? '' : `card ••••${card4}`);
  const range = { from: 0, bytes: 0 };
  const payload = writePayload({ line: read?.line ?? line, destination, values, range }, storableKeys(gateway.row));
  // The gateway pays the amount of the check; the request itself names none.
  return { ...wanted, sum, payment, number: 0, payload };
}

/**
 * Asks right before a payout is paid whether the gateway still holds it as it was validated; false when stopped before
 * that was known. Throws BATCH_REFUSED.
 */
export async function revalidatePayout(row: BatchRow, connection: BatchConnection, watched: Watched): Promise<boolean> {
  const change = await payoutChange(row, connection, watched);
  if (watched.signal.aborted) return false;
  if (change === undefined) return true;
  const order = row.values['orderId'] ?? '';
  throw fail('BATCH_REFUSED', {
    why: `row ${row.number}, order ${order}, is not paid: ${change}`,
    how: 'see `paycli status` and `paycli order ORDER`',
    row: row.number,
    order,
  });
}

/** What is no longer as it was checked, as a whole clause. */
async function payoutChange(
  { request: { endpoint: endpointId, sum }, values }: BatchRow,
  connection: BatchConnection,
  watched: Watched,
): Promise<string | undefined> {
  const about = { endpointId, orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const answer = await queryStatus(connection, about, watched);
  const { class: kind, fields } = answer;
  if (kind !== 'accepted' || fields === undefined)
    return `the gateway does not confirm its payout check: ${failureFacts(answer).why}`;
  // A29
  const stage = replyField(fields, 'stage')?.toLowerCase() ?? '';
  if (stage !== 'payout_check_validated')
    return `the gateway reports it as ${stage === '' ? (replyField(fields, 'status') ?? 'unknown') : stage}, not as checked`;
  const amount = replyField(fields, 'amount');
  if (sum === undefined || amount === undefined) return undefined;
  const currency = replyField(fields, 'currency') ?? sum.currency;
  const shown = readSum(amount, currency, connection.assume['minor-digits'], endpointId);
  const isSame = shown?.minor === sum.minor && currency === sum.currency;
  return isSame ? undefined : 'its amount at the gateway differs from the validated amount';
}

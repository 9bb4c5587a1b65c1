import { checkAgain } from '../../batch/check-again.js';
import { type BatchConnection, unsignedOf } from '../../batch/connection.js';
import { pagesOf } from '../../batch/pages.js';
import type { BatchRow, PlanHead, PlanStore } from '../../batch/plan.js';
import { fail, isPaycliError } from '../../errors/index.js';
import type { Journal, SendLimits, Sum } from '../../journal/index.js';
import { checkCaps } from '../../payments/caps.js';
import { countedSum, type PaymentValue, paymentValueOf } from '../../payments/payment-value.js';
import { type Operation, operationById } from '../../spec/index.js';
import { digitsOf } from '../../wire/amount.js';
import { commandOfPlan, moneyText, rowsText } from '../batch-plans.js';
import { confirmByLogin, placeText } from '../live/confirm.js';
import { amountInWords } from '../live/words.js';
import type { Session } from '../session.js';
import type { Tools } from '../talk.js';

/** On what a row may begin: the caps of the profile. Throws CAP_EXCEEDED. */
export function termsOf(row: BatchRow, operation: Operation, session: Session, journal: Journal): SendLimits {
  const worth = worthOfRow(row, operation, session, journal);
  const counts = countedSum(worth);
  const day = checkCaps(operation, worth, counts, session);
  return operation.effect === 'money' ? { counts, day } : {};
}

/** What a row moves: the sum of the plan where it has one, else what the journal knows of its order. */
function worthOfRow(row: BatchRow, operation: Operation, session: Session, journal: Journal): PaymentValue {
  const { sum, endpointId } = row;
  const digits = sum === undefined ? undefined : digitsOf(sum.currency, session.assume['minor-digits'], endpointId);
  if (sum !== undefined && digits !== undefined)
    return { kind: 'named', amount: { minor: BigInt(sum.minor), digits, currency: sum.currency } };
  return paymentValueOf(unsignedOf({ row: operation, target: (id) => session.target(id) }, row), session, journal);
}

/** Every row that may still be sent against the caps, and all of them against the day. Throws CAP_EXCEEDED. */
export async function checkPlanCaps(plan: PlanStore, { session, runtime }: Tools, journal: Journal): Promise<void> {
  const { caps } = session;
  if (caps.maxAmount.length === 0 && caps.maxTotalPerDay.length === 0) return;
  const operation = operationById(plan.head.operation);
  const noted = plan.noted();
  const left = new Map<string, { sum: Sum; day: NonNullable<SendLimits['day']> }>();
  for await (const row of pagesOf(plan, runtime.clock)) {
    if (!['planned', 'not_sent'].includes(noted.get(row.number) ?? 'planned')) continue;
    const { counts, day } = checkedRow(row, () => termsOf(row, operation, session, journal));
    if (counts === undefined || day === undefined) continue;
    const minor = BigInt(left.get(counts.currency)?.sum.minor ?? 0) + BigInt(counts.minor);
    left.set(counts.currency, { sum: { ...counts, minor: String(minor) }, day });
  }
  for (const { sum, day } of left.values()) journal.checkDay(day, sum);
}

/** Every row that may still be sent against the rules of its operation. Throws BATCH_REFUSED. */
export async function checkPlanRules(plan: PlanStore, connection: BatchConnection, { runtime }: Pick<Tools, 'runtime'>): Promise<void> {
  const noted = plan.noted();
  for await (const row of pagesOf(plan, runtime.clock))
    if (['planned', 'not_sent'].includes(noted.get(row.number) ?? 'planned')) checkAgain(row, connection);
}

function checkedRow<T>({ number }: BatchRow, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    throw fail(error.code, { ...error.facts, why: `row ${number}: ${String(error.facts['why'] ?? '')}` });
  }
}

/** On live, the totals are repeated in words and the merchant login is typed, once for the whole batch. Throws LIVE_GUARD. */
export async function confirmBatch(head: PlanHead, tools: Tools): Promise<void> {
  const { session } = tools;
  if (session.class !== 'live' || operationById(head.operation).effect !== 'money') return;
  const command = commandOfPlan(head);
  const short = head.totals.map(moneyText).join(' and ');
  await confirmByLogin(
    {
      title: `LIVE batch of ${rowsText(head.count)}, each a ${command}: this moves real money`,
      rows: [
        ...head.totals.map(({ minor, digits, currency }) => ['total', amountInWords(BigInt(minor), digits, currency)] as const),
        ['rows', String(head.count)],
        ['plan', `${head.id}, digest ${head.digest.slice(0, 8)}…, from ${head.file.path}`],
        ['gateway', placeText(session)],
      ],
      question: `LIVE batch of ${short === '' ? rowsText(head.count) : short}: type the merchant login to go on`,
      why: 'a live batch needs a confirmation',
    },
    tools,
  );
}

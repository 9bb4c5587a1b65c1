import { type BatchConnection, unsignedOf } from '../../../batch/connection.js';
import { approvalNeeded, verifyApproval } from '../../../batch/plan/approval.js';
import { planChangeReason } from '../../../batch/plan/digest.js';
import { type BatchRow, moneyText, type PlanHead, type PlanStore, planRows } from '../../../batch/plan.js';
import { revalidateRow } from '../../../batch/row-revalidation.js';
import { type StateSummary, type StateTotal, summarizeTally } from '../../../batch/run/progress.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { type Journal, type SendLimits, type Sum, unsentStates } from '../../../journal/index.js';
import { callbackAddress } from '../../../payments/journal-entry.js';
import { checkCaps, countedSum, type PaymentValue, paymentValueOf } from '../../../payments/limits.js';
import { type Operation, operationById } from '../../../spec/index.js';
import { digitsOf } from '../../../wire/amount.js';
import { connectionRows } from '../../core/live/confirmation-text.js';
import { amountInWords } from '../../format/amount-in-words.js';
import type { Tools } from '../../gateway.js';
import { accountText, type ConfirmationText, confirmationLines, confirmByLogin } from '../../live.js';
import type { Session } from '../../session.js';
import { operationCommand, rowsText } from './plan-files.js';

/** The plan is as it was frozen, and whoever has to agree has agreed. Throws BATCH_REFUSED. */
export async function checkApproval(plan: PlanStore, { session, runtime }: Tools): Promise<void> {
  const { head } = plan;
  const needed = approvalNeeded(head, session.caps);
  const verdict = needed === undefined ? undefined : verifyApproval(plan, runtime.clock.now());
  if (verdict?.valid === false)
    throw fail('BATCH_REFUSED', {
      why: `plan ${head.id} needs the approval of a second person, because ${needed ?? ''}; ${verdict.why}`,
      how: `nothing was sent; \`paycli batch approve ${head.id}\` asks the approver for their name and the total`,
      plan: head.id,
    });
  // An approval that counts has looked at the digest already.
  const change = verdict === undefined ? planChangeReason(plan) : undefined;
  if (change !== undefined)
    throw fail('BATCH_REFUSED', {
      why: `plan ${head.id} cannot be run: ${change}`,
      how: `nothing was sent now; plan the file again. If rows of it were sent before, \`paycli resolve --all\` resolves them and \`paycli batch cancel ${head.id}\` cancels the others`,
      plan: head.id,
    });
}

/** On what a row may begin: the caps of the profile. Throws CAP_EXCEEDED. */
export function sendLimitsFor(row: BatchRow, operation: Operation, session: Session, journal: Journal): SendLimits {
  const paymentValue = valueOfRow(row, operation, session, journal);
  const counts = countedSum(paymentValue);
  const day = checkCaps(operation, paymentValue, counts, session);
  const callbackTo = callbackAddress(operation, row.values);
  return operation.effect === 'money' ? { counts, day, callbackTo } : { callbackTo };
}

/** What a row moves: the sum of the plan where it has one, else what the journal knows of its order. */
function valueOfRow(row: BatchRow, operation: Operation, session: Session, journal: Journal): PaymentValue {
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
  const left = new Map<string, { sum: Sum; day: NonNullable<SendLimits['day']> }>();
  for await (const row of unsentRows(plan, runtime)) {
    const { counts, day } = checkedRow(row, () => sendLimitsFor(row, operation, session, journal));
    if (counts === undefined || day === undefined) continue;
    const minor = BigInt(left.get(counts.currency)?.sum.minor ?? 0) + BigInt(counts.minor);
    left.set(counts.currency, { sum: { ...counts, minor: String(minor) }, day });
  }
  for (const { sum, day } of left.values()) journal.checkDay(day, sum);
}

/** Every row that may still be sent against the rules of its operation. Throws BATCH_REFUSED. */
export async function checkPlanRules(
  plan: PlanStore,
  connection: BatchConnection,
  { runtime }: Pick<Tools, 'runtime'>,
): Promise<void> {
  for await (const row of unsentRows(plan, runtime)) revalidateRow(row, connection);
}

/** By the notes of the plan. */
async function* unsentRows(plan: PlanStore, { clock }: Pick<Tools['runtime'], 'clock'>): AsyncGenerator<BatchRow> {
  const noted = plan.noted();
  for await (const row of planRows(plan, clock))
    if (unsentStates.includes(noted.get(row.number) ?? 'planned')) yield row;
}

function checkedRow<T>({ number }: BatchRow, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    throw fail(error.code, { ...error.facts, why: `row ${number}: ${String(error.facts['why'] ?? '')}` });
  }
}

/**
 * On live, the totals are repeated in words and the merchant login is typed, once for the whole batch; `tally` tells
 * what is left of it. Throws LIVE_GUARD.
 */
export async function confirmBatch(head: PlanHead, tools: Tools, tally: readonly StateTotal[] = []): Promise<void> {
  const { session, options, report } = tools;
  if (session.class !== 'live' || operationById(head.operation).effect !== 'money') return;
  const statement = statementOf(head, session, tally);
  await confirmByLogin(statement, tools);
  if (options.confirmLogin !== undefined) report.notes(confirmationLines(statement), false);
}

function statementOf(head: PlanHead, session: Session, tally: readonly StateTotal[]): ConfirmationText {
  const left = leftToSend(head, tally);
  const short = (left?.totals ?? head.totals).map(moneyText).join(' and ');
  return {
    title: `LIVE batch of ${rowsText(head.count)}, each a ${operationCommand(head)}: this moves real money`,
    rows: [
      ...head.totals.map(
        ({ minor, digits, currency }) => ['total', amountInWords(BigInt(minor), digits, currency)] as const,
      ),
      ['rows', String(head.count)],
      ...(left === undefined
        ? []
        : [['left to send', [rowsText(left.count), ...left.totals.map(moneyText)].join(', ')] as const]),
      ['plan', `${head.id}, digest ${head.digest.slice(0, 8)}…, from ${head.file.path}`],
      ['gateway', accountText(session)],
      ...connectionRows(session),
    ],
    question: `LIVE batch of ${short === '' ? rowsText(left?.count ?? head.count) : short}: type the merchant login to continue`,
    why: 'a live batch needs a confirmation',
  };
}

/** What no run has sent so far; undefined where that is all of it. */
function leftToSend(head: PlanHead, tally: readonly StateTotal[]): Omit<StateSummary, 'state'> | undefined {
  const states = summarizeTally(head, tally);
  const unsent = tally.filter(({ state }) => state === 'planned' || state === 'not_sent');
  if (states.every(({ state }) => state === 'planned')) return undefined;
  const [left] = summarizeTally(
    head,
    unsent.map((total) => ({ ...total, state: 'planned' as const })),
  );
  return left ?? { count: 0, totals: [] };
}

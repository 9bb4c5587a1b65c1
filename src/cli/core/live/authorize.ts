import type { Journal, SendLimits } from '../../../journal/index.js';
import { checkCaps, countedSum, type PaymentValue, paymentValueOf } from '../../../payments/limits.js';
import type { Unsigned } from '../../../signing/index.js';
import type { Tools } from '../gateway-context.js';
import { confirmationLines, confirmByLogin } from './confirm.js';
import { confirmationText, type Origins, type WholeAmount } from './confirmation-text.js';

interface PaymentContext {
  readonly journal: Journal;
  readonly tools: Tools;
  /** The intent this is about, which may count already. */
  readonly except: number;
  readonly origins: Origins;
  readonly whole: WholeAmount | undefined;
}

/**
 * Leave to send one request: within the caps of its profile and, on live, with the merchant login given. Throws
 * CAP_EXCEEDED or LIVE_GUARD.
 */
export async function authorizePayment(
  unsigned: Unsigned,
  { journal, tools, except, origins, whole }: PaymentContext,
): Promise<SendLimits> {
  const { session, options, report } = tools;
  const { row } = unsigned;
  const paymentValue = withAmountOfOrder(paymentValueOf(unsigned, session, journal), whole);
  const counts = countedSum(paymentValue);
  const day = checkCaps(row, paymentValue, counts, session);
  if (day !== undefined && counts !== undefined) journal.checkDay(day, counts, except);
  if (row.effect !== 'money') return {};
  const terms: SendLimits = { counts, day };
  if (session.class !== 'live') return terms;
  const byStatus = whole?.from === 'status' ? whole : undefined;
  const statement = confirmationText(unsigned, paymentValue, session, origins, byStatus);
  await confirmByLogin(statement, tools);
  // As at a question, --quiet does not silence the statement.
  if (options.confirmLogin !== undefined) report.notes(confirmationLines(statement), false);
  return terms;
}

/** Of an order that the journal does not know, status may have told the amount. */
function withAmountOfOrder(value: PaymentValue, whole: WholeAmount | undefined): PaymentValue {
  if (value.kind !== 'whole' || value.amount !== undefined) return value;
  return { kind: 'whole', amount: whole?.ofOrder };
}

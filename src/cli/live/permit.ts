import { type Journal, type Lease, type SendLimits, type Sum, sumOfUnits, sumText, unitsOf } from '../../journal/index.js';
import { checkCaps } from '../../payments/caps.js';
import { countedSum, paymentValueOf } from '../../payments/payment-value.js';
import type { Unsigned } from '../../signing/index.js';
import { timeText } from '../present/time.js';
import type { Tools } from '../talk.js';
import { confirmByLogin, statementLines } from './confirm.js';
import { findLease } from './lease.js';
import { type Origins, statementOf } from './statement.js';

interface Desk {
  readonly journal: Journal;
  readonly tools: Tools;
  /** The intent this is about, which may count already. */
  readonly except: number;
  readonly origins: Origins;
}

/**
 * Leave to send one request: within the caps of its profile and, on live, with the merchant login given or a lease in its
 * place. Throws CAP_EXCEEDED or LIVE_GUARD.
 */
export async function authorizePayment(unsigned: Unsigned, { journal, tools, except, origins }: Desk): Promise<SendLimits> {
  const { session, options, runtime, report } = tools;
  const { row } = unsigned;
  const worth = paymentValueOf(unsigned, session, journal);
  const counts = countedSum(worth);
  const day = checkCaps(row, worth, counts, session);
  if (day !== undefined && counts !== undefined) journal.checkDay(day, counts, except);
  if (row.effect !== 'money') return {};
  const terms: SendLimits = { counts, day };
  if (session.class !== 'live') return terms;
  const statement = (lease: string | undefined) => statementOf(unsigned, worth, lease, session, origins);
  // A login that is given anyway saves the lease.
  const leases = options.confirmLogin === undefined ? journal.leases() : [];
  const { lease, why } = findLease(leases, { row, worth, counts, session, runtime });
  if (lease === undefined) {
    await confirmByLogin(statement(why), tools);
    if (options.confirmLogin !== undefined) report.notes(statementLines(statement(why)));
    return terms;
  }
  report.notes([...statementLines(statement(undefined)), leaseNote(lease, counts)]);
  return { ...terms, lease: lease.id };
}

function leaseNote({ id, left, max, until }: Lease, counts: Sum | undefined): string {
  const after = sumOfUnits(unitsOf(left) - (counts === undefined ? 0n : unitsOf(counts)), left.currency);
  return `lease ${id} stands in for the merchant login: ${sumText(after)} of ${sumText(max)} left after this, until ${timeText(until)} UTC`;
}

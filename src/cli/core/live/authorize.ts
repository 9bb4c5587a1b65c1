import {
  hasRoom,
  type Journal,
  type Lease,
  type SendLimits,
  type Sum,
  sumOfUnits,
  sumText,
  unitsOf,
} from '../../../journal/index.js';
import { checkCaps, countedSum, howToName, type PaymentValue, paymentValueOf } from '../../../payments/limits.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Unsigned } from '../../../signing/index.js';
import type { Operation } from '../../../spec/index.js';
import { timeText } from '../../format/time.js';
import { currentUser } from '../current-user.js';
import type { Tools } from '../gateway-context.js';
import type { Session } from '../session.js';
import { confirmationLines, confirmByLogin } from './confirm.js';
import { confirmationText, type Origins, type WholeAmount } from './confirmation-text.js';

/** What a lease would have to cover. */
interface Wanted {
  readonly row: Operation;
  readonly paymentValue: PaymentValue;
  readonly counts: Sum | undefined;
  readonly session: Session;
  readonly runtime: Runtime;
}

interface Found {
  /** The one that ends first of those that cover it. */
  readonly lease: Lease | undefined;
  /** Why the newest one does not; undefined when there is none. */
  readonly why: string | undefined;
}

function findLease(leases: readonly Lease[], wanted: Wanted): Found {
  const own = leases.filter((lease) => isFor(lease, wanted));
  const [lease] = own
    .filter((each) => reasonAgainst(each, wanted) === undefined)
    .sort((one, other) => one.until - other.until);
  const newest = own.at(-1);
  return { lease, why: newest === undefined ? undefined : reasonAgainst(newest, wanted) };
}

function isFor(lease: Lease, { session, runtime }: Wanted): boolean {
  const { profile, login, base } = lease;
  return profile === session.name && login === session.login && base === session.gatewayBase && isOwn(lease, runtime);
}

/** Of this machine and user: the folder of the journal may be shared by several. */
export function isOwn({ host, user }: Lease, runtime: Runtime): boolean {
  return host === runtime.processes.host && user === currentUser(runtime);
}

function reasonAgainst(lease: Lease, { row, paymentValue, counts }: Wanted): string | undefined {
  const { id, left } = lease;
  if (lease.ended !== undefined) return endText(lease);
  if (!lease.operations.includes(row.id)) return `lease ${id} does not cover ${row.command}`;
  if (counts === undefined && paymentValue.kind !== 'none')
    return `lease ${id} has a limit, but the amount of this request is not known here: ${howToName(row)}`;
  if (hasRoom(lease, counts)) return undefined;
  if (counts?.currency !== left.currency) return `lease ${id} covers only ${left.currency}`;
  return `lease ${id} has ${sumText(left)} left, but this request needs ${sumText(counts)}`;
}

function endText({ id, ended, until }: Lease): string {
  if (ended === 'locked') return `lease ${id} was ended with \`paycli live lock\``;
  if (ended === 'clock') return `lease ${id} is not valid while the clock of this machine is behind the journal`;
  return `lease ${id} expired at ${timeText(until)}`;
}

interface PaymentContext {
  readonly journal: Journal;
  readonly tools: Tools;
  /** The intent this is about, which may count already. */
  readonly except: number;
  readonly origins: Origins;
  readonly whole: WholeAmount | undefined;
}

/**
 * Leave to send one request: within the caps of its profile and, on live, with the merchant login given or a lease in
 * its place. Throws CAP_EXCEEDED or LIVE_GUARD.
 */
export async function authorizePayment(
  unsigned: Unsigned,
  { journal, tools, except, origins, whole }: PaymentContext,
): Promise<SendLimits> {
  const { session, options, runtime, report } = tools;
  const { row } = unsigned;
  const paymentValue = withAmountOfOrder(paymentValueOf(unsigned, session, journal), whole);
  const counts = countedSum(paymentValue);
  const day = checkCaps(row, paymentValue, counts, session);
  if (day !== undefined && counts !== undefined) journal.checkDay(day, counts, except);
  if (row.effect !== 'money') return {};
  const terms: SendLimits = { counts, day };
  if (session.class !== 'live') return terms;
  const byStatus = whole?.from === 'status' ? whole : undefined;
  const statement = (lease: string | undefined) =>
    confirmationText(unsigned, paymentValue, lease, session, origins, byStatus);
  // A login that is given anyway saves the lease.
  const leases = options.confirmLogin === undefined ? journal.leases() : [];
  const { lease, why } = findLease(leases, { row, paymentValue, counts, session, runtime });
  // As at a question, --quiet does not silence the statement.
  if (lease === undefined) {
    await confirmByLogin(statement(why), tools);
    if (options.confirmLogin !== undefined) report.notes(confirmationLines(statement(why)), false);
    return terms;
  }
  report.notes([...confirmationLines(statement(undefined)), leaseNote(lease, counts)], false);
  await whole?.confirm?.();
  return { ...terms, lease: lease.id };
}

/** Of an order that the journal does not know, status may have told the amount. */
function withAmountOfOrder(value: PaymentValue, whole: WholeAmount | undefined): PaymentValue {
  if (value.kind !== 'whole' || value.amount !== undefined) return value;
  return { kind: 'whole', amount: whole?.ofOrder };
}

function leaseNote({ id, left, max, until }: Lease, counts: Sum | undefined): string {
  const after = sumOfUnits(unitsOf(left) - (counts === undefined ? 0n : unitsOf(counts)), left.currency);
  return `lease ${id} replaces typing the merchant login: ${sumText(after)} of ${sumText(max)} left after this, until ${timeText(until)}`;
}

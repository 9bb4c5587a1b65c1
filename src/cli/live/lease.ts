import { hasRoom, type Lease, type Sum, sumText } from '../../journal/index.js';
import { howToName, type PaymentValue } from '../../payments/payment-value.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Operation } from '../../spec/index.js';
import { personAt } from '../person.js';
import { timeText } from '../present/time.js';
import type { Session } from '../session.js';

/** What a lease would have to cover. */
export interface Wanted {
  readonly row: Operation;
  readonly worth: PaymentValue;
  readonly counts: Sum | undefined;
  readonly session: Session;
  readonly runtime: Runtime;
}

export interface Found {
  /** The one that ends first of those that cover it. */
  readonly lease: Lease | undefined;
  /** Why the newest one does not; undefined when there is none. */
  readonly why: string | undefined;
}

export function findLease(leases: readonly Lease[], wanted: Wanted): Found {
  const own = leases.filter((lease) => isFor(lease, wanted));
  const [lease] = own.filter((each) => reasonAgainst(each, wanted) === undefined).sort((one, other) => one.until - other.until);
  const newest = own.at(-1);
  return { lease, why: newest === undefined ? undefined : reasonAgainst(newest, wanted) };
}

function isFor(lease: Lease, { session, runtime }: Wanted): boolean {
  const { profile, login, base } = lease;
  return profile === session.name && login === session.login && base === session.place && isOwn(lease, runtime);
}

/** Of this machine and user: the folder of the journal may be shared by several. */
export function isOwn({ host, user }: Lease, runtime: Runtime): boolean {
  return host === runtime.processes.host && user === personAt(runtime);
}

function reasonAgainst(lease: Lease, { row, worth, counts }: Wanted): string | undefined {
  const { id, left } = lease;
  if (lease.ended !== undefined) return endText(lease);
  if (!lease.operations.includes(row.id)) return `lease ${id} does not cover ${row.command}`;
  if (counts === undefined && worth.kind !== 'none')
    return `lease ${id} has a limit, and nobody here knows how much this moves: ${howToName(row)}`;
  if (hasRoom(lease, counts)) return undefined;
  if (counts?.currency !== left.currency) return `lease ${id} is in ${left.currency}`;
  return `lease ${id} has ${sumText(left)} left, and this asks for ${sumText(counts)}`;
}

function endText({ id, ended, until }: Lease): string {
  if (ended === 'locked') return `lease ${id} was ended with \`paycli live lock\``;
  if (ended === 'clock') return `lease ${id} does not count while the clock of this machine is behind the journal`;
  return `lease ${id} ended at ${timeText(until)} UTC`;
}

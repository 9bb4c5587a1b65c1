import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { gatewayName } from '../wire/address.js';
import { type ChainLine, factsIn, sumIn } from './chain.js';
import type { Sum } from './intent.js';
import { isSpent, sumOfUnits, sumText, unitsOf } from './spending.js';
import { linesFrom } from './verify.js';

/** The longest that a lease replaces typing the merchant login. */
export const maxLeaseMs = 8 * 60 * 60_000;
/** Small corrections of the clock are normal. */
const toleranceMs = 5000;

/** Who may send what under a lease. */
export interface LeaseTerms {
  readonly profile: string;
  readonly login: string;
  /** The gateway's name. */
  readonly base: string;
  readonly host: string;
  readonly user: string;
  /** Ids of the operations. */
  readonly operations: readonly string[];
  readonly max: Sum;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Permission to send without typing the login, as the lines of the journal record it. */
export interface Lease extends LeaseTerms {
  /** The line that made it. */
  readonly id: number;
  readonly from: number;
  readonly uses: number;
  /** What is left of `max`. */
  readonly left: Sum;
  /** Why it is no longer active; `clock` when the clock of this machine is behind the journal. */
  readonly ended: 'locked' | 'expired' | 'clock' | undefined;
}

export const unlocked = 'live unlocked';
export const locked = 'live locked';
export const used = 'lease used';

/**
 * Leases that may still be active, and those of the last hours; oldest first. Throws STORAGE when one of their lines
 * was changed.
 */
export function leasesIn(database: Database, now: number): Lease[] {
  const found = database.get(
    'SELECT min(id) AS first FROM moves WHERE intent_id IS NULL AND reason = ? AND at > ?',
    unlocked,
    now - maxLeaseMs,
  );
  const first = found?.['first'];
  return typeof first === 'number' ? leasesFrom(linesFrom(database, first), now) : [];
}

/** A lease by its line and those after it. */
interface LeaseState {
  readonly made: ChainLine;
  /** What each entry counts, by its newest attempt under this lease. */
  readonly counts: Map<number, Sum | undefined>;
  uses: number;
  isLocked: boolean;
  /** The latest time on a line. */
  latestAt: number;
}

/** The leases in a range of lines. */
function leasesFrom(lines: Iterable<ChainLine>, now: number): Lease[] {
  const leases = new Map<number, LeaseState>();
  // States of the entries that were sent under a lease.
  const states = new Map<number | undefined, string>();
  for (const line of lines) {
    for (const lease of leases.values()) lease.latestAt = Math.max(lease.latestAt, line.at);
    if (line.intentId !== undefined) {
      if (states.has(line.intentId)) states.set(line.intentId, line.to);
    } else if (line.reason === unlocked) {
      leases.set(line.id, { made: line, counts: new Map(), uses: 0, isLocked: false, latestAt: line.at });
    } else if (line.reason === used) {
      const entry = countUse(line, leases);
      if (entry !== undefined) states.set(entry, 'sending');
    } else if (line.reason === locked) {
      const ended = factsIn(line.facts)['leases'];
      for (const [id, lease] of leases) lease.isLocked ||= lists(ended, id);
    }
  }
  return [...leases.values()].map((lease) => leaseFrom(lease, states, now));
}

/** Counts a use; returns the entry it was for, whose `sending` line is the one before. */
function countUse({ facts: json }: ChainLine, leases: ReadonlyMap<number, LeaseState>): number | undefined {
  const facts = factsIn(json);
  const lease = leases.get(Number(facts['lease']));
  if (lease === undefined) return undefined;
  lease.uses += 1;
  lease.counts.set(Number(facts['entry']), sumIn(facts, 'counts'));
  return Number(facts['entry']);
}

function leaseFrom(
  { made, counts, uses, isLocked, latestAt }: LeaseState,
  states: ReadonlyMap<number | undefined, string>,
  now: number,
): Lease {
  const terms = leaseTermsIn(made.facts);
  // A clock behind the journal does not show how much time has passed.
  const ended = isLocked
    ? 'locked'
    : Math.max(now, latestAt) >= terms.until
      ? 'expired'
      : now < latestAt - toleranceMs
        ? 'clock'
        : undefined;
  const left = sumOfUnits(unitsOf(terms.max) - spentBy(counts, states), terms.max.currency);
  return { ...terms, id: made.id, from: made.at, uses, left, ended };
}

/** An entry counts once, and only while money has moved or may have. */
function spentBy(counts: LeaseState['counts'], states: ReadonlyMap<number | undefined, string>): bigint {
  return [...counts]
    .filter(([entry]) => isSpent(states.get(entry)))
    .reduce((total, [, sum]) => total + (sum === undefined ? 0n : unitsOf(sum)), 0n);
}

/** Throws LIVE_GUARD unless the lease is active and has room for this sum. */
export function checkLease(leases: readonly Lease[], id: number, counts: Sum | undefined): void {
  const lease = leases.find((each) => each.id === id);
  if (lease === undefined || lease.ended !== undefined) throw fail('leaseEnded', { lease: id });
  if (!hasRoom(lease, counts)) throw fail('leaseUsedMeanwhile', { lease: id, left: sumText(lease.left) });
}

export function hasRoom({ left }: Lease, counts: Sum | undefined): boolean {
  return counts === undefined || (counts.currency === left.currency && unitsOf(counts) <= unitsOf(left));
}

/** Throws LIVE_GUARD when the clock is behind the journal: the end of a lease made now could not be relied on. */
export function checkClock(database: Database, now: number): void {
  const latest = Number(database.get('SELECT max(at) AS latest FROM moves')?.['latest'] ?? 0);
  if (now >= latest - toleranceMs) return;
  throw fail('clockBehindJournal', { now: new Date(now).toISOString(), latest: new Date(latest).toISOString() });
}

function leaseTermsIn(json: string): LeaseTerms {
  const facts = factsIn(json);
  const text = (name: string) => String(facts[name] ?? '');
  const operations = facts['operations'];
  return {
    profile: text('profile'),
    login: text('login'),
    base: gatewayName(text('base')),
    host: text('host'),
    user: text('user'),
    operations: Array.isArray(operations) ? operations.map(String) : [],
    max: sumIn(facts, 'max') ?? { minor: '0', currency: '' },
    until: Number(facts['until'] ?? 0),
  };
}

function lists(value: unknown, id: number): boolean {
  return Array.isArray(value) && value.includes(id);
}

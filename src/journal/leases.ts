import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import type { Move } from './chain.js';
import { factsIn, sumIn } from './facts.js';
import type { Sum } from './intent.js';
import { sumText } from './limits.js';
import { spentStates } from './states.js';
import { linesFrom } from './verify.js';

/** For so long that nobody has to type the merchant login, at most. */
export const longestLeaseMs = 8 * 60 * 60_000;
/** Clocks are set right by a little now and then. */
const toleranceMs = 5000;

/** Whom and what a lease is for. */
export interface LeaseTerms {
  readonly profile: string;
  readonly login: string;
  /** Base address of the gateway. */
  readonly base: string;
  readonly host: string;
  readonly user: string;
  /** Ids of the operations. */
  readonly operations: readonly string[];
  readonly max: Sum;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Leave to send without the login typed, as the lines of the journal tell it. */
export interface Lease extends LeaseTerms {
  /** The line that made it. */
  readonly id: number;
  readonly from: number;
  readonly uses: number;
  /** What is left of `max`. */
  readonly left: Sum;
  /** Why it stands no more; `clock` when the clock of this machine shows an earlier time than the journal has seen. */
  readonly ended: 'locked' | 'expired' | 'clock' | undefined;
}

export const unlocked = 'live unlocked';
export const locked = 'live locked';
export const used = 'lease used';

/** Those that may still stand, and those of the last hours; oldest first. Throws STORAGE when a line they rest on was changed. */
export function leasesIn(database: Database, now: number): Lease[] {
  const found = database.get(
    'SELECT min(id) AS first FROM moves WHERE intent_id IS NULL AND reason = ? AND at > ?',
    unlocked,
    now - longestLeaseMs,
  );
  const first = found?.['first'];
  return typeof first === 'number' ? leasesFrom(linesFrom(database, first), now) : [];
}

/** The leases of a stretch of the chain. */
export function leasesFrom(lines: readonly Move[], now: number): Lease[] {
  return lines.filter(({ intentId, reason }) => intentId === undefined && reason === unlocked).map((line) => leaseFrom(line, lines, now));
}

function leaseFrom({ id, at, facts }: Move, lines: readonly Move[], now: number): Lease {
  const terms = termsIn(facts);
  const later = lines.filter((line) => line.id > id);
  const uses = later.filter((line) => line.reason === used && factsIn(line.facts)['lease'] === id);
  const isLocked = later.some((line) => line.reason === locked && lists(factsIn(line.facts)['leases'], id));
  const seen = later.reduce((latest, line) => Math.max(latest, line.at), at);
  // An earlier time than one already seen says nothing about how much has passed.
  const ended = isLocked ? 'locked' : Math.max(now, seen) >= terms.until ? 'expired' : now < seen - toleranceMs ? 'clock' : undefined;
  const minor = BigInt(terms.max.minor) - spentBy(uses, later);
  return { ...terms, id, from: at, uses: uses.length, left: { ...terms.max, minor: String(minor) }, ended };
}

/** An entry counts once, by its newest attempt, and not when nothing came of it. */
function spentBy(uses: readonly Move[], lines: readonly Move[]): bigint {
  const newest = new Map(uses.map(({ facts }) => [Number(factsIn(facts)['entry']), sumIn(factsIn(facts), 'counts')]));
  const states = new Map(lines.map(({ intentId, to }) => [intentId, to]));
  return [...newest]
    .filter(([entry]) => spentStates.some((state) => state === states.get(entry)))
    .reduce((total, [, sum]) => total + BigInt(sum?.minor ?? 0), 0n);
}

/** Throws LIVE_GUARD unless the lease stands and has room for this. */
export function checkLease(leases: readonly Lease[], id: number, counts: Sum | undefined): void {
  const lease = leases.find((each) => each.id === id);
  const why =
    lease === undefined || lease.ended !== undefined
      ? `lease ${id} ended before the request was sent`
      : hasRoom(lease, counts)
        ? undefined
        : `another command used lease ${id} in the meantime, and ${sumText(lease.left)} are left of it`;
  if (why !== undefined) throw fail('LIVE_GUARD', { why, how: 'nothing was sent; repeat the command and type the login' });
}

export function hasRoom({ left }: Lease, counts: Sum | undefined): boolean {
  return counts === undefined || (counts.currency === left.currency && BigInt(counts.minor) <= BigInt(left.minor));
}

/** Throws LIVE_GUARD when the journal has seen a later time: nobody could tell when a lease made now ends. */
export function checkClock(database: Database, now: number): void {
  const latest = Number(database.get('SELECT max(at) AS latest FROM moves')?.['latest'] ?? 0);
  if (now >= latest - toleranceMs) return;
  throw fail('LIVE_GUARD', {
    why: `the clock shows ${new Date(now).toISOString()}, but the journal has lines of ${new Date(latest).toISOString()}, so a lease could not end in time`,
    how: 'set the clock of this machine right, or type the login for each payment',
  });
}

function termsIn(json: string): LeaseTerms {
  const facts = factsIn(json);
  const text = (name: string) => String(facts[name] ?? '');
  const operations = facts['operations'];
  return {
    profile: text('profile'),
    login: text('login'),
    base: text('base'),
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

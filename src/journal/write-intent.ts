import type { Clock, Database, SqlValue } from '../runtime/ports.js';
import type { Chain } from './chain.js';
import { type Intent, immutableValues, type NewIntent, type Sender, type Sum } from './intent.js';
import { writeLookupHashes } from './lookup-hashes.js';
import { addToDay, countedBy, countedOf, countedValues, isSpent } from './spending.js';
import type { State } from './states.js';

interface WritingPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly chain: Chain;
}

/** The intent as it will be recorded, without its number. */
export function draftOf(
  intent: NewIntent,
  sequence: number,
  { clock, sender }: Pick<WritingPorts, 'clock'> & { readonly sender: Sender },
): Intent {
  const at = clock.now();
  const fresh = { state: 'planned', attempts: 0, mayHaveArrived: false, reason: '', outcome: {} } as const;
  return { ...intent, ...fresh, id: 0, sequence, madeAt: at, changedAt: at, sender };
}

/** Inserts a new intent, in a transaction of the caller; returns it with its number. */
export function addIntent(draft: Intent, ports: WritingPorts): Intent {
  const immutable = immutableValues(draft);
  const { orderId, changedAt, sender, state, attempts, mayHaveArrived, reason, outcome } = draft;
  const { lastId } = ports.database.run(
    `INSERT INTO intents (key, kind, operation, effect, base, endpoint_id, login, profile, class, client_order_id, sequence, minor, currency,
     last_four, content, made_at, digits, order_id, changed_at, host, pid, version, boot, namespace, started, state, attempts,
     may_have_arrived, reason, outcome)
     VALUES (${immutable.map(() => '?').join(', ')}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...immutable,
    ...[orderId ?? null, changedAt, ...senderValues(sender)],
    ...[state, attempts, Number(mayHaveArrived), reason, JSON.stringify(outcome)],
  );
  writeLookupHashes(ports.database, lastId, draft);
  addContentLine(lastId, { from: '', reason: '', immutable }, ports);
  return { ...draft, id: lastId };
}

/** Replaces the content of a refused intent, under the same key; returns its number. */
export function correctIntent({ id, madeAt, sequence, state }: Intent, intent: NewIntent, ports: WritingPorts): number {
  const key = ports.database.get('SELECT key FROM intents WHERE id = ?', id)?.['key'] ?? '';
  ports.database.run(
    `UPDATE intents SET operation = ?, content = ?, minor = ?, currency = ?, digits = ?, last_four = ?, effect = ?, login = ?, profile = ?, class = ?,
     state = 'planned' WHERE id = ?`,
    ...[intent.operation, intent.content, intent.sum?.minor ?? null, intent.sum?.currency ?? null],
    ...[intent.sum?.digits ?? null, intent.lastFour ?? null],
    ...[intent.effect, intent.login, intent.profile, intent.class, id],
  );
  writeLookupHashes(ports.database, id, intent);
  const immutable = [key, ...immutableValues({ ...intent, sequence, madeAt }).slice(1)];
  addContentLine(id, { from: state, reason: 'corrected after a refusal', immutable }, ports);
  return id;
}

interface Attempt {
  readonly sender: Sender;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What it counts against the day's limit. */
  readonly counts: Sum | undefined;
}

/** Records that an intent is being sent; in a transaction of the caller. */
export function writeAttempt(database: Database, before: Intent, { sender, at, counts }: Attempt): void {
  const earlier = isSpent(before.state) ? countedOf(database, before.id) : undefined;
  if (earlier !== undefined) addToDay(database, before.profile, earlier, -1n);
  const counted = countedBy(before.effect, at, counts);
  if (counted !== undefined) addToDay(database, before.profile, counted, 1n);
  database.run(
    `UPDATE intents SET state = 'sending', attempts = attempts + 1, changed_at = ?, reason = '', host = ?, pid = ?, version = ?,
     boot = ?, namespace = ?, started = ?, counted_day = ?, counted_units = ?, counted_currency = ? WHERE id = ?`,
    ...[at, ...senderValues(sender), ...countedValues(counted), before.id],
  );
}

interface End {
  readonly to: State;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reason: string;
  readonly outcome: Readonly<Record<string, string>>;
  readonly orderId: string | undefined;
  readonly mayHaveArrived: boolean;
}

/** Records the result of an attempt; in a transaction of the caller. */
export function writeEnd(
  database: Database,
  before: Intent,
  { to, at, reason, outcome, orderId, mayHaveArrived }: End,
): void {
  database.run(
    `UPDATE intents SET state = ?, changed_at = ?, reason = ?, outcome = ?, order_id = coalesce(order_id, ?),
     may_have_arrived = max(may_have_arrived, ?) WHERE id = ?`,
    ...[to, at, reason, JSON.stringify(outcome), orderId ?? null, Number(mayHaveArrived), before.id],
  );
  if (isSpent(to) === isSpent(before.state)) return;
  const counted = countedOf(database, before.id);
  if (counted !== undefined) addToDay(database, before.profile, counted, isSpent(to) ? 1n : -1n);
}

/** In the order of the columns host, pid, version, boot, namespace, started. */
function senderValues({ host, pid, version, boot, namespace, started }: Sender): readonly SqlValue[] {
  return [host, pid, version, boot ?? null, namespace ?? null, started ?? null];
}

interface ContentLine {
  readonly from: string;
  readonly reason: string;
  readonly immutable: readonly unknown[];
}

/** The line that records the immutable columns of an intent. */
function addContentLine(
  intentId: number,
  { from, reason, immutable }: ContentLine,
  { clock, chain }: WritingPorts,
): void {
  chain.add({ intentId, from, to: 'planned', at: clock.now(), reason, facts: JSON.stringify(immutable) });
}

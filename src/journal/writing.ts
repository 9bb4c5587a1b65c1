import type { Clock, Database } from '../runtime/ports.js';
import type { Chain } from './chain.js';
import { type Intent, lastingOf, type NewIntent, type Sender } from './intent.js';

export interface WritingPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly sender: Sender;
  readonly chain: Chain;
}

/** Writes an intent down, in a transaction of the caller; gives its number. */
export function addIntent(intent: NewIntent, sequence: number, ports: WritingPorts): number {
  const { database, clock, sender } = ports;
  const at = clock.now();
  const lasting = lastingOf({ ...intent, sequence, madeAt: at });
  const { lastId } = database.run(
    `INSERT INTO intents (key, kind, operation, effect, base, endpoint_id, login, profile, class, client_order_id, sequence, minor, currency,
     last_four, content, made_at, order_id, changed_at, host, pid, version, state, attempts, may_have_arrived, reason, outcome)
     VALUES (${lasting.map(() => '?').join(', ')}, ?, ?, ?, ?, ?, 'planned', 0, 0, '', '{}')`,
    ...lasting,
    ...[intent.orderId ?? null, at, sender.host, sender.pid, sender.version],
  );
  vouch(lastId, { from: '', reason: '', lasting }, ports);
  return lastId;
}

/** Puts a corrected content under the key of a refused one; gives its number. */
export function correctIntent({ id, madeAt, sequence, state }: Intent, intent: NewIntent, ports: WritingPorts): number {
  ports.database.run(
    `UPDATE intents SET operation = ?, content = ?, minor = ?, currency = ?, last_four = ?, effect = ?, login = ?, profile = ?, class = ?,
     state = 'planned' WHERE id = ?`,
    ...[intent.operation, intent.content, intent.sum?.minor ?? null, intent.sum?.currency ?? null, intent.lastFour ?? null],
    ...[intent.effect, intent.login, intent.profile, intent.class, id],
  );
  vouch(id, { from: state, reason: 'corrected after a refusal', lasting: lastingOf({ ...intent, sequence, madeAt }) }, ports);
  return id;
}

interface Vouched {
  readonly from: string;
  readonly reason: string;
  readonly lasting: readonly unknown[];
}

/** The line that says what an intent holds. */
function vouch(intentId: number, { from, reason, lasting }: Vouched, { clock, chain }: WritingPorts): void {
  chain.add({ intentId, from, to: 'planned', at: clock.now(), reason, facts: JSON.stringify(lasting) });
}

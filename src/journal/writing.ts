import type { Clock, Database } from '../runtime/ports.js';
import type { Chain } from './chain.js';
import { type Intent, lastingOf, type NewIntent, type Sender } from './intent.js';

export interface WritingPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly chain: Chain;
}

/** As it will be when it is written down, but for its number. */
export function draftOf(
  intent: NewIntent,
  sequence: number,
  { clock, sender }: Pick<WritingPorts, 'clock'> & { readonly sender: Sender },
): Intent {
  const at = clock.now();
  const fresh = { state: 'planned', attempts: 0, mayHaveArrived: false, reason: '', outcome: {} } as const;
  return { ...intent, ...fresh, id: 0, sequence, madeAt: at, changedAt: at, sender };
}

/** Writes an intent down that is new, in a transaction of the caller; gives it with its number. */
export function addIntent(draft: Intent, ports: WritingPorts): Intent {
  const lasting = lastingOf(draft);
  const { orderId, changedAt, sender, state, attempts, mayHaveArrived, reason, outcome } = draft;
  const { lastId } = ports.database.run(
    `INSERT INTO intents (key, kind, operation, effect, base, endpoint_id, login, profile, class, client_order_id, sequence, minor, currency,
     last_four, content, made_at, order_id, changed_at, host, pid, version, state, attempts, may_have_arrived, reason, outcome)
     VALUES (${lasting.map(() => '?').join(', ')}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...lasting,
    ...[orderId ?? null, changedAt, sender.host, sender.pid, sender.version],
    ...[state, attempts, Number(mayHaveArrived), reason, JSON.stringify(outcome)],
  );
  vouch(lastId, { from: '', reason: '', lasting }, ports);
  return { ...draft, id: lastId };
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

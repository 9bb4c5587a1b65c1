import type { Intent, State } from '../../journal/index.js';
import { operationById } from '../../spec/index.js';
import type { BatchRow, PlanStore } from '../plan.js';
import type { Query } from './postgres-database.js';

const over: readonly State[] = ['done', 'declined', 'refused'];
const groupRows = 1000;

/** What became of rows on another engine, by their numbers. */
export type SentRows = (rows: readonly BatchRow[]) => Promise<ReadonlyMap<number, Intent>>;

/** Writes into a batch what another engine made of its rows, in a transaction of the caller. */
export async function takeIn(query: Query, plan: PlanStore, sent: SentRows): Promise<void> {
  // Of one order only one follow-up is on its way at a time, also here.
  const most = operationById(plan.head.operation).opens ? groupRows : 1;
  for (let from = 1; from <= plan.head.count; from += groupRows) {
    const found = [...(await sent(plan.rows(from, groupRows)))].filter(([, { state }]) => over.includes(state));
    for (let at = 0; at < found.length; at += most) await takeRows(query, plan.head.id, found.slice(at, at + most));
  }
}

async function takeRows(query: Query, batch: string, found: readonly (readonly [number: number, intent: Intent])[]): Promise<void> {
  const numbers = found.map(([number]) => number);
  const intents = found.map(([, intent]) => intent);
  await query(
    `UPDATE paycli.gate SET state = 'sending', attempts = attempts + 1, host = given.host, pid = given.pid, version = given.version
     FROM unnest($2::int[], $3::text[], $4::int[], $5::text[]) AS given (number, host, pid, version)
     WHERE batch = $1 AND gate.number = given.number AND state IN ('planned', 'not_sent')`,
    [
      ...[batch, numbers, intents.map(({ sender }) => sender.host), intents.map(({ sender }) => sender.pid)],
      intents.map(({ sender }) => sender.version),
    ],
  );
  await query(
    `UPDATE paycli.gate SET state = given.state, reason = given.reason, outcome = given.outcome::jsonb,
       order_id = coalesce(gate.order_id, given.order_id), may_have_arrived = given.state <> 'refused', worker = NULL
     FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[]) AS given (number, state, reason, outcome, order_id)
     WHERE batch = $1 AND gate.number = given.number AND gate.state = 'sending'`,
    [
      ...[batch, numbers, intents.map(({ state }) => state), intents.map(({ reason }) => reason)],
      ...[intents.map(({ outcome }) => JSON.stringify(outcome)), intents.map(({ orderId }) => orderId ?? null)],
    ],
  );
}

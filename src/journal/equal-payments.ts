import type { Database } from '../runtime/ports.js';
import { operations } from '../spec/index.js';
import { type Intent, intentFrom, intentsWithChainState, type NewIntent, stateFrom } from './intent.js';
import { hasTable, paymentOf } from './lookup-hashes.js';
import { secondStepSql } from './query.js';
import { certainStates, type State, spentStates, unresolvedStates } from './states.js';

/** Whether an intent in the journal is the payment wanted now: fields outside `content` do not count. */
export function isEqual(earlier: NewIntent, wanted: NewIntent): boolean {
  return earlier.operation === wanted.operation && earlier.content === wanted.content;
}

/** The same client order id at another endpoint of the merchant, where it was sent: it is the same payment. */
export function sentToAnotherEndpoint(database: Database, wanted: NewIntent): Intent | undefined {
  const rows = database.all(
    `${intentsWithChainState} WHERE client_order_id = ?1 AND +base = ?2 AND kind = 'opening' AND login = ?3
       AND endpoint_id <> ?4`,
    ...[wanted.clientOrderId ?? null, wanted.base, wanted.login, wanted.endpointId],
  );
  return rows.map(intentFrom).find(({ state }) => spentStates.includes(state));
}

/**
 * The payment that this one would repeat under another client order id: one in doubt, else with `since` the first that
 * is pending or was approved after that time. A time in the future counts.
 */
export function repeatedPayment(database: Database, wanted: NewIntent, since: number | undefined): Intent | undefined {
  const inDoubt = equalInDoubt(database, wanted);
  if (inDoubt !== undefined || since === undefined || !leadsToPayment(wanted)) return inDoubt;
  // Without a card or an account, such as of hosted forms, equal ones are of different payers.
  if (paymentOf(database, wanted) === undefined) return undefined;
  return firstEqual(database, wanted, "chain_state = 'accepted' OR (chain_state = 'done' AND changed_at >= ?4)", since);
}

/** The first request for the same payment whose outcome is in doubt. */
export function equalInDoubt(database: Database, wanted: NewIntent): Intent | undefined {
  // Not those in doubt: a damaged state would be no state in doubt, and must be refused.
  const isInDoubt = 'chain_state NOT IN (SELECT value FROM json_each(?4))';
  return firstEqual(database, wanted, isInDoubt, JSON.stringify(certainStates));
}

/**
 * The first request for the same payment on which `condition` holds, with ?4 in it. The others are left out by the
 * database: a shop that sells one thing at one price has many. Of a payment in two steps the second one counts.
 */
function firstEqual(
  database: Database,
  wanted: NewIntent,
  condition: string,
  value: string | number,
): Intent | undefined {
  const same = samePaymentSql(database);
  const ids = `SELECT id FROM intents WHERE ${same} AND +base = ?1 AND kind = ?3
      ${wanted.effect === 'money' ? "AND effect = 'money'" : ''}
    UNION ALL SELECT id FROM intents WHERE ${secondStepSql(`SELECT order_id FROM intents
      WHERE ${same} AND +base = ?1 AND kind = 'opening' AND order_id IS NOT NULL`)}`;
  const [found] = database.all(
    `SELECT * FROM (${intentsWithChainState} WHERE id IN (${ids})) WHERE ${condition} ORDER BY id`,
    ...[wanted.base, hashesOf(database, [wanted]), wanted.kind, value],
  );
  return found === undefined ? undefined : intentFrom(found);
}

const payouts = new Set<string>(
  operations.filter((row) => row.destination !== undefined || row.moves === 'pays out').map(({ id }) => id),
);

/** Whether it moves money itself, or registers a payout that a second step only confirms. */
export function leadsToPayment({ effect, operation }: Pick<NewIntent, 'effect' | 'operation'>): boolean {
  return effect === 'money' || payouts.has(operation);
}

/**
 * The newest request of the same amount by the same payer that has no final outcome yet, whatever the card, also one
 * for a page where the payer enters it. Undefined for a payout, and where the payer is not known by an e-mail address.
 */
export function equalOfPayer(database: Database, wanted: NewIntent): Intent | undefined {
  const { payer, sum, base, operation } = wanted;
  if (payer === undefined || sum === undefined || payouts.has(operation) || !hasTable(database, 'payers'))
    return undefined;
  const rows = database.all(
    `SELECT * FROM (${intentsWithChainState} WHERE id IN (SELECT intent_id FROM payers WHERE email = ?)
       AND +base = ? AND kind = 'opening' AND minor = ? AND currency = ?)
     WHERE chain_state IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    ...[payer, base, sum.minor, sum.currency, JSON.stringify(unresolvedStates)],
  );
  return rows
    .map(intentFrom)
    .find((each) => !payouts.has(each.operation) && each.clientOrderId !== wanted.clientOrderId);
}

/** The condition that an entry is for the same payment as those with the hashes ?2. */
function samePaymentSql(database: Database): string {
  const given = 'IN (SELECT value FROM json_each(?2))';
  const byPayment = hasTable(database, 'payments')
    ? ` OR id IN (SELECT intent_id FROM payments WHERE payment ${given})`
    : '';
  return `(content ${given}${byPayment})`;
}

/** The hashes that identify these payments, as JSON. */
function hashesOf(database: Database, wanted: readonly NewIntent[]): string {
  return JSON.stringify(wanted.flatMap((each) => [each.content, paymentOf(database, each) ?? []].flat()));
}

/** A payment in the journal, as far as it is compared with others. */
export interface EqualPayment {
  readonly id: number;
  readonly clientOrderId: string | undefined;
  readonly state: State;
  readonly madeAt: number;
}

/**
 * Those since then that moved money or may have, by the hash of the payment and by content; the newest first, at most
 * two of each. A payout that was only checked counts for another check. `wanted` is of one gateway and one operation.
 */
export function equalPayments(
  database: Database,
  wanted: readonly NewIntent[],
  since: number,
): ReadonlyMap<string, readonly EqualPayment[]> {
  const [first] = wanted;
  if (first === undefined) return new Map();
  const stored = hasTable(database, 'payments')
    ? '(SELECT payment FROM payments WHERE intent_id = intents.id)'
    : 'NULL';
  const rows = database.all(
    `SELECT * FROM (SELECT *, ${stored} AS payment FROM (${intentsWithChainState}) AS intents
       WHERE ${samePaymentSql(database)} AND +base = ?1 AND kind = 'opening' AND made_at >= ?3
         AND (effect = 'money' OR operation = ?4 OR EXISTS (SELECT 1 FROM (${intentsWithChainState}) AS second
           WHERE ${secondStepSql('intents.order_id')} AND chain_state IN (SELECT value FROM json_each(?5)))))
     WHERE chain_state IN (SELECT value FROM json_each(?5)) ORDER BY id DESC`,
    ...[first.base, hashesOf(database, wanted), since, first.operation, JSON.stringify(spentStates)],
  );
  const found = new Map<string, EqualPayment[]>();
  for (const { id, content, payment, client_order_id: clientOrderId, made_at: madeAt, chain_state: state } of rows) {
    const known = { id: Number(id), clientOrderId: clientOrderId === null ? undefined : String(clientOrderId) };
    const one = { ...known, state: stateFrom(String(state)), madeAt: Number(madeAt) };
    for (const key of payment === null ? [content] : [content, payment]) {
      const same = found.get(String(key)) ?? [];
      found.set(String(key), same);
      // Where one is the payment itself, the other is another one.
      if (same.length < 2) same.push(one);
    }
  }
  return found;
}

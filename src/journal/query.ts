import type { Database, SqlValue } from '../runtime/ports.js';
import { allOperations, isRegistration, replyNames, voidOperation } from '../spec/index.js';
import { gatewayName } from '../wire/address.js';
import { cardReplyFields, type Intent, intentFrom, intentsWithChainState, keyOf, type NewIntent } from './intent.js';
import { hasTable } from './lookup-hashes.js';
import { unitsOf } from './spending.js';
import { reachedStates, type State } from './states.js';

export interface Filter {
  readonly states?: readonly State[] | undefined;
  /** State of the order that an opening made (see `orderStateOf`). */
  readonly orderStates?: readonly State[] | undefined;
  /** Also, or where no states are named only, orders that were voided. */
  readonly isVoided?: true | undefined;
  /** The same for registrations of a recurring payment that were approved: no state of an order has these. */
  readonly isRegistered?: true | undefined;
  readonly operation?: string | undefined;
  readonly profile?: string | undefined;
  /** Milliseconds since 1970; from included, until not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** In ten-thousandths of the currency (see `unitsOf`), both ends included; of any currency where none is named. */
  readonly sum?:
    | { readonly currency?: string; readonly min?: bigint | undefined; readonly max?: bigint | undefined }
    | undefined;
  readonly kind?: NewIntent['kind'] | undefined;
  /**
   * One request for each order: the one that made it, or where the journal does not have that, the first follow-up that
   * reached the gateway.
   */
  readonly isOrder?: true | undefined;
  /** Only requests on whose order one of this operation reached the gateway, or that are of it themselves. */
  readonly onOrder?: string | undefined;
  /** Last digits of the card, at most four; also of one that only a reply named (see `cardOf`). */
  readonly card?: string | undefined;
  /** Part of an id, or of the reason (see `searchedFields`). */
  readonly text?: string | undefined;
  /** Keyed hash of the payer's e-mail address (see `payerParts`). */
  readonly payer?: string | undefined;
  readonly clientOrderId?: string | undefined;
  /** Either id of an order. */
  readonly order?: string | undefined;
  readonly base?: string | undefined;
  /** Only entries with a number above `after`, and at most `max` of them. */
  readonly after?: number | undefined;
  readonly max?: number | undefined;
}

/**
 * In a statement: whatever endpoint of a gateway intents went to, each found by a search in the index of orders, which
 * has the endpoint before the order. `base` is a parameter or a column.
 */
export const endpointsSql = (base: string) => `(WITH RECURSIVE endpoints (id) AS (
    SELECT min(endpoint_id) FROM intents AS first WHERE first.base = ${base}
    UNION ALL SELECT (
      SELECT min(endpoint_id) FROM intents AS next WHERE next.base = ${base} AND endpoint_id > endpoints.id
    ) FROM endpoints WHERE id IS NOT NULL
  ) SELECT id FROM endpoints)`;

// Each half uses its index; an OR would scan every intent of the gateway.
const idsOfOrder = `SELECT id FROM intents WHERE client_order_id = ?
  UNION ALL SELECT id FROM intents WHERE base = ? AND endpoint_id IN ${endpointsSql('?')} AND order_id = ?`;

/** The fields of a stored reply that a text is searched in: ids, and why it was declined. */
export const searchedFields: readonly string[] = [
  ...replyNames('serial', 'orderId', 'clientOrderId', 'processorId'),
  ...replyNames('cardRef', 'recurring', 'errorMessage', 'approvalCode'),
];

/** A reason that only repeats the status of the reply begins so. */
export const statusReason = 'status: %';

const searchedSql = `coalesce(order_id, '') || char(10) || coalesce(client_order_id, '') || char(10) ||
  CASE WHEN state = 'accepted' OR reason LIKE '${statusReason}' THEN '' ELSE reason END || char(10) ||
  CASE WHEN json_valid(outcome) THEN
    coalesce((SELECT group_concat(value, char(10)) FROM json_each(outcome)
      WHERE key IN (${quoted(searchedFields)})), '')
  ELSE '' END`;

/** Requests that pay an order which was registered in a first step. On a hosted page the payer pays the order itself. */
const secondSteps = allOperations.filter(({ moves, follows }) => moves === 'pays out' && follows !== undefined);

/** The condition that an entry pays one of these orders of the gateway ?1, which was registered in a first step. */
export function secondStepSql(orderIds: string): string {
  return `base = ?1 AND endpoint_id IN ${endpointsSql('?1')} AND order_id IN (${orderIds}) AND kind = 'follow-up'
    AND operation IN (${quoted(secondSteps.map(({ id }) => id))})`;
}

/** See `Filter.isRegistered`. */
const registrations = allOperations.filter(isRegistration).map(({ id }) => id);
const registeredSql = `(state = 'done' AND operation IN (${quoted(registrations)}))`;

/**
 * The state of the order that an opening made: a payout that was only checked is pending until its payment is made. Of
 * an order that another machine made, the approval of a follow-up proves that it was approved; nothing else is known.
 * What only registers a card for later charges is no approved payment.
 */
export const orderStateSql = `CASE WHEN ${registeredSql} THEN 'registered'
  WHEN kind = 'follow-up' THEN CASE WHEN (base, order_id) IN (
    SELECT base, order_id FROM intents WHERE kind = 'follow-up' AND state = 'done') THEN 'done' END
  WHEN state = 'done' AND operation IN (${quoted(secondSteps.flatMap(({ follows = [] }) => follows))}) THEN coalesce((
    SELECT CASE WHEN state IN ('planned', 'not_sent', 'refused') THEN 'accepted' ELSE state END FROM intents AS payment
    WHERE base = intents.base AND endpoint_id IN ${endpointsSql('intents.base')} AND order_id = intents.order_id
      AND operation IN (${quoted(secondSteps.map(({ id }) => id))}) ORDER BY payment.id DESC LIMIT 1), 'accepted')
  ELSE state END`;

const reached = `state IN (${quoted(reachedStates)})`;

/** See `Filter.isOrder`; a request that made an order may not have its id yet. */
const isOrderSql = `(kind = 'opening' OR (kind = 'follow-up' AND order_id IS NOT NULL AND ${reached}
  AND NOT EXISTS (SELECT 1 FROM intents AS other
    WHERE other.base = intents.base AND other.endpoint_id IN ${endpointsSql('intents.base')}
      AND other.order_id = intents.order_id
      AND (other.kind = 'opening' OR (other.kind = 'follow-up' AND other.id < intents.id AND other.${reached})))
  AND NOT EXISTS (SELECT 1 FROM intents AS made WHERE made.client_order_id = intents.client_order_id
    AND made.base = intents.base AND made.kind = 'opening' AND made.order_id IS NULL)))`;

/** See `Filter.isVoided`. */
const voidedSql = `(base, order_id) IN (
  SELECT base, order_id FROM intents WHERE operation = '${voidOperation.id}' AND kind = 'follow-up' AND state = 'done')`;

/** See `Filter.onOrder`. */
const onOrderSql = `(operation = ? OR (base, order_id) IN (
  SELECT base, order_id FROM intents WHERE operation = ? AND kind = 'follow-up' AND ${reached}))`;

/** See `cardOf`. */
const cardSql = (row: string) => `coalesce(${row}.last_four, CASE WHEN json_valid(${row}.outcome) THEN (
  SELECT value FROM json_each(${row}.outcome)
  WHERE key IN (${quoted(cardReplyFields)}) AND value GLOB '[0-9][0-9][0-9][0-9]' LIMIT 1) END)`;

/** The card of an order: that of the request that made it, else of the first follow-up that names one. */
const cardOfOrderSql = `coalesce(${cardSql('intents')}, (SELECT ${cardSql('other')} FROM intents AS other
  WHERE other.base = intents.base AND other.endpoint_id IN ${endpointsSql('intents.base')}
    AND other.order_id = intents.order_id AND other.kind = 'follow-up' AND ${cardSql('other')} IS NOT NULL
  ORDER BY other.id LIMIT 1))`;

interface FilterSql {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

/** The condition of a filter in SQL; `sum` is left out (see `isWithin`). */
export function filterSql(
  database: Database,
  {
    states,
    orderStates,
    isVoided,
    isRegistered,
    operation,
    profile,
    from,
    until,
    sum,
    kind,
    isOrder,
    onOrder,
    card,
    text,
    payer,
    clientOrderId,
    order,
    base,
    after,
  }: Filter,
): FilterSql {
  const place = base === undefined ? undefined : gatewayName(base);
  const conditions: (readonly [sql: string, ...values: (SqlValue | undefined)[]])[] = [
    ['operation = ?', operation],
    ['profile = ?', profile],
    ['kind = ?', kind],
    [onOrderSql, onOrder, onOrder],
    ['client_order_id = ?', clientOrderId],
    [`substr(${cardOfOrderSql}, -length(?)) = ?`, card, card],
    [`instr(lower(${searchedSql}), lower(?)) > 0`, text],
    // Without that table nothing matches: no hash is empty.
    [
      payer === undefined || hasTable(database, 'payers')
        ? 'id IN (SELECT intent_id FROM payers WHERE email = ?)'
        : "? = ''",
      payer,
    ],
    ['made_at >= ?', from],
    ['made_at < ?', until],
    order === undefined || base === undefined
      ? ['(order_id = ? OR client_order_id = ?)', order, order]
      : [`id IN (${idsOfOrder})`, order, place, place, place, order],
    // Most intents share these values: the plus keeps SQLite from using their index.
    ['+base = ?', place],
    ['currency = ?', sum?.currency],
    ['id > ?', after],
  ];
  const applied = conditions.filter(([, value]) => value !== undefined);
  const ofStatus = [
    ...(orderStates === undefined ? [] : [`${orderStateSql} IN (${quoted(orderStates)})`]),
    ...(isVoided === true ? [voidedSql] : []),
    ...(isRegistered === true ? [registeredSql] : []),
  ];
  const where = [
    'true',
    ...applied.map(([sql]) => sql),
    ...(isOrder === true ? [isOrderSql] : []),
    ...(states === undefined ? [] : [`state IN (${quoted(states)})`]),
    ...(ofStatus.length === 0 ? [] : [`(${ofStatus.join(' OR ')})`]),
  ];
  return {
    where: where.join(' AND '),
    values: applied.flatMap(([, ...bound]) => bound).filter((value) => value !== undefined),
  };
}

/** The opening under a key, if there is one. */
export function openingsUnder(database: Database, wanted: IntentPlace): Intent[] {
  return database.all(`${intentsWithChainState} WHERE key = ?`, keyOf(wanted, 1)).map(intentFrom);
}

/** The fields that the key of an intent is made of. */
export type IntentPlace = Pick<NewIntent, 'kind' | 'base' | 'endpointId' | 'operation' | 'clientOrderId' | 'orderId'>;

// Not in SQL: sixteen digits do not fit into its numbers.
/** Whether an amount is one of the wanted ones. */
export function isWithin({ sum }: Intent, wanted: Filter['sum']): boolean {
  if (wanted === undefined) return true;
  const { min, max } = wanted;
  const units = sum === undefined ? undefined : unitsOf(sum);
  return units !== undefined && (min === undefined || units >= min) && (max === undefined || units <= max);
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/** The caller may have the gateway's address as it was given. */
export function withGatewayName<T extends { readonly base: string }>(one: T): T {
  return { ...one, base: gatewayName(one.base) };
}

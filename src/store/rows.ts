import { fail } from '../errors/index.js';
import type { SqlRow, SqlValue } from '../runtime/ports.js';
import type { Counted } from './caps.js';
import type { Batch, BatchState, Event, NewRequest, Request, SeenOrder, Sum } from './port.js';
import { isState, type State } from './states.js';

/** A request with what only the store itself needs of it. */
export interface StoredRequest extends Request {
  /** What its newest attempt counts against the cap of its day. */
  readonly counted: Counted | undefined;
}

/** The columns that say what a request is, in the order of `contentValues`. */
export const contentColumns = [
  ...['kind', 'operation', 'effect', 'base', 'endpoint', 'login', 'profile', 'class', 'client_order_id', 'order_id'],
  ...['minor', 'currency', 'digits', 'card4', 'content', 'payment'],
];

export function contentValues(request: NewRequest): readonly SqlValue[] {
  const { kind, operation, effect, base, endpoint, login, profile, clientOrderId, orderId, sum, card4 } = request;
  return [
    ...[kind, operation, effect, base, endpoint, login, profile, request.class, clientOrderId ?? null, orderId ?? null],
    ...[sum?.minor ?? null, sum?.currency ?? null, sum?.digits ?? null, card4 ?? null],
    ...[request.content, request.payment ?? null],
  ];
}

export function requestFrom(row: SqlRow): StoredRequest {
  return {
    id: Number(row['id']),
    batch: optionalText(row['batch']),
    number: optionalNumber(row['number']),
    kind: String(row['kind']) as Request['kind'],
    operation: String(row['operation']),
    effect: String(row['effect']) as Request['effect'],
    base: String(row['base']),
    endpoint: String(row['endpoint']),
    login: String(row['login']),
    profile: String(row['profile']),
    class: String(row['class']),
    clientOrderId: optionalText(row['client_order_id']),
    orderId: optionalText(row['order_id']),
    sum: sumFrom(row),
    card4: optionalText(row['card4']),
    content: String(row['content']),
    payment: optionalText(row['payment']),
    state: stateFrom(row['state']),
    attempt: Number(row['attempt']),
    worker: optionalText(row['worker']),
    createdAt: Number(row['created_at']),
    begunAt: optionalNumber(row['begun_at']),
    changedAt: Number(row['changed_at']),
    reason: String(row['reason']),
    outcome: textsFrom(row['outcome']),
    mayHaveArrived: row['may_have_arrived'] === 1,
    isElsewhere: row['elsewhere'] === 1,
    waitsFor: optionalText(row['waits_for']),
    waitsSince: optionalNumber(row['waits_since']),
    counted: countedFrom(row),
  };
}

/** The columns that a change of state may write, for `json_each`. */
export function changedColumns(request: StoredRequest) {
  const { id, state, reason, changedAt, outcome, counted } = request;
  return {
    ...{ id, state, reason, changed_at: changedAt, outcome: JSON.stringify(outcome) },
    order_id: request.orderId ?? null,
    card4: request.card4 ?? null,
    attempt: request.attempt,
    worker: request.worker ?? null,
    begun_at: request.begunAt ?? null,
    may_have_arrived: request.mayHaveArrived ? 1 : 0,
    elsewhere: request.isElsewhere ? 1 : 0,
    waits_for: request.waitsFor ?? null,
    waits_since: request.waitsSince ?? null,
    counted_day: counted?.day ?? null,
    counted_units: counted?.units ?? null,
    counted_currency: counted?.currency ?? null,
  };
}

export function batchFrom(row: SqlRow): Batch {
  return {
    id: String(row['id']),
    digest: String(row['digest']),
    head: factsFrom(row['head']),
    state: String(row['state']) as BatchState,
    canary: String(row['canary']),
    rate: optionalNumber(row['rate']),
    rowsLeft: optionalNumber(row['rows_left']),
    createdAt: Number(row['created_at']),
  };
}

export function eventFrom(row: SqlRow): Event {
  const state = (value: SqlValue | undefined) => (value === null ? undefined : stateFrom(value));
  return {
    id: Number(row['id']),
    request: optionalNumber(row['request']),
    from: state(row['from_state']),
    to: state(row['to_state']),
    at: Number(row['at']),
    who: String(row['who']),
    reason: String(row['reason']),
    facts: factsFrom(row['facts']),
  };
}

export function seenFrom(row: SqlRow): SeenOrder {
  return {
    base: String(row['base']),
    orderId: String(row['order_id']),
    login: String(row['login']),
    profile: String(row['profile']),
    class: String(row['class']),
    clientOrderId: optionalText(row['client_order_id']),
    status: String(row['status']),
    type: optionalText(row['type']),
    sum: sumFrom(row),
    card4: optionalText(row['card4']),
    at: Number(row['at']),
    outcome: textsFrom(row['outcome']),
  };
}

export function sumFrom({ minor, currency, digits }: SqlRow): Sum | undefined {
  if (minor === null || minor === undefined) return undefined;
  return { minor: String(minor), currency: String(currency), digits: Number(digits) };
}

function countedFrom(row: SqlRow): Counted | undefined {
  const { counted_day: day, counted_units: units, counted_currency: currency } = row;
  if (day === null || day === undefined) return undefined;
  return { day: Number(day), units: String(units), currency: String(currency) };
}

/** Whatever the file may hold: nothing is sent on a state that is not known. */
export function stateFrom(value: SqlValue | undefined): State {
  const word = String(value);
  if (isState(word)) return word;
  const how = 'nothing was sent; move the file away and keep it, and restore an unchanged copy';
  throw fail('STORAGE', { what: 'the journal', why: 'a request has an unknown state', how });
}

function textsFrom(json: SqlValue | undefined): Readonly<Record<string, string>> {
  return JSON.parse(String(json)) as Record<string, string>;
}

function factsFrom(json: SqlValue | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(String(json)) as Record<string, unknown>;
}

function optionalText(value: SqlValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function optionalNumber(value: SqlValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

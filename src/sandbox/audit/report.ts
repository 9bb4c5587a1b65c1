import { allOperations, commandOf, statusQuery } from '../../spec/index.js';
import { callbackAttempts, callbacks } from '../callbacks/outbox.js';
import { events, type LoggedEvent } from '../log.js';
import type { Store } from '../store.js';
import { findings, type Occurrence, type ShownRequest } from './findings.js';
import { type RuleId, rules } from './rules.js';

/** A rule that was broken in one way, however often. */
export interface Finding {
  readonly rule: RuleId;
  readonly title: string;
  readonly fix: string;
  readonly detail: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** At most five of the orders it happened with. */
  readonly orders: readonly string[];
  /** The last one. */
  readonly request: ShownRequest | undefined;
}

/** What clients did wrong, in the order of the rules; with one order where that is given. */
export function audit(store: Store, order?: AuditedOrder): Finding[] {
  return findingsOf([...storedOccurrences(store, order), ...historyOccurrences(store, order)]);
}

/** One order of a merchant, by both ids. */
export interface AuditedOrder {
  readonly login: string;
  readonly orderId: string;
  readonly clientOrderId: string;
}

function findingsOf(occurrences: readonly Occurrence[]): Finding[] {
  const groups = new Map<string, Occurrence[]>();
  for (const occurrence of occurrences) {
    const key = `${occurrence.rule}\n${occurrence.detail}`;
    groups.set(key, [...(groups.get(key) ?? []), occurrence]);
  }
  const order = Object.keys(rules);
  return [...groups.values()]
    .flatMap(findingOf)
    .sort((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule) || a.firstAt - b.firstAt);
}

function findingOf(occurrences: readonly Occurrence[]): Finding[] {
  const [first] = occurrences;
  if (first === undefined) return [];
  const { rule, detail } = first;
  const times = occurrences.map(({ at }) => at).toSorted((a, b) => a - b);
  const orders = occurrences.map(({ order }) => order).filter((order) => order !== undefined);
  return [
    {
      ...{ rule, ...rules[rule], detail, count: occurrences.length },
      firstAt: times[0] ?? 0,
      lastAt: times.at(-1) ?? 0,
      orders: [...new Set(orders)].slice(0, 5),
      request: occurrences.findLast(({ request }) => request !== undefined)?.request,
    },
  ];
}

/** Violations recorded when the request was refused. */
function storedOccurrences(store: Store, order?: AuditedOrder): Occurrence[] {
  const ids = order === undefined ? [] : [order.login, order.orderId, order.clientOrderId];
  const ofOrder = order === undefined ? '' : 'WHERE login = ? AND order_name IN (?, ?)';
  return findings
    .all(store, `${ofOrder} ORDER BY id`, ...ids)
    .map(({ rule, detail, at, orderName: order, request }) => ({ rule, detail, at, order, request }));
}

/** Mistakes that only show over several requests; read from the log when the audit is run. */
function historyOccurrences(store: Store, order?: AuditedOrder): Occurrence[] {
  const ids = order === undefined ? [] : [order.orderId];
  const ofOrder = order === undefined ? '' : 'AND order_id = ?';
  const kinds = "WHERE kind IN ('request', 'refusal', 'page')";
  const logged = events.all(store, `${kinds} ${ofOrder} ORDER BY id`, ...ids);
  const attempts = deliveryAttempts(store, order);
  return [
    ...repeatedIds(logged),
    ...fastPolls(logged),
    ...followUpsWithoutStatus(logged, attempts),
    ...callbackOccurrences(attempts),
  ];
}

const openingOperations: ReadonlySet<string> = new Set(allOperations.filter(({ opens }) => opens).map(({ id }) => id));
const followUpOperations: ReadonlySet<string> = new Set(
  allOperations.filter(({ follows, answers }) => follows !== undefined && answers === undefined).map(({ id }) => id),
);

function repeatedIds(events: readonly LoggedEvent[]): Occurrence[] {
  const used = new Set<string>();
  return events.flatMap((event) => {
    const { kind, detail, login, fields } = event;
    const { operation = '', reason } = detail;
    const isRefused = reason === 'used-order-id';
    const id = fields.find(([name]) => name === 'client_orderid' || name === 'client-order-id')?.[1];
    if (id === undefined || !(kind === 'request' || isRefused) || !openingOperations.has(operation)) return [];
    const key = `${login ?? ''}\n${id}`;
    const isRepeated = used.has(key) || isRefused;
    used.add(key);
    const what = `${commandOf(operation) ?? ''} with an id that was used before`;
    return isRepeated ? [{ ...eventOccurrence('order-id-repeated', event, what), order: id }] : [];
  });
}

const maxFastPolls = 10;

/**
 * More than one query per second, for longer than several commands in a row need: ten, each less than a second after
 * the one before, on the machine's clock. A client that waits may ask soon at first; what it must not do is keep to
 * that pace. Another request on the order, or its payer on a page, restarts the count: the next query is about
 * something new.
 */
function fastPolls(events: readonly LoggedEvent[]): Occurrence[] {
  const runs = new Map<string, { readonly last: number; readonly length: number }>();
  const found: Occurrence[] = [];
  for (const event of events) {
    const { detail, orderId, kind, machineAt } = event;
    // Queries of the client inside this process cost nothing.
    if (kind === 'refusal' || orderId === undefined || detail['client'] === 'paycli') continue;
    if (detail['operation'] !== statusQuery.id) {
      runs.delete(orderId);
      continue;
    }
    const run = runs.get(orderId);
    const length = run === undefined || machineAt - run.last >= 1000 ? 1 : run.length + 1;
    // Counted once for each ten, not again with every further query.
    if (length < maxFastPolls) runs.set(orderId, { last: machineAt, length });
    else runs.delete(orderId);
    if (length === maxFastPolls) found.push(eventOccurrence('polling-fast', event, fastPollsText));
  }
  return found;
}

const fastPollsText = `${maxFastPolls} queries in a row, each less than a second after the one before`;

/** The first follow-up on an order before any status request and any delivered callback. */
function followUpsWithoutStatus(events: readonly LoggedEvent[], attempts: readonly DeliveryAttempt[]): Occurrence[] {
  const wasCalledBack = (orderId: string, at: number) =>
    attempts.some((attempt) => attempt.orderId === orderId && attempt.status === 200 && attempt.machineAt <= at);
  // Only orders whose opening is still in the log; earlier history is not known.
  const blind = new Set<string>();
  return events.flatMap((event) => {
    const { orderId, kind, detail, machineAt } = event;
    const { operation = '' } = detail;
    if (orderId === undefined || kind === 'refusal') return [];
    if (openingOperations.has(operation)) blind.add(orderId);
    if (operation === statusQuery.id) blind.delete(orderId);
    const isBlind = followUpOperations.has(operation) && blind.delete(orderId) && !wasCalledBack(orderId, machineAt);
    const what = `${commandOf(operation) ?? ''} without a preceding status request or callback`;
    return isBlind ? [eventOccurrence('acted-before-status', event, what)] : [];
  });
}

function eventOccurrence(rule: RuleId, event: LoggedEvent, detail: string): Occurrence {
  return { rule, detail, at: event.machineAt, order: event.orderId, request: requestOfEvent(event) };
}

function requestOfEvent({ detail, fields }: LoggedEvent): ShownRequest | undefined {
  const row = allOperations.find(({ id }) => id === detail['operation']);
  return row === undefined ? undefined : { line: `POST ${row.path}/${detail['endpoint'] ?? ''}`, headers: [], fields };
}

type DeliveryAttempt = ReturnType<typeof deliveryAttempts>[number];

/** Every try to deliver a callback, with that callback. */
function deliveryAttempts(store: Store, order?: AuditedOrder) {
  const sent = order === undefined ? callbacks.all(store) : callbacks.all(store, 'WHERE order_id = ?', order.orderId);
  const known = new Map(sent.map((callback) => [callback.id, callback]));
  return callbackAttempts.all(store, 'ORDER BY id').flatMap(({ callbackId, machineAt, status, durationMs = 0 }) => {
    const callback = known.get(callbackId);
    return callback === undefined ? [] : [{ ...callback, machineAt, status, durationMs }];
  });
}

const slowMs = 2000;

/** Scripts whose callbacks a handler has to turn away. */
const invalidScripts: ReadonlySet<string> = new Set(['wrong-control', 'forged', 'altered']);

/** What the handlers of a client's callbacks did wrong. */
function callbackOccurrences(attempts: readonly DeliveryAttempt[]): Occurrence[] {
  return attempts.flatMap(({ script, status, durationMs, machineAt, orderId, url }) => {
    const found = (rule: RuleId, detail: string): Occurrence => ({
      ...{ rule, detail, at: machineAt, order: orderId },
      request: { line: `GET ${url.split('?', 1)[0]}`, headers: [], fields: [] },
    });
    if (invalidScripts.has(script))
      return status === 200 ? [found('callback-unverified', 'answered 200 to an invalid checksum')] : [];
    const answered = status === undefined ? 'no answer at all' : `answered ${status}`;
    return [
      ...(durationMs > slowMs ? [found('callback-slow', `after more than ${slowMs / 1000} seconds`)] : []),
      ...(status === 200 ? [] : [found('callback-unanswered', answered)]),
    ];
  });
}

export { type RuleId, rules } from './rules.js';

import type { SqlRow } from '../../runtime/ports.js';
import { allOperations, commandOf, statusQuery } from '../../spec/index.js';
import { withoutOuterSpaces } from '../../wire/check.js';
import { eventFrom, type LoggedEvent, pairsOf } from '../ledger/events.js';
import { number, optionalNumber, optionalText, type Store, text } from '../ledger/store.js';
import type { Occurrence, ShownRequest } from './findings.js';
import { isRuleId, type RuleId, rules } from './rules.js';

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

/** What clients did wrong since a moment of the machine's clock, in the order of the rules. */
export function audit(store: Store, since = 0): Finding[] {
  return findingsOf([...storedOccurrences(store, since), ...historyOccurrences(store, since)]);
}

/** One order of a merchant, by both ids. */
export interface AuditedOrder {
  readonly login: string;
  readonly orderId: string;
  readonly clientOrderId: string;
}

/** What clients did wrong with one order. */
export function auditOrder(store: Store, order: AuditedOrder): Finding[] {
  return findingsOf([...storedOccurrences(store, 0, order), ...historyOccurrences(store, 0, order)]);
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
  const times = occurrences.map(({ at }) => at);
  const orders = occurrences.map(({ order }) => order).filter((order) => order !== undefined);
  return [
    {
      rule: first.rule,
      ...rules[first.rule],
      detail: first.detail,
      count: occurrences.length,
      firstAt: times.reduce((min, at) => Math.min(min, at)),
      lastAt: times.reduce((max, at) => Math.max(max, at)),
      orders: [...new Set(orders)].slice(0, 5),
      request: occurrences.findLast(({ request }) => request !== undefined)?.request,
    },
  ];
}

/** Violations recorded when the request was refused. */
function storedOccurrences({ database }: Store, since: number, order?: AuditedOrder): Occurrence[] {
  const ids = order === undefined ? [] : [order.login, order.orderId, order.clientOrderId];
  const ofOrder = order === undefined ? '' : 'AND login = ? AND order_name IN (?, ?)';
  return database
    .all(`SELECT * FROM findings WHERE at >= ? ${ofOrder} ORDER BY id`, since, ...ids)
    .flatMap(occurrenceFrom);
}

function occurrenceFrom(row: SqlRow): Occurrence[] {
  const rule = text(row, 'rule');
  if (!isRuleId(rule)) return [];
  const request: unknown = JSON.parse(text(row, 'request'));
  const order = optionalText(row, 'order_name');
  return [{ rule, detail: text(row, 'detail'), at: number(row, 'at'), order, request: shownRequest(request) }];
}

function shownRequest(value: unknown): ShownRequest | undefined {
  if (typeof value !== 'object' || value === null || !('line' in value && 'headers' in value && 'fields' in value))
    return undefined;
  return { line: String(value.line), headers: pairsOf(value.headers), fields: pairsOf(value.fields) };
}

/** Mistakes that only show over several requests; read from the log when the audit is run. */
export function historyOccurrences(store: Store, since: number, order?: AuditedOrder): Occurrence[] {
  const ids = order === undefined ? [] : [order.orderId];
  const ofOrder = order === undefined ? '' : 'AND order_id = ?';
  const events = store.database
    .all(`SELECT * FROM events WHERE kind IN ('request', 'refusal', 'page') ${ofOrder} ORDER BY id`, ...ids)
    .map(eventFrom);
  const attempts = deliveryAttempts(store, order);
  const found = [
    ...outerSpaces(events),
    ...repeatedIds(events),
    ...fastPolls(events),
    ...followUpsWithoutStatus(events, attempts),
    ...callbackOccurrences(attempts),
  ];
  return found.filter(({ at }) => at >= since);
}

function outerSpaces(events: readonly LoggedEvent[]): Occurrence[] {
  return events.flatMap((event) => {
    const command = event.kind === 'page' ? undefined : commandOf(event.detail['operation']);
    const padded = command === undefined ? [] : event.fields.filter(([, value]) => withoutOuterSpaces(value) !== value);
    return padded.map(([name, value]) => {
      const end = value.startsWith(' ') ? 'beginning' : 'end';
      return eventOccurrence('value-spaces', event, `${command}: ${name} with a space at its ${end}`);
    });
  });
}

const openingOperations: ReadonlySet<string> = new Set(allOperations.filter(({ opens }) => opens).map(({ id }) => id));
const followUpOperations: ReadonlySet<string> = new Set(
  allOperations.filter(({ follows, answers }) => follows !== undefined && answers === undefined).map(({ id }) => id),
);

function repeatedIds(events: readonly LoggedEvent[]): Occurrence[] {
  const used = new Set<string>();
  const found: Occurrence[] = [];
  for (const event of events) {
    const { kind, detail, login } = event;
    const isTaken = kind === 'request' || detail['reason'] === 'used-order-id';
    const id = event.fields.find(([name]) => name === 'client_orderid' || name === 'client-order-id')?.[1];
    if (!isTaken || id === undefined || !openingOperations.has(detail['operation'] ?? '')) continue;
    const key = `${login ?? ''}\n${id}`;
    if (used.has(key) || detail['reason'] === 'used-order-id')
      found.push({
        ...eventOccurrence(
          'order-id-repeated',
          event,
          `${commandOf(detail['operation']) ?? ''} with an id that was used before`,
        ),
        order: id,
      });
    used.add(key);
  }
  return found;
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
    attempts.some((attempt) => attempt.orderId === orderId && attempt.status === 200 && attempt.at <= at);
  // Only orders whose opening is still in the log; earlier history is not known.
  const blind = new Set<string>();
  const found: Occurrence[] = [];
  for (const event of events) {
    const { orderId, kind, detail, machineAt } = event;
    const operation = detail['operation'] ?? '';
    if (orderId === undefined || kind === 'refusal') continue;
    if (openingOperations.has(operation)) blind.add(orderId);
    if (operation === statusQuery.id) blind.delete(orderId);
    if (followUpOperations.has(operation) && blind.delete(orderId) && !wasCalledBack(orderId, machineAt))
      found.push(
        eventOccurrence(
          'acted-before-status',
          event,
          `${commandOf(operation) ?? ''} without a preceding status request or callback`,
        ),
      );
  }
  return found;
}

function eventOccurrence(rule: RuleId, event: LoggedEvent, detail: string): Occurrence {
  return { rule, detail, at: event.machineAt, order: event.orderId, request: requestOfEvent(event) };
}

function requestOfEvent({ detail, fields }: LoggedEvent): ShownRequest | undefined {
  const row = allOperations.find(({ id }) => id === detail['operation']);
  return row === undefined ? undefined : { line: `POST ${row.path}/${detail['endpoint'] ?? ''}`, headers: [], fields };
}

/** One try to deliver a callback. */
export interface DeliveryAttempt {
  readonly orderId: string;
  /** On the clock of the machine. */
  readonly at: number;
  readonly url: string;
  readonly script: string;
  /** Undefined when the handler gave no answer. */
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly ms: number;
}

export function deliveryAttempts({ database }: Store, order?: AuditedOrder): DeliveryAttempt[] {
  const ids = order === undefined ? [] : [order.orderId];
  const ofOrder = order === undefined ? '' : 'WHERE c.order_id = ?';
  return database
    .all(
      `SELECT a.*, c.order_id, c.url, c.script FROM callback_attempts a JOIN callbacks c ON c.id = a.callback_id ${ofOrder} ORDER BY a.id`,
      ...ids,
    )
    .map((row) => ({
      orderId: text(row, 'order_id'),
      at: number(row, 'machine_at'),
      url: text(row, 'url'),
      script: text(row, 'script'),
      status: optionalNumber(row, 'status'),
      reason: optionalText(row, 'reason'),
      ms: optionalNumber(row, 'duration_ms') ?? 0,
    }));
}

const slowMs = 2000;

/** Scripts whose callbacks a handler has to turn away. */
const invalidScripts: ReadonlySet<string> = new Set(['wrong-control', 'forged', 'altered']);

/** What the handlers of a client's callbacks did wrong. */
export function callbackOccurrences(attempts: readonly DeliveryAttempt[]): Occurrence[] {
  return attempts.flatMap((attempt) => {
    const { script, status, ms } = attempt;
    if (invalidScripts.has(script))
      return status === 200
        ? [callbackOccurrence('callback-unverified', attempt, 'answered 200 to an invalid checksum')]
        : [];
    const slow =
      ms > slowMs ? [callbackOccurrence('callback-slow', attempt, `after more than ${slowMs / 1000} seconds`)] : [];
    if (status === 200) return slow;
    return [
      callbackOccurrence(
        'callback-unanswered',
        attempt,
        status === undefined ? 'no answer at all' : `answered ${status}`,
      ),
    ];
  });
}

function callbackOccurrence(rule: RuleId, { at, orderId, url }: DeliveryAttempt, detail: string): Occurrence {
  return {
    rule,
    detail,
    at,
    order: orderId,
    request: { line: `GET ${url.split('?', 1)[0]}`, headers: [], fields: [] },
  };
}

export { type RuleId, rules } from './rules.js';

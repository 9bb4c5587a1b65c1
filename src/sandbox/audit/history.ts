import { operations } from '../../spec/index.js';
import { eventFrom, type LoggedEvent } from '../log/read.js';
import type { Store } from '../store.js';
import { callbackFaults, type Delivery, deliveries } from './callbacks.js';
import type { Occurrence, ShownRequest } from './occurrence.js';
import type { RuleId } from './rules.js';

/** Faults that show only over several requests; read out of the log when the report card is asked for. */
export function history(store: Store, since: number): Occurrence[] {
  const events = store.database.all("SELECT * FROM events WHERE kind IN ('request', 'refusal', 'page') ORDER BY id").map(eventFrom);
  const attempts = deliveries(store);
  const found = [...repeatedIds(events), ...fastPolls(events), ...blindMoves(events, attempts), ...callbackFaults(attempts)];
  return found.filter(({ at }) => at >= since);
}

const opening: ReadonlySet<string> = new Set(operations.filter(({ opens }) => opens).map(({ id }) => id));
const moving: ReadonlySet<string> = new Set(['CAPTURE', 'VOID', 'RETURN', 'CARDREF', 'CARDREF_V4', 'PAYOUT_V4_PAY']);

function repeatedIds(events: readonly LoggedEvent[]): Occurrence[] {
  const used = new Set<string>();
  const found: Occurrence[] = [];
  for (const event of events) {
    const { kind, detail, login } = event;
    const isTaken = kind === 'request' || detail['reason'] === 'used-order-id';
    const id = event.fields.find(([name]) => name === 'client_orderid' || name === 'client-order-id')?.[1];
    if (!isTaken || id === undefined || !opening.has(detail['operation'] ?? '')) continue;
    const key = `${login ?? ''}\n${id}`;
    if (used.has(key) || detail['reason'] === 'used-order-id')
      found.push({ ...about('order-id-repeated', event, `${detail['operation']} with an id that was used before`), order: id });
    used.add(key);
  }
  return found;
}

const window = 5;

/**
 * More than one a second: five within less than four seconds, by the clock of the machine. Another request on the order, or its
 * payer on a page, begins the count anew: the question after it is the first about something new.
 */
function fastPolls(events: readonly LoggedEvent[]): Occurrence[] {
  const asked = new Map<string, LoggedEvent[]>();
  const found: Occurrence[] = [];
  for (const event of events) {
    const { detail, orderId, kind } = event;
    // Those of a client inside this process cost nobody anything.
    if (kind === 'refusal' || orderId === undefined || detail['client'] === 'paycli') continue;
    if (detail['operation'] !== 'STATUS') {
      asked.delete(orderId);
      continue;
    }
    const polls = asked.get(orderId) ?? [];
    polls.push(event);
    asked.set(orderId, polls);
    const first = polls.at(-window);
    if (first !== undefined && event.machineAt - first.machineAt < (window - 1) * 1000)
      found.push(about('polling-fast', event, `${window} or more within ${window - 1} seconds`));
  }
  return found;
}

/** The first move on an order whose status nobody had asked for and nobody had told. */
function blindMoves(events: readonly LoggedEvent[], attempts: readonly Delivery[]): Occurrence[] {
  const told = (orderId: string, at: number) =>
    attempts.some((attempt) => attempt.orderId === orderId && attempt.status === 200 && attempt.at <= at);
  // Only orders whose beginning is still in the log: what came before is not known.
  const blind = new Set<string>();
  const found: Occurrence[] = [];
  for (const event of events) {
    const { orderId, kind, detail, machineAt } = event;
    const operation = detail['operation'] ?? '';
    if (orderId === undefined || kind === 'refusal') continue;
    if (opening.has(operation)) blind.add(orderId);
    if (operation === 'STATUS') blind.delete(orderId);
    if (moving.has(operation) && blind.delete(orderId) && !told(orderId, machineAt))
      found.push(about('acted-before-status', event, `${operation} without a status or a callback before it`));
  }
  return found;
}

function about(rule: RuleId, event: LoggedEvent, detail: string): Occurrence {
  return { rule, detail, at: event.machineAt, order: event.orderId, request: requestOf(event) };
}

function requestOf({ detail, fields }: LoggedEvent): ShownRequest | undefined {
  const row = operations.find(({ id }) => id === detail['operation']);
  return row === undefined ? undefined : { line: `POST ${row.path}/${detail['endpoint'] ?? ''}`, headers: [], fields };
}

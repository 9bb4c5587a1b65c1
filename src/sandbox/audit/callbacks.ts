import { number, optionalNumber, optionalText, text } from '../columns.js';
import type { Store } from '../store.js';
import type { Occurrence } from './occurrence.js';
import type { RuleId } from './rules.js';

/** One try to deliver a callback. */
export interface Delivery {
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

export function deliveries({ database }: Store): Delivery[] {
  return database
    .all('SELECT a.*, c.order_id, c.url, c.script FROM callback_attempts a JOIN callbacks c ON c.id = a.callback_id ORDER BY a.id')
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

/** What the handlers of a client's callbacks did wrong. */
export function callbackFaults(attempts: readonly Delivery[]): Occurrence[] {
  return attempts.flatMap((attempt) => {
    const { script, status, ms } = attempt;
    if (script === 'wrong-control')
      return status === 200 ? [about('callback-unverified', attempt, 'answered 200 to a checksum that does not fit')] : [];
    const slow = ms > slowMs ? [about('callback-slow', attempt, `after more than ${slowMs / 1000} seconds`)] : [];
    if (status === 200) return slow;
    return [about('callback-unanswered', attempt, status === undefined ? 'no answer at all' : `answered ${status}`)];
  });
}

function about(rule: RuleId, { at, orderId, url }: Delivery, detail: string): Occurrence {
  return { rule, detail, at, order: orderId, request: { line: `GET ${url.split('?', 1)[0]}`, headers: [], fields: [] } };
}

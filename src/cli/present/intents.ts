import type { Intent, State } from '../../journal/index.js';
import type { Paint } from '../../runtime/ports.js';
import { operations } from '../../spec/index.js';
import { decimalText, digitsOf } from '../../wire/amount.js';
import { printable } from '../../wire/redact.js';
import { columns } from './columns.js';

/** Entries as a table, one line each, with a head. */
export function intentTable(intents: readonly Intent[], paint: Paint): string {
  const head = ['entry', 'made', 'operation', 'order', 'amount', 'state', 'why'].map((word) => paint.dim(word));
  return columns([head, ...intents.map((intent) => cells(intent, paint))]);
}

export function intentLine(intent: Intent, paint: Paint): string {
  return columns([cells(intent, paint)]);
}

function cells(intent: Intent, paint: Paint): string[] {
  const { id, madeAt, orderId, clientOrderId, state, reason } = intent;
  const order = [clientOrderId, orderId].filter((name) => name !== undefined).join(' / ');
  const time = new Date(madeAt).toISOString().slice(0, 19).replace('T', ' ');
  return [String(id), time, commandOf(intent), printable(order), sumOf(intent), tinted(state, paint), printable(reason)];
}

function tinted(state: State, paint: Paint): string {
  if (state === 'done') return paint.good(state);
  if (state === 'declined' || state === 'refused') return paint.bad(state);
  return state === 'unknown' || state === 'sending' ? paint.warn(state) : state;
}

/** The word for it on the command line. */
export function commandOf({ operation }: Intent): string {
  return operations.find(({ id }) => id === operation)?.command ?? operation;
}

/** Decimal amount and currency; empty without one. */
export function sumOf({ sum, endpointId }: Intent): string {
  if (sum === undefined) return '';
  const digits = digitsOf(sum.currency, 'iso4217', endpointId) ?? 0;
  return `${decimalText(BigInt(sum.minor), digits)} ${sum.currency}`;
}

/** One entry for programs: ids are texts, times RFC 3339. */
export function intentDocument(intent: Intent): Record<string, unknown> {
  const { id, operation, state, attempts, sum, madeAt, changedAt, reason, outcome, sender, endpointId, profile, lastFour } = intent;
  return {
    entry: id,
    operation,
    state,
    order: { orderId: intent.orderId ?? null, clientOrderId: intent.clientOrderId ?? null },
    profile,
    class: intent.class,
    login: intent.login,
    endpointId,
    gateway: intent.base,
    sequence: intent.sequence,
    attempts,
    amount:
      sum === undefined
        ? null
        : {
            minor: sum.minor,
            digits: digitsOf(sum.currency, 'iso4217', endpointId) ?? 0,
            currency: sum.currency,
            text: sumOf(intent).split(' ')[0],
          },
    card: lastFour === undefined ? null : { lastFour },
    reason,
    result: outcome,
    madeAt: new Date(madeAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
    sender,
  };
}

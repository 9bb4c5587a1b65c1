import { loadProfile } from '../../../config/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { OrderSummary } from '../../../sandbox/ledger/order-summaries.js';
import { type OperationId, operations } from '../../../spec/index.js';
import { decimalText } from '../../../wire/amount.js';
import { signOperationTools } from '../../core/command-line.js';
import { sandboxPath } from '../../core/local-sandbox.js';

/** One thing to offer. */
export interface Offer {
  readonly value: string;
  readonly about: string;
}

/** The orders a command may be about. */
export async function orderIds(
  words: readonly string[],
  profile: string | undefined,
  runtime: Runtime,
): Promise<readonly Offer[]> {
  return (await orders(words, profile, runtime)).map((each) => ({ value: each.order.id, about: aboutOrder(each) }));
}

/** The id of the order that the line names already, or of every order. An id several orders share is offered once. */
export async function clientOrderIds(
  words: readonly string[],
  profile: string | undefined,
  runtime: Runtime,
): Promise<readonly Offer[]> {
  const standing = await orders(words, profile, runtime);
  const named = standing.filter(({ order }) => words.includes(order.id));
  const offered = new Map<string, Offer>();
  for (const each of named.length > 0 ? named : standing) {
    const { clientOrderId } = each.order;
    if (!offered.has(clientOrderId)) offered.set(clientOrderId, { value: clientOrderId, about: aboutOrder(each) });
  }
  return [...offered.values()];
}

async function orders(
  words: readonly string[],
  profile: string | undefined,
  runtime: Runtime,
): Promise<readonly OrderSummary[]> {
  if ((await loadProfile({ profile }, runtime)).profile !== undefined) return [];
  const database = (await runtime.database()).open(sandboxPath(runtime));
  try {
    const { listOrderSummaries } = await import('../../../sandbox/ledger/order-summaries.js');
    return listOrderSummaries(database, runtime.clock, operationOf(words));
  } finally {
    database.close();
  }
}

function operationOf(words: readonly string[]): OperationId | undefined {
  const [first, second = ''] = words;
  const named =
    first === 'sign' && signOperationTools.has(second) ? words.slice(2) : first === 'sign' ? words.slice(1) : words;
  const line = `${named.join(' ')} `;
  return operations.find((row) => line.startsWith(`${row.command} `))?.id;
}

function aboutOrder({ order, state }: OrderSummary): string {
  const made = new Date(order.madeAt).toISOString().slice(0, 16).replace('T', ' ');
  const money =
    order.amount === undefined ? [] : [`${decimalText(order.amount, order.digits)} ${order.currency ?? ''}`.trim()];
  return [state, ...money, `${made} UTC`].join(', ');
}

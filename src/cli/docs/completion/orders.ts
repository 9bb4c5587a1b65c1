import { loadProfile } from '../../../config/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { OrderSummary } from '../../../sandbox/clock.js';
import { type OperationId, operations } from '../../../spec/index.js';
import { decimalText } from '../../../wire/amount.js';
import { sandboxPath } from '../../sandbox-session.js';

/** One thing to offer. */
export interface Offer {
  readonly value: string;
  readonly about: string;
}

/** The command that is being typed. */
interface Typed {
  readonly path: string;
  /** Its arguments so far. */
  readonly given: readonly string[];
  readonly profile: string | undefined;
}

/** The orders a command may be about. */
export async function orderIds(typed: Typed, runtime: Runtime): Promise<readonly Offer[]> {
  return (await orders(typed, runtime)).map((each) => ({ value: each.order.id, about: aboutOrder(each) }));
}

/** The id of the order that the line names already, or of every order. An id several orders share is offered once. */
export async function clientOrderIds(typed: Typed, runtime: Runtime): Promise<readonly Offer[]> {
  const standing = await orders(typed, runtime);
  const named = standing.filter(({ order }) => typed.given.includes(order.id));
  const offered = new Map<string, Offer>();
  for (const each of named.length > 0 ? named : standing) {
    const { clientOrderId } = each.order;
    if (!offered.has(clientOrderId)) offered.set(clientOrderId, { value: clientOrderId, about: aboutOrder(each) });
  }
  return [...offered.values()];
}

async function orders({ path, profile }: Typed, runtime: Runtime): Promise<readonly OrderSummary[]> {
  if ((await loadProfile({ profile }, runtime)).profile !== undefined) return [];
  const database = (await runtime.database()).open(sandboxPath(runtime));
  try {
    const { listOrderSummaries } = await import('../../../sandbox/clock.js');
    const { clock: machine, random } = runtime;
    const { movedClock } = await import('../../../sandbox/store.js');
    return listOrderSummaries({ database, clock: movedClock(database, machine), machine, random }, operationOf(path));
  } finally {
    database.close();
  }
}

/** That of `sign capture` and the like as well. */
function operationOf(path: string): OperationId | undefined {
  const meant = operations.filter(({ command }) => ` ${path}`.endsWith(` ${command}`));
  return meant.sort((a, b) => b.command.length - a.command.length)[0]?.id;
}

function aboutOrder({ order, state }: OrderSummary): string {
  const made = new Date(order.madeAt).toISOString().slice(0, 16).replace('T', ' ');
  const money =
    order.amount === undefined ? [] : [`${decimalText(order.amount, order.digits)} ${order.currency ?? ''}`.trim()];
  return [state, ...money, `${made} UTC`].join(', ');
}

import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Session } from '../session.js';
import { askOrder, assertMayAskOrder } from './ask-order.js';
import type { CommonOptions } from './common-options.js';
import type { OrderIds } from './order-requests.js';
import { idsOf, requestsOnOrder } from './order-requests.js';

/** The order of a command that is no operation. The argument and --order may be either id. */
export interface TypedOrder {
  /** The argument. */
  readonly name: string | undefined;
  /** The value of --order. */
  readonly order: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** The argument that names such an order. */
export const orderArgument = ['[order]', 'the gateway order id or your client order id (idempotency key)'] as const;

/** Throws USAGE where no order is named and none can be asked for, or where the argument and --order differ. */
export function assertOrderNamed(typed: TypedOrder, command: string, options: CommonOptions, runtime: Runtime): void {
  const { name, order } = typed;
  if (isUnnamed(typed)) assertMayAskOrder(command, options, runtime);
  if (name !== undefined && order !== undefined && name !== order)
    throw fail('USAGE', { why: 'the argument and --order name different orders; give one of them', command });
}

function isUnnamed({ name, order, clientOrderId }: TypedOrder): boolean {
  return (name ?? order ?? clientOrderId) === undefined;
}

/**
 * Both ids, as far as the journal tells, of the order that was named, or is asked for on a terminal. Throws USAGE where
 * an id is that of two orders.
 */
export async function idsOfTyped(
  typed: TypedOrder,
  command: string,
  session: Session,
  options: CommonOptions,
  runtime: Runtime,
): Promise<OrderIds> {
  const { name, order = name, clientOrderId } = typed;
  const named = isUnnamed(typed) ? await askOrder(session, command, options, runtime) : { order, clientOrderId };
  const requests = await requestsOnOrder(named, command, session, runtime);
  // Two ids that were typed stay as they are, however the journal pairs them.
  return named.order !== undefined && clientOrderId !== undefined
    ? { orderId: named.order, clientOrderId }
    : idsOf(requests, named);
}

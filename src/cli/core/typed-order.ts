import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { OrderIds } from './order-requests.js';
import { idsOf, inJournal, requestsOn } from './order-requests.js';
import type { Session } from './session.js';

/** The order of a command that is no operation. The argument and --order may be either id. */
export interface TypedOrder {
  /** The argument. */
  readonly name: string | undefined;
  /** The value of --order. */
  readonly order: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** The flags that name such an order. */
export const orderFlags = [
  ['--order <id>', 'the order, in place of the argument (either id)'],
  ['--client-order-id <id>', 'or your client order id'],
] as const;

/** The argument that names such an order. */
export const orderArgument = ['[order]', 'the gateway order id or your client order id (idempotency key)'] as const;

/** Throws USAGE where no order is named, or where the argument and --order differ. */
export function assertOrderNamed({ name, order, clientOrderId }: TypedOrder, command: string): void {
  if (name === undefined && order === undefined && clientOrderId === undefined)
    throw fail('orderNotNamed', { command });
  if (name !== undefined && order !== undefined && name !== order) throw fail('orderNamedTwice', { command });
}

/** Both ids, as far as the journal tells. Throws USAGE where digits could mean two orders. */
export async function idsOfTyped(
  { name, order, clientOrderId }: TypedOrder,
  session: Session,
  command: string,
  runtime: Runtime,
): Promise<OrderIds> {
  const named = { order: name ?? order, clientOrderId };
  const requests = await inJournal(runtime, [], (journal) => requestsOn(journal, session, named, command));
  const ids = idsOf(requests, named);
  // Two ids that were typed stay as they are, however the journal pairs them.
  return named.order !== undefined && clientOrderId !== undefined ? { orderId: named.order, clientOrderId } : ids;
}

import type { OrderFacts } from '../spec/lifecycle.js';
import { advance } from './advance.js';
import { cardFact } from './cards.js';
import { optionalText } from './columns.js';
import { factsOf } from './ledger/account.js';
import { type Order, orderByClientId, orderById } from './ledger/orders.js';
import { transactionsOf } from './ledger/transactions.js';
import type { Store } from './store.js';

export interface KnownOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly facts: OrderFacts;
  readonly cardRef: string | undefined;
}

/** An order as its next moves see it, at the present of the sandbox clock; undefined when the merchant has none of these ids. */
export function orderFacts(
  store: Store,
  login: string,
  ids: { readonly orderId?: string | undefined; readonly clientOrderId?: string | undefined },
): KnownOrder | undefined {
  return store.database.transaction(() => {
    advance(store);
    const { orderId, clientOrderId = '' } = ids;
    const order = orderId === undefined ? orderByClientId(store, login, clientOrderId) : orderById(store, login, orderId);
    return order === undefined ? undefined : known(store, order);
  });
}

function known(store: Store, order: Order): KnownOrder {
  const { id, clientOrderId, login, cardId } = order;
  const facts = factsOf(order, transactionsOf(store, id), store.clock.now(), cardFact(store, order));
  const row =
    cardId === undefined ? undefined : store.database.get('SELECT ref FROM card_refs WHERE login = ? AND card_id = ?', login, cardId);
  return { orderId: id, clientOrderId, facts, cardRef: optionalText(row ?? {}, 'ref') };
}

import type { OrderFacts } from '../../spec/lifecycle.js';
import { advance } from '../effects/clock.js';
import { factsOf } from '../ledger/balance.js';
import { cardState } from '../ledger/cards.js';
import {
  addBuiltinMerchants,
  addMerchant,
  builtinPrivateKey,
  type CreatedMerchant,
  createMerchant,
  listMerchants,
  merchantOf,
  type NewMerchant,
  type SandboxMerchant,
} from '../ledger/merchants.js';
import { orderById } from '../ledger/orders.js';
import { type QueueTarget, queueOutcome } from '../ledger/outcomes.js';
import { builtinEndpointId, builtinLogin, metaOf, movedClock, type Store } from '../ledger/store.js';
import { transactionsOf } from '../ledger/transactions.js';
import { createTables, resetStore } from './schema.js';

/** The state of one sandbox: its merchants and everything they did. */
export interface SandboxState {
  readonly store: Store;
  /** The built-in one first. */
  merchants(): readonly SandboxMerchant[];
  /** The merchant every sandbox has. */
  identity(): Identity;
  /** PEM; the pair is generated when first needed, which takes a moment. */
  builtinPrivateKey(): string;
  addMerchant(merchant: NewMerchant): void;
  /** Adds a merchant with generated keys; by default at the next free endpoint. Throws USAGE. */
  createMerchant(login: string, endpointId?: string): CreatedMerchant;
  /** Queues an outcome for the next request of a merchant, or of one order; returns its login. Throws USAGE. */
  queueOutcome(outcome: string, target?: QueueTarget): string;
  /** Deletes all orders, cards and queued outcomes; merchants, keys and counters stay. */
  reset(): void;
}

/** What a client needs to sign for a sandbox. */
export interface Identity {
  readonly login: string;
  readonly endpointId: string;
  readonly controlKey: string;
  /** Changes with each reset, so that the journal tells the old gateway from the new one. */
  readonly instance: string;
}

/** Opens the state in a database; creates it with the built-in merchants at first use. `clock` is the machine's. */
export function openSandboxState({
  database,
  clock,
  random,
}: Pick<Store, 'database' | 'clock' | 'random'>): SandboxState {
  const store: Store = { database, clock: movedClock(database, clock), machine: clock, random };
  // Waits for no disk: after a power cut the newest orders of a sandbox may be missing.
  database.exec('PRAGMA synchronous = NORMAL');
  createTables(store, () => addBuiltinMerchants(store));
  return {
    store,
    merchants: () => listMerchants(store),
    identity: () => ({
      login: builtinLogin,
      endpointId: builtinEndpointId,
      controlKey: merchantOf(store, builtinEndpointId)?.controlKey ?? '',
      instance: metaOf(store, 'instance'),
    }),
    builtinPrivateKey: () => builtinPrivateKey(store),
    addMerchant: (merchant) => addMerchant(store, merchant),
    createMerchant: (login, endpointId) => createMerchant(store, login, endpointId),
    queueOutcome: (outcome, target) => queueOutcome(store, outcome, target),
    reset: () => resetStore(store),
  };
}

/** The facts of an order at the current sandbox time; undefined when the merchant has no order with this id. */
export function orderFacts(store: Store, login: string, orderId: string): OrderFacts | undefined {
  return store.database.transaction(() => {
    advance(store);
    const order = orderById(store, login, orderId);
    if (order === undefined) return undefined;
    return factsOf(order, transactionsOf(store, orderId), store.clock.now(), cardState(store, order));
  });
}

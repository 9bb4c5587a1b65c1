import { movedClock } from './clock.js';
import { builtinEndpointId, builtinLogin } from './identity.js';
import {
  addBuiltins,
  addMerchant,
  builtinPrivateKey,
  listMerchants,
  type MadeMerchant,
  type MerchantFacts,
  makeMerchant,
  merchantOf,
  type NewMerchant,
} from './merchants.js';
import { clearStore, prepareStore } from './prepare.js';
import { type QueueTarget, queueOutcome } from './queue.js';
import { loadFrom, saveInto } from './snapshots.js';
import { metaOf, type Store } from './store.js';

/** The state of one sandbox: its merchants and all that was done with them. */
export interface World {
  readonly store: Store;
  /** The built-in one first. */
  merchants(): readonly MerchantFacts[];
  /** The merchant every sandbox has. */
  identity(): Identity;
  /** PEM; the pair is made when it is first asked for, which takes a moment. */
  builtinPrivateKey(): string;
  addMerchant(merchant: NewMerchant): void;
  /** Adds a merchant with keys made for it; at the next free endpoint when none is named. Throws USAGE. */
  makeMerchant(login: string, endpointId?: string): MadeMerchant;
  /** For the next request of a merchant, or of one order only. Throws USAGE. */
  queueOutcome(outcome: string, target?: QueueTarget): void;
  /** Forgets all orders, cards and queued outcomes; merchants, keys and counters stay. */
  reset(): void;
  /** Copies all of it into an empty file. */
  saveInto(path: string): void;
  /** Goes back to such a copy. */
  loadFrom(path: string): void;
}

/** What a client needs to sign for a sandbox. */
export interface Identity {
  readonly login: string;
  readonly endpointId: string;
  readonly controlKey: string;
  /** Another one after each reset: what was sent before it was sent to a gateway that is gone. */
  readonly instance: string;
}

/** Opens the state kept in a database, and makes it with the built-in merchants at first use. `clock` is the machine's. */
export function openWorld({ database, clock, random }: Pick<Store, 'database' | 'clock' | 'random'>): World {
  const store: Store = { database, clock: movedClock(database, clock), machine: clock, random };
  prepareStore(store, () => addBuiltins(store));
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
    makeMerchant: (login, endpointId) => makeMerchant(store, login, endpointId),
    queueOutcome: (outcome, target) => queueOutcome(store, outcome, target),
    reset: () => clearStore(store),
    saveInto: (path) => saveInto(store, path),
    loadFrom: (path) => loadFrom(store, path),
  };
}

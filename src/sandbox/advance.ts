import { settleDue } from './ledger/transactions.js';
import type { Store } from './store.js';

/** Brings the state to the present of the sandbox clock. Called inside a transaction, before anything is read, so that no timer is needed. */
export function advance(store: Store): void {
  settleDue(store, store.clock.now());
}

import type { Pair } from '../../wire/form.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';

/** What an accepted request does. */
export interface Effect {
  /** True when it makes a transaction, which a queued outcome may decide. */
  readonly settles: boolean;
  /** True when a payer may have to go through 3-D Secure before that. */
  readonly authenticates: boolean;
  /** Changes the state and returns the fields of the reply. Throws a Refusal when the state does not allow it. */
  run(accepted: Accepted, store: Store): readonly Pair[];
}

export const settling = (run: Effect['run']): Effect => ({ settles: true, authenticates: false, run });
export const authenticating = (run: Effect['run']): Effect => ({ settles: true, authenticates: true, run });
export const immediate = (run: Effect['run']): Effect => ({ settles: false, authenticates: false, run });

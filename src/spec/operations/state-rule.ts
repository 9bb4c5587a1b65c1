import { type Basis, requiredWhen, ruled } from '../operation.js';

/** Countries whose addresses need a state. */
export const stateRule = (basis: Basis) => ruled(basis, requiredWhen('country', ['US', 'CA', 'AU'], ['state']));

import { requiredWhen } from '../operation.js';

/** Countries whose addresses need a state. */
export const stateRule = requiredWhen('country', ['US', 'CA', 'AU'], ['state']);

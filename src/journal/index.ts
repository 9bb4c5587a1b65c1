export type { Move } from './chain.js';
export type { Intent, NewIntent, Sender, Sum } from './intent.js';
export { Journal, type JournalPorts, openDamaged, openJournal, type Result, type Terms } from './journal.js';
export { hasRoom, type Lease, longestLeaseMs } from './leases.js';
export { sumText } from './limits.js';
export { type Plan, type PlanOptions, wordsOf } from './plan.js';
export type { Filter } from './query.js';
export { isState, type State, states, unsettledStates } from './states.js';
export type { Flaw } from './verify.js';

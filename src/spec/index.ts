/**
 * What most layers need of the interface. The rest (lifecycle, fields, words for transactions) is
 * imported from its own file by the few that use it.
 */
export * from './assumptions.js';
export type { Condition, Field } from './fields.js';
export * from './kinds.js';
export * from './operation.js';
export * from './operations/index.js';
export * from './payer-steps.js';
export * from './replies.js';
export * from './reply-names.js';
export * from './statuses.js';
export * from './test-cards.js';

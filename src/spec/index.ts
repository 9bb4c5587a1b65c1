export * from './assumptions.js';
export * from './kinds.js';
export * from './operation.js';
export * from './operations/index.js';
export * from './payer-steps.js';
export * from './replies.js';
export * from './test-cards.js';

export * from './assumptions.js';
export * from './kinds.js';
export * from './operation.js';

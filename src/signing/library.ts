/** Signatures of both kinds and what may be wrong with one: what `paycli/signing` gives. */
export * from './diagnose/index.js';
export * from './index.js';

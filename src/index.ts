/** The library is its signing face; `paycli/signing` is the same. */
export * from './signing/library.js';

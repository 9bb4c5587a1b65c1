/** The library: signatures of both kinds, amounts and encodings, and the interface as a table. No network, no state. */
export * from './signing/library.js';
export * from './spec/index.js';
export { allOperations, type OperationId, operationById, operationNamed, operations } from './spec/operations/index.js';
export { decimalText, digitsOf, isCurrency, type Minor, minorText, parseAmount, parseMinor } from './wire/amount.js';

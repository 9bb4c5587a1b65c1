/** The library: signatures of both kinds, amounts and encodings, and the interface as a table. No network, no state. */
export {
  type BaseString,
  buildBaseString,
  type Credentials,
  controlEncoding,
  controlRecipe,
  encodePairs,
  joinElements,
  joinPairs,
  keyFingerprint,
  type Merchant,
  type NonceAndTimestamp,
  type PrivateKey,
  type PublicKey,
  queryPairs,
  type Received,
  readPrivateKey,
  readPublicKey,
  requestSigning,
  rsaFingerprint,
  type Scheme,
  Secret,
  type SignatureStages,
  schemes,
  sortPairs,
  splitAuthorizationHeader,
  type Unsigned,
  type Verdict,
} from './signing/index.js';
export * from './signing/library.js';
export * from './spec/index.js';
export { allOperations, type OperationId, operationById, operationNamed, operations } from './spec/operations/index.js';
export { decimalText, digitsOf, isCurrency, type Minor, minorText, parseAmount, parseMinor } from './wire/amount.js';
export { encodeForm } from './wire/form.js';

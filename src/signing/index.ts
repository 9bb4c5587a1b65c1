export { decodeForm, encodeForm, type Pair, percentEncode } from '../wire/form.js';
export { Secret } from '../wire/mask.js';
export {
  keyFingerprint,
  type PrivateKey,
  type PublicKey,
  readPrivateKey,
  readPublicKey,
  rsaFingerprint,
} from './keys/rsa-keys.js';
export {
  type AuthorizationHeader,
  authorizationHeader,
  parseAuthorizationHeader,
  splitAuthorizationHeader,
} from './schemes/authorization-header.js';
export { type ControlEncoding, controlChecksum, controlEncoding } from './schemes/control-checksum.js';
export { controlRecipe } from './schemes/control-scheme.js';
export {
  type BaseString,
  baseStringUri,
  buildBaseString,
  encodePairs,
  type HmacKeyForm,
  joinElements,
  joinPairs,
  normalizeParameters,
  queryPairs,
  signatureBaseString,
  signHmacSha1,
  signRsaSha256,
  sortPairs,
  verifyHmacSha1,
  verifyRsaSha256,
} from './schemes/oauth1.js';
export type {
  ControlSlot,
  ControlStages,
  Credentials,
  Merchant,
  NonceAndTimestamp,
  OauthStages,
  Received,
  RefusalReason,
  Scheme,
  SignatureStages,
  SignedRequest,
  SourcedPair,
  Unsigned,
  Verdict,
} from './schemes/request.js';
export { requestSigning } from './schemes/request-signing.js';

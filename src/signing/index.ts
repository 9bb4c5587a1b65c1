export { decodeForm, encodeForm, type Pair } from '../wire/form.js';
export { percentEncode } from '../wire/percent.js';
export { Secret } from '../wire/secret.js';
export { baseStringUri } from './base-uri.js';
export { type ControlEncoding, controlChecksum, controlEncoding } from './control.js';
export { controlRecipe } from './control-scheme.js';
export { type AuthorizationHeader, authorizationHeader, parseAuthorizationHeader, splitAuthorizationHeader } from './header.js';
export {
  keyFingerprint,
  type PrivateKey,
  type PrivateKeyForm,
  type PublicKey,
  readPrivateKey,
  readPublicKey,
  rsaFingerprint,
} from './keys.js';
export {
  type BaseString,
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
} from './oauth1.js';
export type { Credentials, Fresh, Merchant, Received, RefusalReason, Scheme, SignedRequest, Unsigned, Verdict } from './request.js';
export { requestSigning, schemes } from './schemes.js';
export type { ControlSlot, ControlStages, OauthStages, SourcedPair, Stages } from './stages.js';

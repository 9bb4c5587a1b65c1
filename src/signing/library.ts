/** Signs and verifies requests and callbacks of the gateway: what `paycli/signing` gives, and nothing else. */
export { PaycliError } from '../errors/index.js';
export type { Pair } from '../wire/form.js';
export { type CallbackVerdict, verifyCallback } from './library/callback.js';
export { controlChecksum, verifyControl } from './library/control.js';
export {
  type ControlRequest,
  type HmacRequest,
  type RsaRequest,
  type SignedRequest,
  type SigningKeys,
  signRequest,
} from './library/sign-request.js';
export {
  authorizationHeader,
  baseStringUri,
  decodeForm,
  normalizeParameters,
  parseAuthorizationHeader,
  percentEncode,
  signatureBaseString,
  signHmacSha1,
  signRsaSha256,
  verifyHmacSha1,
  verifyRsaSha256,
} from './library/steps.js';
export type { ArgumentError, Fields, RsaKeyObject } from './library/types.js';
export {
  type ReceivedControlRequest,
  type ReceivedHmacRequest,
  type ReceivedRsaRequest,
  type RequestVerdict,
  type VerifyingKeys,
  verifyRequest,
} from './library/verify-request.js';
export type { AuthorizationHeader } from './schemes/authorization-header.js';
export type { ControlEncoding, HmacKeyForm, RefusalReason } from './schemes/public-types.js';

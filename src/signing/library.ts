/** Signs and verifies requests and callbacks of the gateway: what `paycli/signing` gives, and nothing else. */
export { PaycliError } from '../errors/index.js';
export type { Pair } from '../wire/form.js';
export { signRequest } from './library/sign-request.js';
export {
  authorizationHeader,
  baseStringUri,
  controlChecksum,
  decodeForm,
  normalizeParameters,
  parseAuthorizationHeader,
  percentEncode,
  signatureBaseString,
  signHmacSha1,
  signRsaSha256,
  verifyCallback,
  verifyControl,
  verifyHmacSha1,
  verifyRsaSha256,
} from './library/steps.js';
export type * from './library/types.js';
export { verifyRequest } from './library/verify-request.js';
export type { AuthorizationHeader } from './schemes/authorization-header.js';
export type { ControlEncoding, HmacKeyForm, RefusalReason } from './schemes/public-types.js';

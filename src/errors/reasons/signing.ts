import { pastedReasons } from './pasted-requests.js';
import { defineReasons } from './reason.js';

// The address itself is not repeated: it may hold a password.
const signedUrl = 'https://gateway.example/paynet/api/v2/sale/17';
/** Of signatures, and of what `sign` is given. */
export const signingReasons = defineReasons(() => ({
  controlKeyMissing: {
    code: 'PROFILE_INCOMPLETE',
    name: 'in use',
    lacking: 'a control key',
    how: 'control-key-file in the profile',
  },
  privateKeyMissing: {
    code: 'PROFILE_INCOMPLETE',
    name: 'in use',
    lacking: 'a private key',
    how: 'private-key-file in the profile',
  },
  controlEncodingUnknown: {
    code: 'INTERNAL',
    why: 'the switch control-encoding has an unknown value',
    how: 'report this',
    sent: 'nothing was sent',
  },
  signedAmountUnconverted: {
    code: 'INTERNAL',
    why: 'the amount to sign was not converted to minor units',
    how: 'report this',
    sent: 'nothing was sent',
  },
  signingKeyNotGiven: {
    code: 'KEY_UNUSABLE',
    source: 'for signing',
    why: '{method} needs one, but none was given',
  },
  methodNotHttp: { code: 'TEXT_INVALID', field: 'method', why: 'it is not a valid HTTP method' },

  signedUrlNotEncoded: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'percent-encode spaces, control characters and non-ASCII letters',
    form: signedUrl,
  },
  signedUrlNotHttp: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'begin it with http:// or https://',
    form: signedUrl,
  },
  signedUrlPathNotEncoded: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'its path contains a character that is not percent-encoded; encode it',
    form: signedUrl,
  },
  signedUrlHoldsUser: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'it contains a user name or password, which is refused',
    form: signedUrl,
  },
  signedUrlHostMalformed: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'its host or port is malformed',
    form: signedUrl,
  },
  signedUrlPortTooHigh: { code: 'URL_INVALID', field: 'url', why: 'its port is above 65535', form: signedUrl },

  realmNotAscii: { code: 'TEXT_INVALID', field: 'realm', why: 'only printable ASCII is allowed' },
  headerNotOauth: {
    code: 'TEXT_INVALID',
    field: 'Authorization header',
    why: 'it does not start with "OAuth" and a space',
  },
  headerParameterMalformed: {
    code: 'TEXT_INVALID',
    field: 'Authorization header',
    why: 'parameter {number} is not of the form name="value" followed by a comma or the end',
  },
  headerHoldsTwoRealms: { code: 'TEXT_INVALID', field: 'Authorization header', why: 'it has two realms' },
  headerEmpty: { code: 'TEXT_INVALID', field: 'Authorization header', why: 'it has no parameters' },
  headerEndsWithComma: { code: 'TEXT_INVALID', field: 'Authorization header', why: 'it ends with a comma' },
  headerNotPercentEncoded: {
    code: 'TEXT_INVALID',
    field: 'Authorization header',
    why: '{name} is not percent-encoded',
  },
  headerNotUtf8: { code: 'TEXT_INVALID', field: 'Authorization header', why: 'the bytes of {name} are not UTF-8' },
  headerWithoutSignature: {
    code: 'TEXT_INVALID',
    field: 'Authorization header',
    why: 'it has no oauth_signature',
  },
  ...pastedReasons(),
  inputNotJson: { code: 'TEXT_INVALID', why: 'it is not JSON' },
  consumerSecretEmpty: {
    code: 'SECRET_UNREADABLE',
    why: 'it is empty',
    how: 'put the consumer secret in it',
  },
  controlKeyEmpty: { code: 'SECRET_UNREADABLE', why: 'it is empty', how: 'put the control key in it' },
  hmacKeyFileUnreadable: {
    code: 'SECRET_UNREADABLE',
    how: 'name a file that holds the key and nothing else',
  },
  pairsNoArray: {
    code: 'TEXT_INVALID',
    why: 'write it as a JSON array of pairs such as [["amount", "10.42"]]',
  },
  itemNoPair: {
    code: 'TEXT_INVALID',
    why: 'write item {item} as two strings such as ["amount", "10.42"], with numbers in quotes too',
  },
  valuesNoArray: {
    code: 'TEXT_INVALID',
    why: 'write it as a JSON array of strings such as ["1144", "902B4FF5", "1042"]',
  },
  itemNoText: {
    code: 'TEXT_INVALID',
    why: 'item {item} is not a string; write numbers in quotes, and an omitted value as ""',
  },
  flagsMissing: { code: 'USAGE', why: 'missing: {flags}' },
  entryNotWhole: { code: 'USAGE', why: '--entry: use a whole number from 1' },
  requestNotSignable: {
    code: 'USAGE',
    why: 'this request has no stages: its amount cannot be read, or its signature is missing',
  },
  stageNotThere: { code: 'USAGE', why: '{stage} is not a stage of this signature; its stages are {stages}' },
  stageHoldsCardData: {
    code: 'USAGE',
    why: '{stage} holds card data, which is shown only in the sandbox; --explain shows it masked',
  },
  oneOfFlags: { code: 'USAGE', why: 'use exactly one of {flags}' },
  flagOfOtherKind: { code: 'USAGE', why: '{flag} does not apply: this operation is protected by {kind}' },
  refusedOrderNotNamed: {
    code: 'USAGE',
    why: 'name the order id of the request that was refused, with --client-order-id',
  },
  doctorWithoutCommand: {
    code: 'USAGE',
    why: 'write `sign doctor -- COMMAND` with the command of your client after --, or `sign doctor --serve`',
  },
  clientSentNothing: {
    code: 'NOT_SENT',
    why: 'the client sent no request to the sandbox at {url}; have it take the address from PAYCLI_BASE_URL, or give the sandbox the port it uses with --port',
  },
  nothingSigned: { code: 'USAGE', why: '{operation} carries no signature under the assumptions in force' },
  notSignedByRsa: { code: 'USAGE', why: '--public-key-file does not apply: {operation} is not signed with RSA' },
  addressNoOperation: {
    code: 'USAGE',
    why: 'the address is not an operation of the API, such as /api/v2/sale/4001; an OAuth header can still be checked if you name its key with --key-file or --public-key-file',
  },
}));

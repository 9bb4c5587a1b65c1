import type { ReasonRow } from './reason.js';

// The address itself is not repeated: it may hold a password.
const signedUrl = 'https://gateway.example/paynet/api/v2/sale/17';

export const signingReasons = {
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
    how: 'report it',
    sent: 'nothing was sent',
  },
  signedAmountUnconverted: {
    code: 'INTERNAL',
    why: 'the amount to sign was not converted to minor units',
    how: 'report it',
    sent: 'nothing was sent',
  },
  signingKeyNotGiven: {
    code: 'KEY_UNUSABLE',
    source: 'for signing',
    why: '{method} needs one, and none was given',
  },
  methodNotHttp: { code: 'TEXT_INVALID', field: 'method', why: 'it is not the name of an HTTP method' },

  signedUrlNotEncoded: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'blanks, control characters and letters beyond ASCII must be percent-encoded',
    form: signedUrl,
  },
  signedUrlNotHttp: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'it must start with http:// or https://',
    form: signedUrl,
  },
  signedUrlPathNotEncoded: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'its path holds a character that must be percent-encoded',
    form: signedUrl,
  },
  signedUrlHoldsUser: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'it holds user info, which is refused',
    form: signedUrl,
  },
  signedUrlHostMalformed: {
    code: 'URL_INVALID',
    field: 'url',
    why: 'its host or port is malformed',
    form: signedUrl,
  },
  signedUrlPortTooHigh: { code: 'URL_INVALID', field: 'url', why: 'its port is above 65535', form: signedUrl },

  realmNotAscii: { code: 'TEXT_INVALID', field: 'realm', why: 'it may hold printable ASCII only' },
  headerNotOauth: {
    code: 'TEXT_INVALID',
    field: 'Authorization header',
    why: 'it does not start with the word OAuth and a blank',
  },
  headerParameterMalformed: {
    code: 'TEXT_INVALID',
    field: 'Authorization header',
    why: 'parameter {number} is not of the form name="value" followed by a comma or the end',
  },
  headerHoldsTwoRealms: { code: 'TEXT_INVALID', field: 'Authorization header', why: 'it holds two realms' },
  headerEmpty: { code: 'TEXT_INVALID', field: 'Authorization header', why: 'it holds no parameters' },
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
    why: 'it holds no oauth_signature',
  },
} as const satisfies Record<string, ReasonRow>;

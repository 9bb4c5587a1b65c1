import type { ReasonRow } from './reason.js';

// The address itself is not repeated: it may hold a password.
const signedUrl = 'https://gateway.example/paynet/api/v2/sale/17';
/** A pasted request that cannot be read. */
const pastedReasons = {
  curlMultipart: {
    code: 'TEXT_INVALID',
    field: 'curl command',
    why: `-F sends multipart/form-data, and the interface takes {form}; \
no signature covers any other body. Use --data`,
  },
  curlUser: {
    code: 'TEXT_INVALID',
    field: 'curl command',
    why: '-u sends a name and a password in the Authorization header, where the signature belongs; leave it out',
  },
  noCurlCommand: { code: 'TEXT_INVALID', field: 'curl command', why: 'it does not start with the word curl' },
  curlTwoAddresses: {
    code: 'TEXT_INVALID',
    field: 'curl command',
    why: 'it names two addresses; paste the request for one of them',
  },
  curlFlagWithoutValue: { code: 'TEXT_INVALID', field: 'curl command', why: '{flag} has no value' },
  curlHeaderWithoutColon: {
    code: 'TEXT_INVALID',
    field: 'curl command',
    why: 'a header has no colon; write it as "Name: value"',
  },
  curlWithoutAddress: { code: 'TEXT_INVALID', field: 'curl command', why: 'it names no address' },
  curlReadsFile: {
    code: 'TEXT_INVALID',
    field: 'curl command',
    why: '{flag} reads a file that is not here; paste what the file holds, with --data-raw for the body',
  },
  singleQuoteOpen: { code: 'TEXT_INVALID', field: 'curl command', why: 'a single quote is not closed' },
  doubleQuoteOpen: { code: 'TEXT_INVALID', field: 'curl command', why: 'a double quote is not closed' },
  ansiQuoteOpen: { code: 'TEXT_INVALID', field: 'curl command', why: "a quote opened by $' is not closed" },
  escapeNoCharacter: { code: 'TEXT_INVALID', field: 'curl command', why: '{escape} names no character' },
  ansiQuoteNotUtf8: { code: 'TEXT_INVALID', field: 'curl command', why: "the bytes between $' and ' are not UTF-8" },
  shellVariable: {
    code: 'TEXT_INVALID',
    field: 'curl command',
    why: 'it holds {variable}, which a shell fills in; paste the command with the value that was sent',
  },
  shellCommand: {
    code: 'TEXT_INVALID',
    field: 'curl command',
    why: 'it holds a command that a shell would run; paste the command with the text that was sent',
  },
  httpWithoutRequestLine: {
    code: 'TEXT_INVALID',
    field: 'HTTP request',
    why: 'its first line is not a request line such as POST /api/v2/sale/4001 HTTP/1.1',
  },
  httpWithoutHost: {
    code: 'TEXT_INVALID',
    field: 'HTTP request',
    why: 'it has no Host header, so the address is not known',
  },
  httpLineNoHeader: {
    code: 'TEXT_INVALID',
    field: 'HTTP request',
    why: 'line {line} is not a header; an empty line must come before the body',
  },
  jsonMethodNoText: { code: 'TEXT_INVALID', field: 'JSON request', why: 'method must be a string' },
  jsonUrlNoText: { code: 'TEXT_INVALID', field: 'JSON request', why: 'url is missing, or not a string' },
  jsonBodyAndFields: {
    code: 'TEXT_INVALID',
    field: 'JSON request',
    why: 'it has both body and fields; give one of them',
  },
  jsonBodyNoText: {
    code: 'TEXT_INVALID',
    field: 'JSON request',
    why: 'body must be the text that is sent, form-encoded; fields may be an object',
  },
  jsonNoObject: {
    code: 'TEXT_INVALID',
    field: 'JSON request',
    why: 'it must be an object with url, headers and fields',
  },
  jsonItemNoTexts: {
    code: 'TEXT_INVALID',
    field: 'JSON request',
    why: '{key}, item {item}: names and values must be strings; write numbers in quotes',
  },
  requestEmpty: { code: 'TEXT_INVALID', why: 'it is empty' },
  requestFormatUnknown: {
    code: 'TEXT_INVALID',
    why: 'not recognized as a curl command, an HTTP request or a JSON request; choose one with --format curl, http or json',
  },
  bodyNotSigned: {
    code: 'TEXT_INVALID',
    field: 'request',
    why: `{what}, and a request of the interface carries its fields as {form}: \
no other body is taken, and none is signed`,
  },
} as const satisfies Record<string, ReasonRow>;

/** Of signatures, and of what `sign` is given. */
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
    why: 'spaces, control characters and non-ASCII letters must be percent-encoded',
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
    why: 'it does not start with the word OAuth and a space',
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
  ...pastedReasons,
  inputNotJson: { code: 'TEXT_INVALID', why: 'it is not JSON' },
  consumerSecretEmpty: {
    code: 'SECRET_UNREADABLE',
    why: 'it is empty',
    how: 'write the consumer secret into it',
  },
  controlKeyEmpty: { code: 'SECRET_UNREADABLE', why: 'it is empty', how: 'write the control key into it' },
  hmacKeyFileUnreadable: {
    code: 'SECRET_UNREADABLE',
    how: 'name a file that holds the key and nothing else',
  },
  pairsNoArray: {
    code: 'TEXT_INVALID',
    why: 'it must be a JSON array of pairs such as [["amount", "10.42"]]',
  },
  itemNoPair: {
    code: 'TEXT_INVALID',
    why: 'item {item} must be two strings such as ["amount", "10.42"]; write numbers in quotes, too',
  },
  valuesNoArray: {
    code: 'TEXT_INVALID',
    why: 'it must be a JSON array of strings such as ["1144", "902B4FF5", "1042"]',
  },
  itemNoText: {
    code: 'TEXT_INVALID',
    why: 'item {item} is not a string; write numbers in quotes, and an omitted value as ""',
  },
  flagsMissing: { code: 'USAGE', why: 'missing: {flags}' },
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
    why: `the client sent no request to the sandbox at {url}; have it take the address from PAYCLI_BASE_URL, \
or give the sandbox the port it uses with --port`,
  },
  nothingSigned: { code: 'USAGE', why: '{operation} carries no signature under the assumptions in force' },
  notSignedByRsa: { code: 'USAGE', why: '--public-key-file does not apply: {operation} is not signed with RSA' },
  addressNoOperation: {
    code: 'USAGE',
    why: `the address is not an operation of the interface, such as /api/v2/sale/4001; \
an OAuth header can still be checked if you name its key with --key-file or --public-key-file`,
  },
} as const satisfies Record<string, ReasonRow>;

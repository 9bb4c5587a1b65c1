import { digestWritten, keyAsItIs, type RemedyContext, type RemedyRow, row } from './remedy-row.js';

/** `HMAC-SHA1` or `RSA-SHA256`, as the operation has it. */
const method = ({ scheme }: RemedyContext) => (scheme === 'RSA-SHA256' ? 'RSA-SHA256' : 'HMAC-SHA1');

const keyRule: RemedyRow['change'] = ({ keyForm }) =>
  keyForm === 'raw'
    ? 'the HMAC key is the control key as it is (A51), then an & and nothing else'
    : 'the HMAC key is the percent-encoded control key (A51), then an & and nothing else';

/** Of the key and what is made with it. */
export const keyRemedies: readonly RemedyRow[] = [
  row('digest', /^text-/, 'sign the base string and nothing after it'),
  row('digest', /^(?:sha1sum|openssl)-line$/, 'use only the digest that the program prints'),
  row('digest', /^hmac-/, 'use plain SHA-1 over the values and the key, not an HMAC', 'control'),
  row('digest', /^(?:quoted|line-end|hex|bytes-printed|prefix-0x)/, digestWritten, 'control'),
  row('digest', /^(?:twice|(?:sha1|md5|sha256)-of)/, 'hash the values and the key once, with SHA-1', 'control'),
  row('digest', undefined, 'hash the values and the key with SHA-1', 'control'),
  row('digest', /^hex-in-base64$/, 'encode the bytes of the signature as Base64, not their hexadecimal text'),
  row('digest', /^percent-encoded/, 'percent-encode the signature once, when you write the header'),
  row('digest', /^(?:sha|md5|no-hmac|hashed-before)/, ({ scheme }) =>
    scheme === 'RSA-SHA256'
      ? 'sign the base string itself, with SHA-256'
      : 'use an HMAC with SHA-1 over the base string itself',
  ),
  row('digest', undefined, digestWritten),
  row(
    'signing-key',
    /^(?:line-feed|crlf|carriage-return|blank|tab|byte-order-mark|quotes|trimmed)$/,
    'use the control key exactly as given: no quotes, spaces, line breaks or byte order mark added, and nothing removed',
  ),
  row(
    'signing-key',
    /^exchanged$/,
    'pass the key as the key and the base string as the message; check the order of the arguments',
  ),
  row(
    'signing-key',
    /^(?:json|to-|byte-by-byte|latin-1|(?:hex|base64)-decoded|(?:lower|upper)-case|no-dashes|md5|sha)/,
    `${keyAsItIs}, as text`,
  ),
  row('signing-key', undefined, keyRule),
  row('rsa-key-or-method', /^method/, (context) => `send and sign oauth_signature_method=${method(context)}`),
  row(
    'rsa-key-or-method',
    /^plaintext$/,
    'sign the base string with the key; the key itself is never sent',
    'HMAC-SHA1',
  ),
  row(
    'rsa-key-or-method',
    undefined,
    'this operation is signed with HMAC-SHA1 and the control key, not with RSA',
    'HMAC-SHA1',
  ),
  row('rsa-key-or-method', /^(?:sha|md5)/, 'sign with SHA-256'),
  row('rsa-key-or-method', /^hashed-twice$/, 'pass the base string itself to the signing function, which hashes it'),
  row('rsa-key-or-method', /^bare-/, 'use a signing function, which adds the identifier of the hash'),
  row('rsa-key-or-method', /^pss-/, 'use PKCS#1 v1.5 padding'),
  row('rsa-key-or-method', /^encrypted$/, 'sign with the private key'),
  row(
    'rsa-key-or-method',
    /^other-pair$/,
    'sign with the private key whose public key the gateway has; `paycli keys inspect PRIVATE PUBLIC` compares them',
  ),
  row('rsa-key-or-method', /^hmac/, 'sign with the RSA private key'),
  row('rsa-key-or-method', /utf-16$/, 'sign the UTF-8 bytes of the base string'),
  row(
    'rsa-key-or-method',
    undefined,
    'sign with RSASSA-PKCS1-v1_5 and SHA-256, with the private key whose public key the gateway has',
  ),
];

import type { Mistake } from '../../signing/diagnose/index.js';

/** What is right, by the name of the mistake, for the help. The advice for each variant stands beside the diagnosis. */
export const remedies: Readonly<Record<Mistake['name'], string>> = {
  'reserved-characters':
    "percent-encode everything but letters, digits and -._~; most languages leave some of !'()* unencoded (RFC 5849 \
3.6)",
  'space-plus': 'write a space as %20, in the base string and preferably in the body too; a typed + is %2B',
  'encoded-twice-or-once':
    'encode each name and value once, then the joined parameters once more; leave the path as it is sent',
  'body-left-out': 'sign every field of the form body together with the oauth_ parameters',
  'sort-order': 'encode first, then sort by name and equal names by value, comparing bytes',
  'query-left-out': 'sign the fields of the query once among the parameters, and leave the query out of the address',
  'signing-key':
    'the HMAC key is the encoded secret, an &, and the encoded token secret, which may be empty; it has no trailing \
line break',
  'scheme-host-port':
    'sign the address the request is sent to: https stays https, host in lower case, port only when it is not the default',
  'header-not-encoded': 'percent-encode each value of the Authorization header once, the signature too',
  'empty-values': 'sign exactly the fields that are sent, empty ones as `name=`; add no empty oauth_token',
  'not-utf8': 'turn text into UTF-8 bytes before encoding it',
  'repeated-or-nested-names': 'keep fields as a list of pairs; a map loses the second value of a name',
  'nonce-timestamp': 'oauth_timestamp is in whole seconds of a correct clock, and every attempt needs a new nonce',
  'rsa-key-or-method': 'sign with RSASSA-PKCS1-v1_5 and SHA-256, with the private key whose public key the gateway has',
  realm: 'leave realm out of the base string; it belongs only in the header',
  method: 'sign the method that is sent, in upper case: POST',
  digest: 'use the digest the recipe names, in the encoding it names, and encode it once',
  order: 'join the values of the recipe in its order, with nothing between them',
  'decimal-amount': 'put the amount in minor units into the checksum: 10.42 USD is 1042, while the body keeps 10.42',
  'missing-email': 'put the e-mail into the checksum, spelled as in the body',
  'endpoint-login':
    'start with the value the recipe starts with: do not confuse the endpoint id and the merchant login',
  'orderid-text': 'a missing order id is an empty string in the checksum, not a word or a zero',
  'amount-currency': 'put amount and currency into the checksum exactly when the recipe and the request have them',
  'key-whitespace': 'strip spaces and line breaks around the control key; files and `echo` add a line break',
  'other-key': 'use the control key that belongs to this endpoint',
  'upper-case': 'write the checksum in lower-case hexadecimal',
  base64: 'write the checksum in hexadecimal, not in Base64',
  charset: 'turn the text into UTF-8 bytes before hashing it',
  'endpoint-group': 'use the endpoint id the request is sent to',
};

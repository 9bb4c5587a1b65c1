import { type Topic, terms, text } from './block.js';

export const signingTopic: Topic = {
  brief: 'control and OAuth 1.0a: what is signed, how to see it',
  blocks: () => [
    text('Every operation is protected in one of two ways; `paycli recipe OPERATION` says which.'),
    terms(
      [
        'control',
        'a field with the SHA-1 of listed values and the merchant control key, nothing between them. Amounts count in minor units: 10.42 USD is 1042, 100 JPY is 100',
      ],
      [
        'OAuth 1.0a',
        'an Authorization header over all fields (RFC 5849), by HMAC-SHA1 with the control key or by RSA-SHA256 with the private key',
      ],
    ),
    text('See it, or find out why it was refused:'),
    terms(
      ['paycli sign OPERATION … --explain', 'every value with its origin, each stage, the exact text, its length and the digest'],
      ['paycli sign verify --request-file FILE', 'whether the signature of a pasted curl command, HTTP request or JSON request is right'],
      ['paycli sign find-mistake OPERATION … --control VALUE', 'tries every known mistake and names those that give just this value'],
      [
        'paycli sign diff OPERATION … --theirs-string FILE',
        'the first byte where the text another program signed differs, and the mistake by its name',
      ],
      ['paycli sign raw, sign control', 'sign any address, fields or values; sign diff and find-mistake take their flags as well'],
      ['paycli sign curl|php|python', 'a program that signs and sends by itself'],
      ['paycli sign vectors', 'test vectors for a client in any language'],
    ),
    text('Card data is masked outside the sandbox profile. Keys are shown by a fingerprint only.'),
  ],
  last: 'Both schemes step by step, and the mistakes made with them: `man paycli-signing`.',
};

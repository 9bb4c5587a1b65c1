import { type Block, heading, lines, table, terms, text } from '../help/topics/block.js';
import { remedies } from '../present/remedies.js';

/** Both schemes from the fields to the bytes on the wire; each stage with the command that shows it. */
export function signingSteps(): readonly Block[] {
  return [...control, ...oauth, ...received, ...mistakes()];
}

const control: readonly Block[] = [
  heading('The control, step by step'),
  terms(
    ['1. The recipe', 'names the values and their order; each operation has its own. `paycli recipe sale` prints it.'],
    [
      '2. The values',
      'as they are sent, but for the amount: it counts in minor units, by the digits of its currency, so 10.42 USD is 1042, 100 JPY is 100 and 1.5 KWD is 1500. The merchant login and the endpoint id come from the profile. A value that is not sent is an empty text; no word stands for it (A06).',
    ],
    ['3. Joined', 'in that order with nothing between them, and the merchant control key at the end.'],
    ['4. The digest', 'SHA-1 over the UTF-8 bytes of it (A02), written as 40 lower-case hexadecimal characters (A01).'],
    ['5. Sent', 'as the field control of the form body.'],
  ),
  text('`--explain` shows the values with their origin, the joined text, its length and the digest:'),
  lines('paycli sign sale --amount 10.42 --currency USD --test-card approved \\', '    --client-order-id order-2 --explain'),
  text('The last steps by hand, with a key of your own and the values of a recipe as a JSON array of texts:'),
  lines('paycli sign control --values-file values.json --key-file control.key'),
];

const oauth: readonly Block[] = [
  heading('OAuth 1.0a, step by step (RFC 5849)'),
  terms(
    [
      '1. The parameters (3.4.1.3.1)',
      'every field of the form body, every field of the query, and oauth_consumer_key (the merchant login), oauth_nonce, oauth_signature_method, oauth_timestamp and oauth_version. Equal names and empty values stay. Neither oauth_signature nor realm of the header is among them.',
    ],
    [
      '2. Encoded (3.6)',
      'names and values one by one, over their UTF-8 bytes. Letters, digits and -._~ stay; all else becomes % and two upper-case hexadecimal digits. A blank is %20.',
    ],
    ['3. Sorted (3.4.1.3.2)', 'after the encoding: by name, equal names by value, byte by byte, never by the rules of a language.'],
    ['4. Joined (3.4.1.3.2)', 'name=value, with & between them.'],
    [
      '5. The address (3.4.1.2)',
      'scheme and host in lower case, the port only where it is no default, the path as it is sent, no query and no fragment.',
    ],
    [
      '6. The base string (3.4.1.1)',
      'POST, the address and the joined parameters, the last two encoded once more, with & between the three.',
    ],
    [
      '7a. HMAC-SHA1 (3.4.2)',
      'the key is the encoded merchant control key, an &, and nothing behind it since there is no token (A51); the signature is Base64.',
    ],
    [
      '7b. RSA-SHA256 (3.4.3)',
      'RSASSA-PKCS1-v1_5 with SHA-256 in the place of the SHA-1 of the RFC, by an RSA key of 2048 bits or more; the signature is Base64. The gateway has the public half.',
    ],
    [
      '8. The header (3.5.1)',
      'Authorization: OAuth, then name="value" with the value encoded, with commas between. The body is sent just as it was signed.',
    ],
    [
      '9. Every attempt',
      'takes a new nonce and the time in whole seconds (3.3). The gateway refuses a nonce it has seen and a clock that is off (A23).',
    ],
  ),
  text('`--explain` shows each of these stages of a request:'),
  lines('paycli sign payout --amount 50.00 --currency EUR \\', '    --card-number 4444333322221111 --client-order-id order-3 --explain'),
  text('Any address and any fields, as a JSON array of [name, value]; with --json every stage for a program:'),
  lines(
    'paycli sign raw --url https://gateway.example/api/v4/transfer/4001 \\',
    '    --signature-method HMAC-SHA1 --consumer-key my-shop \\',
    '    --key-file control.key --params-file fields.json --json',
  ),
];

const received: readonly Block[] = [
  heading('When a signature was refused'),
  terms(
    ['paycli sign verify --request-file FILE', 'reads a curl command, an HTTP request or JSON and says whether it is right'],
    [
      'paycli sign find-mistake OPERATION … --control VALUE',
      'makes the request under every mistake below and names those that give this control',
    ],
    ['paycli sign find-mistake OPERATION … --signature S', 'the same for OAuth, with --nonce and --timestamp of the request'],
    ['paycli sign diff OPERATION … --theirs-base-string FILE', 'the first byte where the base string of another program differs'],
    ['paycli sandbox audit', 'the mistakes in everything a client sent to the sandbox'],
  ),
];

function mistakes(): readonly Block[] {
  return [
    heading('Mistakes by name'),
    text('The names are those that `paycli sign diff` and `paycli sign find-mistake` print; beside each, what to do instead.'),
    table(['name', 'instead'], Object.entries(remedies)),
    text('Test vectors for a client of your own, each with wrong neighbours by these names: `paycli sign vectors`.'),
  ];
}

import { decodedOrSame } from '../../../wire/form.js';
import { escapes } from './escapes.js';
import { encodedBy, percentEncoders } from './percent-encoders.js';
import { blanks, cases, letters, printedBytes, wrappings } from './texts.js';
import { cutValues, otherCharacters } from './value-changes.js';
import { formats, partsOfValues, replacedCharacters } from './value-texts.js';
import { type Writing, writing } from './writing.js';

/** More of them, for where each costs little: cut, with other characters, and in the bytes it may stand for. */
export function rareKeyWritings(): readonly Writing[] {
  return [
    ...[...partsOfValues, ...replacedCharacters, ...formats, ...otherCharacters, ...cutValues],
    ...uuidTexts,
    writing('base64-decoded', 'decoded as Base64, read as UTF-8', (text) =>
      Buffer.from(text, 'base64').toString('utf8'),
    ),
    writing('base64-decoded', 'decoded as Base64, read as Latin-1', (text) =>
      Buffer.from(text, 'base64').toString('latin1'),
    ),
    writing('hex-decoded', 'decoded from hexadecimal, read as UTF-8', (text) =>
      Buffer.from(digitsOf(text), 'hex').toString('utf8'),
    ),
    writing('hex-decoded', 'decoded from hexadecimal, read as Latin-1', (text) =>
      Buffer.from(digitsOf(text), 'hex').toString('latin1'),
    ),
    writing('base64-decoded', 'decoded as Base64, in hexadecimal', (text) =>
      Buffer.from(text, 'base64').toString('hex'),
    ),
    writing('hex-decoded', 'decoded from hexadecimal, as Base64', (text) =>
      Buffer.from(digitsOf(text), 'hex').toString('base64'),
    ),
  ];
}

/** A secret in another writing than it was given in. */
export function keyWritings(): readonly Writing[] {
  return [
    ...uuids,
    ...cases,
    ...blanks,
    ...wrappings,
    ...printedBytes,
    ...escapes(),
    ...letters,
    ...percentEncoders.map((encoder) =>
      writing('encoder', `encoded as by ${encoder.of}`, (text) => encodedBy(encoder, text)),
    ),
    writing('decoded', 'percent-decoded', decodedOrSame),
    writing('decoded', 'percent-decoded, with + as a space', (text) => decodedOrSame(text.replaceAll('+', ' '))),
    writing('cut', 'up to its first space', (text) => text.split(' ')[0] ?? ''),
    writing('cut', 'up to its first #, where a comment begins', (text) => text.split('#')[0] ?? ''),
    writing('cut', 'up to its first =', (text) => text.split('=')[0] ?? ''),
    writing('cut', 'after its last =', (text) => text.split('=').at(-1) ?? ''),
    ...['=', '==', ';', ',', '.', ':'].map((mark) => writing('mark', `with ${mark} after it`, (text) => text + mark)),
  ];
}

const digitsOf = (text: string) => text.replace(/[{}()-]/g, '');
const dashed = (text: string) => {
  const digits = digitsOf(text);
  return /^[0-9a-f]{32}$/i.test(digits) ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : text;
};

const uuids: readonly Writing[] = [
  ...[(text: string) => text.toLowerCase(), (text: string) => text.toUpperCase()].flatMap((inCase) => [
    writing('uuid', 'as a UUID in another case', inCase),
    writing('uuid', 'without the dashes of a UUID', (text) => inCase(text.replaceAll('-', ''))),
    writing('uuid', 'with the dashes of a UUID', (text) => inCase(dashed(text))),
    writing('uuid', 'as a UUID in braces', (text) => `{${inCase(dashed(text))}}`),
    writing('uuid', 'as a UUID in parentheses', (text) => `(${inCase(dashed(text))})`),
    writing('uuid', 'as a URN', (text) => `urn:uuid:${inCase(dashed(text))}`),
  ]),
];

/** The bytes a UUID stands for: as it is read, and in the order of .NET. */
export function uuidBytes(text: string): Buffer[] {
  const digits = digitsOf(text);
  if (!/^[0-9a-f]{32}$/i.test(digits)) return [];
  const bytes = Buffer.from(digits, 'hex');
  const mixed = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map((at) => bytes[at] ?? 0);
  return [bytes, Buffer.from(mixed), Buffer.from(bytes).reverse()];
}

const mixed = (text: string): Buffer => uuidBytes(text)[1] ?? Buffer.from(text);

/** The bytes of a UUID in the order of .NET, and written again. */
const uuidTexts: readonly Writing[] = (
  [
    ['in hexadecimal', (bytes) => bytes.toString('hex')],
    ['in upper-case hexadecimal', (bytes) => bytes.toString('hex').toUpperCase()],
    ['as Base64', (bytes) => bytes.toString('base64')],
    ['in hexadecimal with dashes', (bytes) => (bytes.toString('hex').toUpperCase().match(/../g) ?? []).join('-')],
    ['as a UUID', (bytes) => dashed(bytes.toString('hex'))],
    ['as a UUID in upper case', (bytes) => dashed(bytes.toString('hex')).toUpperCase()],
  ] satisfies readonly (readonly [string, (bytes: Buffer) => string])[]
).map(([words, write]) =>
  writing('uuid', `as the bytes of a UUID in .NET order, ${words}`, (text) =>
    uuidBytes(text).length === 0 ? text : write(mixed(text)),
  ),
);

/** The name of a variable where its value should be, as in single quotes of a shell. */
const variableNames = [
  ...['KEY', 'SECRET', 'CONTROL', 'MERCHANT_KEY', 'MERCHANT_CONTROL', 'MERCHANT_CONTROL_KEY', 'K', 'CK', 'CTRL'],
  ...[
    'SECRET_KEY',
    'API_KEY',
    'PAYNET_KEY',
    'CTRL_KEY',
    'PASSWORD',
    'TOKEN',
    'controlKey',
    'merchantControl',
    'secretKey',
  ],
].flatMap((name) =>
  [name, name.toLowerCase()].flatMap((each) => [
    `$${each}`,
    `\${${each}}`,
    `{${each}}`,
    `%${each}%`,
    `#{${each}}`,
    each,
  ]),
);

/** What a program prints in place of a key that it does not hold as text. */
export const printedTypes: readonly string[] = [
  ...['System.Byte[]', 'System.Char[]', 'System.String[]', 'System.Object', 'System.Security.SecureString'],
  ...[
    '[object Object]',
    '[object ArrayBuffer]',
    '[object Uint8Array]',
    '[object Promise]',
    '[object CryptoKey]',
    '[object Undefined]',
  ],
  ...[
    'Array',
    'Object',
    '<nil>',
    '%!s(<nil>)',
    'nil',
    'null',
    'undefined',
    'None',
    'NULL',
    'NaN',
    'false',
    'true',
    '0',
  ],
  ...[
    '[object Map]',
    'System.Collections.Generic.List`1[System.Byte]',
    'System.ReadOnlyMemory<Byte>',
    "b''",
    '[]',
    '{}',
    '()',
  ],
  ...[
    'CONTROL_KEY',
    '$CONTROL_KEY',
    '%CONTROL_KEY%',
    'secret',
    'changeme',
    'MERCHANT_CONTROL',
    'merchant_control',
    'key',
  ],
  ...['$control_key', `\${CONTROL_KEY}`, '$controlKey', '$merchantControl', '$k'],
  ...variableNames,
];

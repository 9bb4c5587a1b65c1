import { createHash, createHmac } from 'node:crypto';
import type { ControlEncoding } from '../schemes/control-checksum.js';
import { spareValueMistakes } from './control-spare-mistakes.js';
import { controlValueMistakes, type Slot } from './control-value-mistakes.js';
import { type ControlCase, type ControlMistakeName, type Mistake, permutations } from './diagnosis.js';
import { bytesAs, type Charset } from './encoding-mutations.js';
import { unpaddedHex } from './signature-writings.js';
import { asBytesLiteral } from './source-mistakes.js';

/** How a checksum is made. */
export interface ChecksumSteps {
  readonly values: (slots: readonly Slot[]) => readonly Slot[];
  readonly order: (slots: readonly Slot[]) => readonly Slot[];
  readonly join: (values: readonly string[], key: string) => string;
  readonly key: string;
  /** How many values stand before the key; all when undefined. */
  readonly keyAt: number | undefined;
  readonly bytes: (text: string) => Buffer;
  readonly hash: (bytes: Buffer, parts: { readonly string: string; readonly key: string }) => Buffer;
  readonly write: (digest: Buffer) => string;
}

/** A step done wrongly. */
export interface StepMistake {
  readonly mistake: Mistake<ControlMistakeName>;
  readonly steps: Partial<ChecksumSteps>;
  /** Named only where no other mistake comes to the same checksum. */
  readonly isSpare?: boolean;
}

const same = <Value>(value: Value) => value;
const writers: Readonly<Record<ControlEncoding, ChecksumSteps['write']>> = {
  'hex-lower': (digest) => digest.toString('hex'),
  'hex-upper': (digest) => digest.toString('hex').toUpperCase(),
  base64: (digest) => digest.toString('base64'),
};

export function correctSteps({ key, encoding }: ControlCase): ChecksumSteps {
  return {
    values: same,
    order: same,
    join: (values, itsKey) => values.join('') + itsKey,
    key,
    keyAt: undefined,
    bytes: (text) => Buffer.from(text, 'utf8'),
    hash: (bytes) => createHash('sha1').update(bytes).digest(),
    write: writers[encoding],
  };
}

/** Every single mistake but another order, likeliest first. */
export function singleMistakes(given: ControlCase): StepMistake[] {
  return [
    ...controlValueMistakes(given).map(({ mistake, change }) => ({ mistake, steps: { values: change } })),
    ...controlKeyMistakes(given).map(({ mistake, key }) => ({ mistake, steps: { key } })),
    ...encodingMistakes(given),
    ...writingMistakes,
    ...hashMistakes,
    ...charsetMistakes,
    ...textMistakes,
    ...[
      ...joinMistakes,
      ...spareValueMistakes(given).map(({ mistake, change }) => ({ mistake, steps: { values: change } })),
    ].map((spare) => ({ ...spare, isSpare: true })),
  ];
}

const separators: readonly (readonly [variant: string, words: string, text: string])[] = [
  ['comma', 'a comma', ','],
  ['pipe', '|', '|'],
  ['colon', 'a colon', ':'],
  ['semicolon', 'a semicolon', ';'],
  ['dash', 'a dash', '-'],
  ['underscore', 'an underscore', '_'],
  ['blank', 'a space', ' '],
  ['line-feed', 'a line feed', '\n'],
  ['ampersand', 'an &', '&'],
  ['plus', 'a +', '+'],
  ['slash', 'a slash', '/'],
  ['point', 'a point', '.'],
  ['comma-blank', 'a comma and a space', ', '],
  ['crlf', 'a carriage return and a line feed', '\r\n'],
];

const joinMistake = (variant: string, detail: string, join: ChecksumSteps['join']): StepMistake => ({
  mistake: { name: 'order', variant, detail: `${detail}; the values and the key are joined with nothing between` },
  steps: { join },
});

const joinMistakes: readonly StepMistake[] = [
  ...separators.flatMap(([variant, words, mark]) => [
    joinMistake(`separator-${variant}`, `${words} between the values and before the key`, (values, key) =>
      [...values, key].join(mark),
    ),
    joinMistake(`separator-${variant}`, `${words} between the values`, (values, key) => values.join(mark) + key),
    joinMistake(`separator-${variant}`, `${words} behind each value and the key`, (values, key) =>
      [...values, key, ''].join(mark),
    ),
    joinMistake(`separator-${variant}`, `${words} before the key`, (values, key) => values.join('') + mark + key),
  ]),
  joinMistake('key-twice', 'the key before the values and behind them', (values, key) => key + values.join('') + key),
  joinMistake('sorted', 'the values sorted', (values, key) => [...values].sort().join('') + key),
  joinMistake(
    'list-printed',
    'a list of the values as Python prints it',
    (values, key) => `[${values.map(printed).join(', ')}]${key}`,
  ),
  joinMistake('json', 'a list of the values as JSON', (values, key) => JSON.stringify(values) + key),
];

/** As Python prints a text. */
function printed(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(quote, `\\${quote}`) + quote;
}

/** The values in another order, or the key not behind them. */
export function orderMistakes({ slots }: ControlCase): StepMistake[] {
  const fault = (variant: string, detail: string, steps: Partial<ChecksumSteps>): StepMistake => ({
    mistake: { name: 'order', variant, detail },
    steps,
  });
  const due = `the order is ${slots.map(({ wire }) => wire).join(', ')}, then the key`;
  const moved = slots.map((_, keyAt) =>
    fault(keyAt === 0 ? 'key-first' : 'key-inside', `the key ${keyAt === 0 ? 'before' : 'among'} the values; ${due}`, {
      keyAt,
    }),
  );
  // At most five values stand in a checksum.
  const [, ...others] = permutations(slots);
  return [
    ...others.map((list) =>
      fault('permuted', `signed as ${list.map(({ wire }) => wire).join(', ')}; ${due}`, { order: arrangement(list) }),
    ),
    ...moved,
  ];
}

/** A value that does not belong in it stays behind the one it was put behind. */
function arrangement(wanted: readonly Slot[]): ChecksumSteps['order'] {
  const ranks = new Map(wanted.map(({ name }, rank) => [name, rank]));
  return (slots) => {
    let last = -1;
    const ranked = slots.map((slot) => {
      last = ranks.get(slot.name) ?? last;
      return { slot, rank: last };
    });
    return ranked.sort((one, other) => one.rank - other.rank).map(({ slot }) => slot);
  };
}

function encodingMistakes({ encoding }: ControlCase): StepMistake[] {
  const fault = (
    name: ControlMistakeName,
    variant: string,
    detail: string,
    write: ChecksumSteps['write'],
  ): StepMistake => ({
    mistake: { name, variant, detail },
    steps: { write },
  });
  return [
    encoding === 'hex-upper'
      ? fault('upper-case', 'digest-lower', 'the checksum in lower-case hexadecimal; it must be upper case (A01)', hex)
      : fault(
          'upper-case',
          'digest',
          'the checksum in upper-case hexadecimal; it must be lower case (A01)',
          writers['hex-upper'],
        ),
    fault('base64', 'digest', 'the checksum as Base64; it must be hexadecimal (A01)', writers.base64),
    fault('base64', 'hex', 'the checksum in hexadecimal; it must be Base64 (A01)', hex),
    fault('base64', 'of-hex', 'the hexadecimal checksum encoded as Base64', (digest) =>
      Buffer.from(hex(digest)).toString('base64'),
    ),
    fault('base64', 'of-hex-upper', 'the upper-case hexadecimal checksum encoded as Base64', (digest) =>
      Buffer.from(hex(digest).toUpperCase()).toString('base64'),
    ),
    fault('base64', 'url-safe', 'the checksum as URL-safe Base64', (digest) => digest.toString('base64url')),
    fault('base64', 'url-safe-padded', 'the checksum as URL-safe Base64', (digest) =>
      digest.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
    ),
    fault(
      'base64',
      'line-end',
      'the checksum as Base64 with a line feed',
      (digest) => `${digest.toString('base64')}\n`,
    ),
    fault('base64', 'of-hex', 'the hexadecimal checksum and a line feed encoded as Base64', (digest) =>
      Buffer.from(`${hex(digest)}\n`).toString('base64'),
    ),
    fault('base64', 'bytes-printed', "the checksum as Base64, printed by Python as b'…'", (digest) =>
      printedBytes(digest.toString('base64')),
    ),
    fault('base64', 'no-padding', 'the checksum as Base64 without the = at its end', (digest) =>
      digest.toString('base64').replace(/=+$/, ''),
    ),
  ];
}

const printedBytes = (text: string) => `b'${text}'`;
const integer = (digest: Buffer) => BigInt(`0x${digest.toString('hex')}`);
const marked = (hex: string, mark: string) => (hex.match(/../g) ?? []).join(mark);

function writingMistake(variant: string, detail: string, write: ChecksumSteps['write']): StepMistake {
  return { mistake: { name: 'digest', variant, detail: `${detail}; it must be plain` }, steps: { write } };
}

const hex = (digest: Buffer) => digest.toString('hex');

/** The digest written in a way that no recipe has. */
const writingMistakes: readonly StepMistake[] = [
  writingMistake('bytes-printed', "the checksum printed by Python as b'…'", (digest) => printedBytes(hex(digest))),
  writingMistake('quoted', 'the checksum with quotes around it', (digest) => JSON.stringify(hex(digest))),
  writingMistake('line-end', 'the checksum with a line feed behind it', (digest) => `${hex(digest)}\n`),
  writingMistake('prefix-0x', '0x before the checksum', (digest) => `0x${integer(digest).toString(16)}`),
  writingMistake('integer', 'the checksum as an integer without leading zeros', (digest) =>
    integer(digest).toString(16),
  ),
  writingMistake('decimal', 'the checksum as a decimal number', (digest) => integer(digest).toString()),
  writingMistake('hex-unpadded', 'the leading zero of a byte left out', unpaddedHex.write),
  writingMistake('sha1sum-line', 'the whole line of sha1sum', (digest) => `${hex(digest)}  -`),
  writingMistake('openssl-line', 'the whole line of openssl dgst', (digest) => `SHA1(stdin)= ${hex(digest)}`),
  ...(['-', ':', ' '] as const).flatMap((mark) => [
    writingMistake('hex-marked', `${mark} between the bytes of the checksum`, (digest) => marked(hex(digest), mark)),
    writingMistake('hex-marked', `${mark} between the bytes of the checksum, in upper case`, (digest) =>
      marked(hex(digest).toUpperCase(), mark),
    ),
  ]),
];

const hashMistake = (variant: string, detail: string, hash: ChecksumSteps['hash']): StepMistake => ({
  mistake: { name: 'digest', variant, detail: `${detail}; it must be a plain SHA-1 over the values and the key` },
  steps: { hash },
});

const hashMistakes: readonly StepMistake[] = [
  ...['md5', 'sha256', 'sha512', 'sha384', 'sha224'].map((name) =>
    hashMistake(name, `${name.toUpperCase()} used`, (bytes) => createHash(name).update(bytes).digest()),
  ),
  ...['sha1', 'sha256', 'md5'].map((name) =>
    hashMistake(`hmac-${name}`, `an HMAC with ${name.toUpperCase()} used`, (_, { string, key }) =>
      createHmac(name, key).update(string, 'utf8').digest(),
    ),
  ),
  hashMistake('twice', 'hashed twice', (bytes) =>
    createHash('sha1').update(createHash('sha1').update(bytes).digest('hex')).digest(),
  ),
  hashMistake('twice', 'hashed twice', (bytes) =>
    createHash('sha1').update(createHash('sha1').update(bytes).digest()).digest(),
  ),
  ...(
    [
      ['its upper-case hexadecimal hashed again', (digest) => digest.toString('hex').toUpperCase()],
      ['its Base64 hashed again', (digest) => digest.toString('base64')],
      ['its hexadecimal and a line feed hashed again', (digest) => `${digest.toString('hex')}\n`],
    ] as const satisfies readonly (readonly [string, (digest: Buffer) => string])[]
  ).map(([detail, written]) =>
    hashMistake('twice', detail, (bytes) =>
      createHash('sha1')
        .update(written(createHash('sha1').update(bytes).digest()))
        .digest(),
    ),
  ),
  ...[
    ['sha1', 'md5'],
    ['md5', 'sha1'],
    ['sha256', 'sha1'],
  ].map(([outer = '', inner = '']) =>
    hashMistake(
      `${outer}-of-${inner}`,
      `the ${outer.toUpperCase()} of a hexadecimal ${inner.toUpperCase()} used`,
      (bytes) => createHash(outer).update(createHash(inner).update(bytes).digest('hex')).digest(),
    ),
  ),
];

const charsetMistakes: readonly StepMistake[] = (
  [
    ['latin-1', 'Latin-1'],
    ['low-bytes', 'the low bytes of its characters'],
    ['windows-1252', 'Windows-1252'],
    ['byte-by-byte', 'UTF-8 read as Latin-1 and encoded again'],
    ['ascii', 'ASCII, with ? for everything else'],
    ['utf-16le', 'UTF-16, the low byte first'],
    ['utf-16be', 'UTF-16, the high byte first'],
    ['surrogates-apart', 'UTF-8 with each surrogate encoded separately'],
  ] as const satisfies readonly (readonly [Charset, string])[]
).map(([charset, words]) => ({
  mistake: { name: 'charset', variant: charset, detail: `the text hashed as ${words}; it must be UTF-8 (A02)` },
  steps: { bytes: (text) => bytesAs(charset, text) },
}));

const textMistakes: readonly StepMistake[] = [
  {
    mistake: { name: 'charset', variant: 'utf-16-mark', detail: 'the text hashed as UTF-16 with a byte order mark' },
    steps: { bytes: (text) => bytesAs('utf-16le', `\uFEFF${text}`) },
  },
  {
    mistake: { name: 'charset', variant: 'byte-order-mark', detail: 'a byte order mark hashed before the text' },
    steps: { bytes: (text) => Buffer.from(`\uFEFF${text}`, 'utf8') },
  },
];

/** Another text in the place of the control key. */
interface ControlKeyMistake {
  readonly mistake: Mistake<ControlMistakeName>;
  readonly key: string;
}

function controlKeyMistakes({ key, otherKeys = [], login }: ControlCase): ControlKeyMistake[] {
  const rows: (readonly [name: ControlMistakeName, variant: string, detail: string, key: string])[] = [
    ['key-whitespace', 'line-feed', 'a line feed after the key, as read from a file', `${key}\n`],
    ['key-whitespace', 'crlf', 'a carriage return and a line feed after the key, as read from a file', `${key}\r\n`],
    ['key-whitespace', 'carriage-return', 'a carriage return after the key', `${key}\r`],
    ['key-whitespace', 'blank', 'a space after the key', `${key} `],
    ['key-whitespace', 'blank', 'a space before the key', ` ${key}`],
    ['key-whitespace', 'blanks', 'spaces at both ends of the key', ` ${key} `],
    ['key-whitespace', 'tab', 'a tab after the key', `${key}\t`],
    ['key-whitespace', 'line-feed-before', 'a line feed before the key', `\n${key}`],
    ['key-whitespace', 'byte-order-mark', 'a byte order mark before the key', `\uFEFF${key}`],
    ['key-whitespace', 'trimmed', 'spaces or line breaks around the key stripped', key.trim()],
    ['key-whitespace', 'trimmed-end', 'spaces or line breaks after the key stripped', key.trimEnd()],
    ...otherKeys.map((other) => ['other-key', 'profile', `the control key of ${other.name}`, other.key] as const),
    ['other-key', 'none', 'no key at all', ''],
    ['other-key', 'login', 'the login in place of the key', login],
    ['other-key', 'quotes', 'the key with quotes around it', `"${key}"`],
    ['other-key', 'quotes', 'the key with quotes around it', `'${key}'`],
    ['other-key', 'twice', 'the key twice', key + key],
    ['other-key', 'no-dashes', 'the key without its dashes', key.replaceAll('-', '')],
    ['other-key', 'bytes-printed', "the key as Python prints bytes, b'…'", asBytesLiteral(key)],
    ['other-key', 'base64', 'the key as Base64', Buffer.from(key, 'utf8').toString('base64')],
    ['other-key', 'hex', 'the key in hexadecimal', Buffer.from(key, 'utf8').toString('hex')],
    ...['md5', 'sha1', 'sha256'].map(
      (hash) =>
        [
          'other-key',
          `${hash}-of-key`,
          `the ${hash.toUpperCase()} of the key`,
          createHash(hash).update(key, 'utf8').digest('hex'),
        ] as const,
    ),
    ...['undefined', 'null', 'None', 'NULL', 'nil'].map(
      (word) => ['other-key', 'word', `${word} in place of the key`, word] as const,
    ),
    ['upper-case', 'key', 'the key in upper case', key.toUpperCase()],
    ['upper-case', 'key-lower', 'the key in lower case', key.toLowerCase()],
  ];
  return rows.map(([name, variant, detail, text]) => ({ mistake: { name, variant, detail }, key: text }));
}

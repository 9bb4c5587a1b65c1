import { createHash, createHmac } from 'node:crypto';
import type { ControlEncoding } from '../schemes/control-checksum.js';
import { controlValueMistakes, type Slot } from './control-value-mistakes.js';
import { type ControlCase, type ControlMistakeName, type Mistake, permutations } from './diagnosis.js';
import { bytesAs, type Charset } from './encoding-mutations.js';

/** How a checksum is made. */
export interface ChecksumSteps {
  readonly values: (slots: readonly Slot[]) => readonly Slot[];
  readonly order: (slots: readonly Slot[]) => readonly Slot[];
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
    ...hashMistakes,
    ...charsetMistakes,
  ];
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
  const hex = (digest: Buffer) => digest.toString('hex');
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
    fault('base64', 'no-padding', 'the checksum as Base64 without the = at its end', (digest) =>
      digest.toString('base64').replace(/=+$/, ''),
    ),
  ];
}

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
    ['upper-case', 'key', 'the key in upper case', key.toUpperCase()],
    ['upper-case', 'key-lower', 'the key in lower case', key.toLowerCase()],
  ];
  return rows.map(([name, variant, detail, text]) => ({ mistake: { name, variant, detail }, key: text }));
}

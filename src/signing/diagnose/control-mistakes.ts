import { createHash } from 'node:crypto';
import { bodyMistakes } from './control-body-mistakes.js';
import { encodingMistakes, hashMistakes, writingMistakes } from './control-digest-mistakes.js';
import { joinMistakes } from './control-join-mistakes.js';
import { spareValueMistakes } from './control-spare-mistakes.js';
import { type ChecksumSteps, nameOfSlot, type StepMistake } from './control-steps.js';
import { controlValueMistakes, type Slot, setTo } from './control-value-mistakes.js';
import { type ControlCase, type ControlMistakeName, type Mistake, permutations } from './diagnosis.js';
import { bytesAs, type Charset } from './encoding-mutations.js';

/** Every single mistake but another order, likeliest first. */
export function singleMistakes(given: ControlCase): StepMistake[] {
  return [
    ...controlValueMistakes(given).map(({ mistake, change }) => ({ mistake, steps: { values: change } })),
    ...lastValueMistakes(given),
    ...controlKeyMistakes(given).map(({ mistake, key }) => ({
      mistake,
      steps: { key },
    })),
    ...encodingMistakes(given),
    ...writingMistakes,
    ...hashMistakes,
    ...charsetMistakes,
    ...textMistakes,
    ...[
      ...joinMistakes,
      ...spareValueMistakes(given).map(({ mistake, change }) => ({ mistake, steps: { values: change } })),
      ...bodyMistakes(given),
    ].map((spare) => ({ ...spare, isSpare: true })),
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

const charsetMistakes: readonly StepMistake[] = (
  [
    ['latin-1', 'Latin-1'],
    ['low-bytes', 'the low bytes of its characters'],
    ['windows-1252', 'Windows-1252'],
    ['byte-by-byte', 'UTF-8 read as Latin-1 and encoded again'],
    ['ascii', 'ASCII, with ? for everything else'],
    ['utf-16le', 'UTF-16 (little-endian)'],
    ['utf-16be', 'UTF-16 (big-endian)'],
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

/** What stands behind the last value stands before the key as well: the same bytes, so both are named. */
function lastValueMistakes({ slots }: ControlCase): StepMistake[] {
  const last = slots.at(-1);
  if (last === undefined || last.value === '') return [];
  return blanksBetween.map(([, words, mark]) => ({
    mistake: {
      name: nameOfSlot[last.name] ?? 'orderid-text',
      variant: 'value-line-end',
      detail: `${last.wire} signed with ${words} after it, as read from a line; it must be signed as it is sent`,
    },
    steps: { values: setTo(last.name, last.value + mark) },
  }));
}

const blanksBetween = [
  ['line-feed-before', 'a line feed', '\n'],
  ['crlf-before', 'a carriage return and a line feed', '\r\n'],
  ['carriage-return-before', 'a carriage return', '\r'],
  ['blank', 'a space', ' '],
  ['tab-before', 'a tab', '\t'],
] as const;

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
    ...blanksBetween.map(
      ([variant, words, mark]) => ['key-whitespace', variant, `${words} before the key`, mark + key] as const,
    ),
    ['key-whitespace', 'blanks', 'spaces at both ends of the key', ` ${key} `],
    ['key-whitespace', 'tab', 'a tab after the key', `${key}\t`],
    ['key-whitespace', 'byte-order-mark', 'a byte order mark before the key', `\uFEFF${key}`],
    ['key-whitespace', 'trimmed', 'spaces or line breaks around the key stripped', key.trim()],
    ['key-whitespace', 'trimmed-end', 'spaces or line breaks after the key stripped', key.trimEnd()],
    ...otherKeys.map((other) => ['other-key', 'profile', `the control key of ${other.name}`, other.key] as const),
    ['other-key', 'none', 'no key at all', ''],
    ['other-key', 'login', 'the login in place of the key', login],
    ['other-key', 'quotes', 'the key with quotes around it', `"${key}"`],
    ['other-key', 'quotes', 'the key with quotes around it', `'${key}'`],
    ['key-whitespace', 'zero', 'a zero byte after the key', `${key}\0`],
    ['other-key', 'twice', 'the key twice', key + key],
    ['other-key', 'no-dashes', 'the key without its dashes', key.replaceAll('-', '')],
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

import { type ChecksumSteps, type StepMistake, step } from './control-steps.js';
import type { ControlCase } from './diagnosis.js';
import { escapes } from './writings/escapes.js';
import { crc32 } from './writings/hash-functions.js';
import { encodedBy, percentEncoders } from './writings/percent-encoders.js';
import { blanks, cases, letters, printedBytes, wrappings } from './writings/texts.js';
import { otherCharacters } from './writings/value-changes.js';
import { formats, partsOfValues, replacedCharacters } from './writings/value-texts.js';
import { distinctWritings, type Writing, writing } from './writings/writing.js';

/** What programs do to the whole text before it is hashed, and what they put around it. */
export function* wholeTextMistakes(given: ControlCase): Generator<StepMistake> {
  yield* writtenTexts(given);
  yield* lengthsBefore();
  yield* lines();
  yield* shortHashes();
}

const due = 'it must be the values and the key as they are';

function* writtenTexts({ slots, key }: ControlCase): Generator<StepMistake> {
  const values = slots.map(({ value }) => value).join('');
  const list = [
    ...[...printedBytes, ...wrappings, ...escapes(), ...formats, ...letters, ...blanks, ...cases],
    ...[...partsOfValues, ...replacedCharacters, ...otherCharacters],
    ...percentEncoders.map((encoder) =>
      writing('percent-encoded', `encoded as by ${encoder.of}`, (text) => encodedBy(encoder, text)),
    ),
  ] satisfies readonly Writing[];
  for (const { variant, detail, write } of distinctWritings(list, [values + key])) {
    // To hash a hash of the whole text is a mistake of the digest.
    const [name, its] = variant.endsWith('-of-it')
      ? (['digest', variant] as const)
      : (['charset', `text-${variant}`] as const);
    yield step(name, its, `the text of the values and the key hashed ${detail}; ${due}`, {
      bytes: (text) => Buffer.from(write(text)),
    });
  }
  for (const { variant, detail, write } of distinctWritings(list, [values]))
    yield step('charset', `text-${variant}`, `the joined values signed ${detail}; ${due}`, {
      join: (all, itsKey) => write(all.join('')) + itsKey,
    });
  for (const { variant, detail, write } of distinctWritings(list, [...slots.map(({ value }) => value), key]))
    yield step('charset', `text-${variant}`, `each value and the key signed ${detail}; ${due}`, {
      join: (all, itsKey) => [...all, itsKey].map(write).join(''),
    });
}

/** As binary protocols and signatures of other gateways have it. */
function* lengthsBefore(): Generator<StepMistake> {
  const binary = (size: number, isLittle: boolean) => (length: number) => {
    const out = Buffer.alloc(size);
    if (isLittle) out.writeUIntLE(length % 256 ** size, 0, size);
    else out.writeUIntBE(length % 256 ** size, 0, size);
    return out;
  };
  const detail = 'its length signed before';
  for (const [size, isLittle] of [
    [2, false],
    [4, false],
    [1, false],
    [4, true],
    [2, true],
  ] as const) {
    const before = (text: Buffer) => Buffer.concat([binary(size, isLittle)(text.length), text]);
    yield step('charset', 'length-before', `${detail} the text, in ${size} bytes; ${due}`, {
      bytes: (text) => before(Buffer.from(text)),
    });
    const each = (text: string) => binary(size, isLittle)(Buffer.byteLength(text)).toString('latin1') + text;
    yield* ofEach(`in ${size} bytes`, each);
  }
  for (const mark of ['', ':', ' ', '|', '-'])
    for (const [unit, lengthOf] of [
      ['bytes', (text: string) => Buffer.byteLength(text)],
      ['characters', (text: string) => text.length],
    ] as const)
      yield* ofEach(`in ${unit}`, (text) => lengthOf(text) + mark + text);
  yield* ofEach('as a netstring', (text) => `${Buffer.byteLength(text)}:${text},`);
}

function* ofEach(where: string, write: (text: string) => string): Generator<StepMistake> {
  const lengths = (of: string, join: ChecksumSteps['join']) =>
    step('order', 'length-before', `the length of ${of} signed before it, ${where}; ${due}`, { join });
  yield lengths('each value', (list, key) => list.map(write).join('') + key);
  yield lengths('each value and of the key', (list, key) => [...list, key].map(write).join(''));
  yield lengths('each value that is not empty', (list, key) => {
    return list.map((value) => (value === '' ? '' : write(value))).join('') + key;
  });
  yield lengths('the values together', (list, key) => write(list.join('')) + key);
  yield lengths('the values and the key together', (list, key) => write(list.join('') + key));
}

/** A template of several lines, with blanks before each. */
function* lines(): Generator<StepMistake> {
  for (const end of ['\n', '\r\n'])
    for (const indent of ['  ', '    ', '\t', '      ', '        ', '\t\t', '            ', '', ' ', '   ', '\t\t\t'])
      for (const before of indent === '' ? [end] : [indent, end + indent, ''])
        for (const [after, words] of [
          ['', ''],
          [end, ', with a line end after the last'],
          [end + indent.slice(0, indent.length / 2), ', with a line end after the last'],
        ] as const)
          for (const [what, join] of [
            [
              'values and the key',
              (list: readonly string[], key: string) => before + [...list, key].join(end + indent) + after,
            ],
            ['values', (list: readonly string[], key: string) => before + list.join(end + indent) + after + key],
          ] as const)
            yield step(
              'order',
              'lines',
              `the ${what} signed on lines of their own${words}, with the spaces before them; they must be joined with nothing in between`,
              { join },
            );
}

/** Hashes of 32 bits, written in the usual ways. */
function* shortHashes(): Generator<StepMistake> {
  for (const [variant, words, hash] of shortHashNames)
    for (const [written, write] of shortHashWritings)
      yield step('digest', variant, `${words} used, ${written}; it must be a plain SHA-1 over the values and the key`, {
        hash: (text) => {
          const out = Buffer.alloc(4);
          out.writeInt32BE(hash(text) | 0);
          return out;
        },
        write,
      });
}

const shortHashNames: readonly (readonly [variant: string, words: string, hash: (text: Buffer) => number])[] = [
  ['hash-code', "Java's hashCode", (text) => sumOf(text.toString('utf8'), 0, (sum, unit) => Math.imul(sum, 31) + unit)],
  [
    'hash-code',
    "Java's hashCode over bytes",
    (text) => {
      return [...new Int8Array(text)].reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 1);
    },
  ],
  ['crc32', 'CRC-32', (text) => crc32(text).readInt32BE()],
  ['adler32', 'Adler-32', adler32],
  ['fnv', '32-bit FNV-1a', (text) => text.reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 0x811c9dc5 | 0)],
  ['fnv', 'FNV-1 of 32 bits', (text) => text.reduce((sum, byte) => Math.imul(sum, 0x01000193) ^ byte, 0x811c9dc5 | 0)],
  ['djb2', 'the djb2 hash', (text) => text.reduce((sum, byte) => (Math.imul(sum, 33) + byte) | 0, 5381)],
];

function sumOf(text: string, start: number, add: (sum: number, unit: number) => number): number {
  let sum = start;
  for (let at = 0; at < text.length; at += 1) sum = add(sum, text.charCodeAt(at)) | 0;
  return sum;
}

function adler32(text: Buffer): number {
  let [one, other] = [1, 0];
  for (const byte of text) {
    one = (one + byte) % 65521;
    other = (other + one) % 65521;
  }
  return (other << 16) | one;
}

const shortHashWritings: readonly (readonly [words: string, write: ChecksumSteps['write']])[] = [
  ['in hexadecimal', (digest) => digest.readUInt32BE().toString(16)],
  ['in hexadecimal', (digest) => digest.toString('hex')],
  ['in upper-case hexadecimal', (digest) => digest.toString('hex').toUpperCase()],
  ['in upper-case hexadecimal', (digest) => digest.readUInt32BE().toString(16).toUpperCase()],
  ['as a decimal number', (digest) => String(digest.readInt32BE())],
  ['as a decimal number without a sign', (digest) => String(digest.readUInt32BE())],
  ['with its last byte first', (digest) => Buffer.from(digest).reverse().toString('hex')],
];

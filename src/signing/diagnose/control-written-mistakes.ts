import { createHmac } from 'node:crypto';
import { decimalText } from '../../wire/amount.js';
import { decodedOrSame } from '../../wire/form.js';
import { bodyMistakes } from './control-body-mistakes.js';
import { knownWordMistakes } from './control-known-words.js';
import { otherValueMistakes } from './control-other-values.js';
import { printedControls } from './control-printed-mistakes.js';
import { type ChecksumSteps, nameOfSlot, type StepMistake, step } from './control-steps.js';
import { wholeTextMistakes } from './control-text-mistakes.js';
import { digitsBetween } from './control-value-mistakes.js';
import type { ControlCase, ControlMistakeName } from './diagnosis.js';
import { byRank } from './ranked.js';
import { textBytes } from './writings/charset-bytes.js';
import { digestWritings } from './writings/digests.js';
import { escapes } from './writings/escapes.js';
import { crc32, hashOf, rareHashes } from './writings/hash-functions.js';
import { keyWritings, printedTypes, rareKeyWritings, uuidBytes } from './writings/keys.js';
import { nothingWords, shownWord } from './writings/nothing.js';
import { numberSpellings } from './writings/numbers.js';
import { otherCharsets } from './writings/other-charsets.js';
import { otherHashes } from './writings/other-hashes.js';
import { encodedBy, percentEncoders } from './writings/percent-encoders.js';
import { bytesOfText, textOfBytes } from './writings/raw-bytes.js';
import { blanks, cases, letters, printedBytes, wrappings } from './writings/texts.js';
import { cutValues, otherCharacters } from './writings/value-changes.js';
import {
  formats,
  mailsOfValues,
  numbersOfValues,
  partsOfValues,
  replacedCharacters,
  slugs,
  transliterations,
} from './writings/value-texts.js';
import { distinctWritings, type Writing, writing } from './writings/writing.js';

/** What clients make of values, of the key and of the digest: many ways, for when no likelier mistake explains it. */
export function* writtenMistakes(given: ControlCase): Generator<StepMistake> {
  yield* digests();
  yield* hashes();
  yield* bytes();
  yield* keys(given);
  yield* printedControls(given);
  yield* bodyMistakes(given);
  yield* otherValueMistakes(given);
  yield* amounts(given);
  yield* nothings(given);
  yield* values(given);
  yield* valuesInCharsets(given);
  yield* knownWordMistakes(given);
  yield* wholeTextMistakes(given);
}

function* digests(): Generator<StepMistake> {
  for (const { variant, detail, write } of digestWritings())
    yield step('digest', `written-${variant}`, `the checksum written ${detail}; it must be the bare checksum`, {
      write,
    });
}

function* hashes(): Generator<StepMistake> {
  const hashed = (variant: string, detail: string, hash: ChecksumSteps['hash']) =>
    step('digest', variant, `${detail}; it must be a plain SHA-1 over the values and the key`, { hash });
  yield hashed(
    'appended',
    'the text followed by the SHA-1 of an empty input, as Sum(text) of a Go hash returns it',
    (text) => Buffer.concat([text, hashOf('sha1')]),
  );
  yield hashed('of-nothing', 'the SHA-1 of an empty input', () => hashOf('sha1'));
  yield hashed('crc32', 'a CRC', (text) => crc32(text));
  for (const name of ['sha1', 'sha256', 'md5', 'sha512', ...rareHashes]) {
    const words = name.toUpperCase();
    yield hashed(name, `${words} used`, (text) => hashOf(name, text));
    yield hashed(`${name}-of-hash`, `the ${words} of the SHA-1`, (text) => hashOf(name, hashOf('sha1', text)));
    yield hashed(`${name}-of-hash`, `the ${words} of the SHA-1 in hexadecimal`, (text) =>
      hashOf(name, hashOf('sha1', text).toString('hex')),
    );
    yield hashed(`hmac-${name}`, `an HMAC with ${words} over the values, with the key`, (_, { string, key }) =>
      createHmac(name, key).update(string).digest(),
    );
    yield hashed(
      `hmac-${name}`,
      `an HMAC with ${words} over the key, with the values as its key`,
      (_, { string, key }) => createHmac(name, string).update(key).digest(),
    );
    yield hashed(`hmac-${name}`, `an HMAC with ${words} over the values and the key`, (text, { key }) =>
      createHmac(name, key).update(text).digest(),
    );
    yield hashed('no-key', `the ${words} of the values, without the key`, (_, { string }) => hashOf(name, string));
    yield hashed('text-twice', `the text given to the ${words} twice`, (text) => hashOf(name, text, text));
  }
  yield* hashesOfHashes();
  for (const { variant, words, of, withKey } of otherHashes) {
    yield hashed(variant, `${words} used`, (text) => of(text));
    yield hashed(`hmac-${variant}`, `${words} with the key used`, (_, { string, key }) =>
      withKey(Buffer.from(string), Buffer.from(key)),
    );
    yield hashed('no-key', `${words} of the values, without the key`, (_, { string }) => of(Buffer.from(string)));
  }
}

const chained = ['sha1', 'md5', 'sha256', 'sha512'];
const digestTexts: readonly (readonly [words: string, write: (digest: Buffer) => string | Buffer])[] = [
  ['', (digest) => digest],
  [' in hexadecimal', (digest) => digest.toString('hex')],
  [' in upper-case hexadecimal', (digest) => digest.toString('hex').toUpperCase()],
  [' as Base64', (digest) => digest.toString('base64')],
  [' in hexadecimal with a line feed', (digest) => `${digest.toString('hex')}\n`],
];

/** A hash of all, of the values, of the key or of each of both, hashed once more in each of its writings. */
function* hashesOfHashes(): Generator<StepMistake> {
  for (const outer of chained)
    for (const inner of chained)
      for (const [written, write] of digestTexts) {
        const again = (...texts: readonly (string | Uint8Array)[]) => write(hashOf(inner, ...texts));
        const hashed = (variant: string, what: string, hash: ChecksumSteps['hash']) =>
          step(
            outer === 'sha1' && variant.endsWith('-of-key') ? 'other-key' : 'digest',
            variant,
            `the ${outer.toUpperCase()} of ${what}; it must be a plain SHA-1 over the values and the key`,
            { hash },
          );
        const digest = `the ${inner.toUpperCase()}${written} of the`;
        const twice = outer === inner ? 'twice' : `${outer}-of-${inner}`;
        yield hashed(twice, `${digest} values and the key`, (text) => hashOf(outer, again(text)));
        yield hashed('values-hashed-before', `${digest} values, with the key after it`, (_, { string, key }) =>
          hashOf(outer, again(string), key),
        );
        yield hashed('values-hashed-before', `${digest} values, with the key before it`, (_, { string, key }) =>
          hashOf(outer, key, again(string)),
        );
        yield hashed('values-hashed-before', `${digest} values and that of the key`, (_, { string, key }) =>
          hashOf(outer, again(string), again(key)),
        );
        yield hashed(`${inner}-of-key`, `the values and ${digest} key`, (_, { string, key }) =>
          hashOf(outer, string, again(key)),
        );
        yield hashed(`${inner}-of-key`, `${digest} key and the values`, (_, { string, key }) =>
          hashOf(outer, again(key), string),
        );
      }
}

function* bytes(): Generator<StepMistake> {
  for (const [variant, detail, bytesOf] of [...textBytes, ...otherCharsets])
    yield step('charset', variant, `the text hashed as ${detail}; it must be UTF-8 (A02)`, { bytes: bytesOf });
}

function* keys({ key }: ControlCase): Generator<StepMistake> {
  const other = (variant: string, detail: string, text: string) =>
    step(
      /^(?:trimmed|line-end|byte-order-mark)$/.test(variant) ? 'key-whitespace' : 'other-key',
      `key-${variant}`,
      detail,
      { key: text },
    );
  for (const { variant, detail, written } of distinctWritings([...keyWritings(), ...rareKeyWritings()], [key]))
    yield other(variant, `the key ${detail}; it must be used as it was given`, written[0] ?? '');
  for (const word of [...printedTypes, ...nothingWords])
    yield other('word', `${shownWord(word)} instead of the key`, word);
  for (const binary of uuidBytes(key)) {
    const hash: ChecksumSteps['hash'] = (_, { string }) => hashOf('sha1', string, binary);
    yield step('other-key', 'key-uuid', 'the bytes of the UUID that the key is', { hash });
    yield other('uuid', 'the bytes of the UUID that the key is, as text', binary.toString('latin1'));
    yield other('uuid', 'the bytes of the UUID that the key is, as text', binary.toString('utf8'));
  }
  const decoded = Buffer.from(key, 'base64');
  yield step('other-key', 'key-base64-decoded', 'the key decoded as Base64; it must be used as text', {
    hash: (_, { string }) => hashOf('sha1', string, decoded),
  });
}

function* amounts({ slots, amountText, currency = '' }: ControlCase): Generator<StepMistake> {
  const minor = slots.find(({ name }) => name === 'amount')?.value ?? '';
  if (!/^\d+$/.test(minor)) return;
  const full = decimalText(BigInt(minor), digitsBetween(amountText ?? minor, minor));
  const spelled = [full, minor].flatMap((text) =>
    numberSpellings(text, currency).map(([variant, detail, written]) => {
      const words = text === minor ? 'the minor units' : 'the amount';
      return { words, variant, detail, written };
    }),
  );
  // So that the likeliest of both come first in each variant.
  for (const { words, variant, detail, written } of byRank(spelled, (each) => `${each.words} ${each.variant}`))
    if (written !== minor)
      yield step(
        'decimal-amount',
        `number-${variant}`,
        `${words} signed ${detail}; it must be in minor units, without a point`,
        setTo('amount', written),
      );
}

function setTo(slot: string, value: string): Partial<ChecksumSteps> {
  return { values: (slots) => slots.map((each) => (each.name === slot ? { ...each, value } : each)) };
}

function* nothings({ slots }: ControlCase): Generator<StepMistake> {
  for (const { name, wire, value } of slots)
    for (const word of nothingWords)
      if (word !== value)
        yield step(
          nameOfSlot[name] ?? 'orderid-text',
          'word',
          `${wire} signed as ${JSON.stringify(word)}; it must be signed as it is sent`,
          setTo(name, word),
        );
}

const groups: readonly { readonly name: ControlMistakeName; readonly list: readonly Writing[] }[] = [
  { name: 'charset', list: escapes() },
  {
    name: 'charset',
    list: [
      writing('decoded', 'with + as a space, as decoding a form does', (text) => text.replaceAll('+', ' ')),
      writing('decoded', 'percent-decoded', decodedOrSame),
      writing('decoded', 'decoded as a form', (text) => decodedOrSame(text.replaceAll('+', ' '))),
    ],
  },
  { name: 'orderid-text', list: blanks },
  { name: 'charset', list: letters },
  { name: 'upper-case', list: cases },
  { name: 'charset', list: wrappings },
  { name: 'charset', list: printedBytes },
  {
    name: 'charset',
    list: percentEncoders.map((encoder) =>
      writing('percent-encoded', `encoded as by ${encoder.of}`, (text) => encodedBy(encoder, text)),
    ),
  },
  { name: 'missing-email', list: mailsOfValues },
  { name: 'charset', list: [...replacedCharacters, ...otherCharacters, ...formats] },
  { name: 'charset', list: [...transliterations, ...slugs([...letters, ...transliterations])] },
  { name: 'orderid-text', list: [...numbersOfValues, ...partsOfValues, ...cutValues] },
];

/** All values in each of the writings, then one alone. */
function* values({ slots }: ControlCase): Generator<StepMistake> {
  const all = slots.map(({ value }) => value);
  for (const { name, list } of groups)
    for (const { variant, detail, written, write } of distinctWritings(list, all)) {
      const texts = new Map(all.map((value, at) => [value, written[at]]));
      yield step(name, `values-${variant}`, `the values signed ${detail}; they must be signed as they are sent`, {
        // Beside another mistake a value is another than was sent.
        values: (given) => given.map((slot) => ({ ...slot, value: texts.get(slot.value) ?? write(slot.value) })),
      });
    }
  for (const { name: slot, wire, value } of slots)
    for (const { name, list } of groups)
      for (const { variant, detail, written } of distinctWritings(list, [value]))
        yield step(
          name === 'upper-case' ? name : (nameOfSlot[slot] ?? 'orderid-text'),
          `value-${variant}`,
          `${wire} signed ${detail}; it must be signed as it is sent`,
          setTo(slot, written[0] ?? ''),
        );
}

/** One value in a charset of its own, as a database or a file has it, or cut inside of a character. */
function* valuesInCharsets({ slots }: ControlCase): Generator<StepMistake> {
  for (const { name, wire, value } of slots) {
    const length = Buffer.byteLength(value);
    if (length === value.length) continue;
    const raw = (variant: string, detail: string, bytes: Uint8Array) =>
      step('charset', variant, `${wire} signed ${detail}; it must be signed as it is sent, in UTF-8 (A02)`, {
        ...setTo(name, textOfBytes(bytes)),
        bytes: bytesOfText,
      });
    for (const [variant, detail, bytesOf] of [...textBytes, ...otherCharsets])
      yield raw(`value-${variant}`, `as ${detail}`, bytesOf(value));
    for (let at = 1; at < length; at += 1)
      yield raw('value-cut', `cut to its first ${at} bytes`, Buffer.from(value).subarray(0, at));
  }
}

import { createHash, createHmac } from 'node:crypto';
import { type ChecksumSteps, type StepMistake, writers } from './control-steps.js';
import type { ControlCase, ControlMistakeName } from './diagnosis.js';
import { unpaddedHex } from './signature-writings.js';

const hex = (digest: Buffer) => digest.toString('hex');

/**
 * The checksum written in an encoding that the gateway does not expect: another one of those the assumption A01 allows,
 * or a variant of one.
 */
export function encodingMistakes({ encoding }: ControlCase): StepMistake[] {
  const wrong = (
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
      ? wrong('upper-case', 'digest-lower', 'the checksum in lower-case hexadecimal; it must be upper case (A01)', hex)
      : wrong(
          'upper-case',
          'digest',
          'the checksum in upper-case hexadecimal; it must be lower case (A01)',
          writers['hex-upper'],
        ),
    wrong('base64', 'digest', 'the checksum as Base64; it must be hexadecimal (A01)', writers.base64),
    wrong('base64', 'hex', 'the checksum in hexadecimal; it must be Base64 (A01)', hex),
    wrong('base64', 'of-hex', 'the hexadecimal checksum encoded as Base64', (digest) =>
      Buffer.from(hex(digest)).toString('base64'),
    ),
    wrong('base64', 'url-safe', 'the checksum as URL-safe Base64', (digest) => digest.toString('base64url')),
    wrong('base64', 'url-safe-padded', 'the checksum as URL-safe Base64', (digest) =>
      digest.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
    ),
    wrong(
      'base64',
      'line-end',
      'the checksum as Base64 with a line feed',
      (digest) => `${digest.toString('base64')}\n`,
    ),
    wrong('base64', 'bytes-printed', "the checksum as Base64, printed by Python as b'…'", (digest) =>
      asPythonBytes(digest.toString('base64')),
    ),
    wrong('base64', 'no-padding', 'the checksum as Base64 without the = at its end', (digest) =>
      digest.toString('base64').replace(/=+$/, ''),
    ),
  ];
}

const asPythonBytes = (text: string) => `b'${text}'`;
const withSeparator = (digits: string, separator: string) => (digits.match(/../g) ?? []).join(separator);

function writingMistake(variant: string, detail: string, write: ChecksumSteps['write']): StepMistake {
  return { mistake: { name: 'digest', variant, detail: `${detail}; it must be the bare checksum` }, steps: { write } };
}

/** The checksum written in a way that no gateway of this kind uses. */
export const writingMistakes: readonly StepMistake[] = [
  writingMistake('bytes-printed', "the checksum printed by Python as b'…'", (digest) => asPythonBytes(hex(digest))),
  writingMistake('quoted', 'the checksum with quotes around it', (digest) => JSON.stringify(hex(digest))),
  writingMistake('line-end', 'the checksum with a line feed after it', (digest) => `${hex(digest)}\n`),
  writingMistake('prefix-0x', '0x before the checksum', (digest) => `0x${hex(digest)}`),
  writingMistake('hex-unpadded', 'the leading zero of each byte left out', unpaddedHex.write),
  writingMistake('sha1sum-line', 'the whole line of sha1sum', (digest) => `${hex(digest)}  -`),
  writingMistake('openssl-line', 'the whole line of openssl dgst', (digest) => `SHA1(stdin)= ${hex(digest)}`),
  ...(['-', ':', ' '] as const).flatMap((mark) => [
    writingMistake('hex-marked', `${mark} between the bytes of the checksum`, (digest) =>
      withSeparator(hex(digest), mark),
    ),
    writingMistake('hex-marked', `${mark} between the bytes of the checksum, in upper case`, (digest) =>
      withSeparator(hex(digest).toUpperCase(), mark),
    ),
  ]),
];

const hashMistake = (variant: string, detail: string, hash: ChecksumSteps['hash']): StepMistake => ({
  mistake: { name: 'digest', variant, detail: `${detail}; it must be a plain SHA-1 over the values and the key` },
  steps: { hash },
});

/** Another hash function, or SHA-1 used in another way. */
export const hashMistakes: readonly StepMistake[] = [
  ...['md5', 'sha256', 'sha512', 'sha384', 'sha224'].map((name) =>
    hashMistake(name, `${name.toUpperCase()} used`, (bytes) => createHash(name).update(bytes).digest()),
  ),
  ...['sha1', 'sha256', 'md5'].map((name) =>
    hashMistake(`hmac-${name}`, `an HMAC with ${name.toUpperCase()} used`, (_, { string, key }) =>
      createHmac(name, key).update(string, 'utf8').digest(),
    ),
  ),
  hashMistake('hmac-sha1', 'an HMAC over the values and the key', (bytes, { key }) =>
    createHmac('sha1', key).update(bytes).digest(),
  ),
  hashMistake('twice', 'hashed twice', (bytes) =>
    createHash('sha1').update(createHash('sha1').update(bytes).digest('hex')).digest(),
  ),
  hashMistake('twice', 'hashed twice', (bytes) =>
    createHash('sha1').update(createHash('sha1').update(bytes).digest()).digest(),
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

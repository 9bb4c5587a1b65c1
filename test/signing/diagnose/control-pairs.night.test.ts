import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ControlCase, diagnoseControl } from '../../../src/signing/diagnose/index.js';
import { sha1 } from './signer.js';

const key = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const raw = (text: string | Buffer, hash = 'sha1') => createHash(hash).update(text).digest();
const values = { endpointId: '4001', clientOrderId: 'Order-1', amount: '1050', email: 'Jane@example.com' };
const sale: ControlCase = {
  ...{ key, encoding: 'hex-lower', login: 'Shop', endpointId: '4001' },
  slots: Object.entries(values).map(([name, value]) => ({ name, wire: name, value })),
  body: [
    ['amount', '10.5'],
    ['currency', 'USD'],
    ['email', 'Jane@example.com'],
  ],
  otherEndpoints: ['5005', 'group-9'],
  otherKeys: [{ name: 'profile test', key: 'OTHER-KEY' }],
};

interface Steps {
  readonly values: Readonly<Record<string, string>>;
  readonly key: string;
  readonly join: (values: readonly string[], key: string) => string;
  readonly hash: (text: string) => Buffer;
  readonly write: (digest: Buffer) => string;
}
const steps: Steps = {
  values,
  key,
  join: (values, own) => values.join('') + own,
  hash: (text) => raw(text),
  write: (digest) => digest.toString('hex'),
};
const value = (name: string, text: string) => (made: Steps) => ({ ...made, values: { ...made.values, [name]: text } });
const gone = (name: string) => (made: Steps) => {
  const { [name]: _, ...values } = made.values;
  return { ...made, values };
};
const joined = (join: Steps['join']) => (made: Steps) => ({ ...made, join });
const withKey = (own: string) => (made: Steps) => ({ ...made, key: own });
const hashing = (hash: Steps['hash']) => (made: Steps) => ({ ...made, hash });
const written = (write: Steps['write']) => (made: Steps) => ({ ...made, write });

/** What it changes, its name, and how. Two that change the same cannot be made at once. */
const commonest: readonly (readonly [step: string, name: string, change: (made: Steps) => Steps])[] = [
  ['amount', 'decimal-amount as-sent', value('amount', '10.5')],
  ['amount', 'decimal-amount full', value('amount', '10.50')],
  ['amount', 'decimal-amount whole', value('amount', '10.00')],
  ['amount', 'decimal-amount comma', value('amount', '10,50')],
  ['email', 'missing-email left-out', gone('email')],
  ['email', 'upper-case email-lower', value('email', 'jane@example.com')],
  ['owner', 'endpoint-login exchanged', value('endpointId', 'Shop')],
  ['owner', 'endpoint-group other', value('endpointId', '5005')],
  ['owner', 'endpoint-login left-out', gone('endpointId')],
  ['id', 'orderid-text left-out', gone('clientOrderId')],
  ['join', 'order permuted', joined(([a = '', b = '', ...rest], own) => [b, a, ...rest].join('') + own)],
  ['join', 'order permuted', joined(([a = '', b = '', c = '', d = ''], own) => [a, b, d, c].join('') + own)],
  ['join', 'order key-first', joined((values, own) => own + values.join(''))],
  ['join', 'order key-inside', joined(([a = '', ...rest], own) => [a, own, ...rest].join(''))],
  ['join', 'order separator-dash', joined((values, own) => [...values, own].join('-'))],
  ['join', 'order separator-pipe', joined((values, own) => [...values, own].join('|'))],
  ['join', 'order separator-comma', joined((values, own) => [...values, own].join(','))],
  ['key', 'key-whitespace line-feed', withKey(`${key}\n`)],
  ['key', 'key-whitespace crlf', withKey(`${key}\r\n`)],
  ['key', 'key-whitespace blank', withKey(`${key} `)],
  ['key', 'other-key quotes', withKey(`"${key}"`)],
  ['key', 'upper-case key-lower', withKey(key.toLowerCase())],
  ['key', 'other-key profile', withKey('OTHER-KEY')],
  ['key', 'other-key none', withKey('')],
  ['hash', 'digest md5', hashing((text) => raw(text, 'md5'))],
  ['hash', 'digest sha256', hashing((text) => raw(text, 'sha256'))],
  ['hash', 'digest twice', hashing((text) => raw(sha1(text)))],
  ['write', 'upper-case digest', written((digest) => digest.toString('hex').toUpperCase())],
  ['write', 'base64 digest', written((digest) => digest.toString('base64'))],
  ['write', 'base64 of-hex', written((digest) => Buffer.from(digest.toString('hex')).toString('base64'))],
];
const make = ({ values, key: own, join, hash, write }: Steps) => write(hash(join(Object.values(values), own)));
// Without a key there is none to be first or inside.
const isNothing = (one: (made: Steps) => Steps, other: (made: Steps) => Steps) =>
  [make(one(steps)), make(other(steps))].includes(make(other(one(steps))));

test.each(
  commonest.flatMap(([step, one, change], at) =>
    commonest
      .slice(at + 1)
      .filter(([other, , second]) => other !== step && !isNothing(change, second))
      .map(([, other, second]) => [one, other, change, second] as const),
  ),
)('both at once: %s, %s', (one, other, change, second) => {
  const control = make(second(change(steps)));
  expect(
    diagnoseControl(sale, { control })
      .mistakes.map(({ name, variant }) => `${name} ${variant}`)
      .sort(),
  ).toEqual([one, other].sort());
});

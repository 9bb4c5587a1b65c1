import { constants, createHash, createHmac, createPublicKey, createSign, privateEncrypt, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { diagnoseOauth, type OauthCase } from '../../../src/signing/diagnose/index.js';
import { rsaPairs } from '../../support/rsa-pairs.js';
import { plain, requestOf, rich } from './orders.js';
import { basePlants, hmacPlants } from './plants.js';
import { baseString, header, hmac, type Order, percent, rsa } from './signer.js';

const fits = { match: true, mistakes: [] };
const names = ({ mistakes }: { readonly mistakes: readonly { readonly name: string; readonly variant: string }[] }) =>
  mistakes.map(({ name, variant }) => `${name} ${variant}`);

test.each([
  ['rich', rich],
  ['plain', plain],
  ['plain with a token', { ...plain, token: 'tk', version: false }],
])('the right signature, base string and header of the %s request fit', (_, order) => {
  const given = requestOf(order);
  for (const theirs of [
    { signature: hmac(order) },
    { baseString: baseString(order) },
    { header: header(order, hmac(order)) },
  ])
    expect(diagnoseOauth(given, theirs)).toMatchObject({ ...fits, signed: baseString(order) });
});

test.each([...basePlants, ...hmacPlants].map((plant) => [plant.name, plant.what, plant] as const))(
  '%s: %s',
  (name, _, { order, steps }) => {
    const found = diagnoseOauth(requestOf(order), { signature: hmac(order, steps) });
    expect(found.mistakes[0]?.name).toBe(name);
    // What is named makes the very text that was signed.
    expect(
      found.signed === undefined ? undefined : hmac({ ...order }, { ...steps, whole: () => found.signed ?? '' }),
    ).toBe(hmac(order, steps));
  },
);

const firstOfEach = basePlants.filter(({ name }, at) => basePlants.findIndex((each) => each.name === name) === at);
test.each(firstOfEach.slice(0, 5).map((plant) => [plant.name, plant.what, plant] as const))(
  'by the base string, %s: %s',
  (name, _, { order, steps }) => {
    expect(diagnoseOauth(requestOf(order), { baseString: baseString(order, steps) }).mistakes[0]?.name).toBe(name);
  },
);

describe('A51: a secret that is not percent-encoded', () => {
  const raw = requestOf(rich, { keyForm: 'raw' });
  const mac = (key: string) => createHmac('sha1', key).update(baseString(rich)).digest('base64');

  test('is right where that is assumed, and encoding it is the mistake', () => {
    expect(diagnoseOauth(raw, { signature: mac(`${rich.secret}&`) }).match).toBe(true);
    expect(names(diagnoseOauth(raw, { signature: mac(`${percent(rich.secret)}&`) }))).toEqual(['signing-key encoded']);
    expect(names(diagnoseOauth(raw, { signature: mac(`${rich.secret}\n&`) }))).toEqual(['signing-key line-feed']);
  });
});

describe('the header', () => {
  const nonces = Array.from({ length: 50 }, (_, at) => ({ ...rich, nonce: `n${at}` }));
  const sent = nonces.find((each) => hmac(each).includes('+')) ?? rich;
  const signature = hmac(sent);
  const right = header(sent, signature);

  test.each<readonly [string, string]>([
    ['header-not-encoded raw', right.replace(percent(signature), signature)],
    ['header-not-encoded twice', right.replace(percent(signature), percent(percent(signature)))],
    [
      'header-not-encoded plus-became-blank',
      right.replace(percent(signature), percent(signature.replaceAll('+', ' '))),
    ],
    ['rsa-key-or-method method', right.replace('HMAC-SHA1', 'HMAC-SHA256')],
  ])('%s', (expected, text) => {
    expect(names(diagnoseOauth(requestOf(rich), { header: text }))[0]).toBe(expected);
  });

  test('of another attempt is compared by its own nonce and timestamp', () => {
    const other = { ...rich, nonce: 'other', timestamp: '1700000500' };
    expect(diagnoseOauth(requestOf(rich), { header: header(other, hmac(other)) }).match).toBe(true);
  });

  test('that is none is refused', () => {
    expect(() => diagnoseOauth(requestOf(rich), { header: 'Basic abc' })).toThrow(/OAuth/);
  });
});

describe('time', () => {
  test('milliseconds are named whether the signature fits or not', () => {
    const theirs = { ...rich, timestamp: '1700000000123' };
    for (const signature of [hmac(theirs), hmac({ ...theirs, consumerKey: 'x' })])
      expect(names(diagnoseOauth(requestOf(theirs), { signature }))).toEqual(['nonce-timestamp milliseconds']);
  });
});

describe('nothing explains', () => {
  const without = (signature: string) => names(diagnoseOauth(requestOf(rich), { signature }));

  test.each<readonly [string, string]>([
    ['a'.repeat(64), 'digest length'],
    [Buffer.alloc(256).toString('base64'), 'rsa-key-or-method rsa'],
    [`${percent(rich.secret)}%26`, 'rsa-key-or-method plaintext'],
  ])('%s: what it shows by itself', (signature, expected) => expect(without(signature)).toEqual([expected]));
});

const order: Order = { ...rich, signatureMethod: 'RSA-SHA256', realm: 'Payouts' };
const nextPair = rsaPairs();
const [pair, other] = [nextPair(), nextPair()];
const known = requestOf(order, { publicKey: createPublicKey(pair.publicKey) });
const base = baseString(order);
const named = (given: OauthCase, signature: string) => names(diagnoseOauth(given, { signature }));
/** A key of test/vectors/keys: making one of this size takes a second. */
const longer = () => readFileSync(new URL('../../vectors/keys/test-rsa-3072.pkcs8.pem', import.meta.url), 'utf8');

test('a right RSA signature fits', () => {
  const signature = rsa(order, pair.privateKey);
  for (const theirs of [{ signature }, { baseString: base }, { header: header(order, signature) }])
    expect(diagnoseOauth(known, theirs)).toMatchObject(fits);
});

test.each(firstOfEach.slice(0, 3).map((plant) => [plant.name, plant.what, plant] as const))(
  'RSA, %s: %s',
  (name, _, plant) => {
    const theirs: Order = { ...plant.order, signatureMethod: 'RSA-SHA256' };
    const given = requestOf(theirs, { publicKey: createPublicKey(pair.publicKey) });
    expect(diagnoseOauth(given, { signature: rsa(theirs, pair.privateKey, plant.steps) }).mistakes[0]?.name).toBe(name);
  },
);

const hashed = createHash('sha256').update(base).digest();
const signedWith = (hash: string, text: string | Buffer = base) =>
  createSign(hash).update(text).sign(pair.privateKey, 'base64');
const sealed = (content: string | Buffer) =>
  privateEncrypt({ key: pair.privateKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(content)).toString(
    'base64',
  );
const pss = (hash: string, saltLength: number) => {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return sign(hash, Buffer.from(base), { key: pair.privateKey, padding, saltLength }).toString('base64');
};
const text = () => rsa(order, pair.privateKey);
const bytes = () => Buffer.from(text(), 'base64');
const rows: readonly (readonly [expected: string, signature: () => string])[] = [
  ['rsa-key-or-method sha1', () => signedWith('RSA-SHA1')],
  ['rsa-key-or-method sha512', () => signedWith('RSA-SHA512')],
  ['rsa-key-or-method pss-sha256', () => pss('sha256', constants.RSA_PSS_SALTLEN_DIGEST)],
  ['rsa-key-or-method bare-hash', () => sealed(hashed)],
  ['digest text-line-feed', () => signedWith('RSA-SHA256', `${base}\n`)],
  ['digest hex', () => bytes().toString('hex')],
  ['digest url-safe', () => bytes().toString('base64url')],
  ['digest percent-encoded', () => percent(text())],
  [
    'digest hex, method GET',
    () => Buffer.from(rsa(order, pair.privateKey, { method: 'GET' }), 'base64').toString('hex'),
  ],
];

test.each(rows)('RSA, %s', (expected, signature) => {
  expect(named(known, signature()).join(', ')).toBe(expected);
});

test('RSA by another kind of key', () => {
  const mac = (key: string, hash = 'sha1') => createHmac(hash, key).update(base).digest('base64');
  expect(named({ ...known, secret: 'control' }, mac('control&'))).toEqual(['rsa-key-or-method hmac']);
  // What the length alone tells, and what the padding does.
  expect(named(known, mac('unknown'))).toEqual(['rsa-key-or-method hmac']);
  expect(named(known, rsa(order, longer()))).toEqual(['rsa-key-or-method other-pair']);
  expect(named(known, rsa(order, other.privateKey))).toEqual(['rsa-key-or-method other-pair']);
});

test('RSA where HMAC is due', () => {
  const signature = rsa(plain, pair.privateKey);
  expect(named(requestOf(plain, { publicKey: createPublicKey(pair.publicKey) }), signature)).toEqual([
    'rsa-key-or-method rsa',
  ]);
  expect(named(requestOf(plain), signature)).toEqual(['rsa-key-or-method rsa']);
});

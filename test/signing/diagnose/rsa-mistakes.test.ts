import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSign,
  privateEncrypt,
  sign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { diffOauth, findOauthMistakes, type OauthCase, signOauthCase } from '../../../src/signing/diagnose/index.js';
import { rsaPairs } from '../../support/rsa-pairs.js';
import { caseOf, plain, rich } from './orders.js';
import { basePlants } from './plants.js';
import { baseString, header, type Order, percent, rsa } from './signer.js';

const order: Order = { ...rich, signatureMethod: 'RSA-SHA256', realm: 'Payouts' };
/** A key of test/vectors/keys: making one of this size takes a second. */
const kept = (bits: '1024' | '3072') =>
  createPrivateKey(readFileSync(new URL(`../../vectors/keys/test-rsa-${bits}.pkcs8.pem`, import.meta.url)));
let pair: { privateKey: string; publicKey: string };
let other: { privateKey: string; publicKey: string };
let known: OauthCase;
let own: OauthCase;

beforeAll(() => {
  const next = rsaPairs();
  [pair, other] = [next(), next()];
  known = caseOf(order, { publicKey: createPublicKey(pair.publicKey) });
  own = caseOf(order, { privateKey: createPrivateKey(pair.privateKey) });
});

const base = baseString(order);
const named = (given: OauthCase, signature: string) =>
  findOauthMistakes(given, signature).mistakes.map(({ name, variant }) => `${name} ${variant}`);

test('a right signature fits, with either half of the key', () => {
  const signature = rsa(order, pair.privateKey);
  expect(signOauthCase(own)).toMatchObject({ baseString: base, signature });
  for (const given of [known, own])
    for (const theirs of [{ signature }, { baseString: base }, { header: header(order, signature) }])
      expect(diffOauth(given, theirs)).toEqual({ match: true, mistakes: [], explanations: [] });
});

test('signing needs the private key, and a key of 2048 bits', () => {
  expect(() => signOauthCase(known)).toThrow(/none was given/);
  const small = kept('1024');
  expect(() => signOauthCase({ ...own, privateKey: small })).toThrow(/1024 bits/);
});

// The searches are those of an HMAC, which oauth-mistakes.test.ts has for every mistake.
describe.each(basePlants.filter((_, at) => at % 12 === 0))('$name, $what', (plant) => {
  test('is found with the public key alone', () => {
    const theirs: Order = { ...plant.order, signatureMethod: 'RSA-SHA256' };
    // The method they name wrongly is the right one for HMAC.
    const signature = rsa(theirs, pair.privateKey, plant.steps);
    const { match, mistakes } = findOauthMistakes(
      caseOf(theirs, { publicKey: createPublicKey(pair.publicKey) }),
      signature,
    );
    expect({ match, first: mistakes[0]?.name }).toEqual({ match: false, first: plant.name });
  });
});

const hashed = createHash('sha256').update(base).digest();
const inHex = hashed.toString('hex');
const signedWith = (hash: string, text: string | Buffer = base) =>
  createSign(hash).update(text).sign(pair.privateKey, 'base64');
const sealed = (content: string | Buffer) =>
  privateEncrypt({ key: pair.privateKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(content)).toString(
    'base64',
  );
const pss = (hash: string, saltLength: number) =>
  sign(hash, Buffer.from(base), {
    key: pair.privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength,
  }).toString('base64');

test.each<readonly [string, () => string]>([
  ['sha1', () => signedWith('RSA-SHA1')],
  [
    'sha1',
    () =>
      createSign('RSA-SHA1')
        .update(baseString({ ...order, signatureMethod: 'RSA-SHA1' }))
        .sign(pair.privateKey, 'base64'),
  ],
  ['sha512', () => signedWith('RSA-SHA512')],
  ['sha384', () => signedWith('RSA-SHA384')],
  ['md5', () => signedWith('RSA-MD5')],
  ['pss-sha256', () => pss('sha256', constants.RSA_PSS_SALTLEN_DIGEST)],
  ['pss-sha256', () => pss('sha256', 0)],
  ['pss-sha1', () => pss('sha1', constants.RSA_PSS_SALTLEN_MAX_SIGN)],
  ['hashed-twice', () => signedWith('RSA-SHA256', hashed)],
  ['hashed-twice', () => signedWith('RSA-SHA256', inHex)],
  ['bare-hash', () => sealed(hashed)],
  ['bare-hash', () => sealed(inHex)],
  ['base-string-utf-16', () => signedWith('RSA-SHA256', Buffer.from(base, 'utf16le'))],
])('rsa-key-or-method: %s', (variant, signature) => {
  expect(named(known, signature())).toEqual([`rsa-key-or-method ${variant}`]);
});

test.each<readonly [string, () => string, () => OauthCase]>([
  ['hmac', () => createHmac('sha1', 'control&').update(base).digest('base64'), () => ({ ...known, secret: 'control' })],
  [
    'hmac',
    () =>
      createHmac('sha1', 'control&')
        .update(baseString({ ...order, signatureMethod: 'HMAC-SHA1' }))
        .digest('base64'),
    () => ({ ...known, secret: 'control' }),
  ],
  ['hmac-public-key', () => createHmac('sha1', pair.publicKey).update(base).digest('base64'), () => known],
  [
    'hmac-private-key',
    () =>
      createHmac('sha1', `${percent(pair.privateKey.trim())}&`)
        .update(base)
        .digest('base64'),
    () => own,
  ],
  ['hmac-private-key', () => createHmac('sha256', pair.privateKey).update(base).digest('base64'), () => own],
  // What only the length tells.
  ['hmac', () => createHmac('sha1', 'unknown').update(base).digest('base64'), () => known],
  ['other-pair', () => signedWithLonger(), () => known],
])('rsa-key-or-method: %s by another kind of key', (variant, signature, given) => {
  expect(named(given(), signature())).toEqual([`rsa-key-or-method ${variant}`]);
});

const signedWithLonger = () => createSign('RSA-SHA256').update(base).sign(kept('3072'), 'base64');

test('a private key of another pair than the one on record is found when both are known', () => {
  const given = caseOf(order, {
    privateKey: createPrivateKey(other.privateKey),
    publicKey: createPublicKey(pair.publicKey),
  });
  expect(named(given, rsa(order, other.privateKey))).toEqual(['rsa-key-or-method other-pair']);
  expect(named(known, rsa(order, other.privateKey))).toEqual([]);
});

test('RSA where HMAC is due', () => {
  const key = { publicKey: createPublicKey(pair.publicKey) };
  const signature = rsa({ ...plain, signatureMethod: 'RSA-SHA256' }, pair.privateKey);
  expect(named(caseOf(plain, key), signature)).toEqual(['rsa-key-or-method rsa']);
  expect(named(caseOf(plain), signature)).toEqual(['rsa-key-or-method rsa']);
});

const text = () => rsa(order, pair.privateKey);
const bytes = () => Buffer.from(text(), 'base64');

test.each<readonly [string, () => string]>([
  ['hex', () => bytes().toString('hex')],
  ['hex-upper', () => bytes().toString('hex').toUpperCase()],
  ['hex-in-base64', () => Buffer.from(bytes().toString('hex')).toString('base64')],
  ['url-safe', () => bytes().toString('base64url')],
  ['base64-twice', () => Buffer.from(text()).toString('base64')],
  ['percent-encoded', () => percent(text())],
  ['percent-encoded-twice', () => percent(percent(text()))],
  ['line-end', () => `${text()}\n`],
  ['lines', () => text().replace(/(.{64})/g, '$1\n')],
  ['lines', () => text().replace(/(.{76})/g, '$1\r\n')],
])('digest: %s', (variant, signature) => {
  expect(named(known, signature())).toEqual([`digest ${variant}`]);
});

test('a signature written badly over a base string made badly is both', () => {
  const signature = Buffer.from(rsa(order, pair.privateKey, { method: () => 'GET' }), 'base64').toString('hex');
  expect(named(known, signature)).toEqual(['digest hex', 'method GET']);
});

test('a signature nothing explains has no name', () => {
  expect(findOauthMistakes(known, rsa({ ...order, consumerKey: 'somebody' }, pair.privateKey))).toEqual({
    match: false,
    mistakes: [],
    explanations: [],
  });
});

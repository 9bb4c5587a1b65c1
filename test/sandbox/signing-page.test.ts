import { createHash, createHmac, createSign } from 'node:crypto';
import { expect, test } from 'vitest';
import { compareSides, type TypedSides } from '../../src/sandbox/web/dashboard/signing-comparison.js';
import { compareTexts } from '../../src/signing/diagnose/index.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { rsaPairs } from '../support/rsa-pairs.js';
import { openFixture } from './support.js';

const { sandboxState, key } = openFixture();

const compare = (typed: Partial<TypedSides>) =>
  compareSides({ theirs: '', signature: '', ours: '', key: '', ...typed }, sandboxState.store, assumeDefaults);
const mistakesOf = (typed: Partial<TypedSides>) =>
  compare(typed).diagnosis?.mistakes.map(({ name, variant }) => `${name}/${variant}`);

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

const sale = (control: string) => `POST /gateway/api/v2/sale/4001 HTTP/1.1
Host: 127.0.0.1:8484
Content-Type: application/x-www-form-urlencoded

client_orderid=a1&amount=10.42&currency=USD&email=pat%40example.com${control === '' ? '' : `&control=${control}`}`;

test('a control is checked with the key of the sandbox, or with one that was typed', () => {
  expect(compare({ theirs: sale(sha1(`4001a11042pat@example.com${key}`)) })).toMatchObject({
    match: true,
    operation: 'sale',
  });
  const typed = { theirs: sale(''), signature: sha1('4001a11042pat@example.comother'), key: 'other' };
  expect(compare(typed).match).toBe(true);
  expect(mistakesOf({ ...typed, signature: sha1('4001a11042pat@example.comother\n') })?.[0]).toMatch(/^key-whitespace/);
});

test('the text they hashed is held against the request on our side', () => {
  const result = compare({ theirs: 'sandboxa11042pat@example.com', ours: sale('') });
  expect(result).toMatchObject({ match: false, ours: '4001a11042pat@example.com', what: 'text', isSupposed: false });
  expect(result.diagnosis?.mistakes[0]?.name).toBe('endpoint-login');
  expect(compare({ theirs: `4001a11042pat@example.com${key}\r\n`, ours: sale('') })).toMatchObject({ match: true });
  expect(JSON.stringify(compare({ theirs: `a14001${key}`, ours: sale('') }))).not.toContain(key);
});

const address = 'https://gateway.example/api/v4/payout-check/7001';
const oauth = (method: string) =>
  `oauth_consumer_key=shop&oauth_nonce=n1&oauth_signature_method=${method}&oauth_timestamp=1893456000&oauth_version=1.0`;
// RFC 5849 3.4.1, written out: the fields come before oauth_ in the order of their names.
const base = (method: string, url = address) =>
  `POST&${encodeURIComponent(url)}&${encodeURIComponent(`amount=50.00&client_orderid=a1&${oauth(method)}`)}`;
const header = (method: string, signature: string) =>
  `OAuth ${[...oauth(method).split('&'), `oauth_signature=${encodeURIComponent(signature)}`]
    .map((pair) => pair.replace(/=(.*)/, '="$1"'))
    .join(', ')}`;
const payout = (authorization: string) =>
  `curl ${address} -H 'Authorization: ${authorization}' -d client_orderid=a1 -d amount=50.00`;

test('an RSA signature is checked with a key as PEM, whichever half of it', () => {
  const { publicKey, privateKey } = rsaPairs()();
  const signed = (hash: string) => createSign(hash).update(base('RSA-SHA256')).sign(privateKey, 'base64');
  const theirs = payout(header('RSA-SHA256', signed('sha256')));
  expect(compare({ theirs, key: publicKey }).match).toBe(true);
  expect(compare({ theirs, key: privateKey }).match).toBe(true);
  const wrong = payout(header('RSA-SHA256', signed('sha1')));
  expect(mistakesOf({ theirs: wrong, key: publicKey })).toEqual(['rsa-key-or-method/sha1']);
  expect(() => compare({ theirs })).toThrow('enter the key');
  expect(() => compare({ theirs, key: 'no PEM' })).toThrow(expect.objectContaining({ code: 'KEY_UNUSABLE' }));
});

test('a header is held against our base string, whose fields and address are its own', () => {
  const hmac = (text: string) => createHmac('sha1', 'a+key&'.replace('+', '%2B')).update(text).digest('base64');
  const ours = base('HMAC-SHA1');
  expect(compare({ theirs: header('HMAC-SHA1', hmac(ours)), ours, key: 'a+key' }).match).toBe(true);
  const other = base('HMAC-SHA1', address.replace('https', 'http'));
  const found = compare({ theirs: header('HMAC-SHA1', hmac(other)), ours, key: 'a+key' });
  expect(found.diagnosis?.mistakes[0]?.name).toBe('scheme-host-port');
  expect(found.theirs).toBe(other);
});

test('what cannot be compared is told from what differs', () => {
  expect(() => compare({})).toThrow('paste a request');
  expect(() => compare({ theirs: payout('Bearer x').replace(/ -H '[^']*'/, '') })).toThrow('nothing to compare with');
  expect(() => compare({ theirs: 'POST / HTTP/1.1\n\nx' })).toThrow(expect.objectContaining({ code: 'TEXT_INVALID' }));
  expect(compare({ theirs: 'abc', ours: 'abd' })).toMatchObject({ match: false, diagnosis: undefined });
});

test.each([
  ['a%2Bb', 'a%20b', 'a[%2B]b', 'a[%20]b'],
  ['one', 'one two', 'one', 'one[ two]'],
  ['x=1&y=2&z=3', 'x=1&z=3', 'x=1&[y=2&]z=3', 'x=1&z=3'],
  ['abcdef', '', '[abcdef]', ''],
  // Single letters that happen to be the same are no anchor.
  ['1a2b3', '4a5b6', '[1a2b3]', '[4a5b6]'],
])('%s and %s differ where it is marked', (ours, theirs, marked, otherwise) => {
  const stretches = compareTexts(ours, theirs, 3);
  const shown = (side: 'ours' | 'theirs') =>
    stretches.map(({ [side]: text, isSame }) => (isSame || text === '' ? text : `[${text}]`)).join('');
  expect([shown('ours'), shown('theirs')]).toEqual([marked, otherwise]);
});

import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  diffOauth,
  findOauthMistakes,
  type OauthCase,
  oauthHypotheses,
  signOauthCase,
} from '../../../src/signing/diagnose/index.js';
import { rsaPairs } from '../../support/rsa-pairs.js';
import { caseOf, rich } from './orders.js';
import { baseString, header, hmac, type Pair, percent } from './signer.js';

const given = caseOf(rich);
const pair = rsaPairs()();
const [privateKey, publicKey] = [createPrivateKey(pair.privateKey), createPublicKey(pair.publicKey)];
const rsa: OauthCase = { ...caseOf({ ...rich, signatureMethod: 'RSA-SHA256' }), privateKey };

describe.each([
  ['HMAC-SHA1', given],
  ['RSA-SHA256', rsa],
])('every hypothesis for %s', (method, own) => {
  const all = [...oauthHypotheses(own)];
  const right = signOauthCase(own);

  test('covers all mistakes but that of the header, which no signature shows', () => {
    const names = [
      'body-left-out',
      'digest',
      'empty-values',
      'encoded-twice-or-once',
      'method',
      'nonce-timestamp',
      'not-utf8',
      'query-left-out',
      'realm',
      'repeated-or-nested-names',
      'reserved-characters',
      'rsa-key-or-method',
      'scheme-host-port',
      ...(method === 'HMAC-SHA1' ? ['signing-key'] : []),
      'sort-order',
      'space-plus',
    ];
    expect([...new Set(all.map(({ mistake }) => mistake.name))].sort()).toEqual(names);
  });

  test('gives another signature, and is named for it', () => {
    const names = [...new Map(all.map((each) => [each.mistake.name, each])).values()];
    for (const { mistake, sign } of names) {
      const signature = sign();
      if (signature === undefined) continue;
      expect(signature).not.toBe(right.signature);
      const label = mistake.variant;
      expect(
        findOauthMistakes(own, signature, { quick: true }).mistakes.map(({ name }) => name),
        label,
      ).toContain(mistake.name);
    }
  });

  test('is the same each time, and shows no secret', () => {
    const texts = (list: typeof all) => list.map(({ mistake, baseString: text }) => [mistake, text]);
    expect(texts([...oauthHypotheses(own)])).toEqual(texts(all));
    expect(JSON.stringify(all.map(({ mistake }) => mistake))).not.toContain(rich.secret.slice(0, 8));
  });
});

test('with the public key alone there is nothing to sign with', () => {
  const known = { ...rsa, privateKey: undefined, publicKey };
  const faulty = [...oauthHypotheses(known)].filter(({ mistake }) => mistake.name === 'space-plus');
  expect(faulty.length).toBeGreaterThan(0);
  for (const { sign } of faulty) expect(sign()).toBeUndefined();
});

describe('A51: a secret that is not percent-encoded', () => {
  const raw: OauthCase = { ...given, keyForm: 'raw' };
  const mac = (key: string) => createHmac('sha1', key).update(baseString(rich)).digest('base64');

  test('is right when the case says so, and encoding it is the mistake then', () => {
    expect(findOauthMistakes(raw, mac(`${rich.secret}&`)).match).toBe(true);
    expect(findOauthMistakes(raw, mac(`${percent(rich.secret)}&`)).mistakes).toMatchObject([
      { name: 'signing-key', variant: 'encoded' },
    ]);
    expect(findOauthMistakes(raw, mac(`${rich.secret}\n&`)).mistakes).toMatchObject([
      { name: 'signing-key', variant: 'line-feed' },
    ]);
  });
});

test('quick leaves out what takes thousands of tries', () => {
  const steps = { parameters: (): Pair[] => [['other', 'fields']] };
  const late = hmac({ ...rich, timestamp: String(Number(rich.timestamp) + 427) });
  expect(findOauthMistakes(given, late).mistakes).toMatchObject([{ name: 'nonce-timestamp', variant: 'clock-off' }]);
  expect(findOauthMistakes(given, late, { quick: true }).mistakes).toEqual([]);
  expect(findOauthMistakes(given, hmac(rich, steps)).mistakes).toEqual([]);
});

describe('a clock, where the signature fits', () => {
  const signature = hmac(rich);
  const at = (now: number) => findOauthMistakes({ ...given, now }, signature);

  test.each([0, 300, -300, 16 * 3600, -1_000_000])('%i s off is no reason', (off) => {
    expect(at(Number(rich.timestamp) + off).match).toBe(true);
  });

  test.each([301, -3600, 7200])('%i s off is one', (off) => {
    expect(at(Number(rich.timestamp) + off)).toMatchObject({
      match: false,
      mistakes: [{ name: 'nonce-timestamp', variant: 'clock-off' }],
    });
  });

  test('is not looked at where it does not match', () => {
    expect(
      findOauthMistakes({ ...given, now: Number(rich.timestamp) + 7200 }, hmac({ ...rich, consumerKey: 'x' })).mistakes,
    ).toEqual([]);
  });
});

test('thirteen digits are named, whether the signature fits or not', () => {
  const theirs = { ...rich, timestamp: '1700000000123' };
  const named = [{ name: 'nonce-timestamp', variant: 'milliseconds' }];
  expect(findOauthMistakes(caseOf(theirs), hmac(theirs))).toMatchObject({ match: false, mistakes: named });
  expect(findOauthMistakes(caseOf(theirs), hmac({ ...theirs, consumerKey: 'x' })).mistakes).toMatchObject(named);
});

test('half a pair in their nonce is no reason to fail', () => {
  const text = baseString(rich).replace('kllo9940pd9333jh', '\ud800');
  expect(diffOauth(given, { baseString: text }).match).toBe(false);
  expect(() => diffOauth(given, { header: header({ ...rich, nonce: 'x' }, 'y').replace('"x"', '"\ud800"') })).toThrow(
    /^oauth_nonce: /,
  );
});

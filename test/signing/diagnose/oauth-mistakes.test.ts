import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { diffOauth, findOauthMistakes, type OauthCase, signOauthCase } from '../../../src/signing/diagnose/index.js';
import { caseOf, plain, rich } from './orders.js';
import { basePlants, hmacPlants } from './plants.js';
import { baseString, header, hmac, type Pair, percent } from './signer.js';

test.each([
  ['rich', rich],
  ['plain', plain],
  ['plain with a token', { ...plain, token: 'tk', tokenSecret: 'ts', version: false }],
])('the %s request comes out as the independent signer has it', (_, order) => {
  const signed = signOauthCase(caseOf(order));
  expect(signed.baseString).toBe(baseString(order));
  expect(signed.signature).toBe(hmac(order));
  for (const theirs of [
    { signature: hmac(order) },
    { baseString: baseString(order) },
    { header: header(order, hmac(order)) },
  ])
    expect(diffOauth(caseOf(order), theirs)).toEqual({ match: true, mistakes: [], explanations: [] });
});

describe.each(basePlants)('$name, $what', ({ name, order, steps }) => {
  const given = caseOf(order);

  test('changes the base string', () => expect(baseString(order, steps)).not.toBe(baseString(order)));

  test('is named first for its base string', () => {
    const { match, mistakes, difference } = diffOauth(given, { baseString: baseString(order, steps) });
    expect({ match, first: mistakes[0]?.name }).toEqual({ match: false, first: name });
    expect(difference?.of).toBe('base string');
  });

  test('is named first for its signature', () => {
    expect(findOauthMistakes(given, hmac(order, steps)).mistakes[0]?.name).toBe(name);
  });
});

describe.each(hmacPlants)('$name, $what', ({ name, order, steps }) => {
  test('is named first for its signature', () => {
    const { match, mistakes } = findOauthMistakes(caseOf(order), hmac(order, steps));
    expect({ match, first: mistakes[0]?.name }).toEqual({ match: false, first: name });
  });
});

const given = caseOf(rich);

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

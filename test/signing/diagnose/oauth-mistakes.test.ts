import { describe, expect, test } from 'vitest';
import { diffOauth, findOauthMistakes, signOauthCase } from '../../../src/signing/diagnose/index.js';
import { caseOf, plain, rich } from './orders.js';
import { basePlants, hmacPlants } from './plants.js';
import { baseString, header, hmac } from './signer.js';

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

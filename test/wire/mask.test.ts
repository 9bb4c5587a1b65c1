import { describe, expect, test } from 'vitest';
import { hidden, holdsMask, isMask, maskCard, maskStart } from '../../src/wire/mask.js';
import { maskPairs } from '../../src/wire/redact.js';
import { Secret } from '../../src/wire/secret.js';

describe('a mask says nothing of the length of what it hides', () => {
  test.each(['1', '123', '1234', 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'x'.repeat(500)])('%s', (secret) => {
    expect(hidden).toBe('•••');
    expect([`${new Secret(secret)}`, JSON.stringify(new Secret(secret))]).toEqual(['•••', '"•••"']);
    const names = ['control', 'oauth_signature', 'cvv', 'password', 'token'];
    expect(maskPairs(undefined, [...names.map((name) => [name, secret] as const)])).toEqual(
      names.map((name) => [name, '•••']),
    );
  });

  test.each([
    ['4444333322221111', '•••• 1111'],
    ['378282246310005', '•••• 0005'],
    ['6304000000000000000', '•••• 0000'],
    ['63040000000000000001', '••••'],
    ['123', '••••'],
  ])('a card: %s', (number, shown) => {
    expect(maskCard(number)).toBe(shown);
  });

  test.each([
    ['DE89370400440532013000', '•••• 3000'],
    ['12345678', '•••• 5678'],
    ['1234567', '••••'],
    ['', '••••'],
  ])('an account: %s', (text, shown) => {
    expect(maskStart(text)).toBe(shown);
  });
});

test.each([
  '•••',
  '••••',
  '•••• 1111',
  '••••1111',
  '***',
  '****1111',
  '%252A%252A%252A%252A1111',
])('a mask is known: %s', (text) => {
  expect(isMask(text)).toBe(true);
});

test.each(['', '123', '4444333322221111', 'a •••', '**', '***bold***', '1111', '[redacted]', 'j***@example.com'])(
  'a value is none: %s',
  (text) => {
    expect(isMask(text)).toBe(false);
  },
);

test('a text with a mask among its words holds one', () => {
  expect(['paid with •••• 1111', 'a ••'].map(holdsMask)).toEqual([true, false]);
});

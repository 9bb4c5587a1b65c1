import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Field, type KindName, type Operation, type Secrecy, unsigned } from '../../src/spec/index.js';
import type { Pair } from '../../src/wire/form.js';
import { maskCard, maskStart, Secret, withoutCardNumbers } from '../../src/wire/mask.js';
import { maskPairs, maskValue, printable, printableJson } from '../../src/wire/redact.js';
import { anyText } from '../support/properties.js';

describe('a mask says nothing of the length of what it hides', () => {
  test.each([
    ['4444333322221111', '•••• 1111'],
    ['378282246310005', '•••• 0005'],
    ['123', '••••'],
  ])('a card: %s', (number, shown) => {
    expect(maskCard(number)).toBe(shown);
  });

  test.each([
    ['DE89370400440532013000', '•••• 3000'],
    ['', '••••'],
  ])('an account: %s', (text, shown) => {
    expect(maskStart(text)).toBe(shown);
  });
});

const field = (wire: string, kind: KindName): Field => ({
  wire,
  kind,
  meaning: wire,
  need: 'optional',
  basis: 'stated',
});

const row: Operation = {
  id: 'TRIAL',
  command: 'trial',
  path: '/api/v2/trial',
  examples: [],
  brief: 'trial',
  fields: {
    order: field('client_orderid', 'clientOrderId'),
    email: field('email', 'email'),
    card: field('credit_card_number', 'cardNumber'),
    month: field('expire_month', 'month'),
    cvv: field('cvv2', 'cvv'),
    twiceOpen: field('twice', 'text'),
    twiceCard: field('twice', 'cardNumber'),
  },
  rules: [],
  protection: unsigned,
  records: { request: null, reply: 'AsyncResponse' },
  effect: 'money',
  opens: true,
  withoutAmount: 'nothing',
  basis: 'stated',
};

test.each<[Secrecy, string, string]>([
  ['open', 'order 17', 'order 17'],
  ['card', '4444333322221111', '•••• 1111'],
  ['card', '4444 3333 2222 1111', '•••'],
  ['secret', '4444333322221111', '•••'],
  ['secret', '', ''],
])('%s %j is shown as %j', (secrecy, text, expected) => {
  expect(maskValue(secrecy, text)).toBe(expected);
});

describe('shownPairs', () => {
  const pairs: Pair[] = [
    ['client_orderid', 'o1'],
    ['email', 'j@example.com'],
    ['credit_card_number', '4444333322221111'],
    ['credit_card_number', '5555555555554444'],
    ['expire_month', '12'],
    ['cvv2', '123'],
    ['twice', '4444333322221111'],
    ['CVV2', '987'],
    ['creditcardnumber', '4444333322221111'],
    ['login', 'shop'],
    ['oauth_nonce', 'n'],
    ['oauth_consumer_key', 'shop'],
    ['oauth_signature', 'c2ln'],
    ['oauth_token', '😀a'],
    ['control', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  ];

  test('goes by the secrecy of the field, and leaves unknown names out', () => {
    expect(maskPairs(row, pairs)).toEqual([
      ['client_orderid', 'o1'],
      ['email', 'j@example.com'],
      ['credit_card_number', '•••• 1111'],
      ['credit_card_number', '•••• 4444'],
      ['expire_month', '•••'],
      ['cvv2', '•••'],
      ['twice', '•••• 1111'],
      ['CVV2', '•••'],
      ['creditcardnumber', '•••'],
      ['login', 'shop'],
      ['oauth_nonce', 'n'],
      ['oauth_consumer_key', 'shop'],
      ['oauth_signature', '•••'],
      ['oauth_token', '•••'],
      ['control', '•••'],
    ]);
  });

  test('without a row only the neutral names are shown', () => {
    const kept = maskPairs(undefined, pairs).filter(([, value]) => value !== '•••');
    expect(kept.map(([name]) => name)).toEqual(['login', 'oauth_nonce', 'oauth_consumer_key']);
  });
});

describe('withoutCardNumbers', () => {
  test.each([
    ['card 4444333322221111 refused', 'card •••• 1111 refused'],
    ['4444 3333 2222 1111', '•••• 1111'],
    ['PAN4444333322221111 card_4444333322221111USD', 'PAN•••• 1111 card_•••• 1111USD'],
    ['4444333322221111 12 2034 123', '•••• 1111 12 2034 123'],
    ['on 31 4444 3333 2222 1111 at 10:15', 'on 31 •••• 1111 at 10:15'],
    ['4444333322221111, 5555555555554444', '•••• 1111, •••• 4444'],
  ])('%j becomes %j', (text, expected) => {
    expect(withoutCardNumbers(text)).toBe(expected);
  });

  test.each([
    'order 12345678901',
    '`paycli order 88085842 --client-order-id pc-20261124-120836-5zv0Qc`',
    'order-4444333322221111',
    '+4930123456789',
    '4444333322221112',
    'da39a3ee5e6b4b0d4444333322221111afd80709',
    '',
  ])('%j stays', (text) => {
    expect(withoutCardNumbers(text)).toBe(text);
  });
});

describe('printable', () => {
  test.each([
    ['plain é 漢 😀\n\ttext', 'plain é 漢 😀\n\ttext'],
    ['\u001b]52;c;eA==\u0007', '\\u{1b}]52;c;eA==\\u{7}'],
    ['\u001b]8;;https://evil.example\u001b\\x', '\\u{1b}]8;;https://evil.example\\u{1b}\\x'],
    ['a\rb', 'a\\u{d}b'],
    ['a\u202eb\u2066c\u200f', 'a\\u{202e}b\\u{2066}c\\u{200f}'],
    ['\u200b\u200d\u2060\ufeff', '\\u{200b}\\u{200d}\\u{2060}\\u{feff}'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800x', '\\u{d800}x'],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

test('printable JSON keeps its meaning, and only harmless characters', () => {
  expect(printableJson('{\r\n\t"a": "é😀\u202e"\r\n}')).toBe('{ \n\t"a": "é😀\\u202e" \n}');
  fc.assert(
    fc.property(fc.jsonValue(), anyText(), (value, text) => {
      const json = JSON.stringify({ value, text }, undefined, 2);
      const safe = printableJson(json);
      expect(JSON.parse(safe)).toEqual(JSON.parse(json));
      const harmful = [...safe].filter((char) => !/[\x20-\x7e\n]|[^\p{C}\p{Z}]|[\p{Zs}\p{Cn}\p{Co}]/u.test(char));
      expect(harmful.map(codePoint)).toEqual([]);
    }),
  );
});

const codePoint = (char: string) => (char.codePointAt(0) ?? 0).toString(16);

test('a secret prints as dots wherever it ends up', () => {
  const secret = new Secret('hunter2');
  expect([
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }),
    String(secret),
    Object.keys(secret).join(),
  ]).toEqual(['•••', '{"secret":"•••"}', '{ secret: ••• }', '•••', '']);
  expect(secret.open()).toBe('hunter2');
});

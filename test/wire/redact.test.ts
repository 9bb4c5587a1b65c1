import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defineOperation, type Field, type KindName, type Secrecy, stated, unsigned } from '../../src/spec/index.js';
import type { Pair } from '../../src/wire/form.js';
import { maskPairs, maskValue, printable, printableJson, withoutCardNumbers } from '../../src/wire/redact.js';
import { Secret } from '../../src/wire/secret.js';
import { anyText } from '../support/any-text.js';

const field = (wire: string, kind: KindName): Field => ({ wire, kind, meaning: wire, need: 'optional', basis: stated });

const row = defineOperation({
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
  namedByStatus: undefined,
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

test.each<[Secrecy, string, string]>([
  ['open', 'order 17', 'order 17'],
  ['personal', 'Jane', 'Jane'],
  ['card', '4444333322221111', '•••• 1111'],
  ['card', '444433332222', '•••• 2222'],
  ['card', '44443333222', '•••'],
  ['card', '12', '•••'],
  ['card', '4444 3333 2222 1111', '•••'],
  ['card', 'not a number at all', '•••'],
  ['secret', '123', '•••'],
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
    ['oauth_timestamp', '1'],
    ['oauth_version', '1.0'],
    ['oauth_signature_method', 'HMAC-SHA1'],
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
      ['oauth_timestamp', '1'],
      ['oauth_version', '1.0'],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_signature', '•••'],
      ['oauth_token', '•••'],
      ['control', '•••'],
    ]);
  });

  test('without a row only the neutral names are shown', () => {
    const kept = maskPairs(undefined, pairs).filter(([, value]) => value !== '•••');
    expect(kept.map(([name]) => name)).toEqual([
      'login',
      'oauth_nonce',
      'oauth_consumer_key',
      'oauth_timestamp',
      'oauth_version',
      'oauth_signature_method',
    ]);
  });

  test('showSecrets leaves the fields of the row, but no signature and no unknown name', () => {
    const open = new Map(maskPairs(row, pairs, { showSecrets: true }));
    expect(open.get('cvv2')).toBe('123');
    expect(open.get('twice')).toBe('4444333322221111');
    expect(open.get('control')).toBe('•••');
    expect(open.get('oauth_signature')).toBe('•••');
    expect(open.get('creditcardnumber')).toBe('•••');
  });
});

describe('withoutCardNumbers', () => {
  test.each([
    ['card 4444333322221111 refused', 'card •••• 1111 refused'],
    ['4444 3333 2222 1111', '•••• 1111'],
    ['4444-3333-2222-1111.', '•••• 1111.'],
    ['4444\u00a03333\u20112222\u200b1111', '•••• 1111'],
    ['4\u00004\u00004\u00004\u00003\u00003\u00003\u00003\u00002\u00002\u00002\u00002', '•••• 2222'],
    ['４４４４３３３３２２２２１１１１', '•••• 1111'],
    ['pan=%34%34%34%34%33%33%33%33%32%32%32%32%31%31%31%31&x', 'pan=•••• 1111&x'],
    ['%2534%2534%2534%2534333322221111', '•••• 1111'],
    ['4444%203333%202222+1111', '•••• 1111'],
    ['4444%2D3333%2d2222-1111', '•••• 1111'],
    ['%EF%BC%94%ef%bc%94%EF%BC%94%EF%BC%94333322221111', '•••• 1111'],
    [String.raw`"\u0034\u0034\u0034\u0034\uff133\u0033\u00332222111\u0031"`, '"•••• 1111"'],
    ['a444433332222b', 'a•••• 2222b'],
    ['6011000990139424000', '•••• 4000'],
    ['x%2C%204444%203333%202222%201111%20x', 'x%2C%20•••• 1111%20x'],
    [String.raw`\u00e94444333322221111`, String.raw`\u00e9•••• 1111`],
    // More digits than any card has: no saying which four would be the last.
    ['4444333322221111 12 2034 123', '••••'],
    ['12345678901234567890', '••••'],
  ])('%j becomes %j', (text, expected) => {
    expect(withoutCardNumbers(text)).toBe(expected);
  });

  test.each([
    'order 12345678901',
    '`paycli order 88085842 --client-order-id pc-20261124-120836-5zv0Qc`',
    'pc-20261124-120836-836512, sent 5 times',
    'pc-20261124-120836-5zv0Qc été',
    '4444  3333  2222  1111',
    '2030-01-07 12:00:00',
    '192.168.100.200',
    '00000000-0000-0000-0000-000001502990',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    '%31%32%33',
    '',
  ])('%j stays', (text) => {
    expect(withoutCardNumbers(text)).toBe(text);
  });

  test.each([
    ['pc-20261124-120836-444433 3322221111', 'pc-••••'],
    ['pc-20261124-120836-a44443-4444333322221111', 'pc-•••• '],
    ['pc-20261124-120836-5zv0Qc-4444333322221111', 'pc-20261124-120836-5zv0Qc-•••• 1111'],
    ['pc-44443333-222211-11zzzz', 'pc-•••• 1111zzzz'],
  ])('the form of a generated id hides no card number: %j', (text, start) => {
    const shown = withoutCardNumbers(text);
    expect(shown).toContain(start);
    expect(shown).not.toMatch(/\d{10}|4444/);
  });

  test('finds every number of a card in any of its forms, at any place', () => {
    const forms = [
      (d: string) => d,
      (d: string) => String.fromCodePoint(0xff10 + Number(d)),
      (d: string) => `%3${d}`,
      (d: string) => `%253${d}`,
      (d: string) => `\\u003${d}`,
    ];
    const card = fc.array(
      fc.tuple(fc.nat(9), fc.constantFrom(...forms), fc.constantFrom('', '', ' ', '-', '%20', '+')),
      {
        minLength: 12,
        maxLength: 19,
      },
    );
    fc.assert(
      fc.property(
        card,
        fc.constantFrom('', 'pan=', '{"a":"', 'x '),
        fc.constantFrom('', '&', '"}', ' x'),
        (written, before, after) => {
          const last = written.length - 1;
          const text = written.map(([digit, form, gap], at) => form(String(digit)) + (at === last ? '' : gap)).join('');
          const four = written
            .slice(-4)
            .map(([digit]) => digit)
            .join('');
          expect(withoutCardNumbers(before + text + after)).toBe(`${before}•••• ${four}${after}`);
        },
      ),
    );
  });

  // A letter beyond ASCII at the end wants the general pattern.
  test('finds the same in plain texts as in others', () => {
    const unit = fc.constantFrom('4', '0', '1', 'a', 'f', ' ', '-', '+', '\0', '.', ':', '"', '\n', '&', '=');
    const piece = fc.oneof(
      fc.string({ unit, size: 'medium' }),
      fc.uuid(),
      fc.constantFrom('4444333322221111', '4444 3333 2222 1111'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = pieces.join('');
        expect(withoutCardNumbers(text)).toBe(withoutCardNumbers(`${text}é`).slice(0, -1));
      }),
    );
  });

  test('takes time in proportion to the text', () => {
    for (const piece of ['%25', '1 ', '%2534', '4444-', '\\u003', '%EF%BC%9']) {
      const text = piece.repeat(Math.ceil(300_000 / piece.length));
      expect(withoutCardNumbers(text).length).toBeLessThanOrEqual(text.length);
    }
  });
});

describe('printable', () => {
  test.each([
    ['plain é 漢 😀\n\ttext', 'plain é 漢 😀\n\ttext'],
    ['\u001b]52;c;eA==\u0007', '\\u{1b}]52;c;eA==\\u{7}'],
    ['\u001b]8;;https://evil.example\u001b\\x', '\\u{1b}]8;;https://evil.example\\u{1b}\\x'],
    ['\u009b31m', '\\u{9b}31m'],
    ['a\rb', 'a\\u{d}b'],
    ['\u0000\u007f\u0085', '\\u{0}\\u{7f}\\u{85}'],
    ['a\u202eb\u2066c\u200f', 'a\\u{202e}b\\u{2066}c\\u{200f}'],
    ['\u200b\u200d\u2060\ufeff', '\\u{200b}\\u{200d}\\u{2060}\\u{feff}'],
    ['\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800x', '\\u{d800}x'],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

describe('printableJson', () => {
  test.each([
    ['{"a":"\u009b31m"}', '{"a":"\\u009b31m"}'],
    ['{"a":"\u202e\u007f"}', '{"a":"\\u202e\\u007f"}'],
    ['{"a":"\u{e0041}"}', '{"a":"\\udb40\\udc41"}'],
    ['{\r\n\t"a": "é😀"\r\n}', '{ \n\t"a": "é😀" \n}'],
    ['{"a":"\\u001b"}', '{"a":"\\u001b"}'],
  ])('%j', (json, expected) => {
    expect(printableJson(json)).toBe(expected);
  });

  test('keeps the meaning of any JSON, and only harmless characters', () => {
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

import { describe, expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';
import { controlKey, homeWithProfile } from './profiles.js';
import { put } from './signing-files.js';

const flags = [
  '--client-order-id',
  '902B4FF5',
  '--amount',
  '10.42',
  '--currency',
  'USD',
  '--email',
  'jane@example.com',
];
const right = '1144902B4FF51042jane@example.com';

async function diff(text: string, more: readonly string[] = []) {
  const home = homeWithProfile();
  const argv = ['sign', 'diff', 'sale', ...flags, '--theirs-string', put(home, 's', text), ...more];
  return paycli(argv, { home });
}

describe('what is left out before comparing is told', () => {
  test.each([
    ['\n', 'line feed (U+000A) at byte 32'],
    ['\r\n', 'carriage return and line feed (U+000D U+000A) at byte 32'],
  ])('%j', async (end, words) => {
    const ran = await diff(right + end);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(ran.out).toContain(
      `removed from theirs before comparing: ${words}; everything else matches. If your program also signs`,
    );
  });

  test('a byte order mark, from a file and from standard input', async () => {
    const home = homeWithProfile();
    for (const ran of [
      await diff(`\uFEFF${right}`),
      await paycli(['sign', 'diff', 'sale', ...flags, '--theirs-string', '-'], { home, stdin: `\uFEFF${right}` }),
    ]) {
      expect(ran.exit).toBe(0);
      expect(ran.out).toContain('byte order mark (U+FEFF) at byte 0');
    }
  });

  test('only one line end is, and no blank', async () => {
    for (const text of [`${right}\n\n`, `${right} `, `${right}\u00a0`]) expect((await diff(text)).exit).toBe(11);
    expect((await diff(right)).out).not.toContain('left out');
  });
});

test('the key behind the values is not shown', async () => {
  const ran = await diff(`${right}x${controlKey}`);
  expect(ran.out + ran.err).not.toContain(controlKey);
});

test('outside the sandbox no difference shows card data', async () => {
  const home = homeWithProfile();
  const argv = [
    'payout',
    '--client-order-id',
    'a',
    '--amount',
    '50',
    '--currency',
    'EUR',
    '--card-number',
    '4444333322221111',
  ];
  const text =
    'POST&https%3A%2F%2Fgate.example%2Fprefix%2Fapi%2Fv2%2Fpayout%2F1144&amount%3D50%26client_orderid%3Da%26credit_card_number%3D5555444433332222';
  for (const theirs of [text, text.replace('POST&', 'POST '), `${text}%26card%3D4444333322221111`]) {
    const ran = await paycli(
      [
        'sign',
        'diff',
        ...argv,
        '--nonce',
        'n',
        '--timestamp',
        '1894017500',
        '--theirs-base-string',
        put(home, 'b', theirs),
      ],
      { home },
    );
    expect(ran.exit, ran.err).toBe(11);
    expect(ran.out + ran.err).not.toMatch(/4444333322221111|5555444433332222/);
  }
});

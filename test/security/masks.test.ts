import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

const payout = ['payout', '--client-order-id', 'a', '--amount', '5.00', '--currency', 'EUR', '--card-number'];
const short = { key: 'short-key', cvv: '123', card: '4444333322221111' };
const long = { key: `B17F59B4-${'0123456789abcdef'.repeat(8)}`, cvv: '1234', card: '6304000000000041111' };

type Secrets = typeof short;
const withCard = (card: string, cvv: string) => saleFlags.with(8, card).with(16, cvv);

function shop({ key }: Secrets): string {
  const home = homeWithProfile();
  writeFileSync(join(home, 'control.key'), key, { mode: 0o600 });
  return home;
}

/** What is shown of the same request, whatever its secrets are; the lines are written by hand. */
const places: readonly [place: string, argv: (secrets: Secrets) => readonly string[], lines: readonly RegExp[]][] = [
  [
    'the exchange',
    ({ card, cvv }) => [...withCard(card, cvv), '-v'],
    [/^> credit_card_number = •••• 1111$/m, /^> cvv2 = •••$/m, /^> expire_year = •••$/m, /^> control = •••$/m],
  ],
  ['the signature in the exchange', ({ card }) => [...payout, card, '-v'], [/oauth_signature="•••"/]],
  [
    'a dry run',
    ({ card, cvv }) => [...withCard(card, cvv), '--dry-run'],
    [/^ {2}credit_card_number += •••• 1111$/m, /^ {2}cvv2 += •••$/m],
  ],
  [
    'the values of a signature',
    ({ card, cvv }) => ['sign', ...withCard(card, cvv), '--explain'],
    [/^ {2}credit_card_number +•••• 1111 +from /m, /^ {2}cvv2 +••• +from /m, /\[jane@example\.com\] \[control key\]$/m],
  ],
  [
    'the stages of a signature',
    ({ card }) => ['sign', ...payout, card, '--explain'],
    [
      /^ {2}body +credit_card_number +•••• 1111$/m,
      /^ {2}credit_card_number=•••• 1111$/m,
      /^ {2}POST&\S+%26credit_card_number%3D•••• 1111%26currency%3DEUR%26/m,
    ],
  ],
];

describe.each(places)('%s', (_, argv, lines) => {
  test.each([
    ['short', short],
    ['long', long],
  ])('%s secrets', async (_length, secrets) => {
    const words = argv(secrets);
    const network = words.includes('-v') ? [() => reply(200, taken)] : [];
    const ran = await paycli(words, { home: shop(secrets), network });
    const shown = ran.out + ran.err;
    for (const line of lines) expect(shown).toMatch(line);
    expect(shown).not.toContain(secrets.card);
    expect(shown).not.toContain(secrets.key);
    expect(shown).not.toMatch(/cvv2\W+\d|\*\*\*|•{5}|%2A|%E2%80%A2|masked-by/);
  });
});

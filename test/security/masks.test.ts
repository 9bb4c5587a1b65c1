import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controlKey, homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { digestOf, hmacOf, put } from '../cli/signing-files.js';
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
    'a dry run as JSON',
    ({ card, cvv }) => [...withCard(card, cvv), '--dry-run', '--json'],
    [/\[\s*"credit_card_number",\s*"•••• 1111"\s*\]/, /\[\s*"cvv2",\s*"•••"\s*\]/],
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

const address = 'https://gate.example/prefix/api/v2';
const accept = 'Accept: application/vnd.pay+json';

describe('a text with masks in it is read', () => {
  test.each([['•••'], ['***']])('a request with a checksum: %s', async (mask) => {
    const control = digestOf(`1144902B4FF51042jane@example.com${controlKey}`);
    const body = `client_orderid=902B4FF5&amount=10.42&currency=USD&email=jane%40example.com&cvv2=${encodeURIComponent(mask)}`;
    const text = `POST ${address}/sale/1144 HTTP/1.1\n${accept}\n\n${body}&control=${control}`;
    const home = homeWithProfile();
    const ran = await paycli(['sign', 'verify', '--request-file', put(home, 'r', text)], { home });
    expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining('the control matches')]);
    expect(ran.err).toContain('cvv2: masked in the request; the checksum does not cover any card data');
    const masked = text.replace(control, encodeURIComponent('•••'));
    const none = await paycli(['sign', 'verify', '--request-file', put(home, 'm', masked)], { home });
    expect([none.exit, none.err]).toEqual([2, expect.stringContaining('control is masked, so there is nothing to')]);
  });

  test.each([['•••• 1111'], ['****1111']])('not one whose signature covers it: %s', async (mask) => {
    const oauth =
      'OAuth oauth_consumer_key="my-shop", oauth_nonce="n", oauth_signature="AAAA", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1894017500", oauth_version="1.0"';
    const body = `client_orderid=a&amount=5.00&currency=EUR&credit_card_number=${encodeURIComponent(mask)}`;
    const text = `POST ${address}/payout/1144 HTTP/1.1\nAuthorization: ${oauth}\n${accept}\n\n${body}`;
    const home = homeWithProfile();
    const ran = await paycli(['sign', 'verify', '--request-file', put(home, 'r', text)], { home });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('credit_card_number: masked, and the signature')]);
    const hidden = text.replace('AAAA', '•••');
    const none = await paycli(['sign', 'verify', '--request-file', put(home, 'm', hidden)], { home });
    expect([none.exit, none.err]).toEqual([2, expect.stringContaining('oauth_signature is masked')]);
  });

  test('a base string: all but the mask is compared, and other last digits differ', async () => {
    const home = homeWithProfile();
    const fresh = ['--nonce', 'n1', '--timestamp', '1894017500'];
    const signed = ['sign', ...payout, short.card, ...fresh, '--json'];
    const shown = JSON.parse((await paycli(signed, { home })).out).signature;
    expect(shown.baseString).toContain('credit_card_number%3D•••• 1111%26');
    const real = shown.baseString.replace('•••• 1111', short.card);
    expect(shown.signature).toBe(hmacOf(real, `${controlKey}&`));
    const diff = (text: string) =>
      paycli(['sign', 'diff', ...payout, short.card, '--theirs-base-string', put(home, 'b', text)], { home });
    const old = real.replace(short.card, '%252A%252A%252A%252A1111');
    for (const text of [shown.baseString, old]) {
      const ran = await diff(text);
      expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining('the base string matches')]);
      expect(ran.err).toContain('not compared, as it is masked in theirs: credit_card_number');
      const other = await diff(text.replace('EUR', 'USD'));
      expect([other.exit, other.out]).toEqual([11, expect.stringMatching(/currency +ours +byte \d+ +currency%3DEUR/)]);
    }
    expect((await diff(shown.baseString.replace('1111', '0005'))).exit).toBe(11);
  });
});

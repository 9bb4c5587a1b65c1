import { describe, expect, test } from 'vitest';
import { cardNumbersIn } from '../../src/wire/mask.js';
import { secretInSentence } from '../../src/wire/secret-names.js';
import { paycli, reply } from '../support/runtime.js';
import { openHome } from './listed.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const plain = '4444333322221111';
const grouped = '4444 3333 2222 1111';

const hides = (text: string) => {
  expect(text.replaceAll(/[ -]/g, '')).not.toContain('4444333322');
};

describe('a text with a card number', () => {
  test.each([
    [plain, true],
    [grouped, true],
    ['card 4444-3333-2222-1111 charged', true],
    ['4444333322221111 25 EUR', true],
    ['on 31 4444 3333 2222 1111', true],
    // Wrong check digit; a retrieval reference number; the id of a request; a UUID.
    ['4444333322221112', false],
    ['RRN 123456789012 of 2030-01-07', false],
    ['line 4 of the statement of 31 January 2030, 1000.00 EUR', false],
    ['00000000-0000-0000-0000-0000015b2fff', false],
    ['card •••• 1111', false],
    ['', false],
  ])('%j: %s', (text, holds) => {
    expect(cardNumbersIn(text).length > 0).toBe(holds);
  });

  const evidence = `card ${plain} charged`;
  test.each([
    ['--evidence', ['resolve', '902B4FF5', '--settle-as', 'paid', '--evidence', evidence]],
    ['--reason', ['batch', 'pause', 'none', '--reason', evidence]],
    ['--evidence', ['journal', '--accept-restored', '--evidence', evidence]],
  ])('is refused as %s, without the number: %j', async (flag, argv) => {
    const home = await openHome();
    for (const form of [[], ['--json']]) {
      const ran = await paycli([...argv, ...form], { home });
      expect([ran.exit, ran.requests], ran.err).toEqual([2, []]);
      expect(ran.err).toContain(flag);
      hides(ran.out + ran.err);
    }
    const journal = await paycli(['journal', '902B4FF5', '--json'], { home });
    hides(journal.out);
    expect(JSON.parse(journal.out).entries[0].state).toBe('unknown');
  });
});

describe('a security code or a key in a text that is kept', () => {
  const key = '3fd2a6b0-5c1e-4c0e-9a53-6f1f3b0c7d21';
  const digest = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';
  const pem = '-----BEGIN PRIVATE KEY-----';

  test.each([
    ['the payer gave CVV 123', 'a security code'],
    ['the security code is 123', 'a security code'],
    [`signed with the control key ${key}`, 'a key'],
    [`control=${key}`, 'a key'],
    [`${pem} MIIE`, 'a key'],
    // A serial number, the digest of a statement, and sentences that only speak of them.
    [`support found the request ${key}`, undefined],
    [`statement.pdf of 31 January, SHA-256 ${digest}`, undefined],
    ['ticket 4711: declined for a wrong CVV; 200 transactions listed', undefined],
    ['ticket 4711: after the control key was rotated on 2030-01-07', undefined],
  ])('%j holds %s', (text, what) => {
    expect(secretInSentence(text)).toBe(what);
  });

  test.each([
    [`control key ${key}`, 'a key', key],
    ['ticket 4711, CVV 987', 'a security code', '987'],
  ])('is refused, without it: %j', async (evidence, what, secret) => {
    const home = await openHome();
    for (const form of [[], ['--json']]) {
      const ran = await paycli(['resolve', '902B4FF5', '--settle-as', 'paid', '--evidence', evidence, ...form], {
        home,
      });
      expect([ran.exit, ran.requests], ran.err).toEqual([2, []]);
      expect(ran.err).toContain(`--evidence: it contains ${what}`);
      expect(ran.out + ran.err).not.toContain(secret);
    }
    const journal = await paycli(['journal', '902B4FF5', '--json'], { home });
    expect(JSON.parse(journal.out).entries[0].state).toBe('unknown');
  });
});

describe('an order argument that looks like a card number', () => {
  const commands: readonly (readonly [flag: string, ...argv: string[]])[] = [
    ['--order-id', 'order'],
    ['--order-id', 'status'],
    ['--order-id', 'return', '--amount', '1', '--client-order-id', 'a'],
    ['--order-id', 'resolve'],
    ['--order', 'callback', 'send', '--to', 'http://127.0.0.1:9/'],
  ];
  test.each(commands.map((each, at) => [at % 2 === 0 ? plain : grouped, ...each] as const))(
    '%j is refused, and %s named: %s',
    async (id, flag, ...argv) => {
      const ran = await paycli([...argv, id, '--json'], { home: homeWithProfile() });
      expect([ran.exit, ran.out, ran.requests], ran.err).toEqual([2, '', []]);
      expect(JSON.parse(ran.err).message).toContain(flag);
      hides(ran.err);
    },
  );

  test('its flag reaches an order that has such an id, and so do the commands that are suggested', async () => {
    const status = reply(200, { ...statusReply('approved'), 'paynet-order-id': plain });
    const ran = await paycli(['status', '--order-id', plain, '--client-order-id', '902B4FF5', '--json'], {
      home: homeWithProfile(),
      network: [() => status],
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.requests[0]?.body).toContain(`orderid=${plain}`);
    expect(ran.out).not.toMatch(/paycli \w+ 4444333322221111/);
  });
});

describe('the name on a card', () => {
  const named = (holder: string) => saleFlags.with(saleFlags.indexOf('--card-holder') + 1, holder);

  test.each([grouped, `JANE ${plain}`])('%j is refused before anything is sent', async (holder) => {
    const ran = await paycli(named(holder), { home: homeWithProfile() });
    expect([ran.exit, ran.out, ran.requests], ran.err).toEqual([2, '', []]);
    expect(ran.err).toContain(
      '--card-holder contains a card number, so it is neither sent nor shown; give the name printed on the card',
    );
    hides(ran.err);
  });

  test('its prompt refuses one too', async () => {
    const at = saleFlags.indexOf('--card-holder');
    const ran = await paycli(saleFlags.toSpliced(at, 2), {
      home: homeWithProfile(),
      tty: true,
      answers: [['cardHolder', 'JANE DOE']],
      network: [() => reply(200, taken)],
    });
    expect(ran.exit, ran.err).toBe(0);
    const [question] = ran.questions;
    expect(question?.check?.(`JANE ${plain}`)).toContain('contains a card number');
  });
});

describe('a card number that was pasted into a free text', () => {
  const texts = ['--order-desc', `ticket ${plain} of 2`, '--merchant-data', `${grouped} and 5555555555554444`];
  const sale = [...saleFlags.toSpliced(saleFlags.indexOf('--order-desc'), 2), ...texts];

  test('is sent as it is, and masked by -v', async () => {
    const ran = await paycli([...sale, '-v'], { home: homeWithProfile(), network: [() => reply(200, taken)] });
    expect(ran.exit, ran.err).toBe(0);
    const sent = new URLSearchParams(ran.requests[0]?.body ?? '');
    expect(sent.get('order_desc')).toBe(`ticket ${plain} of 2`);
    hides(ran.out + ran.err);
    expect(ran.err).toContain('> order_desc = ticket •••• 1111 of 2\n');
    expect(ran.err).toContain('> merchant_data = •••• 1111 and •••• 4444\n');
    expect(ran.err).toContain('> client_orderid = 902B4FF5\n');
  });

  test.each([['--dry-run', '-v'], ['--dry-run', '--json'], ['--explain']])(
    'is masked by %j %j, where card fields are',
    async (...flags) => {
      const home = homeWithProfile();
      const argv = flags[0] === '--dry-run' ? [...sale, ...flags] : ['sign', ...sale, ...flags];
      const ran = await paycli(argv, { home });
      expect(ran.exit, ran.err).toBe(0);
      hides(ran.out + ran.err);
      expect(ran.out).not.toContain('5555555555554444');
      expect(ran.out).toContain('ticket •••• 1111 of 2');
    },
  );
});

import { describe, expect, test } from 'vitest';
import type { Runtime } from '../../src/runtime/ports.js';
import { examplesOf } from '../support/declared.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { at, eur, refund, sent, takenFor } from './live-at.js';
import { homeWithProfile, saleFlags, soldStatus } from './profiles.js';

const unlock = ['live', 'unlock', '--for', '15m', '--ops', 'return,void', '--max', '500.00 EUR', '--live'];
const typed = [...unlock, '--confirm-login', 'my-shop'];
const live = (more: readonly string[] = []) => homeWithProfile({ class: 'live', more });
const onLive = (argv: readonly string[]) => [...argv, '--live'];

async function unlocked(argv: readonly string[] = typed, more: readonly string[] = []): Promise<string> {
  const home = live(more);
  const ran = await paycli(argv, { home });
  expect(ran.exit, ran.err).toBe(0);
  return home;
}

interface Listed {
  readonly lease: number;
  readonly uses: number;
  readonly left: { readonly minor: string; readonly text: string };
}

async function standing(home: string, outside = at(0)): Promise<readonly Listed[]> {
  return JSON.parse((await paycli(['live', 'status', '--json'], { home, outside })).out).leases;
}

const refusal = (ran: Ran) => [ran.exit, ran.requests.length, ran.err] as const;

describe('live unlock', () => {
  test('on a terminal repeats what it allows and has the login typed', async () => {
    const home = live();
    const ran = await paycli(unlock, { home, tty: true, answers: [['login', 'my-shop']] });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toMatch(/commands +return, void/);
    expect(ran.err).toMatch(/total limit +at most 500\.00 EUR \(five hundred EUR, 50000 in minor units\)/);
    expect(ran.err).toMatch(/until +2030-01-07T12:15:00Z/);
    expect(ran.err).toMatch(/gateway +profile shop, login my-shop, gate\.example/);
    expect(ran.out).toContain('return, void up to 500.00 EUR in total, until 2030-01-07T12:15:00Z');
    expect(ran.out).toContain('every command still needs --live');
  });

  test('gives nothing for a wrong login, without a terminal, or without --live', async () => {
    const home = live();
    const wrong = await paycli(unlock, { home, tty: true, answers: [['login', 'my-shpo']] });
    expect([wrong.exit, wrong.err]).toEqual([10, expect.stringContaining('not the login of profile shop')]);
    const told = await paycli([...unlock, '--confirm-login', 'other'], { home });
    expect(told.exit).toBe(10);
    const script = await paycli(unlock, { home });
    expect([script.exit, script.err]).toEqual([10, expect.stringContaining('add --confirm-login LOGIN')]);
    const quiet = await paycli([...unlock, '--no-input'], { home, tty: true });
    expect(quiet.exit).toBe(10);
    const plain = await paycli(
      typed.filter((word) => word !== '--live'),
      { home },
    );
    expect([plain.exit, plain.err]).toEqual([10, expect.stringContaining('add --live')]);
    expect(await standing(home)).toEqual([]);
  });

  test('is for live profiles', async () => {
    const mismatch = await paycli(typed, { home: homeWithProfile() });
    expect([mismatch.exit, mismatch.err]).toEqual([10, expect.stringContaining('is of class test')]);
    const needless = await paycli(
      typed.filter((word) => word !== '--live'),
      { home: homeWithProfile() },
    );
    expect([needless.exit, needless.err]).toEqual([10, expect.stringContaining('there is nothing to unlock')]);
  });

  test.each<readonly [flag: string, value: string, why: string]>([
    ['--for', '9h', 'at most 8h'],
    ['--for', '481m', 'at most 8h'],
    ['--for', '0m', 'at most 8h'],
    ['--for', '15', 'such as 15m or 2h'],
    ['--ops', 'return,status', 'status needs no confirmation of the login'],
    ['--ops', 'retrun', 'did you mean return?'],
    ['--ops', 'return,,void', '--ops names the commands'],
    ['--max', '500.00', '--max: use an amount and a currency, such as "500.00 EUR"'],
    ['--max', '500.001 EUR', 'at most 2 digits'],
    ['--max', '0 EUR', 'use an amount above zero'],
    ['--max', '5.00 ABC', 'use an ISO 4217 currency'],
  ])('refuses %s %s', async (flag, value, why) => {
    const argv = typed.map((word, i) => (typed[i - 1] === flag ? value : word));
    const ran = await paycli(argv, { home: live() });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining(why)]);
  });

  test.each(['--for', '--ops', '--max'])('needs %s', async (flag) => {
    const argv = typed.filter((word, i) => word !== flag && typed[i - 1] !== flag);
    const ran = await paycli(argv, { home: live() });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('needs --for, --ops and --max')]);
  });
});

describe('a lease', () => {
  test('stands in for the login, says what is left, and is counted', async () => {
    const home = await unlocked();
    const ran = await sent(home, onLive(refund('1', eur('123.45'))));
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toMatch(
      /lease \d+ replaces typing the merchant login: 376\.55 EUR of 500\.00 EUR left after this, until 2030-01-07T12:15:00Z/,
    );
    expect(await standing(home)).toMatchObject([{ uses: 1, left: { minor: '37655', text: '376.55' } }]);
    expect((await sent(home, onLive(['void', '2', '--client-order-id', 'own-2']))).exit).toBe(0);
    expect(await standing(home)).toMatchObject([{ uses: 2, left: { minor: '37655' } }]);
  });

  test('asks no question on a terminal either, but never goes without --live', async () => {
    const home = await unlocked();
    expect((await sent(home, onLive(refund('1', eur('1.00'))), { tty: true })).exit).toBe(0);
    const ran = await paycli(refund('2', eur('1.00')), { home });
    expect(refusal(ran)).toEqual([10, 0, expect.stringContaining('add --live')]);
  });

  test('adds up to its sum', async () => {
    const home = await unlocked();
    expect((await sent(home, onLive(refund('1', eur('300.00'))))).exit).toBe(0);
    const over = await paycli(onLive(refund('2', eur('200.01'))), { home });
    expect(refusal(over)).toEqual([
      10,
      0,
      expect.stringMatching(/lease \d+ has 200\.00 EUR left, but this request needs 200\.01 EUR/),
    ]);
    expect((await sent(home, onLive(refund('2', eur('200.00'))))).exit).toBe(0);
    const asked = await sent(home, onLive(refund('3', eur('0.01'))), { tty: true, answers: [['login', 'my-shop']] });
    expect(asked.exit, asked.err).toBe(0);
    expect(asked.err).toMatch(/lease +lease \d+ has 0\.00 EUR left/);
  });

  test('is left alone where the login is given', async () => {
    const home = await unlocked();
    expect((await sent(home, [...onLive(refund('1', eur('100.00'))), '--confirm-login', 'my-shop'])).exit).toBe(0);
    expect(await standing(home)).toMatchObject([{ uses: 0, left: { minor: '50000' } }]);
    const wrong = await paycli([...onLive(refund('2', eur('1.00'))), '--confirm-login', 'other'], { home });
    expect(refusal(wrong)).toEqual([10, 0, expect.stringContaining('not the login of profile shop')]);
  });

  test('is not used by a command that only asks what became of it', async () => {
    const home = await unlocked();
    const argv = onLive(refund('1', eur('100.00')));
    const lost = () => ({ kind: 'lost', reason: 'reset' }) as const;
    expect((await paycli(argv, { home, network: [lost] })).exit).toBe(8);
    expect((await paycli(argv, { home, network: [lost, lost, lost] })).exit).toBe(8);
    expect(await standing(home)).toMatchObject([{ uses: 1, left: { minor: '40000' } }]);
  });

  const sale = onLive([
    'payout',
    'send',
    '--client-order-id',
    'p',
    ...eur('1.00'),
    '--wallet-type',
    'x',
    '--wallet-id',
    'y',
  ]);
  const unknown = onLive(['request', '/api/v9/new', '--scheme', 'hmac-sha1', '--field', 'client_orderid=o']);
  test.each<readonly [what: string, argv: readonly string[], why: RegExp]>([
    ['an operation it does not name', sale, /lease \d+ does not cover payout send/],
    ['a path nobody knows', unknown, /lease \d+ does not cover request \/api\/v9\/new/],
    ['another currency', onLive(refund('1', ['--amount', '1.00', '--currency', 'USD'])), /lease \d+ covers only EUR/],
    [
      'an amount nobody here knows',
      onLive(refund('1')),
      /the amount of this request is not known here: give the amount with --amount and --currency/,
    ],
    ['another login', [...onLive(refund('1', eur('1.00'))), '--login', 'other'], /no terminal to prompt on/],
    [
      'another address',
      [...onLive(refund('1', eur('1.00'))), '--base-url', 'https://gate.example/b'],
      /no terminal to prompt on/,
    ],
  ])('does not cover %s', async (_, argv, why) => {
    const ran = await paycli(argv, { home: await unlocked() });
    expect(refusal(ran)).toEqual([10, 0, expect.stringMatching(why)]);
  });

  test('covers a known path that `request` names by hand', async () => {
    const argv = ['request', '/api/v2/return', '--field', 'client_orderid=own-1', '--field', 'orderid=777', '--live'];
    const fields = [...argv, '--field', 'amount=5.00', '--field', 'currency=EUR'];
    const ran = await paycli(fields, {
      home: await unlocked(),
      network: [() => takenFor(['return', '777', '--client-order-id', 'own-1', '--all'])],
    });
    expect(ran.exit, ran.err).toBe(0);
  });

  test.each<readonly [what: string, outside: (usual: Runtime) => Runtime]>([
    [
      'another user',
      (usual) => ({ ...usual, processes: { ...usual.processes, user: { name: 'somebody', id: '1001' } } }),
    ],
    ['another machine', (usual) => ({ ...usual, processes: { ...usual.processes, host: 'elsewhere' } })],
  ])('is not for %s', async (_, outside) => {
    const home = await unlocked();
    expect((await paycli(onLive(refund('1', eur('1.00'))), { home, outside })).exit).toBe(10);
    expect((await paycli(['live', 'status'], { home, outside })).err).toContain('no active lease');
  });

  test('ends by the clock, and a clock set back does not bring it back', async () => {
    const home = await unlocked();
    expect((await sent(home, onLive(refund('1', eur('1.00'))), { outside: at(14) })).exit).toBe(0);
    const over = await paycli(onLive(refund('2', eur('1.00'))), { home, outside: at(15) });
    expect(refusal(over)).toEqual([10, 0, expect.stringContaining('expired at 2030-01-07T12:15:00Z')]);
    const back = await paycli(onLive(refund('2', eur('1.00'))), { home, outside: at(1) });
    expect(refusal(back)).toEqual([10, 0, expect.stringContaining('clock of this machine is behind the journal')]);
    const status = await paycli(['live', 'status'], { home, outside: at(1) });
    expect(status.out).toBe('');
    expect(status.err).toMatch(/^no active lease.*\nwarning: .*until the clock is corrected/);
  });

  test('of two, the one that ends first is used while it has room', async () => {
    const home = await unlocked();
    await paycli(
      typed.map((word) => (word === '15m' ? '5m' : word === '500.00 EUR' ? '50.00 EUR' : word)),
      { home },
    );
    for (const [order, amount] of [
      ['1', '40.00'],
      ['2', '20.00'],
      ['3', '10.00'],
    ] as const)
      expect((await sent(home, onLive(refund(order, eur(amount))))).exit).toBe(0);
    expect((await standing(home)).map(({ uses, left }) => [uses, left.text])).toEqual([
      [1, '480.00'],
      [2, '0.00'],
    ]);
  });

  test('leaves the caps of the profile in force', async () => {
    const home = await unlocked(typed, ['max-amount: 100.00 EUR']);
    const ran = await paycli(onLive(refund('1', eur('100.01'))), { home });
    expect(refusal(ran)).toEqual([10, 0, expect.stringContaining('max-amount is 100.00 EUR')]);
  });

  test('counts a whole return by the order the journal knows', async () => {
    const home = await unlocked([...typed.map((word) => (word === '500.00 EUR' ? '500.00 USD' : word))]);
    const card = saleFlags.filter((word, i) => !isCard(word) && !isCard(saleFlags[i - 1] ?? ''));
    const stdin = JSON.stringify({
      cardNumber: '4444333322221111',
      cardHolder: 'JANE DOE',
      expireMonth: '12',
      expireYear: '2034',
      cvv: '123',
    });
    const made = await sent(home, [...card, '--card-fd', '0', '--live', '--confirm-login', 'my-shop'], { stdin });
    expect(made.exit, made.err).toBe(0);
    const sold = () => reply(200, { ...soldStatus, 'paynet-order-id': '777' });
    expect((await paycli(['status', '777', '--live'], { home, network: [sold] })).exit).toBe(0);
    expect((await sent(home, onLive(['return', '777', '--client-order-id', '902B4FF5', '--all']))).exit).toBe(0);
    expect(await standing(home)).toMatchObject([{ uses: 1, left: { text: '489.58' } }]);
  });
});

const isCard = (word: string) =>
  ['--card-number', '--card-holder', '--expire-month', '--expire-year', '--cvv'].includes(word);

describe('live status and live lock', () => {
  test('a table for people, money in full for programs', async () => {
    const home = await unlocked();
    const text = (await paycli(['live', 'status'], { home })).out;
    expect(text).toMatch(/lease +profile +login +commands +left +of +uses +until/);
    expect(text).toMatch(/shop +my-shop +return, void +500\.00 EUR +500\.00 EUR +0 +2030-01-07T12:15:00Z/);
    expect(JSON.parse((await paycli(['live', 'status', '--json'], { home })).out)).toEqual({
      schema: 'paycli.leases/1',
      leases: [
        {
          lease: 1,
          ...{
            profile: 'shop',
            login: 'my-shop',
            gateway: 'https://gate.example/prefix',
            operations: ['return', 'void'],
          },
          max: { minor: '50000', digits: 2, currency: 'EUR', text: '500.00' },
          left: { minor: '50000', digits: 2, currency: 'EUR', text: '500.00' },
          ...{ uses: 0, from: '2030-01-07T12:00:00.000Z', until: '2030-01-07T12:15:00.000Z' },
        },
      ],
    });
  });

  test('lock ends every lease at once', async () => {
    const home = await unlocked();
    const ran = await paycli(['live', 'lock'], { home });
    expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining('lease 1 ended')]);
    const refused = await paycli(onLive(refund('1', eur('1.00'))), { home });
    expect(refusal(refused)).toEqual([10, 0, expect.stringContaining('was ended with `paycli live lock`')]);
    expect((await paycli(['live', 'lock'], { home })).out).toContain('there was no active lease');
    expect(JSON.parse((await paycli(['live', 'lock', '--json'], { home })).out)).toEqual({
      schema: 'paycli.live-lock/1',
      ended: [],
    });
  });
});

describe('the examples of the help', () => {
  test('are what it shows', async () => {
    for (const name of ['unlock', 'status', 'lock']) {
      const { out } = await paycli(['live', name, '--help']);
      for (const line of await examplesOf(`live ${name}`)) expect(out.replace(/\s+/g, ' ')).toContain(`paycli ${line}`);
    }
  });

  test('work, one after the other', async () => {
    const home = live();
    for (const line of await examplesOf('live')) {
      const argv = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      const asks = argv[1] === 'unlock' && !argv.includes('--confirm-login');
      const ran = await paycli(argv, { home, tty: true, answers: asks ? [['login', 'my-shop']] : [] });
      expect(ran.exit, `${line}\n${ran.err}`).toBe(0);
    }
  });
});

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import {
  approvedReply,
  homeWithProfile,
  lost,
  returnedStatus,
  run,
  saleFlags,
  statusReply,
  taken,
} from './profiles.js';

const named = ['12345', '--client-order-id', '902B4FF5'];
const ok = reply(200, taken);
const sold = (more: Readonly<Record<string, string>> = {}) => approvedReply('sale', { amount: '10.42', ...more });
const paths = ({ requests }: Ran) => requests.map(({ url }) => new URL(url).pathname.split('/').at(-2));
const bodyOf = ({ requests }: Ran) => new URLSearchParams(String(requests.at(-1)?.body));
const asking = () => homeWithProfile({ asksFirst: true });

async function sale(home: string): Promise<string> {
  expect((await run(home, [...saleFlags, '--wait', '--again'], [noOrder, ok, sold()])).exit).toBe(0);
  return home;
}
const noOrder = reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '6' });

describe('a return without an amount', () => {
  test('in a script needs --all, and is sent without an amount', async () => {
    const home = homeWithProfile();
    const ran = await run(home, ['return', ...named, '--json']);
    expect([ran.exit, ran.requests, JSON.parse(ran.err).code]).toEqual([2, [], 'AMOUNT_MISSING']);
    const all = await run(home, ['return', ...named, '--all'], [ok]);
    expect([all.exit, paths(all), bodyOf(all).has('amount')]).toEqual([0, ['return'], false]);
  });

  test.each([
    ['yes', 0, ['return']],
    ['no', 10, []],
  ] as const)('on a terminal is asked about, and predicts no amount: %s', async (answer, exit, sent) => {
    const replies = answer === 'yes' ? [ok] : [];
    const ran = await run(homeWithProfile(), ['return', ...named], replies, { tty: true, answers: [['all', answer]] });
    expect([ran.exit, paths(ran)]).toEqual([exit, sent]);
    expect(ran.questions.map(({ name, initial }) => [name, initial])).toEqual([['all', 'no']]);
    expect(ran.questions[0]?.message).toMatch(/order 902B4FF5, profile shop\?(?!.*\d\.\d)/);
  });

  test.each([[['return']], [['capture']]])('with both --all and an amount is wrong usage: %j', async (command) => {
    const both = ['--amount', '1.00', '--currency', 'EUR', '--all'];
    expect((await run(homeWithProfile(), [...command, ...named, ...both])).exit).toBe(2);
  });

  test('is refused after one that a person settled, which the gateway may not count', async () => {
    const home = await sale(asking());
    expect((await run(home, 'return 902B4FF5 --amount 5.00', [sold(), lost])).exit).toBe(8);
    const settle = ['--offline', '--settle-as', 'paid', '--evidence', 'the statement of today'];
    expect((await run(home, ['resolve', '902B4FF5', ...settle])).exit).toBe(0);
    const ran = await run(home, 'return 902B4FF5 --all');
    expect([ran.exit, ran.requests]).toEqual([2, []]);
  });

  test('of everything that was made is the same return again, and by its amount nothing is left for it', async () => {
    const home = await sale(asking());
    const done = approvedReply('reversal', {
      ...{ amount: '10.42', 'total-reversal-amount': '10.42', 'by-request-sn': taken['serial-number'] },
    });
    expect((await run(home, 'return 902B4FF5 --all --wait', [sold(), ok, done])).exit).toBe(0);
    const again = await run(home, 'return 902B4FF5 --all');
    expect([again.exit, again.requests], again.err).toEqual([0, []]);
    const named = await run(home, 'return 902B4FF5 --amount 10.42', [done]);
    expect([named.exit, paths(named)], named.err).toEqual([10, ['status']]);
  });
});

test.each([[[]], [['--all']]])(
  'a capture without an amount is of the whole hold, with no question: %j',
  async (more) => {
    for (const tty of [false, true]) {
      const ran = await run(homeWithProfile(), ['capture', ...named, ...more], [ok], { tty });
      expect([ran.exit, paths(ran), bodyOf(ran).has('amount'), ran.questions]).toEqual([0, ['capture'], false, []]);
    }
  },
);

describe('live', () => {
  const live = () => homeWithProfile({ class: 'live', asksFirst: true });
  const ask = { tty: true, answers: [['login', 'my-shop']] } as const;

  test('a return of everything is one question, which names the amount that the gateway states', async () => {
    const ran = await run(live(), ['return', ...named, '--live'], [sold(), ok], ask);
    expect(ran.questions.map(({ name }) => name)).toEqual(['login']);
    expect(ran.questions[0]?.message).toContain('10.42 USD');
    expect([ran.exit, paths(ran)]).toEqual([0, ['status', 'return']]);
  });

  test('and none where only a later transaction is shown, which may be a part', async () => {
    const part = reply(
      200,
      statusReply('approved', { 'transaction-type': 'capture', amount: '3.00', currency: 'USD' }),
    );
    const ran = await run(live(), ['return', ...named, '--live'], [part, ok], ask);
    expect(ran.questions[0]?.message).not.toMatch(/\d/);
    expect(ran.exit, ran.err).toBe(0);
  });
});

describe('before a return the gateway is asked once', () => {
  const giveBack = ['return', '902B4FF5', '--amount', '3.00'];
  const returned = (total: string) => reply(200, returnedStatus(total, { amount: '3.00', 'initial-amount': '10.42' }));

  test.each([
    ['declined', 'sale'],
    ['processing', 'sale'],
    ['processing', 'preauth'],
  ])('a %s %s is not returned: exit 10, nothing sent', async (word, type) => {
    const status = reply(200, statusReply(word, { 'transaction-type': type, amount: '10.42', currency: 'USD' }));
    const ran = await run(asking(), ['return', ...named, '--all', '--json'], [status]);
    expect([ran.exit, paths(ran), JSON.parse(ran.err).code]).toEqual([10, ['status'], 'NOT_POSSIBLE']);
  });

  test('nor is one of which the gateway shows everything as returned', async () => {
    const ran = await run(asking(), ['return', ...named, '--all'], [returned('10.42')]);
    expect([ran.exit, paths(ran)]).toEqual([10, ['status']]);
  });

  test.each([
    ['that is done', [ok, returned('3.00')], ['--wait']],
    ['that is pending', [ok], []],
  ] as const)('a return of this journal %s explains the total', async (_, replies, flags) => {
    const home = await sale(asking());
    const own = { ...taken, 'serial-number': '2' };
    expect((await run(home, [...giveBack, ...flags], [sold(), ...replies])).exit).toBe(0);
    const more = ['return', '902B4FF5', '--amount', '1.00'];
    // The status of the first is asked for by its own serial number too.
    const ran = await run(home, more, [returned('3.00'), returned('3.00'), reply(200, own)].slice(flags.length));
    expect([ran.exit, paths(ran).at(-1)], ran.err).toEqual([0, 'return']);
  });

  test('a part of the total that it does not explain is asked about', async () => {
    const home = await sale(asking());
    expect((await run(home, [...giveBack, '--wait'], [sold(), ok, returned('3.00')])).exit).toBe(0);
    const ran = await run(home, 'return 902B4FF5 --amount 2.00 --json', [returned('9.00')]);
    expect([ran.exit, paths(ran), JSON.parse(ran.err).code]).toEqual([10, ['status'], 'CONFIRMATION_NEEDED']);
  });

  test('while one without an amount is pending, no other is sent', async () => {
    const home = await sale(asking());
    expect((await run(home, 'return 902B4FF5 --all', [sold(), ok])).exit).toBe(0);
    const status = reply(200, returnedStatus('7.00', { amount: '7.00', 'initial-amount': '10.42' }));
    const ran = await run(home, 'return 902B4FF5 --amount 1.00', [status, lost, lost, lost]);
    expect([ran.exit, paths(ran).includes('return')], ran.err).toEqual([10, false]);
  });

  test('it does not answer: exit 6', async () => {
    const ran = await run(asking(), ['return', ...named, '--all'], [lost, lost, lost]);
    expect([ran.exit, new Set(paths(ran))]).toEqual([6, new Set(['status'])]);
  });

  test('also where its status was needed for the ids of the order', async () => {
    const argv = ['return', '--order-id', '12345', '--amount', '5.00'];
    const ran = await run(asking(), argv, [sold(), ok]);
    expect([ran.exit, paths(ran), bodyOf(ran).get('client_orderid')]).toEqual([0, ['status', 'return'], '902B4FF5']);
    const other = await run(asking(), argv, [returned('3.00')]);
    expect([other.exit, paths(other)]).toEqual([10, ['status']]);
  });

  test('Ctrl-C while it is asked ends the command: the return is not sent', async () => {
    const home = await sale(asking());
    expect((await run(home, giveBack, [sold(), ok])).exit).toBe(0);
    const stops = new Set<(signal: 'SIGINT') => void>();
    const onStop = (stop: (signal: 'SIGINT') => void) => {
      stops.add(stop);
      return () => stops.delete(stop);
    };
    const interrupted = (): Delivery => {
      for (const stop of stops) stop('SIGINT');
      return { kind: 'lost', reason: 'interrupted' };
    };
    const ran = await paycli('return 902B4FF5 --amount 4.42', {
      home,
      network: [() => returned('6.00'), interrupted],
      outside: (usual) => ({ ...usual, processes: { ...usual.processes, onStop } }),
    });
    expect([ran.exit, new Set(paths(ran))]).toEqual([130, new Set(['status'])]);
  });
});

test('a void or a capture is asked about once: what the order allows is for the gateway to say', async () => {
  const refused = reply(400, { type: 'error', 'error-message': 'not a hold', 'error-code': '8' });
  for (const command of ['void', 'capture']) {
    const ran = await run(asking(), [command, ...named], [refused, refused]);
    expect([ran.exit, paths(ran)]).toEqual([4, ['status', command]]);
  }
});

test('while the outcome of one is unknown, no other is sent, not even with --again', async () => {
  const home = await sale(asking());
  expect((await run(home, 'return 902B4FF5 --amount 6.00', [sold(), lost])).exit).toBe(8);
  for (const argv of [
    ['return', '902B4FF5', '--amount', '4.00'],
    ['return', '902B4FF5', '--amount', '4.00', '--again'],
    ['return', '902B4FF5', '--amount', '6.00', '--again'],
    ['return', '902B4FF5', '--all'],
    ['void', '902B4FF5'],
    ['capture', '902B4FF5'],
  ]) {
    const ran = await run(home, argv);
    expect([ran.exit, ran.requests], argv.join(' ')).toEqual([10, []]);
    expect(stripVTControlCharacters(ran.err)).toContain('return of 6.00 USD on order 12345 has an unknown outcome');
  }
});

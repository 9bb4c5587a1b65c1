import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const money = { amount: '10.42', currency: 'USD', 'initial-amount': '10.42' };
const status = (word: string, type: string, more: Readonly<Record<string, string>> = {}) =>
  reply(200, statusReply(word, { 'transaction-type': type, ...money, ...more }));

/** An order made by this command, and what its status was when it was last asked. */
async function made(command: 'sale' | 'preauth', last: Delivery): Promise<string> {
  const home = homeWithProfile();
  await run(home, [command, ...saleFlags.slice(1)], reply(200, taken));
  await run(home, ['status', '902B4FF5'], last);
  return home;
}

describe('what the order does not allow at its known status', () => {
  const pending = status('processing', 'sale');
  const declined = status('declined', 'sale');

  test.each([
    ['void', [], pending, 'the sale is processing; this requires an approved one'],
    ['return', ['--all'], declined, 'the sale is declined, and a return needs a final successful status'],
    ['void', [], declined, 'the sale is declined; this requires an approved one'],
    ['capture', ['--all'], status('approved', 'sale'), 'only a preauth can be captured, but this is a sale'],
  ] as const)('%s %j: only its status is asked, and exit 11 says why', async (command, flags, last, why) => {
    const home = await made('sale', last);
    const ran = await run(home, [command, '902B4FF5', ...flags, '--no-input'], last);
    expect([ran.exit, ran.requests.map(({ url }) => /\/api\/v2\/([a-z-]+)/.exec(url)?.[1])]).toEqual([11, ['status']]);
    expect(ran.err).toContain(`${command} is not possible now: ${why}; nothing was sent`);
    expect(ran.err).toContain('`paycli order 12345`');
  });

  test.each([
    ['return', 'sale', ['--all'], 'the sale is processing, and a return needs a final successful status'],
    ['return', 'sale', ['--amount', '3.00'], 'the sale is processing, and a return needs a final successful status'],
    ['capture', 'preauth', ['--all'], 'the preauth is processing; this requires an approved one'],
  ] as const)('%s of a %s that was only accepted, %j: its status is asked first', async (command, made, flags, why) => {
    const order = async () => {
      const home = homeWithProfile();
      expect((await run(home, [made, ...saleFlags.slice(1)], reply(200, taken))).exit).toBe(0);
      return home;
    };
    const argv = [command, '902B4FF5', ...flags, '--no-input'];
    const early = await run(await order(), argv, status('processing', made));
    expect([early.exit, early.requests.length, early.err]).toEqual([11, 1, expect.stringContaining(why)]);
    const home = await order();
    const ran = await run(home, argv, status('approved', made), reply(200, taken));
    expect([ran.exit, ran.requests.map(({ url }) => url.includes('/status/'))], ran.err).toEqual([0, [true, false]]);
    const { entries } = JSON.parse((await run(home, ['journal', '--json'])).out);
    expect(entries.map(({ state }: { state: string }) => state)).toEqual(['done', 'accepted']);
  });

  test.each([
    ['sale', { 'transaction-type': 'sale', amount: '10.42' }],
    ['return', { 'transaction-type': 'reversal', amount: '3.42' }],
  ])(
    'a part was returned elsewhere, and status gives no amount of the order beside that of the %s',
    async (_, more) => {
      const home = homeWithProfile();
      expect((await run(home, saleFlags, reply(200, taken))).exit).toBe(0);
      const shown = statusReply('approved', { currency: 'USD', 'total-reversal-amount': '3.42', ...more });
      const ran = await run(home, ['return', '902B4FF5', '--amount', '7.00'], reply(200, shown), reply(200, taken));
      expect([ran.exit, ran.requests.length], ran.err).toEqual([0, 2]);
      const other = homeWithProfile();
      expect((await run(other, saleFlags, reply(200, taken))).exit).toBe(0);
      const beyond = await run(other, ['return', '902B4FF5', '--amount', '7.01'], reply(200, shown));
      expect([beyond.exit, beyond.requests.length], beyond.err).toEqual([11, 1]);
    },
  );

  test('what the gateway says now counts, not what the journal had', async () => {
    const home = await made('preauth', status('processing', 'preauth'));
    const ran = await run(home, ['void', '902B4FF5'], status('approved', 'preauth'), reply(200, taken));
    expect([ran.exit, ran.requests.length]).toEqual([0, 2]);
  });

  test('nor is it kept back where the gateway does not answer', async () => {
    const unsaid = reply(400, { type: 'error', 'error-message': 'try again later', 'error-code': '9' });
    const home = await made('preauth', status('processing', 'preauth'));
    const ran = await run(home, ['void', '902B4FF5'], unsaid, reply(200, taken));
    expect([ran.exit, ran.requests.length]).toEqual([0, 2]);
  });

  test('what rests on an assumption is for the gateway to decide: a sale may be voided elsewhere (A35)', async () => {
    const home = await made('sale', status('approved', 'sale'));
    const ran = await run(home, ['void', '902B4FF5'], reply(200, taken));
    expect([ran.exit, ran.requests.length]).toEqual([0, 1]);
  });
});

describe('a return of all that was left', () => {
  const done = status('approved', 'reversal', {
    'total-reversal-amount': '10.42',
    'by-request-sn': taken['serial-number'],
  });
  async function returned(): Promise<string> {
    const home = await made('sale', status('approved', 'sale'));
    expect((await run(home, ['return', '902B4FF5', '--all', '--wait'], reply(200, taken), done)).exit).toBe(0);
    return home;
  }

  test.each([[['--all']], [['--amount', '10.42']]])('is the same return again with %j: exit 0', async (flags) => {
    const ran = await run(await returned(), ['return', '902B4FF5', ...flags]);
    expect([ran.exit, ran.requests]).toEqual([0, []]);
    expect(ran.out).toContain('already approved; nothing was sent now');
  });

  test.each([[['--amount', '3.00']], [['--amount', '10.42', '--again']], [['--all', '--again']]])(
    'leaves nothing for another one, with %j: exit 11',
    async (flags) => {
      const ran = await run(await returned(), ['return', '902B4FF5', ...flags], done);
      expect([ran.exit, ran.requests.length]).toEqual([11, 1]);
      expect(ran.err).toContain('no remaining amount to return');
    },
  );
});

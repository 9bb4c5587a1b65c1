import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const status = (word: string, type: string, more: Readonly<Record<string, string>>) =>
  reply(200, statusReply(word, { 'transaction-type': type, currency: 'USD', 'initial-amount': '10.42', ...more }));
const own = { 'by-request-sn': taken['serial-number'], 'processor-tx-id': 'B-1' };
const settle = (home: string, as: string, order: string) =>
  run(home, ['resolve', order, '--offline', '--settle-as', as, '--evidence', 'the statement of today']);
const state = async (home: string) => JSON.parse((await run(home, ['journal', '--json'])).out).entries.at(-1).state;

/** An approved order of 10.42 USD, and a follow-up on it whose outcome the gateway does not know. */
async function withUnknown(opened: string, type: string, argv: readonly string[], amount: string): Promise<string> {
  const home = homeWithProfile();
  const opening = [opened, ...saleFlags.slice(1), '--wait'];
  await run(home, opening, [reply(200, taken), status('approved', opened, { amount: '10.42' })]);
  const answers = [1, 2].map(() => status('unknown', type, { amount, ...own }));
  const ran = await run(home, [...argv, '--wait', '--wait-timeout', '1'], [reply(200, taken), ...answers]);
  expect([ran.exit, await state(home)], ran.err).toEqual([8, 'unknown']);
  return home;
}

const back = ['return', '902B4FF5', '--amount', '3.00'];
const take = ['capture', '902B4FF5', '--amount', '3.00'];
const half = '10.42 USD, captured 10.42, returned';
const held = '10.42 USD, captured 0.00';
const cases: readonly (readonly [what: string, type: string, argv: readonly string[], as: string, amounts: string])[] =
  [
    ['sale', 'reversal', back, 'paid', `${half} 3.00, refundable 7.42`],
    ['sale', 'reversal', back, 'not-paid', `${half} 0.00, refundable 10.42`],
    ['preauth', 'cancel', back, 'paid', `${held}, released 3.00, remaining to capture 7.42`],
    ['preauth', 'cancel', back, 'not-paid', `${held}, remaining to capture 10.42`],
    [
      ...(['preauth', 'capture', take, 'paid'] as const),
      '10.42 USD, captured 3.00, rest of the hold released 7.42 (A34), returned 0.00, refundable 3.00',
    ],
    ['preauth', 'capture', take, 'not-paid', `${held}, remaining to capture 10.42`],
    ['preauth', 'void', ['void', '902B4FF5'], 'paid', held],
    ['preauth', 'void', ['void', '902B4FF5'], 'not-paid', `${held}, remaining to capture 10.42`],
  ];

describe('what a person settled counts, where the gateway goes on not to know it', () => {
  test.each(cases)('of a %s: %s by %j as %s', async (opened, type, argv, as, amounts) => {
    const amount = type === 'void' ? '10.42' : '3.00';
    const home = await withUnknown(opened, type, argv, amount);
    expect((await settle(home, as, '902B4FF5')).exit).toBe(0);
    const answer = status('unknown', type, { amount, 'processor-tx-id': 'B-1' });
    const { out, err } = await run(home, ['order', '902B4FF5'], [answer]);
    expect(err).toBe('');
    const word = { return: 'refunded', capture: 'captured', void: 'voided' }[argv[0] ?? ''];
    expect(out).toContain(`  ${amounts}\n`);
    const isVoided = type === 'void' && as === 'paid';
    expect(out).toMatch(isVoided ? /^ {2}status +voided \(the preauth was approved\)$/m : /^ {2}status +approved$/m);
    const settled = `^ {2}settled +manually: .* as ${as === 'paid' ? '' : 'not '}${word}; its status at the gateway is`;
    expect(out).toMatch(new RegExp(`${settled} still unknown$`, 'm'));
    expect(out).not.toMatch(/^ {2}follow-up|pending or unknown/m);
    const last = out.match(/^ {2}last request +(.*)$/m)?.[1];
    const failed = `${argv[0]} settled manually as not ${word}; the order is as it was before`;
    expect(last).toBe(as === 'paid' ? undefined : failed);
    // The answer is as it was before.
    expect(await state(home)).toBe(as === 'paid' ? 'done' : 'declined');
    const next = type === 'capture' || type === 'reversal' ? 'return' : 'capture';
    const can = await run(home, ['order', '902B4FF5', '--can', next], [answer]);
    expect(can.exit).toBe(isVoided ? 11 : 0);
  });

  test.each([
    ['another amount', { amount: '2.00' }],
    ['another number at the bank', { amount: '3.00', 'processor-tx-id': 'B-2' }],
    ['no amount', {}],
  ])('but not of a return with %s, which another machine may have sent', async (_, more) => {
    const home = await withUnknown('sale', 'reversal', back, '3.00');
    await settle(home, 'paid', '902B4FF5');
    const { out } = await run(home, ['order', '902B4FF5'], [status('unknown', 'reversal', more)]);
    expect(out).toMatch(/^ {2}follow-up +unknown$/m);
    expect(out).not.toContain('is still unknown');
    expect(out).toContain('an earlier follow-up of this order is still pending or unknown');
  });

  test('nor of one that the gateway is processing', async () => {
    const home = await withUnknown('sale', 'reversal', back, '3.00');
    await settle(home, 'paid', '902B4FF5');
    const { out } = await run(home, ['order', '902B4FF5'], [status('processing', 'reversal', { amount: '3.00' })]);
    expect(out).toMatch(/^ {2}follow-up +waiting for the bank$/m);
  });

  test('an answer that was not there before the settlement as not paid is a conflict', async () => {
    const home = homeWithProfile();
    await run(home, saleFlags, [{ kind: 'lost', reason: 'the connection was reset' }]);
    await settle(home, 'not-paid', '902B4FF5');
    const { err } = await run(home, ['order', '902B4FF5'], [status('unknown', 'sale', { amount: '10.42' })]);
    expect(err).toContain('is in conflict: declined (settled manually), but status: unknown');
    expect(await state(home)).toBe('conflict');
  });

  test.each([
    ['paid', 'approved'],
    ['not-paid', 'declined'],
  ])('a payout and the payment of a checked one, in the built-in sandbox, as %s', async (as, word) => {
    const home = temporaryHome();
    const flags = ['--amount', '10.00', '--currency', 'EUR', '--wait', '--wait-timeout', '1'];
    await run(home, ['sandbox', 'outcomes', 'next', 'unknown', '--client-order-id', 'o-1']);
    const sent = ['payout', 'send', ...flags, '--test-card', 'approved', '--client-order-id', 'o-1'];
    expect((await run(home, sent)).exit).toBe(8);
    const check = ['payout', 'check', ...flags, '--test-card', 'approved', '--client-order-id', 'o-2', '--again'];
    expect((await run(home, check)).exit).toBe(0);
    const { orderId } = JSON.parse((await run(home, ['order', 'o-2', '--json'])).out);
    await run(home, ['sandbox', 'outcomes', 'next', 'unknown', '--order', orderId]);
    expect((await run(home, ['payout', 'pay', 'o-2', '--wait', '--wait-timeout', '1'])).exit).toBe(8);
    for (const order of ['o-1', 'o-2']) {
      expect((await settle(home, as, order)).exit).toBe(0);
      const { out, err } = await run(home, ['order', order]);
      expect(err).not.toContain('conflict');
      const status = order === 'o-1' ? `${as.replace('-', ' ')} \\(settled manually\\)` : word;
      expect(out).toMatch(new RegExp(`^ {2}status +${status}$`, 'm'));
      expect(out).toContain(`as ${as.replace('-', ' ')}; its status at the gateway is still unknown`);
      if (order === 'o-2') expect(out).toMatch(new RegExp(`^ {2}payment +${word}$`, 'm'));
    }
  });

  test.each([
    ['paid', 'held', '80.00 EUR, captured 0.00, remaining to capture 80.00', 0],
    ['not-paid', 'not held', '80.00 EUR, captured 0.00', 11],
  ])('a preauth in the built-in sandbox, as %s', async (as, word, amounts, exit) => {
    const home = temporaryHome();
    await run(home, ['sandbox', 'outcomes', 'next', 'unknown']);
    const flags = ['--amount', '80.00', '--currency', 'EUR', '--test-card', 'approved', '--client-order-id', 'o-1'];
    expect((await run(home, ['preauth', ...flags, '--wait', '--wait-timeout', '1'])).exit).toBe(8);
    expect((await settle(home, as, 'o-1')).exit).toBe(0);
    const { out } = await run(home, ['order', 'o-1']);
    expect(out).toMatch(new RegExp(`^ {2}status +${word} \\(settled manually\\)$`, 'm'));
    expect(out).toContain(`  ${amounts}\n`);
    expect(out.match(/^ {2}hold +(.*)$/m)?.[1]).toBe(as === 'paid' ? 'active' : undefined);
    expect(out).not.toContain('expired');
    expect((await run(home, ['order', 'o-1', '--can', 'capture'])).exit).toBe(exit);
  });

  test('a sale as paid may be returned', async () => {
    const home = homeWithProfile();
    const answer = status('unknown', 'sale', { amount: '10.42' });
    const sale = [...saleFlags, '--wait', '--wait-timeout', '1'];
    expect((await run(home, sale, [reply(200, taken), answer, answer])).exit).toBe(8);
    await settle(home, 'paid', '902B4FF5');
    const { out } = await run(home, ['order', '902B4FF5'], [answer]);
    expect(out).toMatch(/^ {2}status +paid \(settled manually\)$/m);
    expect(out).toContain('paycli return 12345 --amount AMOUNT');
    const note =
      'note: the status at the gateway is still unknown; it may refuse these until gateway support corrects it\n';
    expect(out).toContain(`\n${note}Not available\n`);
    const can = await run(home, ['order', '902B4FF5', '--can', 'return'], [answer]);
    expect([can.exit, can.out]).toEqual([0, `yes: paycli return 12345 --amount AMOUNT\n${note}`]);
    const refusal = { type: 'validation-error', 'error-message': 'the sale has an unknown outcome', 'error-code': '8' };
    const refused = await run(home, ['return', '902B4FF5', '--amount', '1.00'], [reply(400, refusal)]);
    expect(refused.exit).toBe(4);
    expect(refused.err).toContain('ask gateway support to correct the status');
    expect(refused.err).not.toContain('shows what the order allows');
    const watched = await run(home, ['order', '902B4FF5', '--watch'], [answer]);
    expect([watched.exit, watched.requests.length]).toEqual([0, 1]);
  });
});

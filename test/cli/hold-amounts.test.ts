import { describe, expect, test } from 'vitest';
import { splitReturned, splitUnknown } from '../../src/cli/core/hold-amounts.js';
import type { Intent } from '../../src/journal/index.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { paycli, reply } from '../support/runtime.js';
import { approvedReply, homeWithProfile, saleFlags, taken } from './profiles.js';

// What several machines moved of one hold. The status has one total for what was released before the capture and what
// was returned after it, and names the newest transaction (A42).

const hold = (held: string, captured: string, total: string, released: string, returned: string) => ({
  ...{ held, captured, total, released, returned },
});
const newest = (kind: string, amount: string) =>
  new Map([
    ['transaction-type', kind],
    ['amount', amount],
  ]);
const captureWith = (total: string) =>
  [
    {
      ...{ operation: 'CAPTURE', state: 'done' },
      outcome: { 'transaction-type': 'capture', 'total-reversal-amount': total },
    },
  ] as unknown as Intent[];

describe('what was returned of a captured hold', () => {
  test.each([
    ['all from here', hold('80', '50', '10', '0', '10'), newest('reversal', '10'), [], '10', '10'],
    [
      'the newest is the capture, so all before it was released',
      hold('80', '40', '40', '30', '0'),
      newest('capture', '40'),
      [],
      '0',
      '0',
    ],
    [
      'the newest is the return of another machine',
      hold('80', '50', '10', '0', '0'),
      newest('reversal', '10'),
      [],
      '10',
      '10',
    ],
    [
      'everything captured was returned from here',
      hold('80', '40', '80', '30', '40'),
      newest('reversal', '40'),
      [],
      '40',
      '40',
    ],
    ['10 more may be either', hold('80', '40', '55', '30', '15'), newest('reversal', '15'), [], undefined, '15'],
    [
      'until the capture no more than 30 were released',
      hold('80', '40', '55', '30', '15'),
      newest('reversal', '15'),
      captureWith('30'),
      '25',
      '25',
    ],
    [
      'until the capture 40 may have been released',
      hold('80', '40', '55', '30', '15'),
      newest('reversal', '15'),
      captureWith('40'),
      undefined,
      '15',
    ],
    [
      'no more can be released than was not captured',
      hold('80', '70', '30', '0', '0'),
      newest('reversal', '5'),
      [],
      undefined,
      '20',
    ],
  ] as const)('%s', (_, known, fields, requests, exact, least) => {
    expect(splitReturned(known, fields, [...requests], assumeDefaults)).toEqual({ exact, least });
  });

  test('with several captures for one hold the newest capture says nothing of what was before', () => {
    const assume = { ...assumeDefaults, 'captures-per-hold': 'many' } as const;
    const known = hold('80', '40', '10', '0', '0');
    expect(splitReturned(known, newest('capture', '20'), [], assume)).toEqual({ exact: undefined, least: '0' });
  });

  test.each([
    ['all from here', '10', { released: '4', returned: '6' }, newest('reversal', '6'), '4', '6', '6'],
    ['the newest from elsewhere', '10', { released: '4', returned: '0' }, newest('reversal', '6'), '4', '6', '6'],
    ['either', '10', { released: '4', returned: '1' }, newest('reversal', '1'), undefined, undefined, '1'],
  ] as const)('where the capture is not known: %s', (_, total, moved, fields, released, returned, least) => {
    expect(splitUnknown(total, moved, fields)).toEqual({ released, returned, least });
  });
});

const own = { 'by-request-sn': taken['serial-number'] };
const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const done = async (home: string, argv: readonly string[], answer: Delivery) => {
  const ran = await run(home, [...argv, '--wait'], [reply(200, taken), answer]);
  expect(ran.exit, ran.err).toBe(0);
};
const amountsIn = async (home: string, answer: Delivery) =>
  JSON.parse((await run(home, ['order', '902B4FF5', '--json'], [answer])).out).amounts;
const listed = async (home: string) => JSON.parse((await run(home, ['orders', '--json'])).out).orders[0];

async function homeWithHold(): Promise<string> {
  const home = homeWithProfile();
  await done(home, ['preauth', ...saleFlags.slice(1)], approvedReply('preauth', { amount: '10.42' }));
  return home;
}

test('a return of all that another machine captured leaves nothing, however much that was', async () => {
  const home = await homeWithHold();
  const returned = approvedReply('reversal', { ...own, amount: '6.00', 'total-reversal-amount': '6.00' });
  await done(home, ['return', '902B4FF5', '--all'], returned);
  expect(await amountsIn(home, returned)).toMatchObject({
    ...{ captured: '6.00', released: '0.00', returned: '6.00', left: '0.00', leftAtMost: '0.00' },
  });
  const can = await run(home, ['order', '902B4FF5', '--can', 'return'], [returned]);
  expect([can.exit, can.out]).toEqual([11, 'no: no remaining amount to return\n']);
  expect(await listed(home)).toMatchObject({ returned: '6.00', left: '0.00' });
});

test('the journal alone does not take a return of what another machine captured for a part of the hold', async () => {
  const home = await homeWithHold();
  const returned = approvedReply('reversal', { ...own, amount: '4.00', 'total-reversal-amount': '4.00' });
  await done(home, ['return', '902B4FF5', '--amount', '4.00'], returned);
  const { out } = await run(home, ['order', '902B4FF5', '--offline']);
  expect(out).toMatch(/^ {2}amounts +10\.42 USD, returned 4\.00, refundable at most 6\.42$/m);
  expect(out).not.toMatch(/^ {2}hold +active|paycli capture/m);
});

test('of a hold of another machine what this one captured is known', async () => {
  const home = homeWithProfile();
  const elsewhere = approvedReply('preauth', { amount: '10.42', 'initial-amount': '10.42' });
  const captured = approvedReply('capture', { ...own, amount: '7.00', 'initial-amount': '10.42' });
  const argv = ['capture', '902B4FF5', '--amount', '7.00', '--wait'];
  const ran = await run(home, argv, [elsewhere, elsewhere, reply(200, taken), captured]);
  expect(ran.exit, ran.err).toBe(0);
  const returned = { amount: '2.00', 'initial-amount': '10.42', 'total-reversal-amount': '2.00' };
  expect(await amountsIn(home, approvedReply('reversal', returned))).toMatchObject({
    ...{ captured: '7.00', released: '0.00', returned: '2.00', returnedElsewhere: '2.00', left: '5.00' },
  });
});

test('where all that was captured is returned, the rest of the total was released', async () => {
  const home = await homeWithHold();
  const total = (amount: string) => ({ ...own, 'total-reversal-amount': amount });
  await done(
    home,
    ['return', '902B4FF5', '--amount', '3.00'],
    approvedReply('cancel', { amount: '3.00', ...total('3.00') }),
  );
  // 1.00 was released elsewhere meanwhile.
  await done(
    home,
    ['capture', '902B4FF5', '--amount', '6.42'],
    approvedReply('capture', { amount: '6.42', ...total('4.00') }),
  );
  const returned = approvedReply('reversal', { amount: '6.42', ...total('10.42') });
  await done(home, ['return', '902B4FF5', '--amount', '6.42'], returned);
  expect(await amountsIn(home, returned)).toMatchObject({
    ...{ captured: '6.42', released: '4.00', returned: '6.42', returnedElsewhere: '1.00', left: '0.00' },
  });
  expect((await run(home, ['order', '902B4FF5'], [returned])).out).toMatch(/^ {2}elsewhere +released 1\.00: shown by/m);
  expect(await listed(home)).toMatchObject({ captured: '6.42', left: '0.00' });
});

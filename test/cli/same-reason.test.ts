import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

const flags = { preauth: '25.00', sale: '25.00' } as const;

/** An order `o-1` of the built-in sandbox, with these follow-ups. */
async function orderWith(opened: keyof typeof flags, card: string, follow: readonly string[]): Promise<string> {
  const home = temporaryHome();
  const money = `--amount ${flags[opened]} --currency EUR --test-card ${card} --wait --client-order-id o-1`;
  const made = await paycli([opened, ...money.split(' ')], { home });
  expect(made.exit, made.err).toBe(card === 'approved' ? 0 : 5);
  for (const words of follow) {
    const ran = await paycli([...words.split(' '), '--wait'], { home });
    expect(ran.exit, ran.err).toBe(0);
  }
  return home;
}

const plain = (text: string) => stripVTControlCharacters(text).replace(/\s+/g, ' ');

const used = 'the whole hold was already captured; for more, make a new sale or preauth';
const once =
  'it was already captured; a hold is captured once, and the rest of it is released (A34); for more, make a new sale or preauth';
const returned = 'it was returned in part or in full, and a void cancels a whole transaction';
const notApproved = 'the sale is declined; this requires an approved one';

describe('what an order does not allow', () => {
  test.each([
    ['capture', 'preauth', 'approved', ['capture o-1 --amount 25.00'], used],
    ['capture', 'preauth', 'approved', ['capture o-1 --amount 5.00'], once],
    ['capture', 'preauth', 'approved', ['return o-1 --amount 25.00'], 'the hold was released by a return'],
    ['capture', 'preauth', 'approved', ['capture o-1 --amount 15.00', 'return o-1 --amount 15.00'], once],
    ['capture', 'preauth', 'approved', ['void o-1'], 'the order was voided'],
    ['return', 'preauth', 'approved', ['void o-1'], 'the order was voided'],
    ['return', 'preauth', 'approved', ['return o-1 --amount 25.00'], 'no remaining amount to return'],
    ['return', 'sale', 'approved', ['return o-1 --amount 25.00'], 'no remaining amount to return'],
    ['return', 'sale', 'declined', [], 'the sale is declined, and a return needs a final successful status'],
  ] as const)('%s of a %s (%s) after %j, without an amount: exit 11', async (verb, opened, card, follow, why) => {
    const home = await orderWith(opened, card, follow);
    for (const tty of [false, true]) {
      const ran = await paycli([verb, 'o-1'], { home, tty });
      expect([ran.exit, ran.questions], ran.err).toEqual([11, []]);
      expect(plain(ran.err)).toContain(`error: ${verb} is not possible now: ${why}; nothing was sent`);
      expect(plain(ran.err)).toMatch(/next: `paycli order \d+` lists what is available/);
    }
    const can = await paycli(['order', 'o-1', '--can', verb], { home });
    expect([can.exit, can.out.split('\n')[0]]).toEqual([11, `no: ${why}`]);
  });

  test.each([
    ['capture --amount 1.00', 'preauth', 'approved', ['capture o-1 --amount 25.00'], used],
    ['return --amount 1.00', 'sale', 'approved', ['return o-1 --amount 25.00'], 'no remaining amount to return'],
    ['void', 'sale', 'approved', ['return o-1 --amount 25.00'], returned],
    ['void', 'preauth', 'approved', ['return o-1 --amount 5.00'], returned],
    ['void', 'sale', 'declined', [], notApproved],
    ['capture --amount 1.00', 'sale', 'declined', [], 'only a preauth can be captured, but this is a sale'],
  ] as const)('%s of a %s (%s) after %j: its reason is that of --can', async (words, opened, card, follow, why) => {
    const [verb = '', ...rest] = words.split(' ');
    const home = await orderWith(opened, card, follow);
    const ran = await paycli([verb, 'o-1', ...rest], { home });
    expect([ran.exit, plain(ran.err)]).toEqual([11, expect.stringContaining(`not possible now: ${why}; nothing`)]);
    const can = await paycli(['order', 'o-1', '--can', verb], { home });
    expect([can.exit, can.out.split('\n')[0]]).toEqual([11, `no: ${why}`]);
  });
});

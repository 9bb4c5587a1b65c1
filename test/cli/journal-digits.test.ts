import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, taken } from './profiles.js';

const yen = saleFlags.map((word) => (word === '10.42' ? '100' : word === 'USD' ? 'JPY' : word));

/**
 * A sale of 100 JPY by a profile that takes every currency to have two digits, and one of 100 by ISO 4217, which gives
 * it none.
 */
async function home(): Promise<string> {
  const found = homeWithProfile({ more: ['assume:', '  minor-digits: hundredths', 'max-total-per-day: [250 JPY]'] });
  expect((await paycli(yen, { home: found, network: [() => reply(200, taken)] })).exit).toBe(0);
  return found;
}

const out = async (at: string, argv: readonly string[]) => (await paycli(argv, { home: at })).out;

describe('100 JPY of a profile that assumes hundredths', () => {
  test('is 100 JPY in list and show, as text and as JSON', async () => {
    const at = await home();
    expect(await out(at, ['journal'])).toContain('100.00 JPY');
    expect(await out(at, ['journal', '1'])).toContain('100.00 JPY');
    const amount = { minor: '10000', digits: 2, currency: 'JPY', text: '100.00' };
    for (const argv of [
      ['journal', '--json'],
      ['journal', '1', '--json'],
    ])
      expect(JSON.parse(await out(at, argv)).entries[0].amount).toEqual(amount);
    expect(await out(at, ['order', '902B4FF5', '--timeline'])).toContain('100.00 JPY');
  });

  test.each([
    ['100 JPY', 1],
    ['99 JPY', 0],
  ])('orders --amount %s finds %i', async (sum, total) => {
    expect(JSON.parse(await out(await home(), ['orders', '--amount', sum, '--json']))).toMatchObject({ total });
  });

  test('counts 100 JPY against the cap of the day', async () => {
    const at = await home();
    const pay = (id: string, amount: string) =>
      paycli(
        yen.map((word) => (word === '902B4FF5' ? id : word === '100' ? amount : word)),
        { home: at, network: amount === '151' ? [] : [() => reply(200, taken)] },
      );
    const over = await pay('second', '151');
    expect(over.exit).not.toBe(0);
    expect(over.err).toContain(
      'max-total-per-day is 250 JPY, 100 JPY of it has been sent since 00:00 UTC, and this request is for 151.00 JPY',
    );
    expect((await pay('third', '150')).requests).toHaveLength(1);
  });
});

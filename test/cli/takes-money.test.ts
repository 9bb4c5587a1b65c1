import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

const run = (home: string, line: string, ...more: readonly string[]) => paycli([...line.split(' '), ...more], { home });
const own = ['--client-order-id', 'own-1'];
const money = ['--amount', '9.99', '--currency', 'USD'];

async function made(line: string, ...more: readonly string[]): Promise<string> {
  const home = temporaryHome();
  const ran = await run(home, line, ...more, ...own);
  expect(ran.exit, ran.err).toBe(0);
  return home;
}

const register = [
  ...['recurring --recurring-card-type SRC --period monthly --interval 1 --test-card approved'],
  ...money,
] as const;

describe('a recurring payment', () => {
  test('is listed as registered', async () => {
    const home = await made(...register);
    const { orders } = JSON.parse((await run(home, 'orders --json')).out);
    expect(orders).toMatchObject([
      { amount: '9.99', operation: 'recurring', status: 'registered', reason: 'it charges nothing itself' },
    ]);
    expect((await run(home, 'orders')).out).toMatch(/ 9\.99 USD +registered +1111 /);
  });
});

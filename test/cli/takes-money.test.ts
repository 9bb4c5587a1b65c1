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

const account = ['--account-number', 'DE02120300000000202051', '--bank-name', 'DKB', '--bank-branch', 'Berlin'];
const register = [
  ...['recurring --recurring-card-type SRC --period monthly --interval 1 --test-card approved --test-payer'],
  ...money,
] as const;

/**
 * What the description says each operation takes: a sale and a rebill settle, a hold settles nothing. An account
 * verification charges nothing, a payout and a transfer send money away, and a recurring payment only registers a card:
 * none of them is captured, and none can be returned.
 */
const takes: readonly (readonly [
  line: string,
  more: readonly string[],
  captured: string | null,
  left: string | null,
])[] = [
  ['sale --test-card approved --wait', money, '9.99', '9.99'],
  ['preauth --test-card approved --wait', money, '0.00', '9.99'],
  ['account-verification --test-card approved --test-payer --wait', [], null, null],
  ['payout send --wait', [...money, ...account], null, null],
  ['payout check', [...money, ...account], null, null],
  [
    'transfer --deposit2card true --destination-card-number 5555666644441111 --ip-address 192.0.2.1 --wait',
    money,
    null,
    null,
  ],
  [register[0], register.slice(1), null, null],
];

test.each(takes)('%s', async (line, more, captured, left) => {
  const home = await made(line, ...more);
  const { orders } = JSON.parse((await run(home, 'orders --json')).out);
  expect(orders).toMatchObject([{ clientOrderId: 'own-1', captured, left }]);
  const { amounts } = JSON.parse((await run(home, 'order own-1 --offline --json')).out);
  expect([amounts?.captured ?? null, amounts?.left ?? null]).toEqual([captured, left]);
});

describe('a recurring payment', () => {
  test('is listed as registered', async () => {
    const home = await made(...register);
    const { orders } = JSON.parse((await run(home, 'orders --json')).out);
    expect(orders).toMatchObject([
      { amount: '9.99', operation: 'recurring', status: 'registered', reason: 'it charges nothing itself' },
    ]);
    expect((await run(home, 'orders')).out).toMatch(/ 9\.99 USD +registered +1111 /);
  });

  test.each([
    ['return', ['--amount', '5.00'], 'a registration cannot be returned'],
    ['return', ['--all'], 'a registration cannot be returned'],
    ['void', [], 'only a hold can be voided, but this is a registration'],
    ['card-ref create', [], 'a registration has no card to tokenize'],
    ['status', [], 'a status query does not show a registration'],
  ] as const)('%s %j says why not, and sends nothing', async (command, flags, why) => {
    const home = await made(...register);
    const ran = await run(home, command, 'own-1', ...flags);
    expect(ran.exit, ran.err).toBe(2);
    expect(ran.err).toContain(`order own-1 is the registration of a recurring payment: ${why}`);
    expect(ran.err).toContain('`paycli order own-1`');
    expect(ran.err).not.toContain('check the id');
    const { total } = JSON.parse((await run(home, 'journal --json')).out);
    expect(total).toBe(1);
  });

  test.each(['return', 'void', 'capture', 'card-ref create', 'rebill', 'status'])(
    '--can %s is no',
    async (operation) => {
      const home = await made(...register);
      const ran = await paycli(['order', 'own-1', '--can', operation], { home });
      expect(ran.exit, ran.err).toBe(11);
      expect(ran.out).toMatch(/^no: .*registration/);
      expect(ran.err).toContain('`paycli order --client-order-id own-1`');
    },
  );
});

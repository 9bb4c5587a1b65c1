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
  ...['recurring create --recurring-card-type SRC --period monthly --interval 1 --test-card approved --test-payer'],
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
      { amount: '9.99', operation: 'recurring create', status: 'registered', reason: 'it charges nothing itself' },
    ]);
    expect((await run(home, 'orders')).out).toMatch(/ 9\.99 USD +registered +1111 /);
  });

  test('is no approved payment for --status, which has a word of its own for it', async () => {
    const home = await made(...register);
    const sold = await run(home, 'sale --test-card approved --wait --client-order-id sold-1', ...money);
    expect(sold.exit, sold.err).toBe(0);
    const idsOf = async (...words: readonly string[]) => {
      const flags = words.flatMap((word) => ['--status', word]);
      const { orders } = JSON.parse((await run(home, 'orders --json', ...flags)).out);
      return orders.map(({ clientOrderId }: { readonly clientOrderId: string }) => clientOrderId);
    };
    expect(await idsOf('approved')).toEqual(['sold-1']);
    expect(await idsOf('registered')).toEqual(['own-1']);
    expect(await idsOf('registered', 'approved')).toEqual(['sold-1', 'own-1']);
    expect(await idsOf('declined')).toEqual([]);
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
    const { total } = JSON.parse((await run(home, 'journal list --json')).out);
    expect(total).toBe(1);
  });

  test('has no status at the gateway, so the journal answers, and nothing follows on it', async () => {
    const home = await made(...register);
    const ran = await run(home, 'order own-1');
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.out).toMatch(/^ {2}status +registered according to the journal; a status query does not show it$/m);
    expect(ran.out).toMatch(/^ {2}operation +recurring create$/m);
    expect(ran.out).toMatch(
      /^ {2}charges +none listed here: each charge is a separate order at the gateway, and paycli cannot list them$/m,
    );
    expect(ran.out).toMatch(/^ {2}amounts +9\.99 USD$/m);
    expect(ran.out).toMatch(/^Not available\n/m);
    expect(ran.out).toMatch(/^ {2}return +a registration cannot be returned$/m);
    expect(JSON.parse((await run(home, 'order own-1 --json')).out).status).toBe('registered');
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

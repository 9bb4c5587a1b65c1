import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { copiesOf, paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, soldStatus, statusReply, taken } from './profiles.js';

const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

interface Found {
  readonly total: number;
  readonly orders: readonly Readonly<Record<string, unknown>>[];
}

async function found(home: string, ...flags: readonly string[]): Promise<Found> {
  const ran = await run(home, ['orders', ...flags, '--json']);
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out);
}

const idsIn = ({ orders }: Found) => orders.map(({ clientOrderId }) => clientOrderId);

/** An approved and partly returned sale, a declined one, a partly captured preauth, and one with a lost reply. */
const shop = copiesOf(async () => {
  const home = temporaryHome();
  const pay = (operation: string, amount: string, id: string, card = 'approved') =>
    run(home, [
      ...[operation, '--amount', amount, '--currency', 'EUR', '--test-card', card],
      ...['--client-order-id', id, '--wait', '--no-input'],
    ]);
  expect((await pay('sale', '25.00', 'order-1')).exit).toBe(0);
  expect((await run(home, ['return', 'order-1', '--amount', '5', '--wait'])).exit).toBe(0);
  expect((await pay('sale', '12.00', 'order-2', 'declined')).exit).toBe(5);
  expect((await pay('preauth', '30.00', 'order-3')).exit).toBe(0);
  expect((await run(home, ['capture', 'order-3', '--amount', '20', '--wait'])).exit).toBe(0);
  return home;
});

test('orders lists what was made, newest first, with what is left and why a bank declined', async () => {
  const home = await shop();
  const all = await found(home);
  expect(idsIn(all)).toEqual(['order-3', 'order-2', 'order-1']);
  expect(all.orders).toMatchObject([
    { operation: 'preauth', status: 'approved', amount: '30.00', captured: '20.00', returned: '0.00', left: '20.00' },
    { operation: 'sale', status: 'declined', captured: '0.00', left: null, reason: expect.stringMatching(/bank/) },
    { operation: 'sale', status: 'approved', amount: '25.00', returned: '5.00', left: '20.00', card: '1111' },
  ]);
  const text = await run(home, ['orders']);
  for (const { orderId } of all.orders) expect(text.out).toContain(String(orderId));
});

test('only of an approved order is something left to return, or nothing any more', async () => {
  const home = await shop();
  expect((await run(home, ['return', 'order-1', '--all', '--wait', '--no-input'])).exit).toBe(0);
  const sale = ['sale', '--amount', '9.00', '--currency', 'EUR', '--test-card', 'approved', '--no-input'];
  expect((await run(home, [...sale, '--client-order-id', 'order-4'])).exit).toBe(0);
  const shown = (await found(home)).orders.map(({ clientOrderId, status, left }) => [clientOrderId, status, left]);
  expect(shown).toEqual([
    ['order-4', 'pending', null],
    ['order-3', 'approved', '20.00'],
    ['order-2', 'declined', null],
    ['order-1', 'approved', '0.00'],
  ]);
});

test('on 80 columns an order keeps both ids, and says below what became of its amount', async () => {
  const home = await shop();
  const hold = ['preauth', '--amount', '7.00', '--currency', 'EUR', '--test-card', 'approved', '--no-input', '--wait'];
  expect((await run(home, [...hold, '--client-order-id', 'order-4'])).exit).toBe(0);
  const { out } = await paycli(['orders', '--no-color'], {
    ...{ home, tty: true },
    outside: (usual) => ({ ...usual, terminal: { ...usual.terminal, width: 80 } }),
  });
  const lines = out.trimEnd().split('\n');
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  const below = (id: string) => lines[lines.findIndex((line) => line.includes(` ${id} `)) + 1];
  expect(below('order-4')).toBe('  amounts: held 7.00');
  expect(below('order-3')).toBe('  amounts: captured 20.00, left 20.00');
  expect(below('order-2')).toMatch(/^ {2}reason: .*bank/);
  expect(below('order-1')).toBe('  amounts: returned 5.00, left 20.00');
  for (const { orderId, clientOrderId } of (await found(home)).orders)
    expect(lines.some((line) => line.includes(` ${orderId} `) && line.includes(` ${clientOrderId} `))).toBe(true);
});

test('what the gateway calls filtered or error is declined, with the word and the code of the gateway', async () => {
  const home = temporaryHome();
  const sell = (id: string, card: string) =>
    run(home, [
      ...['sale', '--amount', '25.00', '--currency', 'EUR', '--test-card', card],
      ...['--client-order-id', id, '--wait', '--no-input'],
    ]);
  expect((await sell('ok-1', 'approved')).exit).toBe(0);
  expect((await sell('fraud-1', 'filtered')).exit).toBe(5);
  expect((await sell('error-1', 'error')).exit).toBe(5);
  const shown = (await found(home)).orders.map(({ clientOrderId, status, gatewayStatus, errorCode }) => [
    ...[clientOrderId, status, gatewayStatus, errorCode],
  ]);
  expect(shown).toEqual([
    ['error-1', 'declined', 'error', '96'],
    ['fraud-1', 'declined', 'filtered', '59'],
    ['ok-1', 'approved', 'approved', null],
  ]);
  expect(idsIn(await found(home, '--status', 'declined'))).toEqual(['error-1', 'fraud-1']);
  const [head = '', , fraud = ''] = (await run(home, ['orders', '-o', 'csv'])).out.split('\r\n');
  const at = (name: string) => head.split(',').indexOf(`"${name}"`);
  expect(['status', 'gatewayStatus', 'errorCode'].map((name) => fraud.split(',')[at(name)])).toEqual([
    '"declined"',
    '"filtered"',
    '"59"',
  ]);
});

test('nothing is left of a payout, which cannot be returned', async () => {
  const home = temporaryHome();
  const paid = await run(home, [
    ...['payout', 'send', '--amount', '5.00', '--currency', 'EUR', '--account-number', 'DE02120300000000202051'],
    ...['--bank-name', 'Example Bank', '--bank-branch', 'Berlin', '--client-order-id', 'out-1', '--wait', '--no-input'],
  ]);
  expect(paid.exit, paid.err).toBe(0);
  expect((await found(home)).orders).toMatchObject([{ clientOrderId: 'out-1', status: 'approved', left: null }]);
});

test('on 80 columns both ids and the whole reason are shown', async () => {
  const home = temporaryHome();
  const id = 'order-20300107-120000-0001';
  const sell = ['sale', '--amount', '25.00', '--currency', 'EUR', '--test-card', 'error', '--client-order-id', id];
  expect((await run(home, [...sell, '--wait', '--no-input'])).exit).toBe(5);
  const [order] = (await found(home)).orders;
  const { out } = await paycli(['orders', '--no-color'], {
    ...{ home, tty: true },
    outside: (usual) => ({ ...usual, terminal: { ...usual.terminal, width: 80 } }),
  });
  const [head = '', row = '', why = ''] = out.split('\n');
  expect(head).toMatch(/^created +operation +order +your id +amount +status$/);
  expect(row).toMatch(new RegExp(`sale +${String(order?.['orderId'])} +${id} +25\\.00 EUR +declined$`));
  expect(why).toBe('  reason: The acquirer could not process the transaction');
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const sold = ['sale', '--amount', '25.00', '--currency', 'EUR', '--test-card', 'approved', '--wait', '--no-input'];
  expect((await run(home, [...sold, '--client-order-id', id.replace('0001', '0002')])).exit).toBe(0);
  const both = await paycli(['orders', '--no-color'], {
    ...{ home, tty: true },
    outside: (usual) => ({ ...usual, terminal: { ...usual.terminal, width: 80 } }),
  });
  // What is left is worth more than the operation.
  expect(both.out).toMatch(/^created +order +your id +amount +left +status$/m);
  expect(both.out).toMatch(/0002 +25\.00 EUR +25\.00 +approved$/m);
  expect(both.out.replace(/\s+/g, ' ')).toContain('not shown: operation, card, ');
});

test('a text is not searched in what the journal keeps of a pending request and does not show', async () => {
  const home = temporaryHome();
  const sell = [
    'sale',
    '--amount',
    '25.00',
    '--currency',
    'EUR',
    '--test-card',
    'slow',
    '--client-order-id',
    'order-1',
  ];
  expect((await run(home, [...sell, '--no-input'])).exit).toBe(0);
  expect(idsIn(await found(home, 'order-1'))).toEqual(['order-1']);
  expect(idsIn(await found(home, 'HTTP'))).toEqual([]);
});

test('filters choose by status, card, amount, operation, text and time', async () => {
  const home = await shop();
  expect(idsIn(await found(home, '--status', 'declined', '--since', 'today'))).toEqual(['order-2']);
  expect(idsIn(await found(home, '--status', 'approved', '--status', 'declined'))).toHaveLength(3);
  expect(idsIn(await found(home, '--amount', '25.00 EUR'))).toEqual(['order-1']);
  expect(idsIn(await found(home, '--amount', '25 eur'))).toEqual(['order-1']);
  expect(idsIn(await found(home, '--operation', 'preauth'))).toEqual(['order-3']);
  expect(idsIn(await found(home, '--card', '11'))).toHaveLength(3);
  expect(idsIn(await found(home, '--card', '9999'))).toEqual([]);
  expect(idsIn(await found(home, 'ORDER-2'))).toEqual(['order-2']);
  expect(idsIn(await found(home, '--until', '2020-01-01'))).toEqual([]);
  const newest = await run(home, ['orders', '--limit', '1']);
  expect(newest.out).not.toContain('order-1');
  expect(newest.err).toContain('1 of 3 orders shown, only the newest');
});

test('an amount without a currency is that amount in any one', async () => {
  const home = temporaryHome();
  for (const [id, amount, currency] of [
    ['eur', '12.00', 'EUR'],
    ['usd', '12.00', 'USD'],
    ['jpy', '12', 'JPY'],
    ['other', '1200.00', 'EUR'],
  ] as const)
    await run(home, [
      ...['sale', '--amount', amount, '--currency', currency, '--test-card', 'approved', '--no-input'],
      ...['--client-order-id', id],
    ]);
  expect(idsIn(await found(home, '--amount', '12'))).toEqual(['jpy', 'usd', 'eur']);
  expect(idsIn(await found(home, '--amount', '12.00'))).toEqual(['jpy', 'usd', 'eur']);
  expect(idsIn(await found(home, '--amount', '12.00 USD'))).toEqual(['usd']);
  expect(idsIn(await found(home, '--amount', '12.01'))).toEqual([]);
});

test('yesterday is the midnight (UTC) before that of today', async () => {
  const home = temporaryHome();
  let now = 0;
  const at = (iso: string, argv: readonly string[]) => {
    now = Date.parse(iso);
    return paycli(argv, { home, outside: (usual) => ({ ...usual, clock: { ...usual.clock, now: () => now } }) });
  };
  const sell = (id: string) => [
    ...['sale', '--amount', '5', '--currency', 'EUR', '--test-card', 'approved', '--no-input'],
    ...['--client-order-id', id],
  ];
  await at('2030-01-05T23:59:59Z', sell('before'));
  await at('2030-01-06T00:00:00Z', sell('first'));
  await at('2030-01-06T23:59:59Z', sell('last'));
  const listed = async (...flags: string[]) =>
    idsIn(JSON.parse((await at('2030-01-07T12:00:00Z', ['orders', ...flags, '--json'])).out));
  expect(await listed('--since', 'yesterday')).toEqual(['last', 'first']);
  expect(await listed('--until', 'yesterday')).toEqual(['before']);
});

describe('orders of a payer', () => {
  const address = 'Jane.Doe@Example.com';
  const sell = (home: string, id: string, ...more: readonly string[]) =>
    run(home, [
      ...['sale', '--amount', '5', '--currency', 'EUR', '--test-card', 'approved', '--no-input'],
      ...['--client-order-id', id, ...more],
    ]);

  test('are found by the whole address in any case, which the journal does not hold', async () => {
    const home = temporaryHome();
    const first = await sell(home, 'jane-1', '--email', address);
    expect(first.exit, first.err).toBe(0);
    expect((await sell(home, 'john-1', '--email', 'john@example.com')).exit).toBe(0);
    expect(idsIn(await found(home, '--email', 'jANE.dOE@example.COM'))).toEqual(['jane-1']);
    expect(idsIn(await found(home, '--email', address, '--status', 'declined'))).toEqual([]);
    expect(idsIn(await found(home, '--email', 'doe@example.com'))).toEqual([]);
    const files = readdirSync(join(home, 'state')).filter((name) => name.startsWith('journal'));
    expect(files).toContain('journal.db');
    const bytes = files.map((name) => readFileSync(join(home, 'state', name), 'latin1').toLowerCase()).join();
    expect(bytes).toContain('jane-1');
    expect(bytes).not.toContain('jane.doe');
    expect((await run(home, ['journal', 'verify'])).exit).toBe(0);
  });

  test('are none in a journal that has no payers, and asking adds no table', async () => {
    const home = temporaryHome();
    expect((await sell(home, 'jane-1', '--email', address)).exit).toBe(0);
    const open = () => sqlite.open(join(home, 'state/journal.db'));
    const before = open();
    before.exec('DROP TABLE payers');
    before.close();
    expect(await found(home, '--email', address)).toEqual(expect.objectContaining({ total: 0, orders: [] }));
    const after = open();
    expect(after.all("SELECT name FROM sqlite_master WHERE name = 'payers'")).toEqual([]);
    after.close();
    expect((await run(home, ['journal', 'verify'])).exit).toBe(0);
    expect((await sell(home, 'jane-2', '--email', address)).exit).toBe(0);
    expect(idsIn(await found(home, '--email', address))).toEqual(['jane-2']);
  });
});

test('a lost reply is unknown, and a refused request was no payment', async () => {
  const home = homeWithProfile();
  const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
  expect((await run(home, saleFlags, lost)).exit).toBe(8);
  expect(await found(home, '--status', 'unknown')).toMatchObject({ orders: [{ orderId: null, left: null }] });
  const other = homeWithProfile();
  const ran = await run(other, [...saleFlags, '--wait'], reply(200, taken), reply(200, statusReply('approved')));
  expect(ran.exit, ran.err).toBe(0);
  expect(idsIn(await found(other, '--status', 'unknown'))).toEqual([]);
});

test.each([
  [['--status', 'aproved'], 'did you mean approved'],
  [
    ['--status', 'filtered'],
    '--status filtered: orders that the gateway calls filtered are listed as declined: `paycli orders --status declined`',
  ],
  [
    ['--status', 'error'],
    '--status error: orders that the gateway calls error are listed as declined: `paycli orders --status declined`',
  ],
  [
    ['--status', 'processing'],
    '--status processing: orders that the gateway calls processing are listed as pending: `paycli orders --status pending`',
  ],
  [['--card', '12345'], '--card: use the last digits'],
  [['--limit', '0'], '--limit: use a whole number'],
  [['--since', 'tomorrow'], '--since: use'],
  [['--email', 'jane@'], '--email: use an e-mail address'],
  [['--amount', '25 Euro'], '--amount'],
  [['--amount', '25.00001'], '--amount: use at most 4 digits after the decimal point; examples: 25.00 or "25.00 EUR"'],
  [['--amount', '0'], '--amount: use an amount above zero'],
  [['--amount', '25,00'], '--amount: use a point instead of the comma: write 25.00'],
  [['--amount', '25,00 EUR'], '--amount: use a point instead of the comma: write "25.00 EUR"'],
  [['--amount', '€25'], '--amount: leave out the currency sign: write 25'],
  [['--amount', '2.5.0'], '--amount'],
])('%s is refused', async (flags, why) => {
  expect(await run(temporaryHome(), ['orders', ...flags])).toMatchObject({
    exit: 2,
    err: expect.stringContaining(why),
  });
});

test('what the gateway itself does not know the outcome of is unknown, and pending once it is processed', async () => {
  const home = homeWithProfile();
  const status = (word: string) => reply(200, statusReply(word, { 'transaction-type': 'sale' }));
  expect((await run(home, saleFlags, reply(200, taken))).exit).toBe(0);
  expect(idsIn(await found(home, '--status', 'pending'))).toEqual(['902B4FF5']);
  await run(home, ['status', '902B4FF5'], status('unknown'));
  expect(idsIn(await found(home, '--status', 'pending'))).toEqual([]);
  expect(await found(home, '--status', 'unknown')).toMatchObject({
    orders: [
      {
        clientOrderId: '902B4FF5',
        status: 'unknown',
        gatewayStatus: 'unknown',
        reason: 'the gateway itself does not know the outcome',
      },
    ],
  });
  await run(home, ['status', '902B4FF5'], status('processing'));
  expect(idsIn(await found(home, '--status', 'pending'))).toEqual(['902B4FF5']);
});

test('an amount in another currency than the order is refused, and nothing is sent', async () => {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, reply(200, taken))).exit).toBe(0);
  for (const order of [['902B4FF5'], ['12345'], ['--order-id', '12345', '--client-order-id', '902B4FF5']]) {
    const ran = await run(home, ['return', ...order, '--amount', '5', '--currency', 'EUR']);
    expect([ran.exit, ran.requests.length], ran.err).toEqual([2, 0]);
    expect(ran.err).toContain('is in USD, not in EUR');
  }
});

test('a request that cannot be signed leaves nothing in the journal', async () => {
  const home = homeWithProfile();
  const check = ['payout', 'check', '--client-order-id', 'p-1', '--amount', '50.00', '--currency', 'EUR'];
  const ran = await run(home, [...check, '--receiver-phone', '+4930123456', '--bank-id', '100']);
  expect([ran.exit, ran.err]).toEqual([3, expect.stringContaining('lacks a private key')]);
  expect(idsIn(await found(home))).toEqual([]);
});

test('orders list, as other tools call it, lists them all', async () => {
  const home = await shop();
  const ran = await run(home, ['orders', 'list', '--json']);
  expect(idsIn(JSON.parse(ran.out))).toEqual(['order-3', 'order-2', 'order-1']);
  expect(ran.err).toContain('`orders list` is `paycli orders`');
});

test.each([
  [['list'], '`paycli orders`'],
  [['show', 'order-1'], '`paycli order order-1`'],
  [['show'], '`paycli order ORDER`'],
])('order %s names the command that is meant, and asks the gateway nothing', async (words, meant) => {
  const ran = await paycli(['order', ...words], { home: homeWithProfile() });
  expect([ran.exit, ran.requests]).toEqual([2, []]);
  expect(ran.err).toContain(`did you mean ${meant}?`);
});

describe('a text is part of an id or of the reason', () => {
  test('and not the status, the name of a field or another word of the reply', async () => {
    const home = await shop();
    const [declined] = (await found(home, '--status', 'declined')).orders;
    expect(idsIn(await found(home, String(declined?.['reason']).slice(4, 16).toUpperCase()))).toEqual(['order-2']);
    expect(idsIn(await found(home, 'SANDBOX-'))).toEqual(['order-3', 'order-2', 'order-1']);
    const expired = [
      'sale',
      '--amount',
      '3',
      '--currency',
      'EUR',
      '--test-card',
      'expired',
      '--client-order-id',
      'order-5',
    ];
    expect((await run(home, [...expired, '--wait', '--no-input'])).exit).toBe(5);
    // Whose reason has the word: "The issuing bank declined …".
    expect(idsIn(await found(home, 'declined'))).toEqual(['order-2']);
    expect(idsIn(await found(home, 'has expired'))).toEqual(['order-5']);
    for (const word of ['approved', 'paynet', 'VISA', 'async', 'EUR', 'sale'])
      expect(idsIn(await found(home, word)), word).toEqual([]);
  });

  test.each([
    [['declined', '--since', '1d'], 'declined --since 1d'],
    [['Approved', '--email', 'a@b.example'], 'approved --email ADDRESS'],
    [['filtered'], 'declined'],
    [['processing'], 'pending'],
  ])('a word of a status names the flag that is meant: %j', async (argv, flags) => {
    const home = await shop();
    const ran = await run(home, ['orders', ...argv]);
    expect([ran.exit, ran.err]).toEqual([
      0,
      expect.stringContaining(`note: to filter by status, use \`paycli orders --status ${flags} --profile sandbox\`\n`),
    ]);
    const json = await run(home, ['orders', ...argv, '--json']);
    expect([json.exit, json.err]).toEqual([0, expect.stringContaining('note: to filter by status')]);
  });
});

test('without a journal there is nothing to list', async () => {
  expect(await run(temporaryHome(), ['orders'])).toMatchObject({
    exit: 0,
    err: expect.stringContaining('nothing was sent from this machine'),
  });
});

test.each([
  [['--status', 'pending', '--since', '1d'], '--status pending --since 1d'],
  [['--card', '9999', '--amount', '25.00 EUR'], "--card 9999 --amount '25.00 EUR'"],
  [['no such text', '--email', 'nobody@example.com'], "'no such text' --email ADDRESS"],
  [['nothing-here'], 'nothing-here'],
  [['4444333322221111'], 'this text'],
  [['nobody@example.com'], 'this text'],
])('orders that match nothing are named by the filter: %j', async (flags, filter) => {
  expect(await run(await shop(), ['orders', ...flags])).toMatchObject({
    ...{ exit: 0, out: '' },
    err: expect.stringContaining(
      `no orders match ${filter} --profile sandbox; without filters and PAYCLI_PROFILE, \`paycli orders\` lists all`,
    ),
  });
});

describe('what a follow-up says of the order stands in its reason', () => {
  const statusOf = async (home: string, id: string) =>
    JSON.parse((await paycli(['orders', id, '--json', '-p', 'sandbox'], { home })).out).orders[0].status;
  const reasonOf = async (home: string, id: string) =>
    JSON.parse((await paycli(['orders', id, '--json', '-p', 'sandbox'], { home })).out).orders[0].reason;
  const sandboxed = ['--wait', '--no-input', '-p', 'sandbox'];

  test('a void, and a payout that was checked, then paid', async () => {
    const home = temporaryHome();
    const hold = ['preauth', '--amount', '25.00', '--currency', 'USD', '--test-card', 'approved'];
    expect((await paycli([...hold, '--client-order-id', 'held', ...sandboxed], { home })).exit).toBe(0);
    expect(await reasonOf(home, 'held')).toBe('');
    expect((await paycli(['void', 'held', ...sandboxed], { home })).exit).toBe(0);
    expect(await reasonOf(home, 'held')).toBe('voided');
    const { orders } = JSON.parse((await paycli(['orders', 'held', '--json'], { home })).out);
    expect(orders[0].status).toBe('voided');
    const held = async (...words: readonly string[]) =>
      JSON.parse((await paycli(['orders', '--json', ...words.flatMap((word) => ['--status', word])], { home })).out)
        .total;
    expect([await held('voided'), await held('declined'), await held('declined', 'voided')]).toEqual([1, 0, 1]);
    expect((await paycli(['orders', 'held'], { home })).out).toMatch(/ voided +1111 /);
    const check = ['payout', 'check', '--client-order-id', 'p-1', '--amount', '50.00', '--currency', 'EUR'];
    const to = ['--wallet-type', 'x', '--wallet-id', 'y'];
    expect((await paycli([...check, ...to, ...sandboxed], { home })).exit).toBe(0);
    expect(await reasonOf(home, 'p-1')).toBe('checked, not paid');
    expect(await statusOf(home, 'p-1')).toBe('pending');
    expect(idsIn(await found(home, '--status', 'pending'))).toEqual(['p-1']);
    expect((await paycli(['payout', 'pay', 'p-1', ...sandboxed], { home })).exit).toBe(0);
    expect(await reasonOf(home, 'p-1')).toBe('payment approved');
    expect(await statusOf(home, 'p-1')).toBe('approved');
    expect(idsIn(await found(home, '--status', 'approved'))).toEqual(['p-1', 'held']);
    expect(idsIn(await found(home, '--status', 'pending'))).toEqual([]);
  });

  test('a return that the gateway took and does not know the outcome of, which keeps the next one back', async () => {
    const home = homeWithProfile();
    const back = ['return', '902B4FF5', '--amount', '5'];
    const status = (word: string) => reply(200, statusReply(word, { 'transaction-type': 'reversal' }));
    expect((await run(home, [...saleFlags, '--wait'], reply(200, taken), reply(200, soldStatus))).exit).toBe(0);
    expect((await run(home, back, reply(200, taken))).exit).toBe(0);
    expect((await run(home, ['status', '902B4FF5'], status('unknown'))).exit).toBe(0);
    expect(await found(home, '902B4FF5')).toMatchObject({ orders: [{ reason: 'return 5.00 USD is unknown' }] });
    const next = await run(home, ['return', '902B4FF5', '--amount', '3']);
    expect([next.exit, next.requests.length], next.err).toEqual([10, 0]);
    expect(next.err).toContain('paycli resolve 12345');
  });

  test('a follow-up whose outcome is unknown', async () => {
    const home = homeWithProfile();
    expect((await run(home, [...saleFlags, '--wait'], reply(200, taken), reply(200, soldStatus))).exit).toBe(0);
    const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
    expect((await paycli(['return', '902B4FF5', '--amount', '5'], { home, network: [lost] })).exit).toBe(8);
    const [listed] = JSON.parse((await paycli(['orders', '902B4FF5', '--json'], { home })).out).orders;
    expect(listed.reason).toBe('return 5.00 USD is unknown');
  });
});

test('programs get every order, and people the newest 50 with the limit that shows all', async () => {
  const home = temporaryHome();
  const count = 53;
  for (let number = 1; number <= count; number += 1)
    await run(home, [
      ...['sale', '--amount', '1.00', '--currency', 'EUR', '--test-card', 'approved', '--no-input', '--again'],
      ...['--client-order-id', `order-${number}`],
    ]);
  const lines = async (...flags: readonly string[]) =>
    (await run(home, ['orders', '-q', ...flags])).out.trimEnd().split('\n').length;
  expect(await lines('-o', 'csv')).toBe(count + 1);
  expect(await lines('-o', 'ndjson')).toBe(count);
  expect(await lines('-o', 'ndjson', '--limit', '52')).toBe(52);
  const all = idsIn(await found(home));
  expect(all).toEqual(Array.from({ length: count }, (_, at) => `order-${count - at}`));
  const { out } = await run(home, ['orders', '-o', 'yaml']);
  expect(out.match(/clientOrderId:/g)).toHaveLength(count);
  expect((await run(home, ['orders', '--json'])).err).not.toContain('only the newest');
  const text = await run(home, ['orders', '-o', 'table']);
  expect(text.err).toContain('50 of 53 orders shown, only the newest; --limit 53 shows all');
  expect(text.out).toContain('order-4 ');
  expect(text.out).not.toContain('order-3 ');
});

import { expect, test } from 'vitest';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, taken } from './profiles.js';

const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
const noSuchOrder = () =>
  reply(200, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '7' });

async function lostSale(): Promise<string> {
  const home = homeWithProfile();
  const ran = await paycli(saleFlags, { home, network: [lost] });
  expect(ran.exit).toBe(8);
  return home;
}

test('an order whose reply was lost and which the gateway does not have is shown from the journal', async () => {
  const home = await lostSale();
  const ran = await paycli(['order', '902B4FF5'], { home, network: [noSuchOrder, noSuchOrder] });
  expect([ran.exit, ran.err]).toEqual([8, expect.stringContaining('paycli resolve 902B4FF5')]);
  expect(ran.out).toMatch(/^order 902B4FF5 /);
  expect(ran.out).toMatch(/^ {2}status +unknown according to the journal; the gateway has no such order$/m);
  expect(ran.out).toMatch(/^ {2}amounts +10\.42 USD, returned 0\.00$/m);
  expect(ran.out).toMatch(/^ {2}card +•••• 1111$/m);
  expect(ran.out).toMatch(/^ {2}profile +shop \(test\)$/m);
  expect(ran.out).toContain('\nTimeline\n');
  expect(ran.out).toContain(
    'Available\n  paycli resolve 902B4FF5\n  paycli status --client-order-id 902B4FF5 --wait\n',
  );
  const json = await paycli(['order', '902B4FF5', '--json'], { home, network: [noSuchOrder, noSuchOrder] });
  expect(JSON.parse(json.out)).toMatchObject({
    ...{ schema: 'paycli.order/1', orderId: null, clientOrderId: '902B4FF5', status: 'unknown' },
    fromJournal: 'the gateway has no such order',
  });
  expect(JSON.parse(json.err)).toMatchObject({ code: 'OUTCOME_UNKNOWN', exit: 8 });
});

test('an order behind a gateway that answers 403 is shown from the journal', async () => {
  const home = homeWithProfile();
  expect((await paycli(saleFlags, { home, network: [() => reply(200, taken)] })).exit).toBe(0);
  const forbidden = { kind: 'reply', reply: { status: 403, headers: {}, body: 'Forbidden' } } as const;
  const network = Array(3).fill(() => ({ ...reply(200, {}), ...forbidden }));
  const ran = await paycli(['order', '12345', '--json'], { home, network });
  expect(ran.exit).toBe(9);
  expect(JSON.parse(ran.out)).toMatchObject({ orderId: '12345', amounts: { amount: '10.42', currency: 'USD' } });
  expect(JSON.parse(ran.out).fromJournal).toMatch(/^the gateway could not be queried: .*403/);
  expect(JSON.parse(ran.err)).toMatchObject({ code: 'READ_FAILED', exit: 9, http: 403 });
});

test('while the gateway cannot be reached the order is shown from the journal: exit 9, as of any read', async () => {
  const home = homeWithProfile();
  expect((await paycli(saleFlags, { home, network: [() => reply(200, taken)] })).exit).toBe(0);
  const down = () => ({ kind: 'never-sent', reason: 'the connection was refused' }) as const;
  const ran = await paycli(['order', '902B4FF5'], { home, network: Array(3).fill(down) });
  expect(ran.exit).toBe(9);
  expect(ran.out).toMatch(
    /^ {2}status +processing according to the journal; the gateway could not be queried: the connection was refused$/m,
  );
  expect(ran.err).toContain('error: no usable reply: the connection was refused\n');
  expect(ran.err).not.toMatch(/nothing was sent|money-safety|--offline/);
  const unknown = await paycli(['order', '999'], { home, network: Array(3).fill(down) });
  expect([unknown.exit, unknown.err]).toEqual([9, expect.not.stringContaining('money-safety')]);
});

test('offline the order is shown from the journal, with what was captured and returned', async () => {
  const home = temporaryHome();
  const flags = ['--amount', '25.00', '--currency', 'USD', '--test-card', 'approved', '--no-input', '--wait', '--json'];
  const made = await paycli(['preauth', ...flags, '-p', 'sandbox'], { home });
  const order = /"paynet-order-id": "(\d+)"/.exec(made.out)?.[1] ?? '';
  for (const [operation, amount] of [
    ['capture', '20.00'],
    ['return', '5.00'],
  ] as const)
    expect((await paycli([operation, order, '--amount', amount, '--wait'], { home })).exit).toBe(0);
  const ran = await paycli(['order', order, '--offline'], { home });
  expect([ran.exit, ran.requests]).toEqual([0, []]);
  expect(ran.out).toMatch(
    /^ {2}status +approved according to the journal; the gateway was not queried \(--offline\)$/m,
  );
  expect(ran.out).toMatch(/^ {2}amounts +25\.00 USD, captured 20\.00, .*returned 5\.00, refundable 15\.00$/m);
});

test('an amount that no currency has is refused at once, without a status query for the currency of the order', async () => {
  for (const tty of [false, true]) {
    const ran = await paycli(['capture', '123', '--amount', '1.23456'], { home: homeWithProfile(), tty });
    expect([ran.exit, ran.requests]).toEqual([2, []]);
    expect(ran.err).toContain('--amount: use at most 4 digits after the decimal point');
  }
});

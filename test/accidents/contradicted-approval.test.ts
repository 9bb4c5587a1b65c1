import { describe, expect, test } from 'vitest';
import { countsIn } from '../batch/files.js';
import { homeWithProfile, saleFlags } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';
import { entriesOf, FakeGateway, lost, planPayouts } from './fake-gateway.js';

// The gateway changes its mind about an approved payment, or approves something else than was sent.

const id = '902B4FF5';
const giveBack = ['return', '790245', '--amount', '5.00', '--currency', 'USD', '--client-order-id', id];
type Fields = Readonly<Record<string, string>>;
const sold = {
  'transaction-type': 'sale',
  status: 'approved',
  currency: 'USD',
  amount: '10.42',
  'initial-amount': '10.42',
};
const returned = { ...sold, 'transaction-type': 'reversal', amount: '5.00', 'total-reversal-amount': '5.00' };

async function approvedSale() {
  const gateway = new FakeGateway();
  const home = homeWithProfile();
  expect((await gateway.run(home, [...saleFlags, '--wait'])).exit).toBe(0);
  return {
    home,
    gateway,
    /** `status` of the order, once the gateway shows this. */
    async statusNow(order: Fields) {
      gateway.orders.set(id, order);
      return gateway.run(home, ['status', '--client-order-id', id]);
    },
  };
}

const statesIn = async (home: string) => (await entriesOf(home)).map(({ state }) => state).sort();

describe('an approved sale', () => {
  test('with more zeros than its currency has is the one that was sent', async () => {
    const { home, statusNow } = await approvedSale();
    expect((await statusNow({ ...sold, amount: '10.42000' })).exit).toBe(0);
    expect(await statesIn(home)).toEqual(['done']);
  });

  test('that status shows as declined later is in conflict: status, doctor, order and resolve say so', async () => {
    const { home, gateway, statusNow } = await approvedSale();
    expect((await statusNow({ ...sold, status: 'declined' })).exit).toBe(8);
    expect(await statesIn(home)).toEqual(['conflict']);
    expect((await gateway.run(home, ['order', '--client-order-id', id])).out).toContain('conflict');
    const doctor = await paycli(['doctor'], { home });
    expect(doctor.out + doctor.err).toContain('in conflict');
    expect((await gateway.run(home, ['resolve', id])).exit).toBe(8);
    expect((await gateway.run(home, saleFlags)).exit).toBe(8);
    expect((await gateway.run(home, giveBack)).exit).toBe(10);
    expect([gateway.sent(id), gateway.asked().filter((asked) => asked.startsWith('return'))]).toEqual([1, []]);
    const settled = ['resolve', '--entry', '1', '--settle-as', 'paid', '--evidence', 'statement of today'];
    expect((await gateway.run(home, settled)).exit).toBe(0);
    await statusNow({ ...sold, status: 'declined' });
    expect(await statesIn(home)).toEqual(['done']);
  });

  test.each([
    ['a return of it was declined', { ...returned, status: 'declined' }],
    ['a status that does not name its transaction says declined', { status: 'declined' }],
  ])('is none where %s', async (_, order) => {
    const { home, statusNow } = await approvedSale();
    await statusNow(order);
    expect(await statesIn(home)).toEqual(['done']);
  });
});

describe('an approved return', () => {
  const made = async () => {
    const sale = await approvedSale();
    const { gateway, home } = sale;
    gateway.onPayment = () =>
      reply(200, { type: 'async-response', 'serial-number': 's-2', 'paynet-order-id': '790245' });
    gateway.onStatus = () =>
      reply(200, { type: 'status-response', 'by-request-sn': 's-2', 'paynet-order-id': '790245', ...returned });
    const ran = await gateway.run(home, [...giveBack, '--wait', '--again']);
    expect(ran.exit, ran.err).toBe(0);
    return sale;
  };
  const declined = { ...returned, status: 'declined', 'total-reversal-amount': '0.00' };

  test('that its own status shows as declined later is in conflict, and the sale is not', async () => {
    const { home, gateway } = await made();
    gateway.onStatus = () =>
      reply(200, { type: 'status-response', 'by-request-sn': 's-2', 'paynet-order-id': '790245', ...declined });
    await gateway.run(home, ['status', '790245']);
    expect(await statesIn(home)).toEqual(['conflict', 'done']);
  });
});

const others: readonly (readonly [string, Fields])[] = [
  ['for 1.00 of 10.42', { ...sold, amount: '1.00' }],
  ['in another currency', { ...sold, currency: 'EUR' }],
  ['for an amount in no known form', { ...sold, amount: '99,999.00' }],
];

describe.each(others)('a sale of 10.42 USD that was approved %s is in conflict, exit 11', (_, order) => {
  /** A gateway that accepts the sale, and shows this of it once it is asked. */
  async function acceptedSale(...flags: readonly string[]) {
    const gateway = new FakeGateway();
    const home = homeWithProfile();
    gateway.onStatus = () => {
      gateway.orders.set(id, order);
      return undefined;
    };
    return { gateway, home, ran: await gateway.run(home, [...saleFlags, ...flags]) };
  }

  test('with --wait, and again', async () => {
    const { gateway, home, ran } = await acceptedSale('--wait');
    expect([ran.exit, JSON.parse(ran.out)]).toMatchObject([11, { ok: false, exit: 11 }]);
    expect(await statesIn(home)).toEqual(['conflict']);
    expect([(await gateway.run(home, saleFlags)).exit, gateway.sent(id)]).toEqual([11, 1]);
    expect((await paycli(saleFlags, { home })).out).not.toContain('✓');
  });

  test.each([
    ['status', ['status', '--client-order-id', id]],
    ['resolve', ['resolve', id]],
  ])('by %s', async (__, argv) => {
    const { gateway, home } = await acceptedSale();
    const ran = await gateway.run(home, argv);
    expect([ran.exit, await statesIn(home)]).toEqual([11, ['conflict']]);
  });
});

test('a sale whose reply was lost stays unknown where status shows an amount in no known form', async () => {
  const gateway = new FakeGateway();
  const home = homeWithProfile();
  gateway.onPayment = () => lost;
  expect((await gateway.run(home, saleFlags)).exit).toBe(8);
  gateway.orders.set(id, { ...sold, amount: '99,999.00', 'initial-amount': '99,999.00' });
  expect([(await gateway.run(home, ['resolve', id])).exit, await statesIn(home)]).toEqual([8, ['unknown']]);
});

test('a row of a batch that was approved for another amount is unknown, and exit 8', async () => {
  const gateway = new FakeGateway();
  gateway.onStatus = ({ clientOrderId }) => {
    const order = gateway.orders.get(clientOrderId);
    if (clientOrderId === 'row-2' && order !== undefined)
      gateway.orders.set(clientOrderId, { ...order, amount: '1.00' });
    return undefined;
  };
  const home = homeWithProfile({ asksFirst: true });
  const ran = await gateway.run(home, ['batch', 'run', await planPayouts(home, 3)]);
  expect([ran.exit, countsIn(ran.out), await statesIn(home)]).toEqual([
    ...[8, { done: 2, conflict: 1 }, ['conflict', 'done', 'done']],
  ]);
});

test('a rebill, of which the gateway decides the amount, is approved', async () => {
  const gateway = new FakeGateway();
  gateway.onStatus = () => {
    gateway.orders.set('r-1', { ...sold, amount: '9.00', 'initial-amount': '9.00' });
    return undefined;
  };
  const argv = ['rebill', '--client-order-id', 'r-1', '--card-ref-id', '55', '--amount', '10.42', '--currency', 'USD'];
  const more = ['--order-desc', 'Tickets', '--ip-address', '192.0.2.1', '--wait'];
  const ran = await gateway.run(homeWithProfile(), [...argv, ...more]);
  expect(ran.exit, ran.err).toBe(0);
});

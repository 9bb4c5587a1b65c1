import { describe, expect, test } from 'vitest';
import { copiesOf, paycli, reply, temporaryHome } from '../support/runtime.js';
import { approvedReply, homeWithProfile, saleFlags, soldStatus, statusReply, taken } from './profiles.js';

const usd = ['--amount', '25.00', '--currency', 'USD', '--test-card', 'approved', '--no-input'];
const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;

/** A hold of 25.00 USD named hold-1, of which 20.00 was captured and 5.00 of that returned. */
const shop = copiesOf(async () => {
  const home = temporaryHome();
  for (const argv of [
    ['preauth', ...usd, '--client-order-id', 'hold-1', '--wait'],
    ['capture', 'hold-1', '--amount', '20.00', '--wait'],
    ['return', 'hold-1', '--amount', '5.00', '--wait'],
  ])
    expect((await paycli(argv, { home })).exit).toBe(0);
  return home;
});

const sold = async (home = homeWithProfile()) => {
  expect((await paycli(saleFlags, { home, network: [() => reply(200, taken)] })).exit).toBe(0);
  return home;
};

describe('order', () => {
  test('states status and amounts as the gateway does, with what was sent on it from here', async () => {
    const home = await shop();
    const { exit, out } = await paycli('order hold-1 --json', { home });
    expect(exit).toBe(0);
    const shown = JSON.parse(out);
    expect(shown).toMatchObject({
      ...{ schema: 'paycli.order/1', clientOrderId: 'hold-1', profile: 'sandbox', status: 'approved', notAsked: null },
      ...{ transaction: 'reversal', amount: '5.00', initialAmount: '25.00', totalReturned: '5.00', currency: 'USD' },
      card: { brand: 'VISA', lastFour: '1111' },
    });
    const requests = shown.requests.map(({ operation, amount, state }: Record<string, string>) => [
      ...[operation, amount, state],
    ]);
    expect(requests).toEqual([
      ['preauth', '25.00', 'done'],
      ['capture', '20.00', 'done'],
      ['return', '5.00', 'done'],
    ]);
    const byOrderId = await paycli(['order', shown.orderId, '--json'], { home });
    expect(JSON.parse(byOrderId.out)).toEqual(shown);
    const text = await paycli('order hold-1', { home });
    expect(text.out).toMatch(/^order \d+ · sandbox {2}client order id hold-1\n/);
    expect(text.out).toMatch(/^ {2}initial amount +25\.00 USD$/m);
    expect(text.out).toMatch(/^ {2}status +approved$/m);
    expect(text.out).not.toMatch(/captured|refundable|remaining/);
  });

  test.each([
    ['does not answer', lost, 9],
    ['does not have it', () => reply(400, { type: 'error', 'error-message': 'order not found' }), 4],
  ])('where the gateway %s shows what was sent, and ends as any read', async (_, answer, exit) => {
    const ran = await paycli('order 12345 --json', {
      home: await sold(),
      network: Array(exit === 9 ? 3 : 1).fill(answer),
    });
    expect([ran.exit, JSON.parse(ran.err).exit]).toEqual([exit, exit]);
    expect(JSON.parse(ran.out)).toMatchObject({ orderId: '12345', status: null, notAsked: expect.any(String) });
    expect(JSON.parse(ran.out).requests).toMatchObject([{ operation: 'sale', state: 'accepted' }]);
  });

  test('of a lost sale that the gateway does not have is unknown, not missing, and says what resolves it', async () => {
    const home = homeWithProfile();
    expect((await paycli(saleFlags, { home, network: [lost] })).exit).toBe(8);
    const missing = () => reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });
    const ran = await paycli('order 902B4FF5 --json', { home, network: [missing] });
    expect([ran.exit, JSON.parse(ran.err).code]).toEqual([8, 'OUTCOME_UNKNOWN']);
    expect(JSON.parse(ran.out)).toMatchObject({ orderId: null, next: 'paycli resolve 902B4FF5' });
  });

  test('a follow-up that was declined leaves the order as it was', async () => {
    const declined = statusReply('declined', {
      ...{ 'transaction-type': 'reversal', 'order-stage': 'reversal_declined', 'error-message': 'No such card' },
      ...{ amount: '5.00', currency: 'USD', 'initial-amount': '10.42' },
    });
    const ran = await paycli('order 12345', { home: await sold(), network: [() => reply(200, declined)] });
    expect(ran.out).toMatch(/^ {2}status +return declined .*No such card.*the order is as it was before$/m);
  });
});

describe('several orders', () => {
  const other = () => reply(200, { ...soldStatus, 'merchant-order-id': 'o-2', 'paynet-order-id': '777' });
  const both = [() => reply(200, soldStatus), other];
  const idsIn = (out: string) =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).orderId);

  test('are shown one after the other, a line of JSON each', async () => {
    const ran = await paycli('order 12345 o-2 --json', { home: homeWithProfile(), network: both });
    expect([ran.exit, idsIn(ran.out)]).toEqual([0, ['12345', '777']]);
  });

  test('come from standard input', async () => {
    const stdin = '12345\n\n  o-2 \n';
    const ran = await paycli('order - --json', { home: homeWithProfile(), network: both, stdin });
    expect([ran.exit, idsIn(ran.out)]).toEqual([0, ['12345', '777']]);
    expect((await paycli('order -', { home: homeWithProfile(), stdin: '\n' })).exit).toBe(2);
  });

  test('one that the gateway does not have does not hide the others, and decides the exit code', async () => {
    const missing = () => reply(400, { type: 'error', 'error-message': 'order not found' });
    const home = homeWithProfile();
    const ran = await paycli('order 1 777 --json', { home, network: [missing, other] });
    expect([ran.exit, idsIn(ran.out), JSON.parse(ran.err).code]).toEqual([4, ['777'], 'REFUSED']);
  });
});

describe('order --can', () => {
  test.each([
    ['return', approvedReply('sale', { amount: '10.42' }), 0],
    ['capture', approvedReply('sale', { amount: '10.42' }), 11],
    ['sale', approvedReply('sale', { amount: '10.42' }), 11],
    ['return', reply(200, statusReply('declined', { 'transaction-type': 'sale' })), 11],
    ['upload-3ds cres', approvedReply('sale', { amount: '10.42' }), 11],
  ] as const)('%s', async (operation, answer, exit) => {
    const argv = ['order', '12345', '--can', operation, '--json'];
    const ran = await paycli(argv, { home: homeWithProfile(), network: [() => answer] });
    const document = JSON.parse(ran.out);
    expect([ran.exit, document.legal, ran.requests.length]).toEqual([exit, exit === 0, 1]);
    expect(document).toMatchObject({ schema: 'paycli.can/1', orderId: '12345', clientOrderId: '902B4FF5', operation });
    expect(document.reason === null).toBe(exit === 0);
  });

  test('of a returned sale neither a capture nor another sale', async () => {
    const home = homeWithProfile();
    expect((await paycli(saleFlags, { home, network: [() => reply(200, taken)] })).exit).toBe(0);
    const returned = approvedReply('reversal', { amount: '10.42', 'total-reversal-amount': '10.42' });
    for (const operation of ['capture', 'sale']) {
      const argv = ['order', '12345', '--can', operation];
      expect((await paycli(argv, { home, network: [() => returned] })).exit, operation).toBe(11);
    }
  });

  test('of a registration is no, and asks nobody', async () => {
    const home = temporaryHome();
    const register = 'recurring --recurring-card-type SRC --period monthly --interval 1 --test-card approved';
    const argv = [...register.split(' '), '--amount', '9.99', '--currency', 'USD'];
    expect((await paycli([...argv, '--client-order-id', 'r-1'], { home })).exit).toBe(0);
    expect((await paycli('order r-1 --can return', { home })).exit).toBe(11);
    expect((await paycli('order r-1 --can status', { home })).exit).toBe(11);
  });
});

describe('an order whose request had no reply', () => {
  const withoutReply = async (outcome: 'no-answer' | 'no-answer-done') => {
    const home = temporaryHome();
    await paycli(['sandbox', 'outcomes', 'next', outcome], { home });
    const ran = await paycli(['sale', ...usd, '--client-order-id', 'lost-1', '-p', 'sandbox'], { home });
    expect(ran.exit, ran.err).toBe(8);
    return home;
  };

  test.each([
    ['return', 'lost-1', '--amount', '5'],
    ['return', 'lost-1', '--all'],
    ['capture', 'lost-1', '--all'],
    ['void', 'lost-1'],
    ['card-ref', 'create', 'lost-1'],
    ['payout', 'pay', 'lost-1'],
    ['upload-3ds', 'cres', 'lost-1', '--c-res', 'eyJ9'],
  ])('%s %s is refused until that is settled, whatever the gateway has: nothing is sent', async (...argv) => {
    for (const outcome of ['no-answer', 'no-answer-done'] as const) {
      const home = await withoutReply(outcome);
      const before = (await paycli('sandbox log', { home })).out;
      const ran = await paycli([...argv, '--no-input', '-p', 'sandbox', '--json'], { home });
      expect([ran.exit, JSON.parse(ran.err).code]).toEqual([10, 'ORDER_BUSY']);
      expect((await paycli('sandbox log', { home })).out).toBe(before);
    }
  });

  test('is settled in the journal by what order learns of it', async () => {
    const home = await withoutReply('no-answer-done');
    const listed = async () => JSON.parse((await paycli('orders lost-1 --json', { home })).out).orders;
    expect(await listed()).toMatchObject([{ status: 'unknown' }]);
    expect((await paycli('order lost-1', { home })).exit).toBe(0);
    expect(await listed()).toMatchObject([{ status: 'pending', orderId: expect.stringMatching(/^\d+$/) }]);
  });
});

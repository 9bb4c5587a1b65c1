import { describe, expect, test } from 'vitest';
import { moveClock, stepClock } from '../../src/sandbox/clock.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { cardOrder, openFixture, orderOf, partial, signed, status } from './support.js';

const day = 86_400_000;

describe('the sandbox clock', () => {
  test('is not the one of the OAuth window (A23)', () => {
    const fixture = openFixture();
    moveClock(fixture.sandboxState.store, fixture.clock.time + 30 * day);
    const pairs = { client_orderid: 'pe', sending_card_number: '4444333322221111' };
    expect(signed(fixture, '/api/v2/pan-eligibility/send/4001', pairs).body).not.toContain('oauth_timestamp');
  });

  test('lets everything happen in the order of its time', () => {
    const fixture = openFixture();
    const { store } = fixture.sandboxState;
    const start = store.clock.now();
    const first = orderOf(cardOrder(fixture, 'preauth', { id: 'h1', amount: '10.00' }));
    fixture.sandboxState.queueOutcome('slow');
    const slow = orderOf(cardOrder(fixture, 'sale', { id: 's1', amount: '5.00' }));
    const happened = moveClock(store, start + 8 * day);
    expect(happened).toEqual([
      { at: start + 300, what: `order ${first}: auth_approved` },
      { at: start + 3_600_000, what: `order ${slow}: sale_approved` },
      { at: start + 300 + 7 * day + 1, what: `order ${first}: the hold expired with 10.00 USD left uncaptured` },
    ]);
    expect(partial(fixture, 'capture', 'h1', first).body).toContain('the hold expired (A33)');
  });

  test('steps to the next due thing, until nothing is due', () => {
    const fixture = openFixture();
    const { store } = fixture.sandboxState;
    const start = store.clock.now();
    expect(stepClock(store)).toBeUndefined();
    const order = orderOf(cardOrder(fixture, 'preauth', { id: 'st', amount: '10.00' }));
    expect(stepClock(store)).toEqual([{ at: start + 300, what: `order ${order}: auth_approved` }]);
    expect(store.clock.now()).toBe(start + 300);
    const lapse = {
      at: start + 300 + 7 * day + 1,
      what: `order ${order}: the hold expired with 10.00 USD left uncaptured`,
    };
    expect(stepClock(store)).toEqual([lapse]);
    expect(stepClock(store)).toBeUndefined();
    expect(status(fixture, 'st', order)).toMatchObject({ status: 'approved' });
  });
});

describe('paycli sandbox clock', () => {
  test('shows, sets, advances and runs', async () => {
    const home = temporaryHome();
    const run = (...argv: string[]) => paycli(['sandbox', ...argv], { home });
    expect((await run('clock')).out).toContain('2030-01-07T12:00:00Z');
    const set = await run('clock', '2030-02-01T00:00:00Z', '--json');
    expect(JSON.parse(set.out)).toEqual({
      schema: 'paycli.clock/1',
      now: '2030-02-01T00:00:00Z',
      machine: '2030-01-07T12:00:00Z',
      next: null,
      happened: [],
    });
    const back = await run('clock', '2030-01-01T00:00:00Z');
    expect([back.exit, back.err]).toEqual([2, expect.stringContaining('cannot go back')]);
    const sale = testSale('--json');
    const made = await paycli(
      [...sale, '--server-callback-url', 'http://127.0.0.1:9/hook', '--client-order-id', 'c1'],
      { home },
    );
    expect(made.exit, made.err).toBe(0);
    const step = await run('clock', 'next');
    expect(step.out).toMatch(/2030-02-01T00:00:00\.300Z +order \d+: sale_approved/);
    expect((await run('clock', 'next')).out).toContain('nothing happened');
    const list = await run('callbacks', '--order', 'c1');
    expect(list.out).toMatch(/\bc1\b.*approved.*pending.*http:\/\/127\.0\.0\.1:9\/hook/);
    expect(list.err).toContain('paycli sandbox start');
    expect(JSON.parse((await run('callbacks', '--json')).out)).toMatchObject({
      schema: 'paycli.callbacks/1',
      callbacks: [{ clientOrderId: 'c1' }],
    });
    expect(JSON.parse((await run('clock', '+1d', '--json')).out).now).toBe('2030-02-02T00:00:00.300Z');
  });
});

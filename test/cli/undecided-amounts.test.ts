import { describe, expect, test } from 'vitest';
import { copiesOf, paycli, temporaryHome } from '../support/runtime.js';

const sandboxed = ['--no-input', '-p', 'sandbox'];

/** A hold of 100.00 USD in the sandbox; gives its gateway order id. */
async function hold(home: string, id: string): Promise<string> {
  const made = ['preauth', '--amount', '100', '--currency', 'USD', '--test-card', 'approved', '--wait'];
  const ran = await paycli([...made, '--client-order-id', id, ...sandboxed], { home });
  expect(ran.exit, ran.err).toBe(0);
  return orderIdOf(home, id);
}

async function orderIdOf(home: string, id: string): Promise<string> {
  return JSON.parse((await paycli(['orders', id, '--json', '-p', 'sandbox'], { home })).out).orders[0].orderId;
}

/** A home with one, `h-1`. */
const homeWithHold = copiesOf(async () => {
  const home = temporaryHome();
  await hold(home, 'h-1');
  return home;
});

/** What `orders`, `order` and `order --offline` say of an order: for programs, then for people. */
async function shown(home: string, id: string) {
  const json = async (...argv: string[]) =>
    JSON.parse((await paycli([...argv, '--json', '-p', 'sandbox'], { home })).out);
  const text = async (...argv: string[]) => (await paycli([...argv, '-p', 'sandbox'], { home })).out;
  const line = (out: string) => / {2}amounts +(.*)/.exec(out)?.[1];
  const online = (await json('order', id)).amounts;
  return {
    online,
    offline: (await json('order', id, '--offline')).amounts,
    listed: (await json('orders', id)).orders[0],
    lines: [line(await text('order', id)), line(await text('order', id, '--offline'))],
    row: await text('orders', id),
  };
}

const run = (home: string, ...argv: string[]) => paycli([...argv, ...sandboxed], { home });

/** How the next follow-up on an order ends. */
async function next(home: string, outcome: string, order: string): Promise<void> {
  expect((await paycli(['sandbox', 'outcomes', 'next', outcome, '--order', order], { home })).exit).toBe(0);
}

describe('a hold', () => {
  test('that was voided has nothing left', async () => {
    const home = await homeWithHold();
    expect((await run(home, 'void', 'h-1', '--wait')).exit).toBe(0);
    const { online, offline, listed, row } = await shown(home, 'h-1');
    const amounts = { captured: '0.00', left: '0.00', voidPending: '0.00' };
    expect(online).toMatchObject({ ...amounts, leftToCapture: null });
    expect(offline).toMatchObject({ ...amounts, leftToCapture: null });
    expect(listed).toMatchObject({ ...amounts, leftToCapture: '0.00', reason: 'voided' });
    expect(row).toMatch(/voided$/m);
  });
});

describe.each([
  ['slow', 'pending'],
  ['unknown', 'unknown'],
] as const)('what ends as %s is shown apart, and counts neither as moved nor as left', (outcome, word) => {
  async function open(...argv: string[]) {
    const home = await homeWithHold();
    await next(home, outcome, await orderIdOf(home, 'h-1'));
    const ran = await run(home, ...argv);
    expect(ran.exit, ran.err).toBe(0);
    await paycli(['status', 'h-1', '--wait', '--wait-timeout', '1s', '-p', 'sandbox'], { home });
    return shown(home, 'h-1');
  }

  test('a capture of a part', async () => {
    const { online, offline, listed, lines, row } = await open('capture', 'h-1', '--amount', '40');
    const amounts = { captured: '0.00', capturePending: '40.00', released: '0.00', returned: '0.00', left: '60.00' };
    expect(online).toMatchObject({ ...amounts, leftToCapture: null, restReleased: null });
    expect(offline).toMatchObject({ ...amounts, leftToCapture: null, restReleased: null });
    expect(listed).toMatchObject(amounts);
    expect(lines).toEqual(Array(2).fill(`100.00 USD, captured 0.00, capture of 40.00 ${word}`));
    const why = word === 'pending' ? 'capture of 40.00 pending' : 'capture 40.00 USD is unknown';
    expect(row).toMatch(new RegExp(`left 60\\.00 +${why}$`, 'm'));
  });

  test('a return of a part', async () => {
    const { online, offline, listed, lines, row } = await open('return', 'h-1', '--amount', '30');
    const amounts = { captured: '0.00', released: '0.00', pending: '30.00', left: '70.00' };
    expect(online).toMatchObject(amounts);
    expect(offline).toMatchObject(amounts);
    expect(listed).toMatchObject(amounts);
    expect(lines).toEqual(
      Array(2).fill(`100.00 USD, captured 0.00, remaining to capture 70.00, return of 30.00 ${word}`),
    );
    expect(row).toContain(word === 'pending' ? 'return of 30.00 pending' : 'return 30.00 USD is unknown');
  });

  test('a void', async () => {
    const { online, offline, listed, lines, row } = await open('void', 'h-1');
    const amounts = { captured: '0.00', voidPending: '100.00', left: '0.00' };
    expect(online).toMatchObject(amounts);
    expect(offline).toMatchObject(amounts);
    expect(listed).toMatchObject(amounts);
    expect(lines).toEqual(Array(2).fill(`100.00 USD, captured 0.00, void ${word}`));
    expect(row).toContain(word === 'pending' ? 'void pending' : 'void is unknown');
  });
});

import { describe, expect, test } from 'vitest';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, taken } from './profiles.js';

const usd = ['--amount', '25.00', '--currency', 'USD', '--test-card', 'approved', '--no-input'];

async function hold(home: string): Promise<{ readonly order: string; readonly id: string }> {
  const { out, exit } = await paycli(['preauth', ...usd, '--wait', '--json', '-p', 'sandbox'], { home });
  expect(exit).toBe(0);
  const order = /"paynet-order-id": "(\d+)"/.exec(out)?.[1] ?? '';
  const id = /"merchant-order-id": "([^"]+)"/.exec(out)?.[1] ?? '';
  return { order, id };
}

test('can says yes with the command to paste, and no with the reason and exit 11', async () => {
  const home = temporaryHome();
  const { order, id } = await hold(home);
  expect(await paycli(['order', '--can', 'capture', order], { home })).toMatchObject({
    exit: 0,
    out: `yes: paycli capture ${order} --amount AMOUNT\n`,
  });
  expect(await paycli(['order', order, '--can', 'upload-3ds cres'], { home })).toMatchObject({
    exit: 11,
    out: 'no: the preauth is approved; no 3-D Secure step is open\n',
  });
  expect(await paycli(['order', '--can', 'rebill', '--client-order-id', id], { home })).toMatchObject({
    exit: 11,
    out: expect.stringMatching(/^no: its card is not tokenized yet/),
  });
  const json = await paycli(['order', '--can', 'sale', order, '--json'], { home });
  expect(json.exit).toBe(11);
  expect(JSON.parse(json.out)).toEqual({
    schema: 'paycli.can/1',
    orderId: order,
    clientOrderId: id,
    operation: 'sale',
    legal: false,
    reason: 'it creates its own order and cannot be a follow-up of another',
  });
});

test('what can says is what the sandbox does', async () => {
  const home = temporaryHome();
  const { order, id } = await hold(home);
  const named = [order, '--client-order-id', id, '--wait', '-p', 'sandbox'];
  expect((await paycli(['capture', ...named, '--amount', '20.00', '--currency', 'USD'], { home })).exit).toBe(0);
  expect((await paycli(['order', '--can', 'void', order], { home })).out).toMatch(
    /^no: it was already captured; use return/,
  );
  // That rests on an assumption, so the gateway decides.
  expect((await paycli(['void', ...named], { home })).exit).toBe(4);
  expect((await paycli(['order', '--can', 'return', order], { home })).exit).toBe(0);
  expect((await paycli(['return', ...named, '--all'], { home })).exit).toBe(0);
  expect((await paycli(['order', '--can', 'return', order], { home })).out).toBe('no: no remaining amount to return\n');
  expect((await paycli(['return', ...named, '--no-input', '--again', '--all'], { home })).exit).toBe(11);
});

test('flow shows where the order stands and everything that may follow', async () => {
  const home = temporaryHome();
  const { order, id } = await hold(home);
  expect((await paycli(['card-ref', 'create', order, '--client-order-id', id, '-p', 'sandbox'], { home })).exit).toBe(
    0,
  );
  const { out, exit } = await paycli(['order', '--client-order-id', id, '--json'], { home });
  expect(exit).toBe(0);
  const flow = JSON.parse(out);
  expect(flow).toMatchObject({
    schema: 'paycli.order/1',
    orderId: order,
    stage: 'auth_approved',
    facts: { opened: 'preauth', card: 'kept' },
  });
  const legal = flow.next
    .filter((each: { legal: boolean }) => each.legal)
    .map((each: { operation: string }) => each.operation);
  expect(legal).toEqual([
    'capture',
    'void',
    'return',
    'status',
    'card-ref create',
    'card-ref create --api v4',
    'card-ref info',
    'rebill',
  ]);
  const rebill = flow.next.find((each: { operation: string }) => each.operation === 'rebill').command;
  expect(rebill).toMatch(/^paycli rebill --card-ref-id \d+ --amount AMOUNT --currency CURRENCY/);
  const text = await paycli(['order', order], { home });
  expect(text.out).toContain('Available\n  paycli capture ');
  // What only another kind of order, or an open step of 3-D Secure, allows is left out.
  expect(text.out).not.toMatch(/Not available|payout pay|upload-3ds/);
});

test('an order nobody has is a refusal, and wrong usage is exit 2', async () => {
  const home = temporaryHome();
  expect((await paycli(['order', '123456'], { home })).exit).toBe(4);
  expect((await paycli(['order'], { home })).exit).toBe(2);
  expect((await paycli(['order', '--no-color'], { home })).exit).toBe(2);
  const typo = await paycli(['order', '--can', 'captur', '1'], { home });
  expect(typo.exit).toBe(2);
  expect(typo.err).toContain('did you mean capture?');
});

test('order shows status, amounts, card and timeline of either id, and nothing is sent offline', async () => {
  const home = temporaryHome();
  const { order, id } = await hold(home);
  const named = [order, '--client-order-id', id, '--wait', '-p', 'sandbox'];
  expect((await paycli(['capture', ...named, '--amount', '20.00', '--currency', 'USD'], { home })).exit).toBe(0);
  expect((await paycli(['return', ...named, '--amount', '5.00', '--currency', 'USD'], { home })).exit).toBe(0);
  const { out } = await paycli(['order', id], { home });
  expect(out).toMatch(/^ {2}status +approved$/m);
  expect(out).toMatch(
    /^ {2}amounts +25\.00 USD, captured 20\.00, rest of the hold released 5\.00 \(A34\), returned 5\.00, refundable 15\.00$/m,
  );
  expect(out).toMatch(/^ {2}card +VISA •••• 1111$/m);
  expect(out).toMatch(/planned +preauth 25\.00 USD recorded$/m);
  const json = JSON.parse((await paycli(['order', order, '--json'], { home })).out);
  expect(json).toMatchObject({
    schema: 'paycli.order/1',
    status: 'approved',
    amounts: { currency: 'USD', amount: '25.00', captured: '20.00', returned: '5.00', left: '15.00' },
    card: { brand: 'VISA', lastFour: '1111' },
    profile: 'sandbox',
  });
  expect(json.events[0]).toMatchObject({ source: 'paycli', kind: 'planned' });
  const offline = await paycli(['order', id, '--offline'], { home });
  expect(offline).toMatchObject({
    exit: 0,
    requests: [],
    out: expect.stringContaining(`order ${order} · sandbox  client order id ${id}\n`),
  });
  expect((await paycli(['order', id, '--offline', '--can', 'void'], { home })).exit).toBe(2);
});

describe('where the gateway does not answer', () => {
  const silent = () => [
    () => ({ kind: 'lost', reason: 'the connection was reset' }) as const,
    () => ({ kind: 'lost', reason: 'the connection was reset' }) as const,
    () => ({ kind: 'lost', reason: 'the connection was reset' }) as const,
  ];
  const sold = async () => {
    const home = homeWithProfile();
    expect((await paycli(saleFlags, { home, network: [() => reply(200, taken)] })).exit).toBe(0);
    return home;
  };

  test('order shows what the journal has, --can names the command that shows it', async () => {
    const home = await sold();
    const ran = await paycli(['order', '12345'], { home, network: silent() });
    expect([ran.exit, ran.err.includes('--offline')]).toEqual([9, false]);
    expect(ran.out).toMatch(/^ {2}status +processing according to the journal; the gateway could not be queried: /m);
    const can = await paycli(['order', '12345', '--can', 'return', '--json'], { home, network: silent() });
    const { facts } = JSON.parse(can.err.trim().split('\n').at(-1) ?? '');
    expect(facts).toMatchObject({ offlineCommand: 'paycli order 12345 --client-order-id 902B4FF5 --offline' });
  });
});

describe('an order whose request had no reply', () => {
  const lost = async (outcome: 'no-answer' | 'no-answer-done') => {
    const home = temporaryHome();
    await paycli(['sandbox', 'outcomes', 'next', outcome], { home });
    const ran = await paycli(['sale', ...usd, '--client-order-id', 'lost-1', '-p', 'sandbox'], { home });
    expect(ran.exit, ran.err).toBe(8);
    return home;
  };

  test('and that the gateway does not have is unknown, not missing', async () => {
    const ran = await paycli(['order', 'lost-1'], { home: await lost('no-answer') });
    expect(ran.exit, ran.err).toBe(8);
    expect(ran.err.replace(/\s+/g, ' ')).toContain('resolve it with `paycli resolve lost-1`');
  });

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
      const home = await lost(outcome);
      const before = (await paycli(['sandbox', 'log'], { home })).out;
      const ran = await paycli([...argv, '--no-input', '-p', 'sandbox'], { home });
      expect(ran.exit, ran.err).toBe(10);
      expect(ran.err.replace(/\s+/g, ' ')).toMatch(
        /no final outcome yet: sale of [\d.]+ USD on order lost-1 is unknown next: nothing was sent; resolve it first with `paycli resolve lost-1/,
      );
      expect((await paycli(['sandbox', 'log'], { home })).out).toBe(before);
    }
  });

  test('is settled in the journal by what order learns of it', async () => {
    const home = await lost('no-answer-done');
    const before = JSON.parse((await paycli(['orders', 'lost-1', '--json'], { home })).out).orders;
    expect(before).toMatchObject([{ status: 'unknown' }]);
    expect((await paycli(['order', 'lost-1'], { home })).exit).toBe(0);
    const { out } = await paycli(['order', 'lost-1', '--timeline'], { home });
    expect(out).toContain('sale: the reply was withheld, as requested');
    expect(out).not.toContain('refused');
    const after = JSON.parse((await paycli(['orders', 'lost-1', '--json'], { home })).out).orders;
    expect(after).toMatchObject([{ status: 'pending', orderId: expect.stringMatching(/^\d+$/) }]);
  });
});

describe('what was given back of a hold', () => {
  const of = async (home: string, order: string) => {
    const shown = JSON.parse((await paycli(['order', order, '--json'], { home })).out).amounts;
    const [listed] = JSON.parse((await paycli(['orders', order, '--json'], { home })).out).orders;
    return { shown, listed };
  };
  const step = async (home: string, ...argv: string[]) =>
    expect((await paycli([...argv, '--wait', '--no-input', '-p', 'sandbox'], { home })).exit, argv.join(' ')).toBe(0);

  test('is released, not returned, and leaves nothing less than nothing', async () => {
    const home = temporaryHome();
    const { id } = await hold(home);
    await step(home, 'return', id, '--amount', '5.00');
    const released = { captured: '0.00', released: '5.00', returned: '0.00', left: '20.00', leftToCapture: '20.00' };
    expect(await of(home, id)).toMatchObject({ shown: released, listed: released });
    expect((await paycli(['order', id], { home })).out).toContain(
      '25.00 USD, captured 0.00, released 5.00, remaining to capture 20.00\n',
    );
    await step(home, 'capture', id, '--amount', '20.00');
    const captured = { captured: '20.00', released: '5.00', returned: '0.00', left: '20.00' };
    expect(await of(home, id)).toMatchObject({ shown: captured, listed: captured });
    await step(home, 'return', id, '--amount', '7.50');
    const returned = { captured: '20.00', released: '5.00', returned: '7.50', left: '12.50' };
    expect(await of(home, id)).toMatchObject({ shown: returned, listed: returned });
  });
});

test('a return that is not final yet counts as gone, and says so', async () => {
  const home = temporaryHome();
  const { exit } = await paycli(['sale', ...usd, '--client-order-id', 'p-1', '--wait', '-p', 'sandbox'], { home });
  expect(exit).toBe(0);
  expect((await paycli(['return', 'p-1', '--amount', '5', '--no-input', '-p', 'sandbox'], { home })).exit).toBe(0);
  const { orders } = JSON.parse((await paycli(['orders', 'p-1', '--json'], { home })).out);
  expect(orders).toMatchObject([
    { returned: '0.00', pending: '5.00', left: '20.00', reason: 'return of 5.00 pending' },
  ]);
});

test('a hold that a return released in full is no longer held', async () => {
  const home = temporaryHome();
  const { order } = await hold(home);
  const lineOfHold = async () =>
    (await paycli(['order', order, '-p', 'sandbox'], { home })).out
      .split('\n')
      .find((line) => line.startsWith('  hold'));
  expect(await lineOfHold()).toMatch(/active/);
  expect((await paycli(['return', order, '--all', '--wait', '-p', 'sandbox'], { home })).exit).toBe(0);
  expect(await lineOfHold()).toBeUndefined();
  const can = await paycli(['order', order, '--can', 'capture', '-p', 'sandbox'], { home });
  expect([can.exit, can.out]).toEqual([11, 'no: the hold was released by a return\n']);
  expect(can.err).toContain(`next:  \`paycli order ${order} -p sandbox\``.replace(' -p sandbox', ' --profile sandbox'));
});

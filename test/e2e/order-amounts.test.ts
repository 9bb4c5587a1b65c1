// @module-tag openssl
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Home } from './home.js';
import { type Gateway, profileText, startGateway } from './shop.js';

let gateway: Gateway;
let home: Home;

beforeAll(async () => {
  gateway = await startGateway();
  home = new Home(
    `default-profile: shop\nprofiles:\n${profileText('shop', gateway.url, gateway.keys, { class: 'sandbox' })}`,
  );
});

afterAll(async () => {
  home.remove();
  await gateway.close();
});

async function sent(words: string, at = home): Promise<void> {
  const { exit, err } = await at.call([...words.split(' '), '--wait', '--no-input']);
  expect(exit, err).toBe(0);
}

async function shown(id: string, at = home): Promise<Record<string, unknown>> {
  const { out, err } = await at.call(['order', id, '--json']);
  expect(err).toBe('');
  const { amounts, facts, next } = JSON.parse(out);
  const able = next.flatMap((each: { operation: string; legal: boolean; command: string }) =>
    each.legal && ['return', 'capture', 'void'].includes(each.operation) ? [each.command] : [],
  );
  return { amounts, opened: facts.opened, captured: facts.captured, returned: facts.returned, able };
}

const payer = '--test-payer --test-card approved --currency EUR';

test('a return after a partial capture: status tells of the return alone, the journal of what was captured', async () => {
  await sent(`preauth --amount 20.00 --client-order-id part-1 ${payer}`);
  await sent('capture part-1 --amount 5.00');
  await sent('return part-1 --amount 2.00');
  expect(await shown('part-1')).toEqual({
    amounts: {
      ...{ currency: 'EUR', amount: '20.00', captured: '5.00', capturePending: '0.00', voidPending: '0.00' },
      ...{ released: '0.00', restReleased: '15.00' },
      ...{
        leftToCapture: null,
        returned: '2.00',
        returnedElsewhere: '0.00',
        pending: '0.00',
        left: '3.00',
        leftAtMost: '3.00',
      },
    },
    ...{ opened: 'preauth', captured: 'part', returned: 'part' },
    able: [expect.stringMatching(/^paycli return \d+ --amount AMOUNT$/)],
  });
  const can = await home.call(['order', 'part-1', '--can', 'capture']);
  expect([can.exit, can.out]).toEqual([11, expect.stringContaining('a hold is captured once')]);
  await sent('return part-1 --all');
  expect(await shown('part-1')).toMatchObject({
    amounts: { captured: '5.00', returned: '5.00', left: '0.00' },
    ...{ returned: 'all', able: [] },
  });
  const no = await home.call(['order', 'part-1', '--can', 'return']);
  expect([no.exit, no.out]).toEqual([11, 'no: no remaining amount to return\n']);
});

test('a return from a hold releases that part of it', async () => {
  await sent(`preauth --amount 20.00 --client-order-id hold-1 ${payer}`);
  await sent('return hold-1 --amount 4.00');
  expect(await shown('hold-1')).toMatchObject({
    amounts: { captured: '0.00', released: '4.00', returned: '0.00' },
    ...{ opened: 'preauth', captured: 'nothing' },
    able: expect.arrayContaining([expect.stringMatching(/^paycli capture .* --amount AMOUNT$/)]),
  });
});

test('a machine without the journal says of an order with a return only what status tells', async () => {
  const other = new Home(
    `default-profile: shop\nprofiles:\n${profileText('shop', gateway.url, gateway.keys, { class: 'sandbox' })}`,
  );
  await sent(`sale --amount 9.00 --client-order-id sale-1 ${payer}`);
  await sent('return sale-1 --amount 2.00');
  expect(await shown('sale-1')).toMatchObject({ amounts: { captured: '9.00', returned: '2.00', left: '7.00' } });
  const { amounts, able } = await shown('sale-1', other);
  expect(amounts).toEqual({
    ...{ currency: 'EUR', amount: '9.00', captured: null, released: '0.00', restReleased: null, leftToCapture: null },
    ...{ capturePending: null, voidPending: null },
    ...{ returned: '2.00', returnedElsewhere: '2.00', pending: null, left: null, leftAtMost: '7.00' },
  });
  expect(able).toEqual([expect.stringMatching(/^paycli return .* --amount AMOUNT$/)]);
  const text = (await other.call(['order', 'sale-1'])).out;
  expect(text).toMatch(/^ {2}amounts +9\.00 EUR, returned 2\.00, refundable at most 7\.00$/m);
  expect(text).not.toMatch(/^ {2}operation|this is a sale/m);
  expect(text).toMatch(/^ {2}capture +the status shows only a return; what was authorized .* is not known here$/m);
  other.remove();
});

test('an order without callbacks says so, and whether the profile has them sent anywhere', async () => {
  await sent(`sale --amount 9.00 --client-order-id no-callback ${payer}`);
  expect((await home.call(['order', 'no-callback'])).out).toMatch(
    /^ {2}callbacks +none received here; the request named no address for them$/m,
  );
  const profile = profileText('shop', gateway.url, gateway.keys, { class: 'sandbox' });
  const other = new Home(
    `default-profile: shop\nprofiles:\n${profile.trimEnd()}\n    server-callback-url: https://shop.example/cb\n`,
  );
  expect((await other.call(['order', 'no-callback'])).out).toMatch(
    /^ {2}callbacks +none received here; the profile sends them to https:\/\/shop\.example\/cb$/m,
  );
  other.remove();
});

test('a follow-up whose reply was lost keeps every other from being offered, and its settlement is named', async () => {
  await sent(`sale --amount 9.00 --client-order-id lost-1 ${payer}`);
  const { orderId } = JSON.parse((await home.call(['order', 'lost-1', '--json'])).out);
  const queued = await gateway.home.call([
    'sandbox',
    'outcomes',
    'next',
    'no-answer',
    '--order',
    orderId,
    '--login',
    'shop',
  ]);
  expect(queued.exit, queued.err).toBe(0);
  expect((await home.call(['return', 'lost-1', '--amount', '2.00', '--no-input'])).exit).toBe(8);
  const { out } = await home.call(['order', 'lost-1']);
  expect(out).toMatch(
    /^ {2}follow-up +return of 2\.00 EUR on order \d+ is unknown; resolve it first: paycli resolve \d+$/m,
  );
  const can = await home.call(['order', 'lost-1', '--can', 'return']);
  expect(can.exit).toBe(11);
  expect(can.out).toMatch(/^no: return of 2\.00 EUR on order (\d+) is unknown; resolve it first: paycli resolve \1\n$/);
});

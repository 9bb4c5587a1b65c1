import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { type DeliveryOptions, openDeliverer } from '../../src/sandbox/callbacks/delivery.js';
import { listCallbacks, type StoredCallback } from '../../src/sandbox/callbacks/outbox.js';
import { type ScriptName, setScript } from '../../src/sandbox/callbacks/scripts.js';
import { listen } from '../../src/sandbox/http.js';
import { answering, type Call, openHandler } from './handler.js';
import {
  bodyOf,
  cardOrder,
  type Fields,
  type Fixture,
  openFixture,
  orderOf,
  plainHeaders,
  salePairs,
  sha1,
} from './support.js';

/** A signed sale that is final afterwards; gives its order id. */
function sale(fixture: Fixture, id: string, own: Fields, settled = true): string {
  const answer = cardOrder(fixture, 'sale', { id }, own);
  expect(answer.status, answer.body).toBe(200);
  if (settled) fixture.later();
  return orderOf(answer);
}

function deliver(fixture: Fixture, options: DeliveryOptions = {}): Promise<void> {
  return openDeliverer(fixture.sandboxState.store, options).deliverDue();
}

function outbox(fixture: Fixture, order?: string): StoredCallback[] {
  return listCallbacks(fixture.sandboxState.store, order);
}

function named(call: Call | undefined): Fields {
  return Object.fromEntries(call?.fields ?? []);
}

function script(fixture: Fixture, id: string, name: ScriptName): void {
  setScript(fixture.sandboxState.store, 'sandbox', id, name);
}

describe('a callback', () => {
  test('is a GET that keeps the query of the address and ends with the checksum', async () => {
    const handler = await openHandler('/hook?shop=7&x=a%20b');
    const fixture = openFixture();
    const order = sale(fixture, 'order 1/ä', { server_callback_url: handler.url, merchant_data: 'basket=3' });
    await deliver(fixture);
    const [call, ...others] = handler.calls;
    expect(others).toEqual([]);
    const control = createHash('sha1').update(`approved${order}order 1/ä${fixture.key}`, 'utf8').digest('hex');
    expect(call?.method).toBe('GET');
    expect(call?.fields.slice(0, 2)).toEqual([
      ['shop', '7'],
      ['x', 'a b'],
    ]);
    expect(call?.fields.slice(2)).toEqual([
      ['status', 'approved'],
      ['merchant_order', 'order 1/ä'],
      ['client_orderid', 'order 1/ä'],
      ['orderid', order],
      ['type', 'sale'],
      ['amount', '10.42'],
      ['currency', 'USD'],
      ['descriptor', 'Two tickets'],
      ['name', 'JANE DOE'],
      ['email', 'jane@example.com'],
      ['phone', '+4930123456'],
      ['approval-code', expect.stringMatching(/^\d{6}$/)],
      ['last-four-digits', '1111'],
      ['bin', '444433'],
      ['card-type', 'VISA'],
      ['gate-partial-reversal', 'enabled'],
      ['gate-partial-capture', 'enabled'],
      ['processor-rrn', `${order}0000`],
      ['processor-tx-id', expect.stringMatching(/^SANDBOX-\d{9}$/)],
      ['merchantdata', 'basket=3'],
      ['control', control],
    ]);
    expect(outbox(fixture)).toMatchObject([
      { orderId: order, state: 'delivered', dueAt: null, attempts: [{ status: 200, reply: 'OK', reason: null }] },
    ]);
  });

  test('is not sent about a status that is not final, nor without an address', async () => {
    const handler = await openHandler();
    const fixture = openFixture();
    sale(fixture, 'u1', { server_callback_url: handler.url, cvv2: '217' });
    sale(fixture, 'u2', {});
    sale(fixture, 'u3', { server_callback_url: handler.url }, false);
    await deliver(fixture);
    expect([handler.calls, outbox(fixture)]).toEqual([[], []]);
  });
});

describe('delivery', () => {
  test('goes on until it is answered with 200', async () => {
    const handler = await openHandler();
    handler.answers.push(answering(500, 'down\u0000\u001b[31m for 4444333322221111'), answering(201, 'x'.repeat(300)));
    const fixture = openFixture();
    sale(fixture, 'r1', { server_callback_url: handler.url });
    await deliver(fixture);
    fixture.later(9999);
    await deliver(fixture);
    expect(handler.calls).toHaveLength(1);
    await fixture.later(1);
    await deliver(fixture);
    fixture.later(30_000);
    await deliver(fixture);
    fixture.later(30 * 86_400_000);
    await deliver(fixture);
    expect(handler.calls).toHaveLength(3);
    const [row] = outbox(fixture);
    expect(row).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 500 }, { status: 201 }, { status: 200, reply: 'OK' }],
    });
    expect(row?.attempts[0]?.reply).toBe('down··[31m for •••• 1111');
    expect(row?.attempts[1]?.reply).toBe('x'.repeat(200));
  });

  test('follows the gaps of A25 and ends after 14 days', async () => {
    const fixture = openFixture();
    const start = fixture.clock.time + 300;
    sale(fixture, 'g1', { server_callback_url: 'http://127.0.0.1:9/' });
    for (let due: string | null | undefined = ''; due !== null && due !== undefined; due = outbox(fixture)[0]?.dueAt) {
      if (due !== '') fixture.clock.time = Date.parse(due);
      await deliver(fixture);
    }
    const minutes = [2, 5, 10, 20, 30].map((each) => each * 60);
    const hours = [1, 2, 3, 6, 12, 18].map((each) => each * 3600);
    const seconds = [0, 10, 30, ...minutes, ...hours, ...Array.from({ length: 12 }, () => 86_400)];
    let at = 0;
    const expected = seconds.map((gap) => {
      at += gap;
      return new Date(start + at * 1000).toISOString();
    });
    const [row] = outbox(fixture);
    expect(row?.attempts.map((attempt) => new Date(attempt.at).toISOString())).toEqual(expected);
    expect(row?.attempts[0]).toMatchObject({ status: null, reason: 'nothing is listening at that address' });
    expect(row?.state).toBe('given-up');
  });

  test('does not follow a redirect', async () => {
    const [handler, elsewhere] = [await openHandler(), await openHandler()];
    handler.answers.push(answering(302, '', { location: elsewhere.url }));
    const fixture = openFixture();
    sale(fixture, 'r2', { server_callback_url: handler.url });
    await deliver(fixture);
    expect([handler.calls.length, elsewhere.calls.length]).toEqual([1, 0]);
    expect(outbox(fixture)[0]?.attempts).toMatchObject([
      { status: 302, reason: expect.stringContaining('no redirect is followed') },
    ]);
  });

  test('that is cut off by a stop is made anew', async () => {
    const handler = await openHandler();
    handler.answers.push(() => undefined);
    const fixture = openFixture();
    sale(fixture, 'c1', { server_callback_url: handler.url });
    const deliverer = openDeliverer(fixture.sandboxState.store);
    const running = deliverer.deliverDue();
    await vi.waitUntil(() => handler.calls.length > 0);
    await deliverer.stop();
    await running;
    expect(outbox(fixture)).toMatchObject([
      { state: 'pending', attempts: [{ status: null, reason: 'the sandbox was stopped' }] },
    ]);
    await deliver(fixture);
    expect(outbox(fixture)).toMatchObject([{ state: 'delivered', attempts: [{}, { status: 200 }] }]);
  });
});

describe('a script', () => {
  /** A settled sale whose callbacks follow this script, with the handler they go to. */
  async function scripted(id: string, name: ScriptName, address = 'server_callback_url') {
    const handler = await openHandler();
    const fixture = openFixture();
    script(fixture, id, name);
    return { handler, fixture, order: sale(fixture, id, { [address]: handler.url }) };
  }

  test('wrong-control: only the checksum is another', async () => {
    const { handler, fixture, order } = await scripted('w1', 'wrong-control');
    await deliver(fixture);
    const { control, ...fields } = named(handler.calls[0]);
    expect(fields).toMatchObject({ status: 'approved', orderid: order });
    expect(control).toMatch(/^[0-9a-f]{40}$/);
    expect(control).not.toBe(sha1(`approved${order}w1${fixture.key}`));
  });

  test('never: it is listed and not sent', async () => {
    const { handler, fixture } = await scripted('v1', 'never');
    fixture.later(15 * 86_400_000);
    await deliver(fixture);
    expect(handler.calls).toEqual([]);
    expect(outbox(fixture, 'v1')).toMatchObject([{ state: 'withheld', dueAt: null, attempts: [] }]);
  });

  test('before-response: the handler knows the outcome before the client has its reply', async () => {
    const seen: string[] = [];
    const handler = await openHandler();
    const fixture = openFixture();
    script(fixture, 'b1', 'before-response');
    handler.answers.push((response) => {
      seen.push('callback');
      response.end('OK');
    });
    const deliverer = openDeliverer(fixture.sandboxState.store);
    const server = await listen(() => fixture.sandbox, { port: 0, beforeReply: deliverer.beforeReply });
    const body = bodyOf(salePairs(fixture.key, { id: 'b1' }, { server_callback_url: handler.url }));
    const address = `http://127.0.0.1:${server.port}/gateway/api/v2/sale/4001`;
    const reply = await fetch(address, { method: 'POST', headers: plainHeaders, body });
    seen.push('reply');
    const { 'paynet-order-id': order } = JSON.parse(await reply.text());
    await server.close();
    expect(seen).toEqual(['callback', 'reply']);
    expect(named(handler.calls[0])).toMatchObject({ status: 'approved', orderid: order });
    fixture.later();
    await deliver(fixture);
    expect(handler.calls).toHaveLength(1);
  });
});

describe('the address of a callback', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:169.254.169.254]/',
    'http://10.0.0.1/',
    'http://shop.example/hook',
    'http://shop.example:81/hook',
  ])('%s is not called', async (url) => {
    const fixture = openFixture();
    sale(fixture, 'a1', { server_callback_url: url });
    await deliver(fixture, { allowed: ['shop.example:80', 'other.example'] });
    const [row] = outbox(fixture);
    expect(row).toMatchObject({ state: 'pending', attempts: [{ status: null, reply: null }] });
    expect(row?.attempts[0]?.reason).toMatch(/is not this machine$/);
  });
});

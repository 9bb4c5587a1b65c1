import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox-library.js';
import { bodyOf, card, payer, plainHeaders, sha1 } from './support.js';

test('the library starts sandboxes side by side, each with its own orders', { timeout: 30_000 }, async () => {
  const [one, other] = await Promise.all([startSandbox(), startSandbox()]);
  try {
    expect(one.url).not.toBe(other.url);
    one.outcomes.next('declined');
    const { controlKey, endpoints } = one.merchant;
    const control = sha1(`${endpoints[0]}order-11042${payer['email']}${controlKey}`);
    const money = {
      client_orderid: 'order-1',
      amount: '10.42',
      currency: 'USD',
      redirect_url: 'https://shop.example/r',
    };
    const reply = await fetch(`${one.url}/api/v2/sale/${endpoints[0]}`, {
      method: 'POST',
      headers: plainHeaders,
      body: bodyOf({ ...money, ...card(), ...payer, control }),
    });
    expect(reply.status).toBe(200);
    await one.clock.advance('10s');
    expect(one.orders()).toMatchObject([
      { clientOrderId: 'order-1', status: 'declined', minor: 1042n, currency: 'USD' },
    ]);
    expect(one.requests()).toMatchObject([{ operation: 'SALE', httpStatus: 200, isRefused: false }]);
    expect(JSON.stringify(one.requests())).not.toContain('4444333322221111');
    expect([one.audit(), other.orders()]).toEqual([[], []]);
    one.reset();
    expect(one.orders()).toEqual([]);
    expect(() => one.outcomes.next('maybe')).toThrow(RangeError);
    expect(() => one.callbacks.script('sometimes', 'order-1')).toThrow(RangeError);
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
});

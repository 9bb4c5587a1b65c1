import { describe, expect, test } from 'vitest';
import { type SandboxForTests, startSandbox } from '../../src/sandbox-library.js';
import { bodyOf, plainHeaders, salePairs } from './support.js';

test('the library starts sandboxes side by side, each with its own orders', { timeout: 30_000 }, async () => {
  const [one, other] = await Promise.all([startSandbox(), startSandbox()]);
  try {
    expect(one.url).not.toBe(other.url);
    one.outcomes.next('declined');
    const { controlKey, endpoints } = one.merchant;
    const reply = await fetch(`${one.url}/api/v2/sale/${endpoints[0]}`, {
      method: 'POST',
      headers: plainHeaders,
      body: bodyOf(salePairs(controlKey, { id: 'order-1', endpoint: endpoints[0] ?? '' })),
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
    const seeded = await Promise.all([1, 2].map(() => startSandbox({ listen: false, seed: '7' })));
    expect(seeded[0]?.merchant.controlKey).toBe(seeded[1]?.merchant.controlKey);
    await Promise.all(seeded.map((each) => each.stop()));
    expect(() => one.outcomes.next('maybe')).toThrow(RangeError);
    expect(() => one.callbacks.script('sometimes', 'order-1')).toThrow(RangeError);
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
});

describe('without a port', () => {
  const pay = async ({ url, fetch, merchant }: SandboxForTests, order: string, init: RequestInit = {}) => {
    const { controlKey, endpoints } = merchant;
    return fetch(`${url}/api/v2/sale/${endpoints[0]}`, {
      method: 'POST',
      headers: plainHeaders,
      body: bodyOf(salePairs(controlKey, { id: order, endpoint: endpoints[0] ?? '' })),
      ...init,
    });
  };
  const causeOf = (failed: Promise<unknown>) =>
    failed.then(
      () => undefined,
      (error: Error & { cause?: { code?: string } }) => [error.message, error.cause?.code],
    );

  test('what a network would do to a client, fetch does', async () => {
    const sandbox = await startSandbox({ listen: false });
    const queued = (outcome: string, order: string, init?: RequestInit) => {
      sandbox.outcomes.next(outcome);
      return pay(sandbox, order, init);
    };
    expect(await causeOf(queued('no-answer-done', 'lost'))).toEqual(['fetch failed', 'UND_ERR_SOCKET']);
    const hanging = queued('hang', 'hanging', { signal: AbortSignal.timeout(20) });
    await expect(hanging).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await queued('redirect', 'a', { redirect: 'manual' })).status).toBe(307);
    expect(await causeOf(queued('redirect', 'b', { redirect: 'error' }))).toEqual(['fetch failed', undefined]);
    expect((await queued('too-many-requests', 'c')).headers.get('retry-after')).toBe('1');
    expect(await causeOf(sandbox.fetch('https://gateway.example/api/v2/sale/1'))).toEqual([
      'fetch failed',
      'ENOTFOUND',
    ]);
    // Only the first was recorded.
    expect(sandbox.orders().map(({ clientOrderId }) => clientOrderId)).toEqual(['lost']);
    const open = causeOf(queued('hang', 'open'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await sandbox.stop();
    expect(await open).toEqual(['fetch failed', 'UND_ERR_SOCKET']);
    expect(await causeOf(pay(sandbox, 'late'))).toEqual(['fetch failed', 'ECONNREFUSED']);
  });

  test('the payer of an order is taken to its end', async () => {
    const sandbox = await startSandbox({ listen: false });
    for (const [order, does, status] of [
      ['paid', 'confirm', 'approved'],
      ['left', 'fail', 'declined'],
    ] as const) {
      sandbox.outcomes.next('3ds-challenge', order);
      expect((await pay(sandbox, order)).status).toBe(200);
      sandbox.pay(order, { does });
      expect(sandbox.orders()).toContainEqual(expect.objectContaining({ clientOrderId: order, status }));
    }
    expect(() => sandbox.pay('paid')).toThrow(/no page waits/);
    await sandbox.stop();
  });
});

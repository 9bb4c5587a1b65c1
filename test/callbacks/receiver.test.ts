import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MatchResult } from '../../src/callbacks/receiver.js';
import { fail } from '../../src/errors/index.js';
import { answering, openHandler } from '../sandbox/handler.js';
import { temporaryHome } from '../support/runtime.js';
import { getOf, nothing, openFixture, openStore, postOf, queryOf, saleFields } from './support.js';

describe('receiving', () => {
  test('stores, then answers 200; the same again is a repeat and asks nobody', async () => {
    let considered = 0;
    const { receiver, store, handled } = openFixture({
      matchCallback: async () => {
        considered += 1;
        return nothing;
      },
    });
    for (let times = 0; times < 100; times += 1)
      expect(await receiver.receive(getOf(saleFields()))).toMatchObject({ status: 200 });
    await receiver.idle();
    expect(store.list()).toMatchObject([{ id: 1, verified: 'fits', repeats: 99, orderId: '12345' }]);
    expect(handled.map(({ as }) => as)).toEqual(['new', ...Array.from({ length: 99 }, () => 'repeat')]);
    expect(considered).toBe(1);
  });

  test('other bytes are another callback', async () => {
    const { receiver, store } = openFixture();
    for (const own of [{}, { status: 'declined' }, { type: 'reversal' }, { orderid: '12346' }, { amount: '99.99' }])
      await receiver.receive(getOf(saleFields(own)));
    await receiver.idle();
    expect(store.list()).toHaveLength(5);
  });

  test('one checksum with ever other content fills no disk, and what is not kept is not answered with 200', async () => {
    const handler = await openHandler();
    const { receiver, store } = openFixture({ forwardTo: handler.url });
    const statuses: number[] = [];
    for (let cents = 10; cents < 60; cents += 1)
      statuses.push((await receiver.receive(getOf(saleFields({ amount: `10.${cents}` })))).status);
    await receiver.idle();
    expect(store.list()).toHaveLength(20);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), ...Array.from({ length: 30 }, () => 503)]);
    // What is there already is known, so it may stop coming; each kept one was handed on once.
    expect(await receiver.receive(getOf(saleFields({ amount: '10.10' })))).toMatchObject({ status: 200 });
    await receiver.idle();
    expect(handler.calls).toHaveLength(20);
  });

  test('a wrong checksum is stored as wrong and answered with 403; it never hides the right one', async () => {
    const handler = await openHandler();
    const { receiver, store } = openFixture({ forwardTo: handler.url });
    expect(await receiver.receive(getOf(saleFields({ control: '0'.repeat(40) })))).toMatchObject({ status: 403 });
    expect(await receiver.receive(getOf(saleFields()))).toMatchObject({ status: 200 });
    await receiver.idle();
    expect(store.list()).toMatchObject([{ verified: 'wrong' }, { verified: 'fits', repeats: 0 }]);
    expect(handler.calls, 'forged ones are not handed on').toHaveLength(1);
  });

  test('what cannot be stored is answered with 500, so that it is sent again', async () => {
    const store = openStore();
    let isFull = true;
    const save: typeof store.save = (...all) => {
      if (isFull) throw fail('STORAGE', { what: 'the history', why: 'the disk is full', how: 'make room' });
      return store.save(...all);
    };
    const fixture = openFixture({
      store: Object.assign(Object.create(store), {
        save,
        list: () => store.list(),
        countWrong: () => 0,
        get: (id: number) => store.get(id),
        addConflicts: () => undefined,
      }),
    });
    expect(await fixture.receiver.receive(getOf(saleFields()))).toMatchObject({ status: 500 });
    expect(fixture.faults).toEqual(['the history could not be used: the disk is full']);
    isFull = false;
    expect(await fixture.receiver.receive(getOf(saleFields()))).toMatchObject({ status: 200 });
    await fixture.receiver.idle();
    expect(store.list()).toHaveLength(1);
  });

  test('a repeat asks again only when nobody could be asked before', async () => {
    const findings: MatchResult[] = [
      { ...nothing, asked: { at: 1, status: undefined, says: 'no reply to the status request' } },
      { ...nothing, asked: { at: 2, status: 'approved', says: 'status says approved' } },
    ];
    const { receiver, store } = openFixture({
      matchCallback: async () => findings.shift() ?? expect.unreachable('asked once more'),
    });
    for (let times = 0; times < 4; times += 1) {
      await receiver.receive(getOf(saleFields()));
      await receiver.idle();
    }
    expect(findings).toEqual([]);
    expect(store.get(1)?.asked).toEqual({ at: 2, status: 'approved', says: 'status says approved' });
  });
});

describe('forwarding', () => {
  test('hands on method, query, body and content type byte for byte, behind the query of the handler', async () => {
    const handler = await openHandler('/hook?shop=7');
    const { receiver } = openFixture({ forwardTo: handler.url });
    const query = `${queryOf(saleFields())}&x=%41+%20b&empty&=y`;
    await receiver.receive({ ...getOf({}), target: `/callback?${query}` });
    await receiver.receive(
      postOf(`${queryOf(saleFields({ type: 'reversal' }))}&x=%41`, 'application/x-www-form-urlencoded; charset=UTF-8'),
    );
    await receiver.idle();
    expect(handler.calls[0]).toMatchObject({ method: 'GET', fields: [['shop', '7'], ...new URLSearchParams(query)] });
    expect(handler.calls[1]).toMatchObject({ method: 'POST', path: '/hook?shop=7' });
  });

  test('never delays or changes the answer to the gateway', async () => {
    const handler = await openHandler();
    let release: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    handler.answers.push((response) => void late.then(() => response.writeHead(500).end('no')));
    const { receiver, handled, store } = openFixture({ forwardTo: handler.url });
    expect(await receiver.receive(getOf(saleFields()))).toMatchObject({ status: 200 });
    expect(handled).toEqual([]);
    release();
    await receiver.idle();
    expect(handled).toMatchObject([{ forwarded: { status: 500, reply: 'no' } }]);
    expect(store.get(1)?.forwards).toMatchObject([{ status: 500 }]);
  });

  test('follows no redirect and shows no card number of an answer', async () => {
    const other = await openHandler();
    const handler = await openHandler();
    handler.answers.push(answering(302, 'card 4444333322221111', { location: other.url }));
    const { receiver, store } = openFixture({ forwardTo: handler.url });
    await receiver.receive(getOf(saleFields()));
    await receiver.idle();
    expect(other.calls).toEqual([]);
    expect(store.get(1)?.forwards).toMatchObject([
      { status: 302, reply: 'card •••• 1111', reason: expect.stringContaining('redirect') },
    ]);
  });

  test('what was stored and not handed on when the listener ended is handed on by the next one, once', async () => {
    const path = join(temporaryHome(), 'callbacks.db');
    const handler = await openHandler();
    const ending = new AbortController();
    handler.answers.push(() => ending.abort());
    const first = openFixture({ store: openStore(path), forwardTo: handler.url, signal: ending.signal });
    expect(await first.receiver.receive(getOf(saleFields()))).toMatchObject({ status: 200 });
    await first.receiver.idle();
    for (let times = 0; times < 2; times += 1) {
      const next = openFixture({ store: openStore(path), forwardTo: handler.url });
      next.receiver.resumeForwards();
      await next.receiver.idle();
    }
    expect(handler.calls).toHaveLength(2);
    const elsewhere = openFixture({ store: openStore(path), forwardTo: 'http://127.0.0.1:9/' });
    elsewhere.receiver.resumeForwards();
    await elsewhere.receiver.idle();
    expect(elsewhere.handled).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { defaultLimits, send } from '../../src/payments/exchange.js';
import type { Delivery, HttpRequest } from '../../src/runtime/ports.js';

const request: HttpRequest = { url: 'https://gateway.test/api', headers: {}, body: 'a=b' };
const neverSent: Delivery = { kind: 'never-sent', reason: 'the connection was refused' };
const reply: Delivery = { kind: 'reply', reply: { status: 200, headers: {}, body: new Uint8Array() } };
const lost: Delivery = { kind: 'lost', reason: 'no reply within 60 s' };
const certificate: Delivery = { kind: 'certificate', reason: 'the certificate has expired', remedy: 'check the clock' };

function fixture(deliveries: Delivery[], onPost: (count: number) => void = () => undefined) {
  const seen = { sleeps: [] as number[], bounds: [] as number[], posts: 0, signed: 0 };
  const ports = {
    transport: {
      async post() {
        seen.posts += 1;
        onPost(seen.posts);
        return deliveries.shift() ?? lost;
      },
      async close() {},
    },
    clock: { now: () => 0, monotonic: () => 0, sleep: async (ms: number) => void seen.sleeps.push(ms) },
    random: {
      letters: () => '',
      uuid: () => '',
      below(bound: number) {
        seen.bounds.push(bound);
        return bound - 1;
      },
    },
  };
  const sign = () => {
    seen.signed += 1;
    return request;
  };
  const run = (signal?: AbortSignal) => send(sign, ports, { limits: defaultLimits, signal });
  return { seen, run };
}

describe('send', () => {
  test.each([reply, lost, certificate])('creates one attempt only after %j', async (delivery) => {
    const { seen, run } = fixture([delivery]);
    expect(await run()).toEqual({ ...delivery, attempts: 1 });
    expect(seen).toMatchObject({ posts: 1, signed: 1, sleeps: [] });
  });

  test('makes three attempts at most, each signed anew, with growing pauses drawn at random', async () => {
    const { seen, run } = fixture([neverSent, neverSent, neverSent, reply]);
    expect(await run()).toEqual({ ...neverSent, attempts: 3 });
    expect(seen).toEqual({ sleeps: [499, 999], bounds: [500, 1000], posts: 3, signed: 3 });
  });

  test.each([reply, lost, certificate])('ends with the first attempt that had a connection: %j', async (delivery) => {
    const { seen, run } = fixture([neverSent, delivery, neverSent]);
    expect(await run()).toEqual({ ...delivery, attempts: 2 });
    expect(seen.posts).toBe(2);
  });

  test('does not try again once interrupted', async () => {
    const stop = new AbortController();
    const { seen, run } = fixture([neverSent, neverSent], () => stop.abort());
    expect(await run(stop.signal)).toMatchObject({ kind: 'never-sent', attempts: 1 });
    expect(seen.sleeps).toEqual([]);
  });
});

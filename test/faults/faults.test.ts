import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { classify } from '../../src/payments/classify.js';
import { defaultLimits } from '../../src/payments/exchange.js';
import { openTransport } from '../../src/runtime/transport.js';
import { answer, endless, type Fault, type FaultServer, faultServer, faults, redirect, trickle } from './server.js';

const open: FaultServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(fault: Fault): Promise<FaultServer> {
  const server = await faultServer(fault);
  open.push(server);
  return server;
}

const limits = { ...defaultLimits, firstByteMs: 300, gapMs: 300, totalMs: 3000, connectMs: 10_000 };
const money = {
  effect: 'money',
  reply: 'AsyncResponse',
  clientOrderId: 'order-1',
  format: 'json',
  earlierAttempt: false,
} as const;
const transport = openTransport({}, {});

function post(url: string, body = 'client_orderid=order-1', totalMs = limits.totalMs) {
  const headers = { Accept: 'application/vnd.pay+json', 'Content-Type': 'application/x-www-form-urlencoded' };
  return transport.post({ url: `${url}/api/v2/sale/1`, headers, body }, { ...limits, totalMs });
}

const unusable: [name: string, fault: Fault][] = [
  ['a content encoding', faults.gzipHeader],
  [
    'a compressed body',
    answer(gzipSync(Buffer.alloc(20_000_000)), {
      headers: ['content-type: application/vnd.pay+json', 'content-encoding: gzip'],
    }),
  ],
  ...[429, 502, 503].map((status): [string, Fault] => [`HTTP ${status}`, answer('{}', { status })]),
];

test.each(unusable)('200 or other with %s is unknown, with one body on the wire', async (_, fault) => {
  const server = await serve(fault);
  const delivery = await post(server.url);
  expect(delivery.kind).toBe('reply');
  expect(classify(delivery, money).class).toBe('unknown');
  expect(server.bodies()).toBe(1);
});

test.each([301, 302, 303, 307, 308])('a redirect %i is never followed', async (status) => {
  const other = await serve(faults.accepted);
  const server = await serve(redirect(status, `${other.url}/elsewhere`));
  const delivery = await post(server.url);
  expect(classify(delivery, money).class).toBe('unknown');
  expect(server.bodies()).toBe(1);
  expect(other.exchanges).toHaveLength(0);
});

test('a reset while the body is still being written is lost', async () => {
  const server = await serve(faults.resetInBody);
  const delivery = await post(server.url, `text=${'a'.repeat(8_000_000)}`);
  expect(delivery.kind).toBe('lost');
  expect(server.bodies()).toBe(1);
  expect(server.exchanges).toHaveLength(1);
});

test('a reset at once is either seen while connecting, or lost and never sent again', async () => {
  let connections = 0;
  const server = await serve({
    connected: (socket) => {
      connections += 1;
      faults.resetAtOnce.connected(socket);
    },
  });
  const delivery = await post(server.url);
  expect(connections).toBe(1);
  expect(['never-sent', 'lost']).toContain(delivery.kind);
  expect(server.bodies()).toBe(0);
});

test('a body that trickles ends at the total limit', async () => {
  const server = await serve(trickle(50));
  const start = performance.now();
  const delivery = await post(server.url, 'a=b', 700);
  expect(delivery).toEqual({ kind: 'lost', reason: 'no complete reply within 0.7 s' });
  expect(performance.now() - start).toBeLessThan(5000);
  expect(server.bodies()).toBe(1);
});

test('a body without end is cut at the limit', async () => {
  const sent = { bytes: 0 };
  const server = await serve(endless(sent));
  const delivery = await post(server.url);
  expect(delivery).toEqual({ kind: 'lost', reason: 'reply larger than 1 MiB' });
  expect(sent.bytes).toBeLessThan(20_000_000);
  expect(server.bodies()).toBe(1);
});

test('a refused connection is never sent', async () => {
  const server = await faultServer({});
  await server.close();
  const delivery = await post(server.url);
  expect(delivery).toEqual({ kind: 'never-sent', reason: 'the connection was refused' });
  expect(classify(delivery, money).class).toBe('not-sent');
  expect(server.bodies()).toBe(0);
});

test('an accepted reply is accepted', async () => {
  const server = await serve(faults.accepted);
  const outcome = classify(await post(server.url), money);
  expect(outcome).toMatchObject({ class: 'accepted', status: 200 });
  expect(outcome.fields?.get('paynet-order-id')).toBe('17');
});

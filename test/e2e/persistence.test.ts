// @module-tag openssl
import { afterAll, expect, test } from 'vitest';
import { testSale } from '../support/test-sale.js';
import { Home } from './home.js';
import { named, Shop, startGateway } from './shop.js';

const sale = testSale('--wait');

const homes: Home[] = [];

function newHome(): Home {
  const home = new Home();
  homes.push(home);
  return home;
}

afterAll(() => {
  for (const home of homes) home.remove();
});

/** Runs tasks with so many processes at a time. */
async function atOnce<T>(count: number, max: number, task: (index: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) done.push(await task(index));
  };
  await Promise.all(Array.from({ length: max }, worker));
  return done;
}

test.concurrent('many sales by four processes at a time, from an empty folder on, all succeed as orders of their own', {
  timeout: 120_000,
}, async () => {
  const shop = new Shop(newHome());
  // Equal payments at once would stop each other.
  const many = 6;
  const sales = await atOnce(many, 4, (index) =>
    shop.send('SALE', [...sale, '--client-order-id', `own-${index}`, '--again']),
  );
  const names = sales.map(named);
  expect(new Set(names.map(([orderId]) => orderId)).size).toBe(many);
  expect(new Set(names.map(([, , clientOrderId]) => clientOrderId)).size).toBe(many);
  expect(sales.map(({ result }) => result['status'])).toEqual(Array.from({ length: many }, () => 'approved'));
  const asked = await atOnce(many, 4, (index) => shop.status(names[index] ?? ['', '--client-order-id', '']));
  expect(new Set(asked.map(({ order }) => order.orderId)).size).toBe(many);
});

test.concurrent('one client order id at once in four processes becomes one order', async () => {
  const home = newHome();
  await home.call(['sandbox', 'status']);
  const words = testSale('--client-order-id', 'same-1', '--json');
  const ran = await atOnce(4, 4, () => home.call(words));
  // One sends; the others find it being sent (13), or ask what became of it.
  for (const { exit } of ran) expect([0, 13]).toContain(exit);
  expect(ran.some(({ exit }) => exit === 0)).toBe(true);
  const { entries } = JSON.parse((await home.call(['journal', '--json'])).out);
  expect(entries.map(({ attempts }: { attempts: number }) => attempts)).toEqual([1]);
});

test.concurrent('an order goes on over HTTP where it began without, and back', async () => {
  const home = newHome();
  const shop = new Shop(home);
  const order = await shop.approved('PREAUTH');
  const gateway = await startGateway(['--settle-ms', '0'], home);
  const captured = await home.call(['capture', ...order, '--all', '--wait']);
  expect(captured.exit, captured.err).toBe(0);
  const { exit } = await gateway.stop();
  expect(exit).toBe(0);
  const status = await home.call(['status', ...order]);
  expect(status.out).toMatch(/transaction-type +capture/);
});

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import {
  approvedOrder,
  cardOrder,
  FakeClock,
  onOrder,
  openBench,
  orderOf,
  partial,
  signed,
  status,
} from './support.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a new world has two merchants with keys of their own', () => {
  const { world } = openBench();
  expect(world.merchants().map(({ login, endpoints }) => [login, endpoints])).toEqual([
    [
      'sandbox',
      [
        { id: '4001', currency: undefined },
        { id: '4002', currency: 'EUR' },
      ],
    ],
    ['other-shop', [{ id: '4100', currency: undefined }]],
  ]);
  const [first, second] = world.merchants();
  expect(first?.controlKey).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  expect(second?.controlKey).not.toBe(first?.controlKey);
  expect(world.identity()).toMatchObject({ login: 'sandbox', endpointId: '4001', controlKey: first?.controlKey });
});

test('the RSA pair is made when it is first needed, and stays', () => {
  const { world } = openBench();
  expect(world.merchants()[0]?.publicKeyPem).toBeUndefined();
  const pem = world.builtinPrivateKey();
  expect(world.builtinPrivateKey()).toBe(pem);
  expect(createPrivateKey(pem).asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(createPublicKey(pem).export({ type: 'spki', format: 'pem' })).toBe(world.merchants()[0]?.publicKeyPem);
});

test('a merchant can be added, and given other keys', () => {
  const bench = openBench();
  const { world } = bench;
  const publicKeyPem = readFileSync(new URL('../vectors/keys/test-rsa-2048.public.pem', import.meta.url), 'utf8');
  const privateKey = readFileSync(new URL('../vectors/keys/test-rsa-2048.pkcs8.pem', import.meta.url), 'utf8');
  world.addMerchant({ login: 'mine', controlKey: 'k1', endpointId: '5001', publicKeyPem });
  world.addMerchant({ login: 'mine', controlKey: 'k2', endpointId: '5001' });
  expect(world.merchants().find(({ login }) => login === 'mine')).toMatchObject({
    controlKey: 'k2',
    publicKeyPem,
    endpoints: [{ id: '5001' }],
  });
  const pairs = { client_orderid: 'c', amount: '5.00', currency: 'EUR', wallet_type: 'w', wallet_id: 'x' };
  expect(signed(bench, '/api/v4/payout-check/5001', pairs, { login: 'mine', privateKey }).status).toBe(200);
  expect(() => world.addMerchant({ login: 'mine', controlKey: 'k', endpointId: '4100' })).toThrow(
    /endpoint 4100 of this sandbox belongs to other-shop; \d+ is free: --endpoint-id \d+/,
  );
  expect(() => world.addMerchant({ login: 'sandbox', controlKey: 'k', endpointId: '4001', publicKeyPem })).toThrow(
    /already has its own key pair/,
  );
  expect(() => world.addMerchant({ login: 'a b', controlKey: 'k', endpointId: '7' })).toThrow(/a login is/);
  expect(() => world.addMerchant({ login: 'a', controlKey: '', endpointId: '7' })).toThrow(/control key is empty/);
  expect(() => world.addMerchant({ login: 'a', controlKey: 'k', endpointId: '07' })).toThrow(/endpoint id/);
});

test('everything is still there when the file is opened again', () => {
  const path = join(folder(), 'world.db');
  const clock = new FakeClock();
  const before = openBench({ database: sqlite.open(path), clock });
  const hold = approvedOrder(before, 'preauth', { id: 'h', amount: '25.00' });
  partial(before, 'capture', 'h', hold, '20.00');
  const key = before.world.builtinPrivateKey();
  const payout = { client_orderid: 'p', amount: '5.00', currency: 'EUR', wallet_type: 'w', wallet_id: 'x' };
  signed(before, '/api/v2/payout/4001', payout, { nonce: 'once' });
  before.world.queueOutcome('funds');
  before.database.close();
  const after = openBench({ database: sqlite.open(path), clock });
  expect(after.key).toBe(before.key);
  expect(after.world.builtinPrivateKey()).toBe(key);
  after.later();
  expect(status(after, 'h', hold)).toMatchObject({
    status: 'approved',
    'transaction-type': 'capture',
    amount: '20.00',
  });
  expect(
    signed(after, '/api/v2/payout/4001', { ...payout, client_orderid: 'q' }, { nonce: 'once' }).fields['error-message'],
  ).toMatch(/oauth_nonce was used/);
  const next = orderOf(cardOrder(after, 'sale', { id: 's' }));
  expect(Number(next)).toBe(Number(hold) + 2);
  after.later();
  expect(status(after, 's', next)['error-code']).toBe('51');
  after.database.close();
});

test('two openings of one file see the same orders', () => {
  const path = join(folder(), 'world.db');
  const clock = new FakeClock();
  const one = openBench({ database: sqlite.open(path), clock });
  const two = openBench({ database: sqlite.open(path), clock });
  expect(two.key).toBe(one.key);
  const order = approvedOrder(one, 'sale', { id: 's' });
  expect(status(two, 's', order)['status']).toBe('approved');
  one.database.close();
  two.database.close();
});

test('no whole card number and no security code is kept', () => {
  const path = join(folder(), 'world.db');
  const bench = openBench({ database: sqlite.open(path) });
  const order = approvedOrder(bench, 'sale', { id: 's', number: '5200828282828210', cvv: '8642' });
  cardOrder(bench, 'sale', { id: 's', number: '5200828282828210', cvv: '8642' });
  status(bench, 's', order);
  bench.database.close();
  const bytes = readdirSync(join(path, '..'))
    .map((name) => readFileSync(join(path, '..', name), 'latin1'))
    .join('');
  expect(bytes).toContain('520082');
  expect(bytes).not.toContain('5200828282828210');
  expect(bytes).not.toContain('8642');
});

test('a reset forgets orders, but no merchants, keys or counters', () => {
  const bench = openBench();
  const key = bench.world.builtinPrivateKey();
  const order = approvedOrder(bench, 'sale', { id: 's' });
  onOrder(bench, '/api/v2/create-card-ref', 's', order);
  bench.world.queueOutcome('funds');
  bench.world.reset();
  expect(status(bench, 's', order)['error-message']).toBe('order not found');
  expect(bench.world.identity().controlKey).toBe(bench.key);
  expect(bench.world.builtinPrivateKey()).toBe(key);
  const next = approvedOrder(bench, 'sale', { id: 's' });
  expect(Number(next)).toBe(Number(order) + 1);
  expect(status(bench, 's', next)['status']).toBe('approved');
});

test('the same ports give the same ids', () => {
  const [one, two] = [openBench(), openBench()].map((bench) => {
    const order = approvedOrder(bench, 'sale', { id: 's' });
    return status(bench, 's', order);
  });
  expect(one).toEqual(two);
});

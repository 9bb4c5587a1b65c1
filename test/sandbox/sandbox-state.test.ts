import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import {
  approvedOrder,
  cardOrder,
  FakeClock,
  onOrder,
  openFixture,
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

test('everything is still there when the file is opened again', () => {
  const path = join(folder(), 'sandboxState.db');
  const clock = new FakeClock();
  const before = openFixture({ database: sqlite.open(path), clock });
  const hold = approvedOrder(before, 'preauth', { id: 'h', amount: '25.00' });
  partial(before, 'capture', 'h', hold, '20.00');
  const key = before.sandboxState.builtinPrivateKey();
  const payout = { client_orderid: 'p', amount: '5.00', currency: 'EUR', wallet_type: 'w', wallet_id: 'x' };
  signed(before, '/api/v2/payout/4001', payout, { nonce: 'once' });
  before.sandboxState.queueOutcome('funds');
  before.database.close();
  const after = openFixture({ database: sqlite.open(path), clock });
  expect(after.key).toBe(before.key);
  expect(after.sandboxState.builtinPrivateKey()).toBe(key);
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

test('a reset forgets orders, but no merchants, keys or counters', () => {
  const fixture = openFixture();
  const key = fixture.sandboxState.builtinPrivateKey();
  const order = approvedOrder(fixture, 'sale', { id: 's' });
  onOrder(fixture, '/api/v2/create-card-ref', 's', order);
  fixture.sandboxState.queueOutcome('funds');
  fixture.sandboxState.reset();
  expect(status(fixture, 's', order)['error-message']).toBe('order not found');
  expect(fixture.sandboxState.identity().controlKey).toBe(fixture.key);
  expect(fixture.sandboxState.builtinPrivateKey()).toBe(key);
  const next = approvedOrder(fixture, 'sale', { id: 's' });
  expect(Number(next)).toBe(Number(order) + 1);
  expect(status(fixture, 's', next)['status']).toBe('approved');
});

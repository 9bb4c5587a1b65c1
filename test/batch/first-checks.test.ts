import { expect, test } from 'vitest';
import { type BatchConnection, intentForRow, unsignedOf } from '../../src/batch/connection.js';
import { recoverSentRows } from '../../src/batch/run/rows-sent-elsewhere.js';
import { assertNotAtGateway, checkConnection } from '../../src/cli/commands/batch/preflight.js';
import { exchange } from '../../src/payments/exchange.js';
import { exchangeOptions } from '../../src/payments/gateway-connection.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { reply } from '../support/runtime.js';
import { idIn, isStatus, openFixture, statesOf } from './fixture.js';

const stop = new AbortController().signal;

/** A row sent by somebody whose journal is not ours. */
async function sentElsewhere(fixture: ReturnType<typeof openFixture>, number: number): Promise<void> {
  const { connection } = fixture.worker();
  const row = fixture.plan.row(number);
  if (row === undefined) throw new Error('no such row');
  const unsigned = unsignedOf(connection, row);
  const credentials = await connection.credentials(unsigned.protection);
  const sent = await exchange(unsigned, credentials, connection.ports, exchangeOptions(connection, { signal: stop }));
  expect(sent.class).toBe('accepted');
}

test.each([3, 10])(
  'order %i is there already, sent from elsewhere: refused, after a question about every row',
  async (number) => {
    const fixture = openFixture({ count: 60 });
    await sentElsewhere(fixture, number);
    const { engine, connection } = fixture.worker();
    await expect(assertNotAtGateway({ plan: fixture.plan, engine, connection, stop })).rejects.toMatchObject({
      code: 'BATCH_REFUSED',
      message: expect.stringContaining(`row ${number}`),
    });
    expect(fixture.requests.filter(isStatus).map(idIn)).toEqual(Array.from({ length: 60 }, (_, at) => `row-${at + 1}`));
  },
);

test('nothing there, of a large batch: 20 questions, and on', async () => {
  const fixture = openFixture({ count: 501 });
  const { engine, connection } = fixture.worker();
  await assertNotAtGateway({ plan: fixture.plan, engine, connection, stop });
  expect(new Set(fixture.requests.map(idIn)).size).toBeLessThanOrEqual(20);
  expect(new Set(fixture.requests.map(idIn)).size).toBeGreaterThan(10);
});

test('a probe that cannot be answered stops it: an order might be there', async () => {
  const fixture = openFixture({ count: 3 });
  const { engine, connection } = fixture.worker(() => reply(500, {}));
  await expect(assertNotAtGateway({ plan: fixture.plan, engine, connection, stop })).rejects.toMatchObject({
    code: 'READ_FAILED',
  });
});

test('a row that another process records while it is asked about is not counted as recovered', async () => {
  const fixture = openFixture({ count: 2 });
  await sentElsewhere(fixture, 1);
  await sentElsewhere(fixture, 2);
  const other = fixture.worker();
  const [first] = fixture.plan.rows(1, 1);
  if (first === undefined) throw new Error('no such row');
  const { engine, connection } = fixture.worker(async (request, next) => {
    if (idIn(request) !== 'row-1') return next();
    const [begun] = await other.engine.begin([{ row: first, intent: intentForRow(other.connection, first) }]);
    if (begun !== undefined) await other.engine.recordResult(begun.intent, 'accepted', { reason: 'sent by the other' });
    return next();
  });
  const ports = { plan: fixture.plan, engine, connection, stop };
  expect(await recoverSentRows(ports, connection.ports.clock, () => undefined)).toEqual({ count: 1, why: undefined });
  expect(await statesOf(engine)).toEqual({ accepted: 2 });
});

const unknownOrder = { type: 'error', 'error-message': 'No such order', 'error-code': '1' };
const verdicts: readonly (readonly [what: string, answer: Delivery, code: string | undefined])[] = [
  ['no such order', reply(400, unknownOrder), undefined],
  [
    'a status',
    reply(200, { type: 'status-response', status: 'approved', 'paynet-order-id': '1', 'serial-number': 's' }),
    undefined,
  ],
  [
    'a wrong control',
    reply(400, { type: 'validation-error', 'error-message': 'control is wrong', 'error-code': '2' }),
    'REFUSED',
  ],
  ['401', reply(401, unknownOrder), 'REFUSED'],
  ['403', reply(403, unknownOrder), 'REFUSED'],
  ['404', reply(404, unknownOrder), 'REFUSED'],
  ['500', reply(500, {}), 'READ_FAILED'],
  ['no connection', { kind: 'never-sent', reason: 'the connection was refused' }, 'NOT_SENT'],
];

test.each(verdicts)('one question before the first row: %s', async (_, answer, code) => {
  const fixture = openFixture({ count: 1 });
  const { connection }: { connection: BatchConnection } = fixture.worker(() => answer);
  const check = checkConnection(connection, fixture.endpointId, { flags: '' }, stop);
  if (code === undefined) await check;
  else await expect(check).rejects.toMatchObject({ code });
  expect(fixture.requests.every(isStatus)).toBe(true);
  expect(fixture.requests.map(idIn).every((id) => id.startsWith('check-'))).toBe(true);
});

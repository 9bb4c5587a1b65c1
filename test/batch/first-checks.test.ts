import { expect, test } from 'vitest';
import { assertSentNowhere, recordSentElsewhere } from '../../src/batch/probe.js';
import { checkConnection } from '../../src/cli/commands/batch/run-checks.js';
import { usualReplyMs } from '../../src/payments/exchange.js';
import { queryOutcome, settleOrder } from '../../src/payments/settle.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { reply } from '../support/runtime.js';
import { type Fixture, idIn, isStatus, ledger, openFixture, type RunWishes } from './running.js';

const stop = new AbortController().signal;
const batch = 'batch-1';

/** A row that a machine with another journal has sent. */
async function sendElsewhere(fixture: Fixture, number: number): Promise<void> {
  await fixture.sandbox.post(await fixture.signedRow(number - 1), usualReplyMs, undefined);
}

function portsOf(fixture: Fixture, wishes: RunWishes = {}) {
  const journal = fixture.openJournal();
  return { batch, journal, connection: fixture.connectionWith(wishes), rate: 1000, stop };
}

test.each([3, 10])(
  'order %i is there already, sent from elsewhere: refused, after every row was asked about',
  async (number) => {
    const fixture = await openFixture({ count: 60 });
    await sendElsewhere(fixture, number);
    await expect(assertSentNowhere(portsOf(fixture))).rejects.toMatchObject({
      code: 'BATCH_REFUSED',
      message: expect.stringContaining(`row ${number},`),
    });
    expect(fixture.requests.filter(isStatus).map(idIn)).toEqual(Array.from({ length: 60 }, (_, at) => `row-${at + 1}`));
  },
);

test('of a large batch the next rows, the last one and some between are asked about', async () => {
  const fixture = await openFixture({ count: 501 });
  await assertSentNowhere(portsOf(fixture));
  const asked = new Set(fixture.requests.map(idIn));
  // A lost part of a journal has sent the next ones, of which the first may not have arrived.
  const next = Array.from({ length: 20 }, (_, at) => `row-${at + 1}`);
  expect([...asked].slice(0, 21)).toEqual([...next, 'row-501']);
  expect(asked.size).toBeLessThanOrEqual(30);
  expect(asked.size).toBeGreaterThan(24);
});

test('a question that is not answered stops it: an order might be there', async () => {
  const fixture = await openFixture({ count: 3 });
  const ports = portsOf(fixture, { between: () => reply(500, {}) });
  await expect(assertSentNowhere(ports)).rejects.toMatchObject({ code: 'READ_FAILED' });
});

test('a signal meanwhile ends it as one before anything is sent', async () => {
  const fixture = await openFixture({ count: 3 });
  const stopped = new AbortController();
  const between: RunWishes['between'] = (_, answer) => {
    stopped.abort('SIGTERM');
    return answer();
  };
  const ports = { ...portsOf(fixture, { between }), stop: stopped.signal };
  await expect(assertSentNowhere(ports)).rejects.toMatchObject({ code: 'TERMINATED', exit: 143 });
  expect(fixture.requests.filter(isStatus)).toHaveLength(1);
});

test('on demand the rows that were sent from elsewhere are recorded, and a run sends the others', async () => {
  const fixture = await openFixture({ count: 5 });
  await sendElsewhere(fixture, 2);
  await sendElsewhere(fixture, 5);
  const ports = portsOf(fixture);
  expect(await recordSentElsewhere(ports, () => undefined)).toBe(2);
  await ports.journal.close();
  expect((await fixture.recorded(['planned'])).map(({ number }) => number)).toEqual([1, 3, 4]);
  expect((await fixture.recorded(['accepted', 'done'])).every(({ isElsewhere }) => isElsewhere)).toBe(true);
  expect((await fixture.run()).states).toEqual({ done: 5 });
  expect(Object.values(ledger(fixture))).toEqual([1, 1, 1, 1, 1]);
});

test('a row that a status of its order shows as paid from elsewhere is not sent any more', async () => {
  const fixture = await openFixture({ count: 3 });
  await sendElsewhere(fixture, 2);
  const { journal, connection } = portsOf(fixture);
  const [row] = await journal.find({ clientOrderIds: ['row-2'] }, { limit: 1 });
  if (row === undefined) throw new Error('no row');
  const { fields = new Map() } = await queryOutcome(connection, row, { signal: stop });
  const context = { base: row.base, endpoint: row.endpoint, minorDigits: connection.assume['minor-digits'] };
  await settleOrder(fields, journal, { ...context, ownStatus: () => Promise.reject(new Error('asked twice')) });
  await journal.close();
  expect((await fixture.recorded(['planned'])).map(({ number }) => number)).toEqual([1, 3]);
  await fixture.run();
  expect(Object.values(ledger(fixture))).toEqual([1, 1, 1]);
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
  ['500', reply(500, {}), 'READ_FAILED'],
  ['no connection', { kind: 'never-sent', reason: 'the connection was refused' }, 'NOT_SENT'],
];

test.each(verdicts)('one question before the first row: %s', async (_, answer, code) => {
  const fixture = await openFixture({ count: 1 });
  const connection = fixture.connectionWith({ between: () => answer });
  const check = checkConnection(connection, fixture.endpointId, { flags: '' }, stop);
  if (code === undefined) await check;
  else await expect(check).rejects.toMatchObject({ code });
  expect(fixture.requests.every(isStatus)).toBe(true);
  expect(fixture.requests.map(idIn).every((id) => id.startsWith('check-'))).toBe(true);
});

import { expect, test } from 'vitest';
import { intentForRow } from '../../src/batch/connection.js';
import { openFixture } from '../batch/fixture.js';

const plan = { plan: 'b-1', base: 'the sandbox', kind: 'opening', engine: 'postgres://a@b/c', binding: '{}' } as const;
const options = { again: false, isGenerated: false, isAlive: () => false };

function opened() {
  const fixture = openFixture({ count: 2 });
  const { journal, connection } = fixture.worker();
  const row = fixture.plan.row(1);
  if (row === undefined) throw new Error('no such row');
  const intent = () => journal.plan(intentForRow(connection, row), options).intent;
  const order = { name: 'row-1', endpointId: row.endpointId, number: 1 };
  return { journal, intent, order };
}

test('an order of a plan that runs elsewhere never begins here', () => {
  const { journal, intent, order } = opened();
  journal.externalPlans.bind(plan, [order], true);
  expect(() => journal.begin(intent())).toThrow('order row-1 is row 1 of plan b-1, which runs on postgres://a@b/c');
  expect(journal.linesAbout(undefined).map(({ reason }) => reason)).toEqual(['plan bound to another engine']);
  expect(journal.flaws()).toEqual([]);
});

test('what came home from there is decided here again', () => {
  const { journal, intent, order } = opened();
  journal.externalPlans.bind(plan, [order], true);
  journal.externalPlans.forget('b-1', [order]);
  expect(journal.begin(intent()).state).toBe('sending');
});

test('a plan counts as bound once all of its orders are recorded; binding it twice adds one line', () => {
  const { journal, order } = opened();
  expect(journal.externalPlans.binding('b-1')).toBeUndefined();
  journal.externalPlans.bind(plan, [order], false);
  expect(journal.externalPlans.binding('b-1')).toBeUndefined();
  journal.externalPlans.bind(plan, [], true);
  journal.externalPlans.bind(plan, [order], true);
  expect(journal.externalPlans.binding('b-1')).toBe('{}');
  expect(journal.linesAbout(undefined)).toHaveLength(1);
});

test('another gateway has orders of its own; another endpoint has not: which payment the row is, only its plan knows', () => {
  const { journal, order } = opened();
  journal.externalPlans.bind(plan, [order], true);
  const place = {
    kind: 'opening',
    base: 'the sandbox',
    operation: 'PAYOUT',
    orderId: undefined,
    clientOrderId: 'row-1',
  } as const;
  expect(journal.externalPlans.find({ ...place, endpointId: order.endpointId })).toMatchObject({
    plan: 'b-1',
    number: 1,
  });
  expect(journal.externalPlans.find({ ...place, endpointId: '999' })).toMatchObject({ plan: 'b-1', number: 1 });
  expect(journal.externalPlans.find({ ...place, endpointId: '999', clientOrderId: 'row-2' })).toBeUndefined();
  expect(journal.externalPlans.find({ ...place, base: 'another', endpointId: order.endpointId })).toBeUndefined();
});

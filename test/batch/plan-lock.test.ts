import { expect, test } from 'vitest';
import { intentForRow } from '../../src/batch/connection.js';
import { BatchEngine } from '../../src/batch/run/engine.js';
import { openFixture } from './fixture.js';

type Fixture = ReturnType<typeof openFixture>;

/** The engine of a later run, on a machine where every process id lives: numbers are given out again. */
function laterRun(fixture: Fixture) {
  const { journal, connection } = fixture.worker();
  const engine = new BatchEngine({
    ...{ journal, plan: fixture.plan, clock: fixture.clock, rate: 1000 },
    intentOf: (row) => intentForRow(connection, row),
    limitsOf: () => ({}),
    isAlive: () => true,
  });
  return { engine, connection, journal };
}

async function openNumbers({ engine }: ReturnType<typeof laterRun>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { number } of engine.open()) numbers.push(number);
  return numbers;
}

test('a row that a killed run of this plan was sending is taken up, whoever has its process id by now', async () => {
  const fixture = openFixture({ count: 2 });
  const killed = fixture.worker();
  const row = fixture.plan.row(1);
  if (row === undefined) throw new Error('no such row');
  await killed.engine.begin([{ row, intent: intentForRow(killed.connection, row) }]);
  const later = laterRun(fixture);
  expect(await openNumbers(later)).toEqual([1]);
  const again = laterRun(fixture);
  expect(await again.engine.begin([{ row, intent: intentForRow(again.connection, row) }])).toMatchObject([
    { do: 'ask' },
  ]);
});

test('a row that a single command is sending right now is left to it', async () => {
  const fixture = openFixture({ count: 2 });
  const single = fixture.worker();
  const row = fixture.plan.row(1);
  if (row === undefined) throw new Error('no such row');
  const { intent } = single.journal.plan(intentForRow(single.connection, row), {
    again: false,
    isGenerated: false,
    isAlive: () => false,
  });
  single.journal.begin(intent);
  const later = laterRun(fixture);
  expect(await openNumbers(later)).toEqual([]);
  expect(await later.engine.begin([{ row, intent: intentForRow(later.connection, row) }])).toEqual([]);
});

// @module-tag postgres
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresEngine } from '../../src/batch/engines/postgres/engine.js';
import type { PostgresOptions, WorkerLimits } from '../../src/batch/engines/postgres/index.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { type Intent, type State, unitsOf } from '../../src/journal/index.js';
import { checkCaps, countedSum } from '../../src/payments/limits.js';
import { operationById } from '../../src/spec/index.js';
import { planOf, prepared } from './engine-suite.js';
import { PostgresServer } from './postgres.js';
import { join, newDatabaseWithTables, start } from './postgres-fixture.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
}, 60_000);

afterAll(() => server.remove());

const said = { reason: 'said so' };
const eur = (minor: number) => ({ minor: String(minor), currency: 'EUR' });

/** The caps of one machine; `spent` is what it sent by single commands. Rows are of 5.00 EUR. */
function capped(max: number | undefined, one?: number, spent = 0): WorkerLimits {
  const caps = {
    maxAmount: one === undefined ? [] : [{ minor: BigInt(one), currency: 'EUR' }],
    maxTotalPerDay: max === undefined ? [] : [{ minor: BigInt(max), currency: 'EUR' }],
  };
  return {
    limitsOf({ sum }) {
      if (sum === undefined) throw new Error('every row has a sum');
      const amount = { minor: BigInt(sum.minor), digits: 2, currency: sum.currency };
      const value = { kind: 'named', amount } as const;
      const counts = countedSum(value);
      return { counts, day: checkCaps(operationById('PAYOUT'), value, counts, { name: 'shop', caps }) };
    },
    spentHere: () => unitsOf(eur(spent)),
  };
}

const fives = (count: number, id = 'batch-1', prefix = 'order'): PlanStore =>
  planOf({
    count,
    id,
    orders: Array.from({ length: count }, (_, at) => `${prefix}-${at + 1}`),
    sums: Array.from({ length: count }, () => ['500', 'EUR'] as const),
  });

/** Sends what it may until something stops it; `to` is what comes of each row. */
async function work(engine: PostgresEngine, plan: PlanStore, to: (sent: number) => State = () => 'done') {
  const sent: Intent[] = [];
  try {
    for (let numbers = await engine.next(1); numbers.length > 0; numbers = await engine.next(1))
      for (const { do: way, intent } of await engine.begin(numbers.map((number) => prepared(plan, number)))) {
        if (way !== 'send') continue;
        sent.push(intent);
        await engine.recordResult(intent, to(sent.length), said);
      }
    return { sent: sent.length, stopped: undefined };
  } catch (error) {
    return { sent: sent.length, stopped: error };
  } finally {
    // As every run does: the others go on with the rows it holds.
    await engine.close();
  }
}

const total = (ended: readonly { readonly sent: number }[]) => ended.reduce((sum, { sent }) => sum + sent, 0);

async function workers(plan: PlanStore, database: string, each: readonly Partial<PostgresOptions>[]) {
  const [first = {}, ...others] = each;
  const url = server.url(database);
  const starter = await start(plan, url, first);
  return [starter, ...(await Promise.all(others.map((more) => start(plan, url, more))))];
}

describe('a day cap over all workers', () => {
  test('four workers with 50.00 a day send ten rows of 5.00 together, whatever they do at once', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(200);
    const limits = { maxTotalPerDay: [eur(5000)] };
    const each = Array.from({ length: 4 }, () => ({ worker: capped(5000), limits }));
    const engines = await workers(plan, database, each);
    const ended = await Promise.all(engines.map((engine) => work(engine, plan)));
    expect(total(ended)).toBe(10);
    for (const { stopped } of ended) expect(stopped).toMatchObject({ code: 'CAP_EXCEEDED', exit: 10 });
    expect(await server.query('SELECT units::text FROM paycli.day_totals', database)).toEqual([{ units: '500000' }]);
  });

  test('two batches of 40.00 under 50.00 a day, from two machines: 50.00 are sent, not 80.00', async () => {
    const database = await newDatabaseWithTables(server);
    const plans = [fives(8), fives(8, 'batch-2', 'other')] as const;
    const engines = await Promise.all(
      plans.map((plan) =>
        start(plan, server.url(database), { worker: capped(5000), limits: { maxTotalPerDay: [eur(5000)] } }),
      ),
    );
    const ended = await Promise.all(plans.map((plan, at) => work(engines[at] as PostgresEngine, plan)));
    expect(total(ended)).toBe(10);
  });

  test('the cap of the batch holds for a worker that has none, and a lower one of its own for that worker', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(30);
    const [starter, free, low] = await workers(plan, database, [
      { worker: capped(5000), limits: { maxTotalPerDay: [eur(5000)] } },
      { worker: capped(undefined) },
      { worker: capped(1000) },
    ]);
    if (starter === undefined || free === undefined || low === undefined) throw new Error('three workers');
    expect(await work(low, plan)).toMatchObject({ sent: 2, stopped: { code: 'CAP_EXCEEDED' } });
    expect(await work(free, plan)).toMatchObject({ sent: 8, stopped: { code: 'CAP_EXCEEDED' } });
    expect(await work(starter, plan)).toMatchObject({ sent: 0, stopped: { code: 'CAP_EXCEEDED' } });
  });

  test('a worker capped at 1.00 sends no row of 5.00', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(100);
    await start(plan, server.url(database));
    const low = await start(plan, server.url(database), { worker: capped(undefined, 100) });
    expect(await work(low, plan)).toMatchObject({ sent: 0, stopped: { code: 'CAP_EXCEEDED', exit: 10 } });
  });

  test('what was declined, refused or never left counts no more; what a machine sent by itself counts there', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(30);
    const engine = await start(plan, server.url(database), {
      worker: capped(5000, undefined, 2000),
      limits: { maxTotalPerDay: [eur(5000)] },
    });
    const ends: readonly State[] = ['done', 'declined', 'refused', 'not_sent'];
    const { sent, stopped } = await work(engine, plan, (at) => ends[at - 1] ?? 'done');
    // 20.00 by single commands, six rows of 5.00 that count, three that do not.
    expect([sent, stopped]).toMatchObject([9, { code: 'CAP_EXCEEDED' }]);
  });
});

test('--max-rows holds over two workers', async () => {
  const database = await newDatabaseWithTables(server);
  // More than the workers claim at once, so that each of them has one to stop at.
  const plan = fives(60);
  const engines = await workers(plan, database, [{ maxRows: 7 }, {}]);
  const ended = await Promise.all(engines.map((engine) => work(engine, plan)));
  expect(total(ended)).toBe(7);
  for (const { stopped } of ended) expect(stopped).toMatchObject({ code: 'BATCH_LEFT', exit: 12 });
  const next = await start(plan, server.url(database), { maxRows: Number.POSITIVE_INFINITY });
  expect(await work(next, plan)).toEqual({ sent: 53, stopped: undefined });
});

describe('the breaker over all workers', () => {
  test('opens for four workers at the fifth unknown outcome in a row; a restart sends nothing', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(120);
    const more = { maxUnknown: 0.01 };
    const engines = await workers(plan, database, Array(4).fill(more));
    const ended = await Promise.all(engines.map((engine) => work(engine, plan, () => 'unknown')));
    // Whoever began before the fifth outcome was written down, finishes: at most one row for each of the others.
    expect(total(ended)).toBeGreaterThanOrEqual(5);
    expect(total(ended)).toBeLessThanOrEqual(4 + 4);
    for (const { stopped } of ended)
      expect(stopped).toMatchObject({ code: 'BATCH_LEFT', message: expect.stringContaining('5 consecutive rows') });
    for (const again of await workers(plan, database, Array(4).fill(more)))
      expect(await work(again, plan)).toMatchObject({ sent: 0, stopped: { code: 'BATCH_LEFT', exit: 12 } });
  });

  test('counts over all: a success of one worker between those of another begins anew', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(40);
    const [one, other] = await workers(plan, database, [{ maxUnknown: 1 }, { maxUnknown: 1 }]);
    if (one === undefined || other === undefined) throw new Error('two workers');
    const send = async (engine: PostgresEngine, to: State) => {
      const [number = 0] = await engine.next(1);
      const [begun] = await engine.begin([prepared(plan, number)]);
      if (begun?.do !== 'send') throw new Error('a free row is given');
      await engine.recordResult(begun.intent, to, said);
    };
    for (const to of ['unknown', 'unknown', 'unknown', 'unknown'] as const) await send(one, to);
    await send(other, 'done');
    for (const to of ['unknown', 'unknown', 'unknown', 'unknown'] as const) await send(other, to);
    await send(one, 'unknown');
    await expect(send(other, 'done')).rejects.toMatchObject({ code: 'BATCH_LEFT' });
    await expect(send(one, 'done')).rejects.toMatchObject({ code: 'BATCH_LEFT' });
  });

  test('rows of a worker that was killed are no outcomes of the gateway', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(20);
    const killed = await start(plan, server.url(database), { maxUnknown: 0.01 });
    await killed.begin(Array.from({ length: 6 }, (_, at) => prepared(plan, at + 1)));
    await server.query('UPDATE paycli.workers SET lease_until = clock_timestamp()', database);
    const engine = await start(plan, server.url(database), { maxUnknown: 0.01 });
    for await (const { intent } of engine.open()) expect(intent.state).toBe('unknown');
    expect((await engine.begin([prepared(plan, 9)])).map((each) => each.do)).toEqual(['send']);
  });

  test('what one worker says has to stop stops all', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = fives(20);
    const [one, other] = await workers(plan, database, [{}, {}]);
    if (one === undefined || other === undefined) throw new Error('two workers');
    await one.halt('the gateway answered 401: check login, keys, endpoint and address');
    await expect(other.begin([prepared(plan, 1)])).rejects.toMatchObject({
      code: 'BATCH_LEFT',
      message: expect.stringContaining('401'),
    });
  });
});

test('a joining worker waits for a final status of the first row, on whichever machine it was sent', async () => {
  const database = await newDatabaseWithTables(server);
  const plan = fives(10);
  const starter = await start(plan, server.url(database));
  const [first] = await starter.begin([prepared(plan, 1)]);
  if (first === undefined) throw new Error('the first row is free');
  const joiner = await join(plan.head.id, server.url(database));
  expect([await starter.hasFinalRow(), await joiner.hasFinalRow()]).toEqual([false, false]);
  await starter.recordResult(first.intent, 'declined', said);
  expect(await joiner.hasFinalRow()).toBe(true);
  expect(await joiner.next(1)).toHaveLength(1);
});

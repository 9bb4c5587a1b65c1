import { describe, expect, test } from 'vitest';
import type { BatchRow, PlanStore } from '../../src/batch/plan.js';
import { BatchEngine } from '../../src/batch/run/engine.js';
import { isPaycliError } from '../../src/errors/index.js';
import type { Intent, NewIntent, State } from '../../src/journal/index.js';
import { systemClock } from '../../src/runtime/clock.js';
import { newFolder, open } from '../journal/support.js';
import { memoryPlan, openOf } from './fixture.js';

/** One process at an engine. */
interface Worker {
  readonly engine: BatchEngine;
  /** As after SIGKILL: nothing was let go. */
  lapse(): void;
}

/** Processes over the same journal. */
function openWorkers(plan: PlanStore, rate = 10_000) {
  const folder = newFolder();
  const alive = new Set<number>();
  let pids = 0;
  return {
    worker(): Worker {
      pids += 1;
      const pid = pids;
      alive.add(pid);
      const engine = new BatchEngine({
        ...{ plan, rate, clock: systemClock, limitsOf: () => ({}) },
        journal: open(folder, pid).journal,
        intentOf: (row) => prepared(plan, row.number).intent,
        isAlive: (sender) => sender.pid !== pid && alive.has(sender.pid),
      });
      return { engine, lapse: () => void alive.delete(pid) };
    },
  };
}

interface PlanWish {
  readonly count: number;
  readonly operation?: 'PAYOUT' | 'CAPTURE';
  readonly id?: string;
  /** In order of the rows; `order-NUMBER` when left out. */
  readonly orders?: readonly string[];
  readonly sums?: readonly (readonly [minor: string, currency: string])[];
  /** In order of the rows; `4001` when left out. */
  readonly endpoints?: readonly string[];
}

/** A plan in memory. Its digest is no real one, only another for each id. */
function planOf({
  count,
  operation = 'PAYOUT',
  id = 'batch-1',
  orders = [],
  sums = [],
  endpoints = [],
}: PlanWish): PlanStore {
  const rows = Array.from({ length: count }, (_, at): BatchRow => {
    const [minor, currency] = sums[at] ?? ['1042', 'EUR'];
    const order = orders[at] ?? `order-${at + 1}`;
    const own = operation === 'PAYOUT' ? { clientOrderId: order } : { clientOrderId: `own-${at + 1}`, orderId: order };
    const values = { ...own, currency, amount: minor, accountNumber: `DE-${at + 1}-8934`, fullName: 'Ada Lovelace' };
    return {
      number: at + 1,
      line: at + 2,
      values,
      endpointId: endpoints[at] ?? '4001',
      sum: { minor, currency },
      destination: `…893${at % 10}`,
    };
  });
  const head: PlanStore['head'] = {
    ...{
      id,
      operation,
      madeAt: Date.UTC(2030, 0, 7),
      planner: { user: 'ada', host: 'laptop', id: '1' },
      version: 'test',
      profile: 'shop',
    },
    ...{
      class: 'test',
      base: 'https://gate.example/pay',
      login: 'shop',
      count,
      totals: [],
      hasCards: false,
      digest: `digest-${id}`,
    },
    file: {
      path: '/tmp/rows.csv',
      bytes: 1,
      sha256: '00',
      format: 'csv',
      layout: { delimiter: ',', columns: [], map: {} },
    },
  };
  return memoryPlan(head, rows, systemClock);
}

/** A row as the run would hand it over. */
function prepared({ head, row }: PlanStore, number: number, content?: string): { row: BatchRow; intent: NewIntent } {
  const found = row(number);
  if (found === undefined) throw new Error(`the plan has no row ${number}`);
  const { values, endpointId, sum } = found;
  const { operation, base, login, profile } = head;
  const isOpening = operation === 'PAYOUT';
  const intent: NewIntent = {
    kind: isOpening ? 'opening' : 'follow-up',
    effect: 'money',
    class: head.class,
    ...{ operation, base, login, profile, endpointId, sum },
    clientOrderId: values['clientOrderId'],
    orderId: isOpening ? undefined : values['orderId'],
    lastFour: undefined,
    content: content ?? `content-${number}`,
  };
  return { row: found, intent };
}

const ways = (gated: Awaited<ReturnType<BatchEngine['begin']>>): string[] =>
  gated.map(({ row, do: way }) => `${row.number} ${way}`).sort();

/** The legal moves by hand, from the table of states; a resend is approved elsewhere. */
const forward: Readonly<Record<State, readonly State[]>> = {
  planned: [],
  // What is said of one that never left, or was refused, contradicts that.
  not_sent: ['accepted', 'done'],
  cancelled: ['accepted', 'done'],
  refused: ['accepted', 'done'],
  sending: ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'],
  unknown: ['accepted', 'done', 'declined'],
  // To `unknown` by the word of the gateway alone.
  accepted: ['done', 'declined'],
  done: [],
  declined: ['done'],
  conflict: [],
};
/** Ends that evidence contradicts. */
const ended: readonly State[] = ['not_sent', 'refused', 'declined'];
const settled: readonly State[] = ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'];

const said = { reason: 'said so' };

const alone = (plan: PlanStore) => openWorkers(plan).worker();

async function begun(engine: BatchEngine, plan: PlanStore, number: number): Promise<Intent> {
  const [gated] = await engine.begin([prepared(plan, number)]);
  if (gated?.do !== 'send') throw new Error(`row ${number} was not given`);
  return gated.intent;
}

describe('what is sent', () => {
  test('rows come in their order, at most as many as were asked for, and nothing comes after the last', async () => {
    const { engine } = alone(planOf({ count: 5 }));
    expect(await engine.next(2)).toEqual([1, 2]);
    expect(await engine.next(2)).toEqual([3, 4]);
    expect(await engine.next(9)).toEqual([5]);
  });

  test('lanes that ask at the same moment share the rows, and none is lost', async () => {
    const { engine } = alone(planOf({ count: 80 }));
    const lane = async (): Promise<number[]> => {
      const own: number[] = [];
      for (let numbers = await engine.next(3); numbers.length > 0; numbers = await engine.next(3)) own.push(...numbers);
      return own;
    };
    const all = (await Promise.all(Array.from({ length: 8 }, lane))).flat();
    expect(all.sort((one, other) => one - other)).toEqual(Array.from({ length: 80 }, (_, at) => at + 1));
  });

  test('a begun row is given as send once, to whoever asks how often', async () => {
    const plan = planOf({ count: 2 });
    const { engine } = alone(plan);
    await engine.next(2);
    expect(ways(await engine.begin([prepared(plan, 1), prepared(plan, 2)]))).toEqual(['1 send', '2 send']);
    expect(
      ways(await engine.begin([prepared(plan, 1), prepared(plan, 2)])).filter((way) => way.endsWith('send')),
    ).toEqual([]);
  });

  test('what begin gives holds the row, its key and one attempt', async () => {
    const plan = planOf({ count: 1, sums: [['9007199254740993', 'JPY']] });
    const { engine } = alone(plan);
    const intent = await begun(engine, plan, 1);
    expect(intent).toMatchObject({
      state: 'sending',
      attempts: 1,
      clientOrderId: 'order-1',
      operation: 'PAYOUT',
      endpointId: '4001',
    });
    expect(intent.sum).toEqual({ minor: '9007199254740993', currency: 'JPY' });
  });

  test('the same order id with other content is no repeat of the row', async () => {
    const plan = planOf({ count: 1 });
    const { engine } = alone(plan);
    await engine.recordResult(await begun(engine, plan, 1), 'not_sent', said);
    await expect(engine.begin([prepared(plan, 1, 'another content')])).rejects.toMatchObject({
      code: 'INTENT_DIFFERS',
    });
    const [total] = await engine.tally();
    expect(total).toMatchObject({ state: 'not_sent', count: 1 });
  });

  test('of two follow-ups on one order the second waits until the end of the first is known, whatever endpoint each goes to', async () => {
    const wish = { operation: 'CAPTURE', orders: ['900', '900', '901'], endpoints: ['4001', '4002'] } as const;
    const plan = planOf({ count: 3, ...wish });
    const { engine } = alone(plan);
    await engine.next(3);
    const gated = await engine.begin([1, 2, 3].map((number) => prepared(plan, number)));
    expect(ways(gated)).toEqual(['1 send', '3 send']);
    expect(await asked(engine, plan, 2)).toEqual([]);
    const [first] = gated;
    if (first === undefined) throw new Error('nothing was given');
    await engine.recordResult(first.intent, 'unknown', said);
    expect(await asked(engine, plan, 2)).toEqual([]);
    await engine.recordResult(first.intent, 'done', said);
    expect(await asked(engine, plan, 2)).toEqual(['2 send']);
  });

  test('a follow-up waits while another one on its order is in conflict, at whatever endpoint', async () => {
    const plan = planOf({ count: 2, operation: 'CAPTURE', orders: ['900', '900'], endpoints: ['4001', '4002'] });
    const { engine } = alone(plan);
    await engine.next(2);
    const first = await begun(engine, plan, 1);
    await engine.recordResult(first, 'declined', said);
    expect((await engine.recordResult(first, 'done', { reason: 'paid after all' })).state).toBe('conflict');
    expect(await asked(engine, plan, 2)).toEqual([]);
  });

  test('what is known of an order holds requests that went to other endpoints, too', async () => {
    const plan = planOf({
      count: 3,
      operation: 'CAPTURE',
      orders: ['900', '900', '901'],
      endpoints: ['4001', '4002'],
    });
    const { engine } = alone(plan);
    await engine.recordResult(await begun(engine, plan, 1), 'done', said);
    const second = await begun(engine, plan, 2);
    const known = engine.onOrder(second, '900');
    expect(known.map(({ endpointId }) => endpointId).sort()).toEqual(['4001', '4002']);
  });
});

describe('what came of it', () => {
  const reach: Readonly<Record<string, readonly State[]>> = {
    sending: [],
    accepted: ['accepted'],
    unknown: ['unknown'],
  };
  test('a row moves forward only, wherever it is', async () => {
    const cases = ['sending', ...settled].flatMap((start) => settled.map((to) => ({ start, to })));
    const plan = planOf({ count: cases.length });
    const { engine } = alone(plan);
    for (const [at, { start, to }] of cases.entries()) {
      let intent = await begun(engine, plan, at + 1);
      for (const step of reach[start] ?? settled.filter((state) => state === start))
        intent = await engine.recordResult(intent, step, said);
      expect(intent.state).toBe(start);
      const after = await engine.recordResult(intent, to, { reason: 'later' });
      const isLegal = forward[intent.state].includes(to);
      const isConflict = isLegal && ended.includes(intent.state);
      expect(after.state, `${start} to ${to}`).toBe(isConflict ? 'conflict' : isLegal ? to : start);
      const reason = isConflict ? `${start} (said so), but later` : isLegal ? 'later' : intent.reason;
      expect(after.reason, `${start} to ${to}`).toBe(reason);
    }
  });

  test('settling twice changes nothing, and no outcome leads back to sending', async () => {
    const plan = planOf({ count: 1 });
    const { engine } = alone(plan);
    const intent = await begun(engine, plan, 1);
    const once = await engine.recordResult(intent, 'done', {
      reason: 'status: approved',
      orderId: '7',
      outcome: { status: 'approved' },
    });
    expect(once).toMatchObject({
      state: 'done',
      orderId: '7',
      outcome: { status: 'approved' },
      mayHaveArrived: true,
    });
    const again = await engine.recordResult(intent, 'done', {
      reason: 'heard again',
      orderId: '8',
      outcome: { status: 'other' },
    });
    expect(again).toMatchObject({
      state: 'done',
      orderId: '7',
      outcome: { status: 'approved' },
      reason: 'status: approved',
    });
    expect((await engine.recordResult(intent, 'sending', said)).state).toBe('done');
  });

  test('what was learned adds up: a later word leaves the earlier ones', async () => {
    const plan = planOf({ count: 1 });
    const { engine } = alone(plan);
    const intent = await begun(engine, plan, 1);
    await engine.recordResult(intent, 'accepted', {
      reason: 'taken',
      orderId: '7',
      outcome: { 'serial-number': 's' },
    });
    const { outcome, orderId } = await engine.recordResult(intent, 'done', {
      reason: 'status',
      outcome: { status: 'approved' },
    });
    expect(outcome).toEqual({ 'serial-number': 's', status: 'approved' });
    expect(orderId).toBe('7');
  });

  test('what the gateway took is unknown where the gateway itself says so, and by no other word', async () => {
    const plan = planOf({ count: 1 });
    const { engine } = alone(plan);
    const intent = await begun(engine, plan, 1);
    await engine.recordResult(intent, 'accepted', { reason: 'taken', orderId: '7' });
    expect((await engine.recordResult(intent, 'unknown', said)).state).toBe('accepted');
    const asked = { reason: 'status: unknown', isUnknownAtGateway: true } as const;
    expect(await engine.recordResult(intent, 'unknown', asked)).toMatchObject({ state: 'unknown', orderId: '7' });
    expect((await engine.recordResult(intent, 'done', said)).state).toBe('done');
  });

  test('a row whose end is open is only asked about, one that has its end is only shown', async () => {
    const plan = planOf({ count: 4 });
    const at = openWorkers(plan);
    const first = at.worker();
    for (const [number, to] of [
      [1, 'unknown'],
      [2, 'accepted'],
      [3, 'done'],
      [4, 'declined'],
    ] as const)
      await first.engine.recordResult(await begun(first.engine, plan, number), to, said);
    first.lapse();
    const { engine } = at.worker();
    const gated = await engine.begin([1, 2, 3, 4].map((number) => prepared(plan, number)));
    expect(ways(gated)).toEqual(['1 ask', '2 ask', '3 show', '4 show']);
  });

  test('count and money add up to the plan at every step', async () => {
    const plan = planOf({
      count: 4,
      sums: [
        ['9007199254740993', 'EUR'],
        ['7', 'EUR'],
        ['500', 'JPY'],
        ['1', 'JPY'],
      ],
    });
    const { engine } = alone(plan);
    const tally = async () =>
      Object.fromEntries(
        (await engine.tally()).map((each) => [`${each.state} ${each.currency}`, [each.count, each.minor]]),
      );
    expect(await tally()).toEqual({ 'planned EUR': [2, '9007199254741000'], 'planned JPY': [2, '501'] });
    await engine.next(3);
    expect(await tally()).toEqual({ 'planned EUR': [2, '9007199254741000'], 'planned JPY': [2, '501'] });
    const first = await begun(engine, plan, 1);
    const third = await begun(engine, plan, 3);
    expect(await tally()).toEqual({
      'planned EUR': [1, '7'],
      'planned JPY': [1, '1'],
      'sending EUR': [1, '9007199254740993'],
      'sending JPY': [1, '500'],
    });
    await engine.recordResult(first, 'done', said);
    await engine.recordResult(third, 'refused', said);
    expect(await tally()).toEqual({
      'planned EUR': [1, '7'],
      'planned JPY': [1, '1'],
      'done EUR': [1, '9007199254740993'],
      'refused JPY': [1, '500'],
    });
  });
});

describe('processes that end', () => {
  test('a process killed between begin and result leaves its row unknown, never to be sent again', async () => {
    const plan = planOf({ count: 3 });
    const at = openWorkers(plan);
    const killed = at.worker();
    await killed.engine.next(3);
    await begun(killed.engine, plan, 1);
    killed.lapse();
    const { engine } = at.worker();
    const open = await openOf(engine);
    expect(open.map(({ number }) => number)).toEqual([1]);
    for (const { intent } of open)
      expect(await engine.recordResult(intent, 'unknown', said)).toMatchObject({
        state: 'unknown',
        mayHaveArrived: true,
      });
    const rest = await engine.next(9);
    expect(rest).toEqual([2, 3]);
    const gated = await engine.begin([1, 2, 3].map((number) => prepared(plan, number)));
    expect(ways(gated.filter(({ do: way }) => way === 'send'))).toEqual(['2 send', '3 send']);
  });

  test('open tells of what nobody knows the end of, and of nothing else', async () => {
    const plan = planOf({ count: 7 });
    const at = openWorkers(plan);
    const first = at.worker();
    for (const [where, to] of settled.entries())
      await first.engine.recordResult(await begun(first.engine, plan, where + 1), to, said);
    const own = (await openOf(first.engine)).map(({ number }) => number);
    expect(own).toEqual([settled.indexOf('unknown') + 1, settled.indexOf('accepted') + 1]);
    first.lapse();
    const second = at.worker();
    expect((await openOf(second.engine)).map(({ number }) => number)).toEqual(own);
  });

  test('open gives what may have arrived before what was taken, wherever it stands in the file', async () => {
    const plan = planOf({ count: 4 });
    const at = openWorkers(plan);
    const first = at.worker();
    const ends: readonly State[] = ['accepted', 'unknown', 'accepted', 'unknown'];
    for (const [where, to] of ends.entries())
      await first.engine.recordResult(await begun(first.engine, plan, where + 1), to, said);
    first.lapse();
    const { engine } = at.worker();
    expect((await openOf(engine)).map(({ number, intent }) => `${number} ${intent.state}`)).toEqual([
      ...['2 unknown', '4 unknown'],
      ...['1 accepted', '3 accepted'],
    ]);
  });

  test('rows a process took and did not begin come to the next one, once it has closed', async () => {
    const plan = planOf({ count: 3 });
    const at = openWorkers(plan);
    const first = at.worker();
    expect(await first.engine.next(2)).toEqual([1, 2]);
    await first.engine.close();
    const { engine } = at.worker();
    expect([...(await engine.next(9)), ...(await engine.next(9))].sort()).toEqual([1, 2, 3]);
  });

  test('what was confirmed not sent is tried again by the next process, and by nobody at once', async () => {
    const plan = planOf({ count: 1 });
    const at = openWorkers(plan);
    const first = at.worker();
    await first.engine.next(1);
    await first.engine.recordResult(await begun(first.engine, plan, 1), 'not_sent', said);
    expect(await first.engine.next(1)).toEqual([]);
    await first.engine.close();
    const { engine } = at.worker();
    expect(await engine.next(1)).toEqual([1]);
    expect(await begun(engine, plan, 1)).toMatchObject({ state: 'sending', attempts: 2 });
  });

  test('killed again and again, no row is given twice and every row is accounted for', async () => {
    const plan = planOf({ count: 50 });
    const at = openWorkers(plan);
    const sent: number[] = [];
    for (let kill = 0; kill < 8; kill += 1) {
      const { engine, lapse } = at.worker();
      for (const { intent } of await openOf(engine)) await engine.recordResult(intent, 'done', said);
      const numbers = await engine.next(4);
      for (const { row, do: way, intent } of await engine.begin(numbers.map((number) => prepared(plan, number)))) {
        if (way === 'send') sent.push(row.number);
        // Every third outcome gets lost with its process.
        if (row.number % 3 > 0) await engine.recordResult(intent, 'done', said);
      }
      lapse();
    }
    expect(new Set(sent).size).toBe(sent.length);
    const { engine } = at.worker();
    const open = await openOf(engine);
    const tally = Object.fromEntries((await engine.tally()).map(({ state, count }) => [state, count]));
    expect(tally['planned']).toBe(50 - sent.length);
    expect((tally['done'] ?? 0) + open.length).toBe(sent.length);
  });
});

describe('pace', () => {
  test('is one for all lanes: so many requests take at least so long', async () => {
    const { engine } = openWorkers(planOf({ count: 1 }), 50).worker();
    const stop = new AbortController().signal;
    const start = performance.now();
    expect(await Promise.all(Array.from({ length: 26 }, () => engine.pace(stop)))).not.toContain(false);
    // 26 at 50 a second, of which the first and a tenth of a second's worth need not wait.
    expect(performance.now() - start).toBeGreaterThan(((26 - 1 - 5) / 50) * 1000 - 20);
  });

  test('ends waiting when stopped', async () => {
    const { engine } = openWorkers(planOf({ count: 1 }), 0.001).worker();
    const stop = new AbortController();
    expect(await engine.pace(stop.signal)).toBe(true);
    const waiting = engine.pace(stop.signal);
    stop.abort();
    expect(await waiting).toBe(false);
    expect(await engine.pace(stop.signal)).toBe(false);
  });
});

/** What begin says to one row; what has to wait for another row on its order is told or left out. */
async function asked(engine: BatchEngine, plan: PlanStore, number: number): Promise<string[]> {
  try {
    return ways(await engine.begin([prepared(plan, number)]));
  } catch (error) {
    if (isPaycliError(error) && error.code === 'ORDER_BUSY') return [];
    throw error;
  }
}

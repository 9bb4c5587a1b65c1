import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertWhole, summarize } from '../../src/batch/progress.js';
import type { State } from '../../src/journal/states.js';
import { approveResend } from '../../src/payments/decide.js';
import { usualReplyMs } from '../../src/payments/exchange.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { reply } from '../support/runtime.js';
import { type Between, type Fixture, idIn, isStatus, ledger, lost, openFixture } from './running.js';

/** Requests that may move money, by order id. */
const sentIn = ({ requests }: Fixture): string[] => requests.filter((request) => !isStatus(request)).map(idIn);
const once = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`row-${at + 1}`, 1]));

/** Another answer for some rows; `after` lets the sandbox do its work first. */
function instead(answers: Readonly<Record<string, Delivery>>, when: 'before' | 'after' = 'before'): Between {
  return async (request, next) => {
    const other = isStatus(request) ? undefined : answers[idIn(request)];
    if (other === undefined || when === 'after') await 0;
    if (other === undefined) return next();
    if (when === 'after') await next();
    return other;
  };
}

const page = (status: number): Delivery => ({
  kind: 'reply',
  reply: { status, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>No</html>') },
});

const serverError = reply(500, { type: 'error', 'error-message': 'Internal error', 'error-code': '1' });

describe('a batch', () => {
  test('one row goes to its final answer first, then four at once, then all', async () => {
    const fixture = await openFixture({ count: 30 });
    let [now, max] = [0, 0];
    const seen: number[] = [];
    const between: Between = async (request, next) => {
      if (isStatus(request)) return next();
      now += 1;
      max = Math.max(max, now);
      seen.push(now);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return next();
    };
    const { states } = await fixture.run({ between, concurrency: 12 });
    expect(states).toEqual({ done: 30 });
    const requests = fixture.requests.map((request) => `${isStatus(request) ? 'status' : 'payout'} ${idIn(request)}`);
    expect(requests.slice(0, 2)).toEqual(['payout row-1', 'status row-1']);
    expect(Math.max(...seen.slice(0, 20))).toBeLessThanOrEqual(4);
    expect(max).toBeGreaterThan(4);
    expect(max).toBeLessThanOrEqual(12);
  });

  test('F24 a 500 although it was paid is settled by status, and sent once', async () => {
    const fixture = await openFixture({ count: 5 });
    const { states } = await fixture.run({ between: instead({ 'row-1': serverError, 'row-3': serverError }, 'after') });
    expect(states).toEqual({ done: 5 });
    expect(sentIn(fixture)).toHaveLength(5);
    expect(ledger(fixture)).toEqual(once(5));
  });

  test('F25 a 500 that was not paid stays unknown: neither this run nor the next sends it again', async () => {
    const fixture = await openFixture({ count: 5 });
    const questions = () => fixture.requests.filter((request) => isStatus(request) && idIn(request) === 'row-3').length;
    const first = await fixture.run({ between: instead({ 'row-3': serverError }) });
    expect(first.states).toEqual({ done: 4, unknown: 1 });
    const before = questions();
    const second = await fixture.run();
    expect(second.states).toEqual({ done: 4, unknown: 1 });
    // At once, and no longer than the first did.
    expect(questions() - before).toBeGreaterThan(0);
    expect(questions() - before).toBeLessThanOrEqual(before + 1);
    expect(sentIn(fixture).filter((id) => id === 'row-3')).toHaveLength(1);
    expect((await fixture.recorded(['unknown']))[0]?.reason).toContain('500');
  });

  test('an unknown row is sent once more only after people agreed, under its own id', async () => {
    const fixture = await openFixture({ count: 3 });
    const first = await fixture.run({ between: instead({ 'row-2': lost }) });
    expect(first.states).toEqual({ done: 2, unknown: 1 });
    await fixture.clock.sleep(3_600_000);
    const second = await fixture.run();
    expect(second.states).toEqual({ done: 2, unknown: 1 });
    const [unknown] = await fixture.recorded(['unknown']);
    if (unknown === undefined) throw new Error('no such row');
    const journal = fixture.openJournal();
    await approveResend(journal, unknown, 'john', fixture.clock.now());
    await journal.close();
    expect((await fixture.run()).states).toEqual({ done: 3 });
    expect(sentIn(fixture).filter((id) => id === 'row-2')).toHaveLength(2);
    expect(ledger(fixture)).toEqual(once(3));
  });

  const error = { type: 'error', 'error-message': 'No', 'error-code': '3' };
  test.each([
    [401, error, 'refused'],
    [403, {}, 'unknown'],
  ])('F22 a %i on the first row stops it, with one request: %j', async (status, record, state) => {
    const fixture = await openFixture({ count: 5 });
    const { end, states } = await fixture.run({ between: instead({ 'row-1': reply(status, record) }) });
    expect(end.halt?.why).toContain(String(status));
    expect(states).toEqual({ [state]: 1, planned: 4 });
    expect(fixture.requests).toHaveLength(1);
  });

  const refusal = (status: number, words: string) => reply(status, { type: 'error', 'error-message': words });
  const lasting: readonly (readonly [string, Delivery, number, string])[] = [
    ['a page with HTTP 403', page(403), 3, 'HTTP 403'],
    ['a refused signature', refusal(400, 'Invalid control code'), 2, 'Invalid control code'],
  ];

  test.each(lasting)(
    'a status query answered with %s stops it at once: no other row is sent',
    async (_, no, asks, why) => {
      const fixture = await openFixture({ count: 5 });
      const { end, states } = await fixture.run({
        between: async (request, next) => (isStatus(request) ? no : next()),
      });
      expect(end.halt).toMatchObject({ mayQuery: false, why: expect.stringContaining(why) });
      expect(states).toEqual({ accepted: 1, planned: 4 });
      expect(fixture.requests).toHaveLength(1 + asks);
      expect((await fixture.run()).states).toEqual({ done: 5 });
      expect(ledger(fixture)).toEqual(once(5));
    },
  );

  test('a page leaves a lost row unknown, without asking for minutes', async () => {
    const no = page(403);
    const fixture = await openFixture({ count: 5 });
    const start = fixture.clock.now();
    const between: Between = async (request, next) =>
      idIn(request) === 'row-1' ? next() : isStatus(request) ? no : idIn(request) === 'row-2' ? lost : next();
    const { states, events } = await fixture.run({ between, concurrency: 1 });
    expect(states).toEqual({ done: 1, unknown: 1, planned: 3 });
    expect(fixture.clock.now() - start).toBeLessThan(10_000);
    expect(events.filter(({ what }) => what === 'halt')).toHaveLength(1);
  });

  test('F23 a 429 with Retry-After pauses everything for so long', async () => {
    const fixture = await openFixture({ count: 5 });
    const busy: Delivery = {
      kind: 'reply',
      reply: { status: 429, headers: { 'retry-after': 'Mon, 07 Jan 2030 12:00:30 GMT' }, body: Buffer.from('') },
    };
    const times: number[] = [];
    const between: Between = async (_, next, at) => {
      times.push(fixture.clock.now());
      return at === 1 ? busy : next();
    };
    const { events, states } = await fixture.run({ between });
    const [pause = 0] = events.flatMap((event) => (event.what === 'pause' ? [event.ms] : []));
    expect(pause).toBeGreaterThan(29_000);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(pause - 1);
    expect(states).toEqual({ unknown: 1, done: 4 });
    expect(sentIn(fixture)).toHaveLength(5);
  });

  test('five unknown outcomes in a row stop it; what status says settles them', async () => {
    const fixture = await openFixture({ count: 20 });
    const lostRows = Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`row-${at + 2}`, lost]));
    const { end, states } = await fixture.run({ between: instead(lostRows, 'after'), concurrency: 1 });
    expect(end.halt?.why).toContain('5 consecutive rows');
    expect(sentIn(fixture)).toHaveLength(6);
    expect(states).toEqual({ done: 6, planned: 14 });
  });

  test('F14 an answer about another order stops it', async () => {
    const fixture = await openFixture({ count: 9 });
    const other = reply(200, {
      type: 'async-response',
      'serial-number': 's',
      'merchant-order-id': 'other-1',
      'paynet-order-id': '77',
    });
    const { end, states } = await fixture.run({ between: instead({ 'row-3': other }), concurrency: 1 });
    expect(end.halt?.why).toContain('a different order');
    expect(states).toEqual({ done: 2, unknown: 1, planned: 6 });
  });

  // As long as accepted rows are waited for; without a wait for those, five minutes.
  test.each([
    [10_000, 10_000, { accepted: 1, done: 4 }],
    [0, 300_000, { accepted: 5 }],
  ] as const)(
    'a first row that stays processing is waited for as long as --wait-timeout says (%i ms); then the others follow',
    async (waitMs, max, expected) => {
      // With the pauses of a real gateway, whose questions about a lost reply take more than six minutes.
      const fixture = await openFixture({ count: 5, class: 'test' });
      fixture.sandboxState.queueOutcome('slow');
      const sentAt: number[] = [];
      const between: Between = (request, next, ...rest) => {
        if (!isStatus(request)) sentAt.push(fixture.clock.now());
        return instead({})(request, next, ...rest);
      };
      const { end, events, states } = await fixture.run({ waitMs, pauseMs: 1000, between, concurrency: 1 });
      expect([end.halt, states]).toEqual([undefined, expected]);
      expect(events).toContainEqual({
        what: 'wait',
        number: 1,
        ms: max,
        request: expect.objectContaining({ state: 'accepted' }),
      });
      const [first = 0, second = 0] = sentAt;
      expect(second - first).toBeGreaterThanOrEqual(max);
      expect(second - first).toBeLessThan(max + 2000);
    },
  );

  test('rows that could not be sent stop it, and the next run sends them', async () => {
    const fixture = await openFixture({ count: 12 });
    const refused: Delivery = { kind: 'never-sent', reason: 'the connection was refused' };
    let isDown = false;
    const between: Between = async (request, next) => {
      isDown ||= sentIn(fixture).length > 4;
      return isDown && !isStatus(request) ? refused : next();
    };
    const first = await fixture.run({ between, concurrency: 1 });
    expect(first.end.halt?.why).toContain('could not be sent');
    expect(first.states).toEqual({ done: 4, not_sent: 5, planned: 3 });
    expect((await fixture.run()).states).toEqual({ done: 12 });
    expect(ledger(fixture)).toEqual(once(12));
  });

  test('a stop lets what is on its way come to its end, and the next run does the rest', async () => {
    const fixture = await openFixture({ count: 20 });
    const stop = new AbortController();
    const between: Between = async (request, next) => {
      if (idIn(request) === 'row-6' && !isStatus(request)) stop.abort('SIGINT');
      return next();
    };
    const first = await fixture.run({ between, stop });
    expect(first.states['sending']).toBeUndefined();
    expect(first.states['unknown']).toBeUndefined();
    expect(sentIn(fixture).length).toBeLessThan(10);
    expect((await fixture.run()).states).toEqual({ done: 20 });
    expect(ledger(fixture)).toEqual(once(20));
  });

  test('rows that earlier runs left open are asked about in turn with new ones, which do not wait for all of them', async () => {
    const old = Array.from({ length: 19 }, (_, at) => `row-${at + 2}`);
    const fixture = await openFixture({ count: 40 });
    fixture.sandboxState.queueOutcome('approved');
    for (const _ of old) fixture.sandboxState.queueOutcome('slow');
    expect((await fixture.run({ maxRows: 20, waitMs: 0 })).states).toEqual({ done: 1, accepted: 19, planned: 20 });
    const before = fixture.requests.length;
    const { end, states } = await fixture.run({ waitMs: 0, concurrency: 1, pauseMs: 0 });
    expect(end).toEqual({ halt: undefined, refusal: undefined });
    expect(states['planned']).toBeUndefined();
    const requests = fixture.requests.slice(before);
    const asked = requests.filter(isStatus).map(idIn);
    expect(asked.filter((id) => old.includes(id)).sort()).toEqual([...old].sort());
    // Once the first new row is through.
    const turns = requests
      .map((request) => (isStatus(request) ? 's' : 'p'))
      .slice(requests.findIndex((each) => idIn(each) === 'row-22'));
    expect(turns.join('')).toMatch(/^(ps){15,}p*s*$/);
  });

  test('F31-F34 a row whose process was killed is asked about, whether it had left or not', async () => {
    const fixture = await openFixture({ count: 6 });
    await fixture.run({ maxRows: 1 });
    const killed = fixture.openJournal();
    await killed.changeBatch('batch-1', ['running'], { rowsLeft: undefined });
    const rows = await killed.find({ batch: 'batch-1' }, { after: 0, limit: 9 });
    for (const request of rows.slice(1, 3))
      await killed.begin([{ id: request.id, request, attempt: 0, batch: 'batch-1' }]);
    await fixture.sandbox.post(await fixture.signedRow(1), usualReplyMs, undefined);
    const { states } = await fixture.run();
    // Row 2 had left, row 3 had not: nobody can tell, so neither is sent.
    expect(states).toEqual({ done: 5, unknown: 1 });
    expect(ledger(fixture)).toEqual({ 'row-1': 1, 'row-2': 1, 'row-4': 1, 'row-5': 1, 'row-6': 1 });
    expect((await fixture.recorded(['unknown'])).map(({ clientOrderId }) => clientOrderId)).toEqual(['row-3']);
  });

  test.each([
    ['the machine sleeps', { day: 30_001, steady: 30_001 }, 'not_sent'],
    ['the machine sleeps, and its steady clock with it', { day: 31_000, steady: 0 }, 'not_sent'],
    ['the clock of the day is set back meanwhile', { day: -3_600_000, steady: 31_000 }, 'not_sent'],
    ['the clock of the day is set back, and no time passed', { day: -3_600_000, steady: 0 }, 'done'],
  ] as const)('the permission to send a row runs out: %s', async (_, jump, state) => {
    const fixture = await openFixture({ count: 1 });
    const passed = { day: 0, steady: 0 };
    const clock = {
      now: () => fixture.clock.now() + passed.day,
      monotonic: () => fixture.clock.monotonic() + passed.steady,
      sleep: (ms: number) => fixture.clock.sleep(ms),
    };
    const onSigned = () => void Object.assign(passed, jump);
    const { states } = await fixture.run({ clock, onSigned, waitMs: 5_000_000 });
    expect(states).toEqual({ [state]: 1 });
    expect(sentIn(fixture)).toHaveLength(state === 'done' ? 1 : 0);
  });

  test('a cap of the day stops it in the middle, and says so', async () => {
    const fixture = await openFixture({ count: 5 });
    const [counts, dayCap] = ['1042', '3200'].map((minor) => ({ minor, currency: 'EUR', digits: 2 }));
    const { end, states } = await fixture.run({ limits: { counts, dayCap }, concurrency: 1 });
    expect(end.refusal).toMatchObject({ code: 'CAP_EXCEEDED', exit: 10 });
    expect(states).toEqual({ done: 3, planned: 2 });
    expect(sentIn(fixture)).toHaveLength(3);
  });
});

test('whatever the gateway does, every row is in one place, count and money add up, and no row is paid twice', async () => {
  const moods = ['well', 'lost', 'lost-done', 'error', 'error-done', 'refused', 'never', 'declined', 'html'] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...moods), { minLength: 1, maxLength: 14 }),
      fc.integer({ min: 1, max: 6 }),
      async (wanted, lanes) => {
        const fixture = await openFixture({ count: wanted.length });
        const between: Between = async (request, next) => {
          const mood = isStatus(request) ? 'well' : (wanted[Number(idIn(request).slice(4)) - 1] ?? 'well');
          if (mood === 'never') return { kind: 'never-sent', reason: 'refused' };
          if (mood === 'lost') return lost;
          if (mood === 'error') return serverError;
          if (mood === 'refused')
            return reply(400, { type: 'validation-error', 'error-message': 'no', 'error-code': '1' });
          if (mood === 'declined') fixture.sandboxState.queueOutcome('declined');
          const answer = await next();
          if (mood === 'lost-done') return lost;
          if (mood === 'error-done') return serverError;
          return mood === 'html' ? page(200) : answer;
        };
        const total = BigInt(wanted.length) * 1042n;
        const head = {
          count: wanted.length,
          totals: [{ currency: 'EUR', count: wanted.length, minor: String(total), digits: 2 }],
        };
        for (let run = 0; run < 3; run += 1) {
          await fixture.run({ between, concurrency: lanes });
          const tally = await fixture.openJournal().total({ batch: 'batch-1' });
          assertWhole(head, tally);
          const found = summarize(tally);
          expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
          expect(found.flatMap(({ totals }) => totals).reduce((sum, { minor }) => sum + BigInt(minor), 0n)).toBe(total);
        }
        const paid = ledger(fixture);
        for (const count of Object.values(paid)) expect(count).toBe(1);
        const rows = await fixture.recorded();
        const states = new Map(rows.map(({ clientOrderId = '', state }) => [clientOrderId, state]));
        const mayBePaid: readonly State[] = ['done', 'declined', 'accepted', 'unknown'];
        for (const id of Object.keys(paid)) expect(mayBePaid).toContain(states.get(id));
      },
    ),
    { numRuns: 6 },
  );
}, 120_000);

test('totals that do not add up to the plan are a fault, never a report', () => {
  const head = { count: 2, totals: [{ currency: 'EUR', count: 2, minor: '300', digits: 2 }] };
  const totals = (minor: string) => [{ state: 'done', count: 2, sum: { currency: 'EUR', digits: 2, minor } }] as const;
  assertWhole(head, totals('300'));
  for (const [plan, minor] of [[head, '301'] as const, [{ ...head, count: 3 }, '300'] as const])
    expect(() => assertWhole(plan, totals(minor))).toThrow(/do not match its plan/);
});

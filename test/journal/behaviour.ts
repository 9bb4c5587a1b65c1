import { describe, expect, test } from 'vitest';
import type { Journal, NewRequest } from '../../src/journal/port.js';
import {
  addBatch,
  begin,
  end,
  type OpenOptions,
  type Place,
  read,
  refund,
  refusal,
  StoreClock,
  sale,
  saleOf,
  settle,
  tryBegin,
  usd,
} from './support.js';

/** What every store of the journal has to do; `newPlace` makes a place for a new one. */
export function describeJournal(name: string, newPlace: () => Place, isWhole = true): void {
  // What decides is the same code for every store: one of them tries all rows of a table, another every third.
  const each = ((rows: readonly unknown[]) =>
    test.each(rows.filter((_, at) => isWhole || at % 3 === 0))) as typeof test.each;
  const open = (options?: OpenOptions) => newPlace().open(options);
  /** Two processes with one store. */
  const openTwice = async () => {
    const place = newPlace();
    const clock = new StoreClock();
    return { place, clock, one: await place.open({ clock, pid: 1 }), other: await place.open({ clock, pid: 2 }) };
  };

  describe(`${name}: begin`, () => {
    test('is on disk before it answers, with its event, for every other opener', async () => {
      const { one, other } = await openTwice();
      const begun = await begin(one, sale, { facts: { callbackTo: 'https://shop.example' } });
      expect(await read(other, begun)).toEqual(begun);
      expect(begun).toMatchObject({ ...sale, state: 'sending', attempt: 1, worker: one.worker, reason: '' });
      expect(await other.events({ request: begun.id })).toMatchObject([
        { from: 'planned', to: 'sending', who: 'tester', facts: { attempt: 1, callbackTo: 'https://shop.example' } },
      ]);
    });

    test('has one winner for one request', async () => {
      const { one, other } = await openTwice();
      const [row] = await addBatch(one, [sale]);
      const attempt = { id: row?.id, batch: 'b1' };
      const answers = await Promise.all([refusal(one, attempt), refusal(other, attempt), refusal(one, attempt)]);
      expect(answers.filter((why) => why === undefined)).toHaveLength(1);
      expect(answers.filter((why) => why === 'taken')).toHaveLength(2);
    });

    test('has one winner for one client order id, at whatever endpoint', async () => {
      const { one, other } = await openTwice();
      const elsewhere = { ...sale, endpoint: '4002' };
      const answers = await Promise.all([tryBegin(one, { request: sale }), tryBegin(other, { request: elsewhere })]);
      const begun = answers.flatMap((answer) => ('begun' in answer ? answer.begun : []));
      expect(begun).toHaveLength(1);
      expect(answers.find((answer) => 'refused' in answer)).toMatchObject({
        refused: { why: 'used-id', other: { endpoint: begun[0]?.endpoint, state: 'sending' } },
      });
      expect(await refusal(other, { request: { ...sale, login: 'other' } })).toBeUndefined();
      expect(await refusal(other, { request: { ...sale, base: 'https://other.example' } })).toBeUndefined();
    });

    each(['planned', 'not_sent', 'refused'] as const)('leads out of %s', async (state) => {
      const journal = await open();
      const [row] = await addBatch(journal, [sale]);
      if (row === undefined) throw new Error('no row');
      const attempt = { id: row.id, batch: 'b1' };
      if (state !== 'planned') {
        const begun = await tryBegin(journal, attempt);
        if ('begun' in begun) await end(journal, begun.begun, state);
      }
      const { attempt: attempts } = await read(journal, row);
      expect(await refusal(journal, { ...attempt, attempt: attempts + 1 })).toBe('taken');
      expect(await refusal(journal, { ...attempt, attempt: attempts })).toBeUndefined();
    });

    each(['sending', 'unknown', 'accepted', 'done', 'declined', 'conflict'] as const)(
      'does not lead out of %s, whoever asks',
      async (state) => {
        const { one, other } = await openTwice();
        const begun = await begin(one, sale);
        if (state !== 'sending') await end(one, begun, state);
        for (const journal of [one, other])
          expect(await refusal(journal, { id: begun.id, attempt: 1 }), state).toBe('taken');
        const isResend = await refusal(other, { id: begun.id, attempt: 1, isResend: true });
        expect(isResend).toBe(state === 'unknown' ? undefined : 'taken');
      },
    );

    test('sends a refused payment again in its own row, corrected, at another endpoint', async () => {
      const journal = await open();
      const first = await begin(journal, sale);
      await end(journal, first, 'refused');
      const request = { ...sale, endpoint: '4002', card4: '2222', content: 'corrected', sum: usd('900') };
      const second = await begin(journal, request, { id: first.id, attempt: 1 });
      expect(second).toMatchObject({ ...request, id: first.id, attempt: 2, state: 'sending' });
      expect(await read(journal, first)).toEqual(second);
      expect(await journal.find({}, { limit: 9 })).toHaveLength(1);
    });

    test('finds the id of a planned row, and names its batch', async () => {
      const journal = await open();
      const [row] = await addBatch(journal, [sale]);
      expect(await tryBegin(journal, { request: sale })).toMatchObject({
        refused: { why: 'used-id', other: { batch: 'b1', number: 1 } },
      });
      expect(await refusal(journal, { id: row?.id })).toBe('in-batch');
    });
  });

  describe(`${name}: results and evidence`, () => {
    test('evidence that was asked for before an attempt says nothing of it', async () => {
      const journal = await open();
      const first = await begin(journal, sale);
      await end(journal, first, 'refused');
      const second = await begin(journal, sale, { id: first.id, attempt: 1 });
      expect(await settle(journal, first, 'declined', { attempt: 1 })).toMatchObject({ state: 'sending' });
      expect(await end(journal, second, 'accepted')).toMatchObject({ state: 'accepted' });
    });

    test('a result is applied to the attempt it is of, and a later one only noted', async () => {
      const { one, other } = await openTwice();
      const first = await begin(one, sale);
      await end(one, first, 'unknown');
      const again = await begin(other, sale, { id: first.id, attempt: 1, isResend: true });
      expect(await end(one, first, 'not_sent')).toMatchObject({ state: 'sending', attempt: 2 });
      const told = { orderId: '900', outcome: { status: 'approved' } };
      expect(await end(other, again, 'done', told)).toMatchObject({ state: 'done', ...told, mayHaveArrived: true });
      expect((await one.events({ request: first.id })).map(({ from, to, reason }) => [from, to, reason])).toEqual([
        ['planned', 'sending', ''],
        ['sending', 'unknown', 'unknown'],
        ['unknown', 'sending', ''],
        ['sending', 'sending', 'late-result'],
        ['sending', 'done', 'done'],
      ]);
    });

    each(['done', 'accepted'] as const)(
      'a process that was taken for gone says that what others found %s took no effect: a person decides',
      async (found) => {
        const { one, other } = await openTwice();
        const begun = await begin(one, sale);
        await end(one, begun, 'unknown');
        await settle(other, begun, found, { orderId: '900' });
        expect(await end(one, begun, 'refused')).toMatchObject({ state: 'conflict' });
      },
    );

    test('only the process whose attempt it is says that what is in doubt was never sent', async () => {
      const { one, other } = await openTwice();
      const begun = await begin(one, sale);
      await end(one, begun, 'unknown');
      expect(await end(other, begun, 'not_sent')).toMatchObject({ state: 'unknown' });
      expect(await end(one, begun, 'not_sent')).toMatchObject({ state: 'not_sent', mayHaveArrived: false });
    });

    each([
      ['accepted', 'done', {}, 'done'],
      ['accepted', 'unknown', {}, 'unknown'],
      ['unknown', 'declined', {}, 'declined'],
      ['unknown', 'unknown', {}, 'unknown'],
      ['done', 'declined', { isOwn: true }, 'conflict'],
      ['done', 'declined', {}, 'done'],
      ['done', 'accepted', { isOwn: true }, 'done'],
      ['done', 'conflict', { isOwn: true }, 'conflict'],
      ['done', 'conflict', {}, 'done'],
      ['declined', 'done', {}, 'conflict'],
      ['declined', 'accepted', {}, 'declined'],
      ['refused', 'done', {}, 'conflict'],
      ['refused', 'declined', {}, 'refused'],
      ['not_sent', 'accepted', {}, 'conflict'],
      ['not_sent', 'done', { by: 'elsewhere' }, 'done'],
      ['conflict', 'done', {}, 'conflict'],
      ['conflict', 'done', { by: 'person' }, 'done'],
      ['done', 'declined', { by: 'person' }, 'done'],
    ] as const)('%s and then %s %j is %s', async (ended, to, more, expected) => {
      const journal = await open();
      const begun = await begin(journal, sale);
      await end(journal, begun, ended);
      await settle(journal, begun, to, more);
      expect(await read(journal, begun)).toMatchObject({ state: expected });
    });

    test('a conflict says what contradicts what, and is raised once for each kind of evidence', async () => {
      const journal = await open();
      const begun = await begin(journal, sale);
      await end(journal, begun, 'declined');
      await settle(journal, begun, 'done');
      expect((await journal.events({ request: begun.id })).at(-1)).toMatchObject({
        to: 'conflict',
        facts: { raised: 'done', was: 'declined', wasReason: 'declined' },
      });
      const byPerson = { by: 'person', attempt: 1 } as const;
      expect(await settle(journal, begun, 'done', { ...byPerson, seen: 'done' })).toMatchObject({ state: 'conflict' });
      await settle(journal, begun, 'declined', { ...byPerson, seen: 'conflict', reason: 'marked-not-paid' });
      await settle(journal, begun, 'done');
      expect(await read(journal, begun)).toMatchObject({ state: 'declined', reason: 'marked-not-paid' });
      await settle(journal, begun, 'accepted');
      expect(await read(journal, begun)).toMatchObject({ state: 'conflict' });
    });

    test('a person who was wrong is contradicted by what nobody would believe of the gateway', async () => {
      const journal = await open();
      const begun = await begin(journal, sale);
      await end(journal, begun, 'unknown');
      await settle(journal, begun, 'done', { by: 'person', reason: 'marked-paid' });
      await settle(journal, begun, 'declined');
      expect(await read(journal, begun)).toMatchObject({ state: 'conflict' });
    });
  });

  describe(`${name}: follow-ups`, () => {
    const second: NewRequest = { ...refund, sum: usd('100'), content: 'content-r2' };

    test('one that moves money is in doubt on an order, across processes and within a group', async () => {
      const { one, other } = await openTwice();
      const answers = await Promise.all([
        ...[refusal(one, { request: refund }), refusal(one, { request: second })],
        refusal(other, { request: second }),
      ]);
      expect(answers.filter((why) => why === undefined)).toHaveLength(1);
      expect(answers.filter((why) => why === 'order-busy')).toHaveLength(2);
    });

    each([
      ['unknown', 'order-busy'],
      ['conflict', 'order-busy'],
      ['accepted', undefined],
      ['done', undefined],
      ['refused', undefined],
    ] as const)('after one that is %s: %s', async (state, expected) => {
      const journal = await open();
      await end(journal, await begin(journal, refund), state);
      expect(await refusal(journal, { request: second })).toBe(expected);
      expect(await refusal(journal, { request: { ...second, orderId: '901' } })).toBeUndefined();
    });

    test('a pending one without an amount lets no other begin', async () => {
      const journal = await open();
      await end(journal, await begin(journal, { ...refund, sum: undefined }, { counts: usd('1') }), 'accepted');
      expect(await refusal(journal, { request: second })).toBe('order-busy');
    });

    test('none begins while the payment of its order is in doubt', async () => {
      const journal = await open();
      const payment = await begin(journal, sale);
      await end(journal, payment, 'unknown');
      expect(await refusal(journal, { request: refund })).toBe('order-busy');
      await settle(journal, payment, 'done', { orderId: '900' });
      expect(await refusal(journal, { request: refund })).toBeUndefined();
    });

    test('one that moves no money blocks nothing and is not blocked', async () => {
      const journal = await open();
      const upload: NewRequest = { ...refund, operation: 'UPLOAD', effect: 'write', sum: undefined };
      await end(journal, await begin(journal, upload), 'unknown');
      const begun = await begin(journal, refund);
      await end(journal, begun, 'unknown');
      expect(await refusal(journal, { request: upload })).toBeUndefined();
    });

    test('one that began since the caller looked is looked at first, however old its row', async () => {
      const { one, other } = await openTwice();
      const whole = { ...refund, sum: undefined, content: 'content-whole' };
      const first = await begin(one, whole);
      await end(one, first, 'refused');
      await end(one, await begin(one, whole, { id: first.id, attempt: 1 }), 'done');
      expect(await refusal(other, { request: refund, attemptsOnOrder: 1 })).toBe('order-busy');
      expect(await refusal(other, { request: refund, attemptsOnOrder: 2 })).toBeUndefined();
    });
  });

  describe(`${name}: equal payments`, () => {
    const minutes = 60_000;

    each([
      ['sending', 999, 'equal'],
      ['unknown', 999, 'equal'],
      ['conflict', 999, 'equal'],
      ['accepted', 999, 'equal'],
      ['done', 14, 'equal'],
      ['done', 16, undefined],
      ['done', -60, 'equal'],
      ['declined', 1, undefined],
      ['refused', 1, undefined],
      ['not_sent', 1, undefined],
    ] as const)('%s, %i minutes ago: %s', async (state, ago, expected) => {
      const clock = new StoreClock();
      const journal = await open({ clock });
      const first = await begin(journal, sale);
      if (state !== 'sending') await end(journal, first, state);
      clock.time += ago * minutes;
      const request = { ...sale, clientOrderId: 'order-2', operation: 'PREAUTH' };
      const equalSince = clock.time - 15 * minutes;
      expect(await refusal(journal, { request, equalSince })).toBe(expected);
      const found = await journal.findEqual([request, { ...request, payment: 'another' }], equalSince);
      // What just began is equal too, unless it is itself.
      expect(found.map((each) => each.map(({ id }) => id))).toEqual([expected === undefined ? [] : [first.id], []]);
    });

    test('two of one moment: the second one is refused', async () => {
      const { one, other } = await openTwice();
      const like = (id: string) => ({ request: { ...sale, clientOrderId: id }, equalSince: 0 });
      const answers = await Promise.all([refusal(one, like('a')), refusal(one, like('b')), refusal(other, like('c'))]);
      expect(answers.filter((why) => why === undefined)).toHaveLength(1);
    });

    test('a check of a payout repeats a check, and no payment does', async () => {
      const journal = await open();
      const check: NewRequest = { ...sale, operation: 'PAYOUT_CHECK', effect: 'write' };
      await end(journal, await begin(journal, check), 'done', { orderId: '900' });
      const pay: NewRequest = { ...refund, operation: 'PAYOUT_PAY', clientOrderId: undefined, payment: sale.payment };
      expect(await refusal(journal, { request: { ...check, clientOrderId: 'x' }, equalSince: 0 })).toBe('equal');
      expect(await refusal(journal, { request: pay, equalSince: 0 })).toBeUndefined();
      expect(await refusal(journal, { request: { ...sale, clientOrderId: 'y' }, equalSince: 0 })).toBe('equal');
    });

    test('without a card or an account equal content counts while it is in doubt; of a path always', async () => {
      const journal = await open();
      const form: NewRequest = { ...saleOf('f'), payment: undefined, effect: 'write' };
      const first = await begin(journal, form);
      const attempt = { request: { ...form, clientOrderId: 'g' }, equalSince: 0 };
      expect(await refusal(journal, attempt)).toBe('equal');
      await end(journal, first, 'accepted');
      expect(await refusal(journal, attempt)).toBeUndefined();
      const path: NewRequest = { ...form, kind: 'other', operation: '/x', effect: 'money', clientOrderId: undefined };
      await end(journal, await begin(journal, path), 'done');
      expect(await refusal(journal, { request: path, equalSince: Number.MAX_SAFE_INTEGER })).toBe('equal');
      expect(await refusal(journal, { request: path })).toBeUndefined();
    });
  });

  describe(`${name}: caps of a day`, () => {
    const merchant = { base: sale.base, login: sale.login };
    const dayCap = usd('2000');
    const today = new StoreClock().time;

    test('what has begun counts at once, whoever began it', async () => {
      const { one, other } = await openTwice();
      const requests = Array.from({ length: 10 }, (_, at) => saleOf(`o${at}`, { sum: usd('450') }));
      const answers = await Promise.all(
        requests.map((request, at) => tryBegin(at % 2 === 0 ? one : other, { request, dayCap })),
      );
      expect(answers.filter((answer) => 'begun' in answer)).toHaveLength(4);
      expect(answers.find((answer) => 'refused' in answer)).toMatchObject({
        refused: { why: 'over-cap', spent: usd('1800'), cap: dayCap, counts: usd('450') },
      });
      expect(await one.spent(merchant, today)).toEqual([usd('1800')]);
    });

    each([
      ['done', '1042'],
      ['accepted', '1042'],
      ['unknown', '1042'],
      ['conflict', '1042'],
      ['declined', undefined],
      ['refused', undefined],
      ['not_sent', undefined],
    ] as const)('%s counts %s', async (state, expected) => {
      const journal = await open();
      const begun = await begin(journal, sale);
      await end(journal, begun, state);
      const spent = (await journal.spent(merchant, today)).filter(({ minor }) => minor !== '0');
      expect(spent.map(({ minor }) => minor)).toEqual(expected === undefined ? [] : [expected]);
    });

    test('the next day counts anew, and what is sent again counts once, on its newest day', async () => {
      const clock = new StoreClock();
      const journal = await open({ clock });
      const begun = await begin(journal, sale);
      await end(journal, begun, 'unknown');
      const firstDay = clock.time;
      expect(await refusal(journal, { id: begun.id, attempt: 1, isResend: true, dayCap: usd('1042') })).toBeUndefined();
      clock.time += 86_400_000;
      await journal.markGone();
      const [later] = await journal.find({}, { limit: 1 });
      expect(later?.state).toBe('sending');
      await end(journal, { ...begun, attempt: 2 }, 'unknown');
      await begin(journal, sale, { id: begun.id, attempt: 2, isResend: true });
      expect(await journal.spent(merchant, firstDay)).toEqual([usd('0')]);
      expect(await journal.spent(merchant, clock.time)).toEqual([usd('1042')]);
    });

    test('what was made elsewhere, or moves no money, counts nothing', async () => {
      const journal = await open();
      const begun = await begin(journal, sale);
      await settle(journal, begun, 'done', { by: 'elsewhere' });
      await begin(journal, saleOf('w', { effect: 'write' }));
      expect(await journal.spent(merchant, today)).toEqual([usd('0')]);
      expect(await read(journal, begun)).toMatchObject({ isElsewhere: true });
    });
  });

  describe(`${name}: processes`, () => {
    const silent = 151_000;

    test('what one that ended left in sending is in doubt, never planned; its late result counts', async () => {
      const place = newPlace();
      const clock = new StoreClock();
      const gone = await place.open({ clock, pid: 7 });
      const begun = await begin(gone, sale);
      const other = await place.open({ clock, pid: 2, isDead: (pid) => pid === 7 });
      expect(await other.markGone()).toMatchObject([{ id: begun.id, state: 'unknown', reason: 'process-gone' }]);
      expect(await other.markGone()).toEqual([]);
      expect(await refusal(other, { id: begun.id, attempt: 1 })).toBe('taken');
      expect(await end(gone, begun, 'not_sent')).toMatchObject({ state: 'not_sent' });
    });

    each([silent, -silent])('one that was not seen for %i ms is gone; one that beats is not', async (passed) => {
      const { one, other, clock } = await openTwice();
      const begun = await begin(one, sale);
      clock.time += passed;
      await one.beat();
      expect(await other.markGone()).toEqual([]);
      clock.time += passed;
      expect(await other.markGone()).toMatchObject([{ id: begun.id, state: 'unknown' }]);
    });

    test('none is gone before that, nor is one of another boot whose number no process has here', async () => {
      const place = newPlace();
      const clock = new StoreClock();
      await begin(await place.open({ clock, pid: 7, boot: 'another' }), sale);
      const other = await place.open({ clock, pid: 2, isDead: (pid) => pid === 7 });
      clock.time += 149_000;
      expect(await other.markGone()).toEqual([]);
    });

    test('what is due to be asked about is taken by one, the longer it waits the more rarely', async () => {
      const { one, other, clock } = await openTwice();
      const rows = await addBatch(one, [saleOf('a'), saleOf('b'), saleOf('c')]);
      for (const [at, row] of rows.entries()) {
        const begun = await begin(one, row, { id: row.id, batch: 'b1' });
        await end(one, begun, (['unknown', 'accepted', 'done'] as const)[at] ?? 'done');
      }
      const take = async (journal: Journal) => (await journal.takeToAsk('b1', 9, 4_000)).map(({ number }) => number);
      expect([await take(one), await take(other)]).toEqual([[1], []]);
      clock.time += 4_000;
      const both = await Promise.all([take(one), take(other)]);
      expect(both.flat().sort()).toEqual([1, 2]);
      clock.time += 4_999;
      expect(await take(one)).toEqual([]);
      clock.time += 1;
      expect(await take(other)).toHaveLength(2);
      clock.time += 3_600_000;
      expect(await take(one)).toHaveLength(2);
      clock.time += 60_000;
      expect(await take(other)).toHaveLength(2);
      await one.changeBatch('b1', ['running'], { state: 'running' });
      expect(await take(one)).toHaveLength(2);
    });
  });

  describe(`${name}: batches`, () => {
    const rows = Array.from({ length: 100 }, (_, at) => saleOf(`row-${at + 1}`));

    test('a group begins and ends as a whole, each row once, and no row more than may be sent', async () => {
      const { one, other } = await openTwice();
      const planned = await addBatch(one, rows, 70);
      const attempts = planned.map((request) => ({ id: request.id, request, attempt: 0, batch: 'b1' }));
      const [answers, others] = await Promise.all([one.begin(attempts), other.begin(attempts)]);
      const begun = [...answers, ...others].flatMap((answer) => ('begun' in answer ? answer.begun : []));
      expect(new Set(begun.map(({ id }) => id)).size).toBe(70);
      expect(begun).toHaveLength(70);
      const reasons = [...answers, ...others].flatMap((answer) => ('refused' in answer ? answer.refused.why : []));
      expect(new Set(reasons)).toEqual(new Set(['taken', 'no-rows-left']));
      const ended = (journal: Journal) => {
        const mine = begun.filter(({ worker }) => worker === journal.worker);
        return Promise.all(mine.map((row) => end(journal, row, (row.number ?? 0) <= 2 ? 'not_sent' : 'done')));
      };
      await Promise.all([ended(one), ended(other)]);
      expect(await one.findBatches('b1')).toMatchObject([{ rowsLeft: 2 }]);
    });

    test('who joins those that send it keeps their limit of rows; who begins after them does not', async () => {
      const { one, other } = await openTwice();
      await addBatch(one, rows.slice(0, 3), 1);
      await one.takeToSend('b1', 3);
      const join = async () => {
        await other.changeBatch('b1', ['running'], { state: 'running', rowsLeft: undefined });
        return (await other.findBatches('b1'))[0]?.rowsLeft;
      };
      expect(await join()).toBe(1);
      await one.giveBack('b1');
      expect(await join()).toBeUndefined();
    });

    test('each of two processes takes rows of its own, and those of one that is gone or gave them back', async () => {
      const place = newPlace();
      const clock = new StoreClock();
      const [one, other] = [await place.open({ clock, pid: 1 }), await place.open({ clock, pid: 2 })];
      await addBatch(one, rows.slice(0, 10));
      const numbers = async (journal: Journal, limit: number) =>
        (await journal.takeToSend('b1', limit)).map(({ number }) => number);
      expect(await numbers(one, 3)).toEqual([1, 2, 3]);
      // Until its first row has its outcome, one process sends alone.
      expect([await numbers(other, 3), await other.areRowsHeld('b1'), await one.areRowsHeld('b1')]).toEqual([
        [],
        true,
        false,
      ]);
      await one.changeBatch('b1', ['running'], { canary: 'passed' });
      expect(await numbers(other, 3)).toEqual([4, 5, 6]);
      expect(await numbers(one, 2)).toEqual([7, 8]);
      await one.giveBack('b1');
      expect(await numbers(other, 4)).toEqual([1, 2, 3, 7]);
      const third = await place.open({ clock, pid: 3, isDead: (pid) => pid === 2 });
      expect(await numbers(third, 99)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      // What was taken may still be sent by whoever begins it first.
      const [row] = await one.find({ batch: 'b1' }, { after: 0, limit: 1 });
      expect(await refusal(one, { id: row?.id, batch: 'b1' })).toBeUndefined();
      expect(await numbers(third, 99)).toEqual([]);
    });

    test('one order once in a group, and a row that cannot begin fails no other', async () => {
      const journal = await open();
      const returns = ['900', '900', '901'].map((orderId, at) => ({ ...refund, orderId, content: `${at}` }));
      const planned = await addBatch(journal, returns);
      const attempts = planned.map((request) => ({ id: request.id, request, batch: 'b1' }));
      const answers = await Promise.allSettled(
        [...attempts, { id: 999, request: sale }].map((one) => tryBegin(journal, one)),
      );
      expect(answers).toMatchObject([
        { value: { begun: { orderId: '900' } } },
        { value: { refused: { why: 'order-busy' } } },
        { value: { begun: { orderId: '901' } } },
        { status: 'rejected' },
      ]);
    });

    test('only a running one sends; cancelling frees what was not sent, and the ids with it', async () => {
      const journal = await open();
      const [first, second] = await addBatch(journal, rows.slice(0, 2));
      if (first === undefined || second === undefined) throw new Error('no rows');
      await tryBegin(journal, { id: first.id, batch: 'b1' });
      await journal.changeBatch('b1', ['running'], { state: 'paused' });
      expect(await refusal(journal, { id: second.id, batch: 'b1' })).toBe('batch-held');
      expect(await journal.changeBatch('b1', ['running'], { state: 'cancelled' })).toBeUndefined();
      expect(await journal.changeBatch('b1', ['paused'], { state: 'cancelled' })).toMatchObject({ state: 'cancelled' });
      expect((await journal.find({ batch: 'b1' }, { after: 0, limit: 9 })).map(({ state }) => state)).toEqual([
        'sending',
        'cancelled',
      ]);
      expect(await refusal(journal, { id: second.id, batch: 'b1' })).toBe('taken');
      expect(await refusal(journal, { request: saleOf('row-2') })).toBeUndefined();
      for (let times = 0; times < 2; times += 1)
        expect(await settle(journal, second, 'done')).toMatchObject({ state: 'cancelled' });
      expect((await journal.events({ request: second.id })).map(({ facts }) => facts['raised'])).toEqual(['done']);
      expect((await journal.events({ batch: 'b1' })).map(({ facts }) => facts['to'])).toEqual([
        'running',
        'paused',
        'cancelled',
      ]);
    });

    test('a row whose id is taken names its owner, and the others are added', async () => {
      const journal = await open();
      const owner = await begin(journal, sale);
      await journal.addBatch({ id: 'b1', digest: '', head: { rows: 3 } });
      const added = await journal.addRows(
        'b1',
        [sale, saleOf('a'), saleOf('a')].map((row, at) => ({ ...row, number: at + 1, payload: '' })),
      );
      const [row] = await journal.find({ clientOrderIds: ['a'] }, { limit: 1 });
      expect(added).toEqual([{ other: owner }, { id: row?.id }, { other: row }]);
      expect(await journal.findBatches()).toMatchObject([{ state: 'planning', head: { rows: 3 } }]);
    });

    test('payloads are read by their rows, and purged once no row may need them', async () => {
      const journal = await open();
      const planned = await addBatch(journal, rows.slice(0, 2));
      const ids = planned.map(({ id }) => id);
      expect([...(await journal.readPayloads(ids)).values()]).toEqual(['{"row":1}', '{"row":2}']);
      expect(await journal.purgePayloads('b1')).toBe(false);
      for (const id of ids) {
        const answer = await tryBegin(journal, { id, batch: 'b1' });
        if ('begun' in answer) await end(journal, answer.begun, 'done');
      }
      expect(await journal.purgePayloads('b1')).toBe(true);
      expect((await journal.readPayloads(ids)).size).toBe(0);
    });
  });

  describe(`${name}: reading`, () => {
    test.each([
      [{ order: 'a' }, ['a']],
      [{ order: '900' }, [undefined, 'a']],
      [{ orderIds: ['900'], kinds: ['payment'] }, ['a']],
      [{ clientOrderIds: ['b', 'c'] }, ['c', 'b']],
      [{ states: ['done'] }, [undefined, 'a']],
      [{ card: '11' }, ['c', 'b', 'a']],
      [{ card: '9999' }, []],
      [{ text: 'INSUFF' }, ['b']],
      [{ amount: { currency: 'USD', min: '100000', max: '104200' } }, ['c', 'b', 'a']],
      [{ amount: { min: '50000', max: '50000' } }, [undefined]],
      [{ amount: { currency: 'EUR', min: '0', max: '999999' } }, []],
      [{ base: sale.base, login: 'shop', profile: 'shop-test' }, [undefined, 'c', 'b', 'a']],
      [{ followedBy: ['RETURN'], kinds: ['payment'] }, ['a']],
      [{ followedBy: ['VOID'] }, []],
      [{ isFirst: true }, []],
      [{ profile: 'other' }, []],
    ] as const)('%j', async (filter, expected) => {
      const journal = await open();
      await end(journal, await begin(journal, saleOf('a')), 'done', { orderId: '900' });
      const outcome = { 'error-message': 'insufficient funds' };
      await end(journal, await begin(journal, saleOf('b')), 'declined', { outcome });
      await begin(journal, saleOf('c'));
      await end(journal, await begin(journal, { ...refund, clientOrderId: undefined }), 'done');
      const found = await journal.find(filter, { limit: 9 });
      expect(found.map(({ clientOrderId }) => clientOrderId)).toEqual(expected);
    });

    test('pages go down from the newest, or up; totals are by state and money', async () => {
      const clock = new StoreClock();
      const journal = await open({ clock });
      for (const id of ['a', 'b', 'c', 'd']) {
        await begin(journal, saleOf(id));
        clock.time += 1000;
      }
      const ids = async (page: { before?: number; after?: number }) =>
        (await journal.find({}, { ...page, limit: 2 })).map(({ clientOrderId }) => clientOrderId);
      const [, third] = await journal.find({}, { limit: 2 });
      expect([await ids({}), await ids({ before: third?.id ?? 0 }), await ids({ after: 0 })]).toEqual([
        ['d', 'c'],
        ['b', 'a'],
        ['a', 'b'],
      ]);
      const filter = { from: clock.time - 3000, until: clock.time - 1000 };
      expect(await journal.total(filter)).toEqual([{ state: 'sending', count: 2, sum: usd('2084') }]);
      expect([...(await journal.count(filter))]).toEqual([['sending', 2]]);
    });

    test('of an order made elsewhere the first follow-up that may have reached the gateway stands for it', async () => {
      const journal = await open();
      const on = { ...refund, clientOrderId: undefined, orderId: '77' };
      await end(journal, await begin(journal, on), 'refused');
      const first = await begin(journal, { ...on, content: 'second' });
      await end(journal, first, 'done');
      await end(journal, await begin(journal, { ...on, operation: 'VOID', content: 'third' }), 'done');
      for (const filter of [{}, { followedBy: ['VOID'] }])
        expect(await journal.find({ isFirst: true, ...filter }, { limit: 9 })).toMatchObject([{ id: first.id }]);
      expect([...(await journal.count({ isFirst: true }))]).toEqual([['done', 1]]);
      expect((await journal.count({ isFirst: true, followedBy: ['CAPTURE'] })).size).toBe(0);
    });

    test('orders made elsewhere are kept as they were seen last, and those of this journal are not among them', async () => {
      const journal = await open();
      const { base, login, profile } = sale;
      const order = { base, login, profile, class: 'test', status: 'approved', at: 5, outcome: {}, sum: usd('1') };
      const seen = { ...order, orderId: '1', clientOrderId: 'x', type: 'sale', card4: '4242' };
      await journal.see([seen, { ...order, orderId: '2', at: 6 }]);
      await journal.see([{ ...seen, status: 'older', at: 3 }]);
      expect(await journal.findSeen({}, { limit: 9 })).toMatchObject([{ orderId: '2' }, seen]);
      await journal.see([{ ...seen, status: 'reversed', at: 7 }]);
      const newest = await journal.findSeen({}, { limit: 1 });
      expect(newest).toMatchObject([{ orderId: '1', status: 'reversed' }]);
      expect(await journal.findSeen({}, { limit: 9, before: newest[0]?.id })).toMatchObject([{ orderId: '2' }]);
      expect([...(await journal.countSeen({}))].sort()).toEqual([
        ['approved', 1],
        ['reversed', 1],
      ]);
      expect(await journal.findSeen({ statuses: ['approved'] }, { limit: 9 })).toMatchObject([{ orderId: '2' }]);
      expect(await journal.findSeen({ card: '42', from: 7, until: 8, text: 'REVER' }, { limit: 9 })).toHaveLength(1);
      await begin(journal, saleOf('x'));
      expect(await journal.findSeen({}, { limit: 9 })).toMatchObject([{ orderId: '2' }]);
    });

    test('a sound store has nothing to report', async () => {
      expect(await (await open()).check()).toEqual([]);
    });
  });

  describe(`${name}: restored`, () => {
    const storage = { code: 'STORAGE', exit: 13 };

    test('an older copy of the store sends nothing until it is accepted, by whichever process', async () => {
      const place = newPlace();
      const journal = await place.open();
      await end(journal, await begin(journal, saleOf('a')), 'done');
      await journal.close();
      const restore = await place.copy();
      const later = await place.open();
      expect(later.restored).toBeUndefined();
      await begin(later, sale);
      await later.close();
      await restore();
      const [one, other] = [await place.open(), await place.open()];
      expect(one.restored).toMatchObject({ why: 'event-missing', marked: { event: 3 }, newest: { event: 2 } });
      await expect(tryBegin(one, { request: sale })).rejects.toMatchObject(storage);
      const [known] = await one.find({}, { limit: 1 });
      // As many events as are missing do not make up for them.
      for (let count = 0; count < 3; count += 1) await one.record({ request: known?.id ?? 0 }, 'asked', {});
      await one.close();
      expect((await place.open()).restored).toMatchObject({ why: 'event-missing' });
      await expect(tryBegin(other, { request: sale })).rejects.toMatchObject(storage);
      await other.acceptRestored({ asked: 1 });
      expect(await refusal(other, { request: sale })).toBeUndefined();
      await other.close();
      expect((await place.open()).restored).toBeUndefined();
    });

    test('a lost store is one too, and one without a mark is not', async () => {
      const place = newPlace();
      const journal = await place.open();
      await begin(journal, sale);
      await journal.close();
      await place.remove();
      const emptied = await place.open();
      expect(emptied.restored).toMatchObject({ why: 'other-store', marked: { event: 1 } });
      await expect(tryBegin(emptied, { request: sale })).rejects.toMatchObject(storage);
      expect((await place.open({ isSandbox: true })).restored).toBeUndefined();
      await emptied.acceptRestored({});
      await emptied.close();
      expect((await place.open()).restored).toBeUndefined();
    });
  });

  describe(`${name}: the key`, () => {
    test('another one is refused before anything, with 3', async () => {
      const place = newPlace();
      await (await place.open()).close();
      await expect(async () => place.open({ key: 'of another installation' })).rejects.toMatchObject({ exit: 3 });
    });
  });
}

import { describe, expect, test } from 'vitest';
import { type Journal, openJournal, type State } from '../../src/journal/index.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { capture, dead, JournalClock, newFolder, open, sale } from './support.js';

const sent = (journal: Journal) => journal.begin(journal.plan(sale, dead).intent);
const evidence = { evidence: 'bank statement, line 4', as: 'not-paid', by: null, asked: 'ada' };

describe('an outcome that a person wrote down', () => {
  const unknown = (journal: Journal) => journal.recordResult(sent(journal).id, 'unknown', { reason: 'lost' });

  test.each<readonly ['done' | 'declined', State, State]>([
    ['declined', 'done', 'conflict'],
    ['declined', 'accepted', 'conflict'],
    ['declined', 'declined', 'declined'],
    ['declined', 'refused', 'declined'],
    ['declined', 'not_sent', 'declined'],
    ['declined', 'unknown', 'declined'],
    ['done', 'declined', 'conflict'],
    ['done', 'refused', 'conflict'],
    ['done', 'not_sent', 'conflict'],
    ['done', 'done', 'done'],
    ['done', 'accepted', 'done'],
  ])('%s, and later evidence of %s: %s', (said, later, becomes) => {
    const { journal } = open();
    const settled = journal.settleManually(unknown(journal), said, evidence);
    expect(settled).toMatchObject({ state: said, reason: 'settled manually' });
    expect(journal.recordResult(settled.id, later, { reason: 'status: so it says', orderId: '77' }).state).toBe(
      becomes,
    );
    expect(journal.flaws()).toEqual([]);
  });

  test('the conflict says both sides, stays through further evidence, and ends by a person alone', () => {
    const { journal } = open();
    const { id } = journal.settleManually(unknown(journal), 'declined', evidence);
    const conflict = journal.recordResult(id, 'done', { reason: 'status: approved' });
    expect(conflict).toMatchObject({ state: 'conflict', reason: 'declined (settled manually), but status: approved' });
    for (const more of ['done', 'declined', 'accepted', 'refused', 'unknown'] as const)
      expect(journal.recordResult(id, more, { reason: 'more' }).state).toBe('conflict');
    expect(() => journal.begin(conflict)).toThrow(/another paycli/);
    const closed = journal.settleManually(conflict, 'done', { ...evidence, as: 'paid' });
    expect(closed.state).toBe('done');
    expect(journal.flaws()).toEqual([]);
  });

  test('what a person has seen and judged is not raised anew; other evidence is', () => {
    const { journal } = open();
    const { id } = journal.settleManually(unknown(journal), 'declined', evidence);
    journal.settleManually(
      journal.recordResult(id, 'accepted', { reason: 'status: processing' }),
      'declined',
      evidence,
    );
    expect(journal.recordResult(id, 'accepted', { reason: 'status: processing' }).state).toBe('declined');
    expect(journal.recordResult(id, 'done', { reason: 'status: approved' }).state).toBe('conflict');
  });

  test('is refused where the entry has moved on since the person looked at it', () => {
    const { journal } = open();
    const seen = unknown(journal);
    journal.recordResult(seen.id, 'done', { reason: 'status: approved' });
    expect(() => journal.settleManually(seen, 'declined', evidence)).toThrow(/another paycli/);
    expect(journal.get(seen.id)?.state).toBe('done');
  });

  test('counts as spent while it is in conflict, and nothing else goes out for the same payment', () => {
    const { journal } = open();
    const { id } = journal.settleManually(unknown(journal), 'declined', evidence);
    expect(journal.spentSince('shop-test', 0, 'USD')).toBe(0n);
    journal.recordResult(id, 'done', { reason: 'status: approved' });
    expect(journal.spentSince('shop-test', 0, 'USD')).toBe(1042n);
    expect(journal.plan(sale, dead)).toMatchObject({ do: 'show', intent: { state: 'conflict' } });
    const madeUp = { ...sale, clientOrderId: 'made-up' };
    expect(() => journal.plan(madeUp, { ...dead, isGenerated: true })).toThrow(
      /order order-1 has the same amount .* and its state is conflict/,
    );
  });
});

test('a gateway that said no and pays all the same is in conflict; one that reverses what it paid is not', () => {
  const { journal } = open();
  const { id } = sent(journal);
  journal.recordResult(id, 'declined', { reason: 'status: declined' });
  expect(journal.recordResult(id, 'done', { reason: 'a callback says approved' }).state).toBe('conflict');
  const other = journal.begin(journal.plan({ ...sale, clientOrderId: 'order-2', content: 'content-2' }, dead).intent);
  journal.recordResult(other.id, 'done', { reason: 'status: approved' });
  expect(journal.recordResult(other.id, 'declined', { reason: 'status: declined' }).state).toBe('done');
});

test('a payment whose refusal is contradicted is not sent again', () => {
  const { journal } = open();
  journal.recordResult(sent(journal).id, 'refused', { reason: 'HTTP 400' });
  journal.recordResult(1, 'done', { reason: 'status: approved' });
  expect(journal.plan(sale, dead)).toMatchObject({ do: 'show', intent: { state: 'conflict' } });
});

test('of two follow-ups of one order that were planned at the same moment, the second may not begin while the first is open', () => {
  const { journal, folder } = open();
  const other = open(folder, 2).journal;
  const one = journal.plan(capture, dead).intent;
  const two = other.plan({ ...capture, content: 'another', sum: { minor: '300', currency: 'USD' } }, dead).intent;
  journal.begin(one);
  expect(() => other.begin(two)).toThrow(
    /an earlier request on this order has no final outcome yet: capture of 5.00 USD on order 900 is sending/,
  );
  expect(other.get(two.id)?.state).toBe('planned');
  journal.recordResult(one.id, 'done', { reason: '' });
  expect(other.begin(two).state).toBe('sending');
});

describe('the note of the last line cannot be written', () => {
  function withNote(isFull: () => boolean) {
    const folder = newFolder();
    const path = `${folder}/journal.db`;
    const files = openFiles({ PAYCLI_STATE_DIR: folder }, { home: folder, working: folder });
    const clock = new JournalClock();
    const journal = openJournal({
      database: sqlite.open(path),
      files: {
        ...files,
        writeText(to, text, mode) {
          if (isFull()) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
          files.writeText(to, text, mode);
        },
      },
      ...{ clock, random: { letters: (length) => 'k'.repeat(length), uuid: () => 'u', below: () => 0 } },
      ...{ sender: { host: 'here', pid: 1, version: 'test' }, checkpointPath: `${path}.tail.json` },
    });
    return { journal, clock };
  }

  test('after an intent was begun: nothing may leave, and it is not sent', () => {
    let isFull = false;
    const { journal } = withNote(() => isFull);
    const { intent } = journal.plan(sale, dead);
    isFull = true;
    expect(() => journal.begin(intent)).toThrow(/cannot be written/);
    expect(journal.get(intent.id)).toMatchObject({ state: 'not_sent', attempts: 1, mayHaveArrived: false });
    isFull = false;
    expect(journal.plan(sale, dead).do).toBe('send');
    expect(journal.begin(journal.plan(sale, dead).intent).state).toBe('sending');
    expect(journal.flaws()).toEqual([]);
  });

  test('after a group of intents was begun: none of them is sent, and what became of others is kept', () => {
    let isFull = false;
    const { journal, clock } = withNote(() => isFull);
    const first = journal.begin(journal.plan(sale, dead).intent);
    const others = ['order-2', 'order-3'].map(
      (clientOrderId) => journal.plan({ ...sale, clientOrderId, content: clientOrderId }, dead).intent,
    );
    isFull = true;
    // Among groups the note may lag for a moment.
    clock.time += 1000;
    const change = () =>
      journal.inOneTransaction(() => {
        journal.recordResult(first.id, 'done', { reason: 'status: approved' });
        for (const each of others) journal.begin(each);
      });
    expect(change).toThrow(/cannot be written/);
    expect(journal.list().map(({ state }) => state)).toEqual(['done', 'not_sent', 'not_sent']);
  });
});

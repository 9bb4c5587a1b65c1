import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { openUnverified } from '../../src/journal/index.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { makeOldJournal, type OldSale } from './old-journal.js';
import { capture, dead, JournalClock, newFolder, open, sale } from './support.js';

const day = Date.UTC(2030, 0, 7);
const here = 'http://127.0.0.1:8080/pay';
const alsoHere = 'http://localhost:8080/pay';

function old(...sales: readonly OldSale[]): string {
  const folder = newFolder();
  makeOldJournal(folder, sales);
  chmodSync(join(folder, 'journal.db'), 0o600);
  return folder;
}

/** By hand, as text. */
function column(folder: string, sql: string): unknown[] {
  const database = new DatabaseSync(join(folder, 'journal.db'), { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0]);
  } finally {
    database.close();
  }
}

describe('a journal of the first version', () => {
  test('keeps every line as it was written, gets one more, and is whole', () => {
    const folder = old(
      { base: alsoHere, clientOrderId: 'order-1', state: 'done' },
      { base: here, clientOrderId: 'order-2', state: 'unknown' },
    );
    const before = column(folder, 'SELECT id || hash || facts FROM moves ORDER BY id');
    const { journal } = open(folder);
    expect(column(folder, 'SELECT id || hash || facts FROM moves ORDER BY id').slice(0, -1)).toEqual(before);
    expect([...journal.chain()].at(-1)).toMatchObject({
      id: 7,
      intentId: undefined,
      reason: 'journal brought to version 2',
    });
    expect(journal.flaws()).toEqual([]);
    journal.close();
    const again = open(folder).journal;
    expect([again.lineCount(), again.flaws()]).toEqual([7, []]);
  });

  test('names each gateway by its one name, and finds an order by any spelling of it', () => {
    const folder = old({ base: alsoHere, clientOrderId: 'order-1', state: 'done' });
    const { journal } = open(folder);
    expect(journal.get(1)).toMatchObject({ base: here, sum: { minor: '1042', currency: 'USD' } });
    for (const base of [here, alsoHere, 'http://[::1]:8080/pay/']) {
      expect(journal.plan({ ...sale, base }, dead)).toMatchObject({ do: 'show', intent: { id: 1 } });
      expect(journal.list({ base, order: 'order-1' })).toHaveLength(1);
    }
  });

  test.each<readonly [string, OldSale['state'], OldSale['state'], number]>([
    ['the later one is the paid one', 'refused', 'done', 2],
    ['the earlier one is the paid one', 'done', 'refused', 1],
    ['nobody knows of the one', 'unknown', 'done', 1],
    ['nobody knows of the other', 'declined', 'unknown', 2],
    ['both were paid', 'done', 'done', 1],
  ])('keeps both of two orders that were one all along, and sends neither again: %s', (_, first, second, governing) => {
    const folder = old(
      { base: alsoHere, clientOrderId: 'order-1', state: first },
      { base: here, clientOrderId: 'order-1', state: second },
    );
    const { journal } = open(folder);
    expect(journal.list({ base: here, order: 'order-1' }).map(({ id, state }) => [id, state])).toEqual([
      [1, first],
      [2, second],
    ]);
    const planned = journal.plan({ ...sale, base: here }, dead);
    expect(planned.do).not.toBe('send');
    expect(planned.intent.id).toBe(governing);
    expect(() => journal.plan({ ...sale, base: here, content: 'other' }, dead)).toThrow(
      /is already used by another request/,
    );
    expect(journal.flaws()).toEqual([]);
    expect(journal.recordResult(1, 'done', { reason: '' }).id).toBe(1);
    expect(journal.flaws()).toEqual([]);
  });

  test('of two refused ones that were one all along, one is corrected and sent', () => {
    const folder = old(
      { base: alsoHere, clientOrderId: 'order-1', state: 'refused' },
      { base: here, clientOrderId: 'order-1', state: 'refused' },
    );
    const { journal } = open(folder);
    const { intent } = journal.plan({ ...sale, base: here, content: 'corrected' }, dead);
    journal.recordResult(journal.begin(intent).id, 'done', { reason: '' });
    expect(journal.plan({ ...sale, base: alsoHere, content: 'corrected' }, dead).do).toBe('show');
    expect(journal.flaws()).toEqual([]);
  });

  test('keeps both of two equal returns on one order, and each is in the way of a third', () => {
    const one: OldSale = {
      base: alsoHere,
      clientOrderId: 'order-1',
      onOrder: '900',
      state: 'unknown',
      content: 'content-c',
    };
    const folder = old(one, { ...one, base: here, state: 'done' });
    const { journal } = open(folder);
    const wanted = { ...capture, base: here, operation: 'RETURN', content: 'another' };
    expect(() => journal.plan(wanted, dead)).toThrow(/order 900/);
    journal.recordResult(1, 'done', { reason: '' });
    expect(journal.plan(wanted, dead).intent).toMatchObject({ id: 3, sequence: 2 });
    expect(journal.flaws()).toEqual([]);
  });

  test('counts what was sent today against the cap of the day', () => {
    const one: OldSale = {
      base: here,
      clientOrderId: 'a',
      state: 'done',
      currency: 'EUR',
      minor: '60000',
      at: day + 1000,
    };
    const folder = old(
      one,
      { ...one, clientOrderId: 'b', state: 'sending', minor: '1' },
      { ...one, clientOrderId: 'c', state: 'refused' },
      { ...one, clientOrderId: 'd', at: day - 1000 },
      { ...one, clientOrderId: 'e', state: 'planned' },
    );
    const { journal } = open(folder);
    expect(journal.spentSince('shop-test', day, 'EUR')).toBe(60001n);
    expect(journal.spentSince('shop-test', 0, 'EUR')).toBe(120001n);
    expect(journal.flaws()).toEqual([]);
    journal.recordResult(2, 'not_sent', { reason: '' });
    expect(journal.spentSince('shop-test', day, 'EUR')).toBe(60000n);
    expect(journal.flaws()).toEqual([]);
  });

  test('that is cut off is not touched: it can be looked into as it is', () => {
    const folder = old({ base: alsoHere, clientOrderId: 'order-1', state: 'done' });
    const checkpointPath = join(folder, 'journal.db.tail.json');
    writeFileSync(checkpointPath, JSON.stringify({ ...JSON.parse(readFileSync(checkpointPath, 'utf8')), count: 9 }));
    expect(() => open(folder)).toThrow(/missing/);
    const journal = openUnverified({
      database: sqlite.open(join(folder, 'journal.db')),
      files: openFiles({ PAYCLI_STATE_DIR: folder }, { home: folder, working: folder }),
      clock: new JournalClock(),
      random: { letters: (length) => 'k'.repeat(length), uuid: () => 'u', below: () => 0 },
      sender: { host: 'here', pid: 1, version: 'test' },
      checkpointPath,
    });
    expect(journal.flaws().map(({ what }) => what)).toEqual([
      'its last 6 lines are missing, as if a backup had been restored',
    ]);
    expect([...journal.each()]).toMatchObject([{ base: alsoHere, state: 'done' }]);
    journal.close();
    expect(column(folder, 'PRAGMA user_version')).toEqual([1]);
  });

  test('of a later version is refused', () => {
    const folder = old();
    const database = new DatabaseSync(join(folder, 'journal.db'));
    database.exec('PRAGMA user_version = 3');
    database.close();
    expect(() => open(folder)).toThrow(/another version of paycli/);
  });

  test.each([
    ['a changed amount', "UPDATE intents SET minor = '1' WHERE id = 1", /entry 1 was changed/],
    ['a changed gateway', "UPDATE intents SET base = 'https://other.example' WHERE id = 1", /entry 1 was changed/],
    ['other digits', 'UPDATE intents SET digits = 0 WHERE id = 1', /entry 1 was changed/],
    ['a smaller count for the day', "UPDATE intents SET counted_units = '1' WHERE id = 1", /entry 1 was changed/],
    ['a smaller total of the day', "UPDATE day_totals SET units = '0'", /the total of 2030-01-07 of profile shop-test/],
    ['a removed total', 'DELETE FROM day_totals', /the total of 2030-01-07 of profile shop-test/],
    ['an invented total', "INSERT INTO day_totals VALUES ('shop-test', 'EUR', 0, '5')", /the total of 1970-01-01/],
  ])('is found changed by hand afterwards: %s', (_, sql, words) => {
    const folder = old({ base: alsoHere, clientOrderId: 'order-1', state: 'done' });
    const { journal, database } = open(folder);
    expect(journal.flaws()).toEqual([]);
    database.exec(sql);
    expect(
      journal
        .flaws()
        .map(({ what }) => what)
        .join('; '),
    ).toMatch(words);
  });
});

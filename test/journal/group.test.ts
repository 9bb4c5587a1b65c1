import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fail } from '../../src/errors/index.js';
import { GroupCommit, type NewIntent, type State } from '../../src/journal/index.js';
import { sqlite } from '../../src/runtime/database.js';
import type { Database } from '../../src/runtime/ports.js';
import { dead, newFolder, open, sale } from './support.js';

afterEach(() => vi.restoreAllMocks());

const numbered = (at: number): NewIntent => ({ ...sale, clientOrderId: `order-${at}`, content: `content-${at}` });

/** A database that counts its transactions, and whose `run` fails where it is told to. */
function watched(folder: string): {
  database: Database;
  commits: () => number;
  failAt: (sql: RegExp, error: Error) => void;
} {
  const real = sqlite.open(`${folder}/journal.db`);
  let commits = 0;
  let fault: { sql: RegExp; error: Error } | undefined;
  return {
    database: {
      ...real,
      run(sql, ...values) {
        if (fault?.sql.test(sql) === true) throw fault.error;
        return real.run(sql, ...values);
      },
      transaction(work) {
        commits += 1;
        return real.transaction(work);
      },
    },
    commits: () => commits,
    failAt: (sql, error) => {
      fault = { sql, error };
    },
  };
}

describe('together', () => {
  test('many changes are one transaction and an unbroken chain', () => {
    const folder = newFolder();
    const { database, commits } = watched(folder);
    const { journal } = open(folder, 1, database);
    const before = commits();
    journal.inOneTransaction(() => {
      for (let at = 1; at <= 16; at += 1) journal.begin(journal.plan(numbered(at), dead).intent);
    });
    expect(commits() - before).toBe(1);
    expect(journal.list({ states: ['sending'] })).toHaveLength(16);
    expect([...journal.chain()]).toHaveLength(32);
    expect(journal.flaws()).toEqual([]);
  });

  test('a change that is refused is undone by itself', () => {
    const { journal } = open();
    journal.inOneTransaction(() => {
      journal.begin(journal.plan(numbered(1), dead).intent);
      expect(() => journal.plan({ ...numbered(1), content: 'other' }, dead)).toThrow(/order-1/);
      journal.begin(journal.plan(numbered(2), dead).intent);
    });
    expect(journal.list().map(({ clientOrderId, state }) => [clientOrderId, state])).toEqual([
      ['order-1', 'sending'],
      ['order-2', 'sending'],
    ]);
    expect(journal.flaws()).toEqual([]);
  });

  test('a change half made when it is refused leaves nothing', () => {
    const { journal } = open();
    const day = { profile: sale.profile, max: { minor: '1500', currency: 'USD' } };
    journal.inOneTransaction(() => {
      const [one, two] = [journal.plan(numbered(1), dead).intent, journal.plan(numbered(2), dead).intent];
      journal.begin(one, false, { day });
      expect(() => journal.begin(two, false, { day })).toThrow(/max-total-per-day/);
    });
    expect(journal.list().map(({ state, attempts }) => [state, attempts])).toEqual([
      ['sending', 1],
      ['planned', 0],
    ]);
    expect(journal.flaws()).toEqual([]);
  });

  test('a fault of the disk undoes all of it, whoever swallowed the error', () => {
    const folder = newFolder();
    const { database, failAt } = watched(folder);
    const { journal } = open(folder, 1, database);
    const work = () =>
      journal.inOneTransaction(() => {
        journal.plan(numbered(1), dead);
        failAt(/^UPDATE intents/, fail('STORAGE', { what: 'the journal', why: 'the disk is full', how: '' }));
        const [planned] = journal.list();
        if (planned !== undefined) expect(() => journal.begin(planned)).toThrow(/disk is full/);
      });
    expect(work).toThrow(/disk is full/);
    expect(journal.list()).toEqual([]);
    expect(journal.flaws()).toEqual([]);
  });
});

describe('the grouper', () => {
  test('what lanes ask for at the same moment is flushed once, and each learns of its own', async () => {
    const folder = newFolder();
    const { database, commits } = watched(folder);
    const { journal, clock } = open(folder, 1, database);
    const grouper = new GroupCommit(journal, clock, 16);
    const before = commits();
    const asked = Array.from({ length: 20 }, (_, at) =>
      grouper.change(() => journal.plan(numbered(at), dead).intent.clientOrderId),
    );
    const refused = grouper.change(() => journal.plan({ ...numbered(1), content: 'other' }, dead));
    await expect(refused).rejects.toThrow(/order-1/);
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, at) => `order-${at}`));
    expect(commits() - before).toBe(2);
  });

  test('a promise resolves only once others can read the change', async () => {
    const { journal, clock, folder } = open();
    await new GroupCommit(journal, clock).change(() => journal.plan(numbered(1), dead));
    expect(open(folder, 2).journal.list()).toHaveLength(1);
  });

  test('after a fault of the disk nothing is written any more', async () => {
    const folder = newFolder();
    const { database } = watched(folder);
    const { journal, clock } = open(folder, 1, database);
    const grouper = new GroupCommit(journal, clock);
    const disk = fail('STORAGE', { what: 'the journal', why: 'the disk reports an error', how: '' });
    const broken = vi.spyOn(database, 'transaction').mockImplementation(() => {
      throw disk;
    });
    await expect(grouper.change(() => journal.plan(numbered(1), dead))).rejects.toBe(disk);
    broken.mockRestore();
    await expect(grouper.change(() => journal.plan(numbered(2), dead))).rejects.toBe(disk);
    expect(journal.list()).toEqual([]);
  });
});

test('what was spent is the same however often it is asked, and whatever was undone in between', () => {
  const wish = fc.record({
    order: fc.integer({ min: 1, max: 6 }),
    to: fc.constantFrom<State>('not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'),
    isUndone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 25 }), (wishes) => {
      const folder = newFolder();
      const { journal } = open(folder);
      for (const { order, to, isUndone } of wishes) {
        const step = () => {
          const planned = journal.plan(numbered(order), dead);
          const begun = planned.do === 'send' ? journal.begin(planned.intent) : planned.intent;
          journal.spentSince(sale.profile, 0, 'USD');
          journal.recordResult(begun.id, to, { reason: '' });
          if (isUndone) throw new Error('undone');
        };
        if (isUndone) expect(() => journal.inOneTransaction(step)).toThrow('undone');
        else step();
      }
      const spent = journal
        .list()
        .filter(({ state }) => ['sending', 'unknown', 'accepted', 'done', 'conflict'].includes(state));
      const byHand = spent.reduce((sum, intent) => sum + BigInt(intent.sum?.minor ?? 0), 0n);
      expect(journal.spentSince(sale.profile, 0, 'USD')).toBe(byHand);
      expect(open(folder, 2).journal.spentSince(sale.profile, 0, 'USD')).toBe(byHand);
    }),
    { numRuns: 40 },
  );
});

describe('a lock', () => {
  test('is held once, and by nobody after its end', () => {
    const path = `${newFolder()}/plan.lock`;
    const lock = sqlite.lock(path);
    expect(lock).toBeDefined();
    expect(sqlite.lock(path)).toBeUndefined();
    lock?.release();
    expect(sqlite.lock(path)).toBeDefined();
  });
});

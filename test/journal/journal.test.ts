import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type State, states } from '../../src/journal/index.js';
import { sqlite } from '../../src/runtime/database.js';
import { capture, dead, newFolder, open, sale } from './support.js';

afterEach(() => vi.restoreAllMocks());

const all = Object.keys(states) as State[];
// By hand from the state table: where each state may lead. Sending is reached by begin alone.
const legal: Readonly<Record<State, readonly State[]>> = {
  planned: ['sending', 'cancelled'],
  // What is said of one that never left, or was refused, contradicts that.
  not_sent: ['sending', 'accepted', 'done', 'cancelled'],
  cancelled: ['accepted', 'done'],
  refused: ['sending', 'accepted', 'done'],
  sending: ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'],
  unknown: ['accepted', 'done', 'declined'],
  accepted: ['done', 'declined'],
  done: [],
  declined: ['done'],
  conflict: [],
};
/** Outcomes that evidence contradicts. */
const over: readonly State[] = ['not_sent', 'cancelled', 'refused', 'declined'];

describe('moves', () => {
  test.each(all.flatMap((from) => all.map((to) => [from, to] as const)))('%s → %s', (from, to) => {
    const { journal } = open();
    let intent = journal.plan(sale, dead).intent;
    expect(intent).toEqual(journal.get(intent.id));
    if (from !== 'planned' && from !== 'cancelled') intent = journal.begin(intent);
    if (from === 'conflict') journal.recordResult(intent.id, 'declined', { reason: '' });
    const reached = from === 'conflict' ? 'done' : from;
    if (from !== 'planned' && from !== 'sending') intent = journal.recordResult(intent.id, reached, { reason: '' });
    expect(intent.state).toBe(from);
    expect(intent).toEqual(journal.get(intent.id));
    if (to === 'sending') {
      const begin = () => journal.begin(intent);
      if (legal[from].includes('sending')) expect(begin().state).toBe('sending');
      else expect(begin).toThrow(/another paycli/);
    } else {
      // Taking back what never left contradicts nothing.
      const isAgainst = over.includes(from) && to !== 'cancelled';
      const next = !legal[from].includes(to) ? from : isAgainst ? 'conflict' : to;
      expect(journal.recordResult(intent.id, to, { reason: '' }).state).toBe(next);
    }
    expect(journal.flaws()).toEqual([]);
  });

  test('a resend alone leads out of unknown into sending', () => {
    const { journal } = open();
    const sent = journal.begin(journal.plan(sale, dead).intent);
    const lost = journal.recordResult(sent.id, 'unknown', { reason: 'lost' });
    expect(journal.begin(lost, true)).toMatchObject({ state: 'sending', attempts: 2, mayHaveArrived: true });
  });

  test('a resend that two processes were allowed is made by one, also once its outcome is unknown again', () => {
    const { folder, journal } = open();
    const first = journal.begin(journal.plan(sale, dead).intent);
    const lost = journal.recordResult(first.id, 'unknown', { reason: 'lost' });
    const other = open(folder, 2).journal;
    other.recordResult(other.begin(lost, true).id, 'unknown', { reason: 'lost again' });
    expect(() => journal.begin(lost, true)).toThrow(expect.objectContaining({ code: 'INTENT_BUSY' }));
    expect(journal.get(first.id)).toMatchObject({ state: 'unknown', attempts: 2 });
  });

  test('the result of an attempt that came late says nothing of a later attempt', () => {
    const { folder, journal } = open();
    const first = journal.begin(journal.plan(sale, dead).intent);
    const other = open(folder, 2).journal;
    other.begin(other.recordResult(first.id, 'unknown', { reason: 'lost' }, first.attempts), true);
    for (const late of ['not_sent', 'refused', 'done'] as const)
      expect(journal.recordResult(first.id, late, { reason: 'late' }, first.attempts).state).toBe('sending');
    expect(journal.linesAbout(first.id).at(-1)).toMatchObject({ from: 'sending', to: 'sending' });
    expect(journal.flaws()).toEqual([]);
  });

  test('an attempt proven to have had no effect leaves no trace of a payment', () => {
    const { journal } = open();
    const sent = journal.begin(journal.plan(sale, dead).intent);
    expect(journal.recordResult(sent.id, 'not_sent', { reason: 'refused' }).mayHaveArrived).toBe(false);
  });

  test('a change gives what it wrote down', () => {
    const { journal } = open();
    const sent = journal.begin(journal.plan(sale, dead).intent);
    const taken = journal.recordResult(sent.id, 'accepted', {
      reason: 'taken',
      orderId: '7',
      outcome: { status: 'processing', type: 'x' },
    });
    expect(taken).toEqual(journal.get(sent.id));
    const done = journal.recordResult(sent.id, 'done', { reason: '', orderId: '8', outcome: { status: 'approved' } });
    expect(done).toMatchObject({ orderId: '7', outcome: { status: 'approved', type: 'x' }, mayHaveArrived: true });
    expect(done).toEqual(journal.get(sent.id));
  });

  test('of two processes with the same intent, one begins', () => {
    const { journal, folder } = open();
    const other = open(folder, 2).journal;
    const one = journal.plan(sale, dead).intent;
    const two = other.plan(sale, dead).intent;
    expect(two.id).toBe(one.id);
    expect(journal.begin(one).sender.pid).toBe(1);
    expect(() => other.begin(two)).toThrow(/another paycli \(process 1\)/);
    expect(journal.get(one.id)?.attempts).toBe(1);
  });
});

describe('on the disk', () => {
  test('begin returns only after its row can be read by others', () => {
    const { journal, path } = open();
    journal.begin(journal.plan(sale, dead).intent);
    const other = new DatabaseSync(path, { readOnly: true });
    expect(
      other
        .prepare('SELECT state FROM intents')
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([{ state: 'sending' }]);
    other.close();
  });

  test('nobody else may read it', () => {
    const { path, checkpointPath, journal } = open();
    journal.plan(sale, dead);
    expect([path, checkpointPath].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  test('a flush that fails is an error, and nothing is begun', () => {
    const { database, journal } = open();
    const { intent } = journal.plan(sale, dead);
    const broken = vi.spyOn(database, 'transaction').mockImplementation(() => {
      throw Object.assign(new Error('disk I/O error'), { code: 'STORAGE' });
    });
    expect(() => journal.begin(intent)).toThrow();
    broken.mockRestore();
    expect(journal.get(intent.id)?.state).toBe('planned');
  });
});

/** The links once more, by hand. */
function chainByHand(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  let hash = '';
  for (const row of database.prepare('SELECT * FROM moves ORDER BY id').all() as Record<string, unknown>[]) {
    const line = [
      row['id'],
      row['intent_id'],
      row['from_state'],
      row['to_state'],
      row['at'],
      row['reason'],
      row['facts'],
    ];
    hash = createHash('sha256')
      .update(`${hash}\n${JSON.stringify(line)}`)
      .digest('hex');
    expect(row['hash']).toBe(hash);
  }
  database.close();
  return hash;
}

describe('the chain', () => {
  const filled = () => {
    const opened = open();
    const { journal } = opened;
    const sent = journal.begin(journal.plan(sale, dead).intent);
    journal.recordResult(sent.id, 'accepted', {
      reason: 'HTTP 200',
      orderId: '900',
      outcome: { status: 'processing' },
    });
    journal.begin(journal.plan(capture, dead).intent);
    return opened;
  };

  test('links every line to the one before, and its end is noted a second time', () => {
    const { path, checkpointPath, journal } = filled();
    expect(journal.flaws()).toEqual([]);
    expect(JSON.parse(readFileSync(checkpointPath, 'utf8'))).toEqual({ count: 5, hash: chainByHand(path) });
  });

  const tamper = (path: string, sql: string) => {
    const database = new DatabaseSync(path);
    database.exec('DROP TRIGGER moves_stay; DROP TRIGGER moves_last;');
    database.exec(sql);
    database.close();
  };

  test.each([
    ['a changed line', "UPDATE moves SET reason = 'HTTP 500' WHERE id = 3", /line 3/],
    [
      'a line changed together with its hash',
      `UPDATE moves SET reason = 'x', hash = '${'0'.repeat(64)}' WHERE id = 3`,
      /line 3/,
    ],
    ['a removed line', 'DELETE FROM moves WHERE id = 3', /line 3 is missing/],
    ['cut-off lines', 'DELETE FROM moves WHERE id > 3', /last 2 lines are missing/],
    ['everything cut off', 'DELETE FROM moves; DELETE FROM intents', /last 5 lines are missing/],
  ])('finds %s', (_, sql, words) => {
    const { path, journal } = filled();
    tamper(path, sql);
    expect(
      journal
        .flaws()
        .map(({ what }) => what)
        .join('; '),
    ).toMatch(words);
  });

  test('lines are neither changed nor removed through SQL by mistake', () => {
    const { database } = filled();
    expect(() => database.exec("UPDATE moves SET reason = 'x'")).toThrow(/never changed/);
    expect(() => database.exec('DELETE FROM moves')).toThrow(/never removed/);
  });

  test('an older copy of the journal is not opened, and can be taken as whole with a reason', () => {
    const { folder, path, journal } = filled();
    journal.close();
    copyFileSync(path, `${path}.old`);
    const later = open(folder).journal;
    later.note(1, 'later', {});
    later.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    copyFileSync(`${path}.old`, path);
    expect(() => open(folder)).toThrow(/last line is missing/);
  });

  test('a note that is missing, empty or of another journal is found', () => {
    for (const text of [undefined, '', '{"count":5,"hash":"00"}']) {
      const { folder, journal, checkpointPath } = filled();
      journal.close();
      if (text === undefined) rmSync(checkpointPath);
      else writeFileSync(checkpointPath, text);
      expect(() => open(folder), text).toThrow(/journal/);
    }
  });

  test('a note that lags behind is that of a process killed between two writes', () => {
    const { folder, journal, checkpointPath } = open();
    const { intent } = journal.plan(sale, dead);
    const early = readFileSync(checkpointPath, 'utf8');
    journal.begin(intent);
    journal.close();
    writeFileSync(checkpointPath, early);
    expect(open(folder).journal.get(intent.id)?.state).toBe('sending');
  });

  test('a damaged page is found before anything is planned', () => {
    const { folder, journal, path } = filled();
    journal.close();
    const bytes = readFileSync(path);
    // The second page; the first one holds the schema.
    bytes.fill(0xa5, 4096, 8192);
    writeFileSync(path, bytes);
    expect(() => open(folder)).toThrow(/damaged|cannot be read/);
  });
});

test('the content hash is keyed by the installation', () => {
  const one = open();
  const database = sqlite.open(`${newFolder()}/journal.db`);
  const two = open(newFolder(), 1, database);
  database.run("UPDATE meta SET value = 'other' WHERE name = 'content-key'");
  expect(one.journal.hash(['4444333322221111'])).not.toBe(two.journal.hash(['4444333322221111']));
  expect(one.journal.hash(['a', 'bc'])).not.toBe(one.journal.hash(['ab', 'c']));
});

test('the list is filtered by time, state, operation, amount and order', () => {
  const { journal } = open();
  const first = journal.begin(journal.plan(sale, dead).intent);
  journal.recordResult(first.id, 'done', { reason: '', orderId: '900' });
  const second = journal.plan(
    { ...sale, clientOrderId: 'order-2', content: 'c', sum: { minor: '9007199254740993', currency: 'USD' } },
    dead,
  ).intent;
  const third = journal.plan(capture, dead).intent;
  const ids = (...filter: Parameters<typeof journal.list>) => journal.list(...filter).map(({ id }) => id);
  expect(ids()).toEqual([first.id, second.id, third.id]);
  expect(ids({ states: ['planned'] })).toEqual([second.id, third.id]);
  expect(ids({ operation: 'CAPTURE' })).toEqual([third.id]);
  expect(ids({ order: '900' })).toEqual([first.id, third.id]);
  expect(ids({ from: second.madeAt, until: third.madeAt })).toEqual([second.id]);
  expect(ids({ sum: { currency: 'USD', min: 9007199254740993n } })).toEqual([second.id]);
  expect(ids({ sum: { currency: 'USD', max: 9007199254740992n } })).toEqual([first.id, third.id]);
  expect(ids({ sum: { currency: 'EUR' } })).toEqual([]);
});

test('what was spent leaves out what had no effect', () => {
  const { journal } = open();
  const spend = (id: string, state: State) => {
    const sent = journal.begin(journal.plan({ ...sale, clientOrderId: id, content: id }, dead).intent);
    journal.recordResult(sent.id, state, { reason: '' });
  };
  for (const state of ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'] as const) spend(state, state);
  expect(journal.spentSince('shop-test', 0, 'USD')).toBe(3n * 1042n);
  expect(journal.spentSince('shop-test', 0, 'EUR')).toBe(0n);
  expect(journal.spentSince('other', 0, 'USD')).toBe(0n);
});

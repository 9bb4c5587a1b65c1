import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import type { Journal, NewIntent, State } from '../../src/journal/index.js';
import { capture, dead, newFolder, open, sale } from '../journal/support.js';

const day = Date.UTC(2030, 0, 7);

const order = (id: string, more: Partial<NewIntent> = {}): NewIntent => ({
  ...sale,
  clientOrderId: id,
  content: `content-${id}`,
  ...more,
});
const ends: readonly State[] = ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined', 'conflict'];

/** Entries in every state, with follow-ups, corrections, notes, a resend and a lease. */
function fill(journal: Journal): void {
  const sent = (wanted: NewIntent) => journal.begin(journal.plan(wanted, dead).intent);
  journal.plan(order('planned'), dead);
  sent(order('sending'));
  for (const end of ends) {
    const { id } = sent(order(end));
    const first = end === 'conflict' ? 'declined' : end;
    journal.recordResult(id, first, {
      reason: `it is ${first}`,
      orderId: `9-${end}`,
      outcome: { status: end, type: 'x' },
    });
    if (end === 'conflict') journal.recordResult(id, 'done', { reason: 'paid all the same' });
    journal.note(id, 'a remark', { why: 'nothing' });
  }
  const refused = sent(order('corrected'));
  journal.recordResult(refused.id, 'refused', { reason: 'no' });
  journal.plan(order('corrected', { content: 'other', sum: { minor: '7', currency: 'USD' } }), dead);
  const lost = sent(order('again'));
  journal.begin(journal.recordResult(lost.id, 'unknown', { reason: 'lost' }), true);
  const taken = sent({ ...capture, clientOrderId: 'done', orderId: '9-done' });
  journal.recordResult(taken.id, 'done', { reason: 'taken', outcome: { status: 'approved' } });
  journal.plan({ ...capture, clientOrderId: 'accepted', orderId: '9-accepted' }, dead);
  sent({
    ...sale,
    kind: 'other',
    operation: '/paynet/x',
    orderId: undefined,
    clientOrderId: undefined,
    content: 'by hand',
  });
  const terms = {
    profile: 'shop-test',
    login: 'shop',
    base: sale.base,
    user: 'jane',
    operations: ['SALE'],
    max: { minor: '99', currency: 'USD' },
  };
  journal.unlock(terms, 60_000);
}

const wanted: readonly NewIntent[] = [
  ...['planned', 'sending', 'corrected', 'again', 'new', ...ends].map((id) => order(id)),
  order('corrected', { content: 'other', sum: { minor: '7', currency: 'USD' } }),
  { ...capture, clientOrderId: 'done', orderId: '9-done' },
  { ...capture, clientOrderId: 'accepted', orderId: '9-accepted' },
  { ...sale, kind: 'other', operation: '/paynet/x', orderId: undefined, clientOrderId: undefined, content: 'by hand' },
];

const attempt = <T>(work: () => T): T | string => {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
};

/** All that the journal decides and tells: a change of the file that leaves this as it is does no harm. */
function said(journal: Journal): unknown {
  const decided = wanted.flatMap((each) => {
    const options = { again: false, isGenerated: false, isAlive: ({ pid }: { readonly pid: number }) => pid === 1 };
    return [
      attempt(() => decisionOf(journal, each, options)),
      attempt(() => decisionOf(journal, each, { ...options, isGenerated: true })),
    ];
  });
  const begun = attempt(() => journal.list().map(({ id }) => attempt(() => journal.stateOf(id))));
  const caps = ['USD', 'EUR'].map((currency) => attempt(() => String(journal.spentSince('shop-test', day, currency))));
  // Who planned what was never sent decides nothing, and stands in no line.
  const listed = attempt(() =>
    journal.list().map(({ sender, changedAt, ...rest }) => ({ ...rest, ...(rest.attempts === 0 ? {} : { sender }) })),
  );
  const leases = attempt(() => journal.leases());
  return JSON.stringify([journal.hash(['a request']), decided, begun, caps, listed, leases]);
}

function decisionOf(journal: Journal, each: NewIntent, options: Parameters<Journal['preview']>[1]): string {
  const { do: what, intent } = journal.preview(each, options);
  return `${what} ${intent.id} ${intent.state}`;
}

/** The same numbers in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Value = string | number | null;

/** Another value for a field: one of another row, a small difference, nothing, or something odd. */
function changed(value: Value, others: readonly Value[], random: (below: number) => number): Value {
  const odd: readonly Value[] = ['', '0', 'done', 'planned', 'sending', '{}', '[]', 'x', 0, 1, 2, -1, null];
  const near: Value = typeof value === 'number' ? value + random(20_000) - 10_000 : `${value ?? ''}`.slice(0, -1);
  const choices = [others[random(others.length)] ?? null, near, odd[random(odd.length)] ?? null];
  return choices[random(choices.length)] ?? null;
}

const tables = ['intents', 'intents', 'intents', 'moves', 'moves', 'day_totals', 'meta'];

// 1,000 in a long run.
const changes = Number(process.env['TAMPERINGS'] ?? 20);

describe('a journal whose file was changed', () => {
  test(`of ${changes} random changes of a field each is found, or does no harm`, { timeout: 300_000 }, () => {
    const folder = newFolder();
    const first = open(folder);
    fill(first.journal);
    expect(first.journal.flaws()).toEqual([]);
    const whole = said(first.journal);
    first.journal.close();
    const random = randomFrom(18);
    const counts = { found: 0, harmless: 0, impossible: 0 };
    const harmful: string[] = [];
    while (counts.found + counts.harmless + harmful.length < changes) {
      const copy = newFolder();
      for (const name of ['journal.db', 'journal.db.tail.json']) copyFileSync(join(folder, name), join(copy, name));
      const what = changeOne(join(copy, 'journal.db'), random);
      if (what === undefined) {
        counts.impossible += 1;
        continue;
      }
      const isFound = attempt(() => {
        const { journal } = open(copy);
        const flaws = journal.flaws();
        const same = flaws.length > 0 || said(journal) === whole;
        journal.close();
        return flaws.length > 0 ? 'found' : same ? 'harmless' : 'harmful';
      });
      rmSync(copy, { recursive: true });
      // Refused when it is opened, with the error of a damaged journal.
      if (isFound === 'found' || isFound.includes('could not be used')) counts.found += 1;
      else if (isFound === 'harmless') counts.harmless += 1;
      else harmful.push(`${what}: ${isFound}`);
    }
    expect(harmful).toEqual([]);
    expect(counts.found).toBeGreaterThan(0.8 * changes);
  });
});

/** Changes one field of one row; undefined where the table does not take the value, or has it already. */
function changeOne(path: string, random: (below: number) => number): string | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec('DROP TRIGGER moves_stay; DROP TRIGGER moves_last');
    const table = tables[random(tables.length)] ?? 'intents';
    const rows = database.prepare(`SELECT * FROM ${table}`).all() as Record<string, Value>[];
    const at = random(rows.length);
    const row = rows[at] ?? {};
    const names = Object.keys(row);
    const name = names[random(names.length)] ?? '';
    const value = changed(
      row[name] ?? null,
      rows.map((each) => each[name] ?? null),
      random,
    );
    if (value === row[name]) return undefined;
    const where = names.map((each) => `${each} IS ?`).join(' AND ');
    try {
      database
        .prepare(`UPDATE ${table} SET ${name} = ? WHERE ${where}`)
        .run(value, ...names.map((each) => row[each] ?? null));
    } catch {
      return undefined;
    }
    const after = database.prepare(`SELECT * FROM ${table}`).all();
    if (JSON.stringify(after) === JSON.stringify(rows)) return undefined;
    return `${table} row ${at + 1}, ${name}: ${JSON.stringify(row[name])} became ${JSON.stringify(value)}`;
  } finally {
    database.close();
  }
}

describe('what may be sent goes by the lines', () => {
  const tamper = (path: string, sql: string) => {
    const database = new DatabaseSync(path);
    database.exec('DROP TRIGGER moves_stay; DROP TRIGGER moves_last;');
    database.exec(sql);
    database.close();
  };

  test.each(['planned', 'not_sent', 'refused'])(
    'a sale whose column was turned to %s is not planned or begun again',
    (state) => {
      const { journal, path } = open();
      const { id } = journal.begin(journal.plan(sale, dead).intent);
      const known = journal.recordResult(id, 'done', { reason: 'paid' });
      tamper(path, `UPDATE intents SET state = '${state}'`);
      expect(journal.plan(sale, dead)).toMatchObject({ do: 'show', intent: { id, state: 'done' } });
      expect(() => journal.begin({ ...known, state: state as State })).toThrow(/another paycli/);
      expect(journal.flaws().map(({ what }) => what)).toContain(
        `the state of entry ${id} does not match its last line`,
      );
    },
  );

  test('a follow-up in doubt stands in the way of the next one, whatever its column says', () => {
    const { journal, path } = open();
    journal.begin(journal.plan(capture, dead).intent);
    tamper(path, "UPDATE intents SET state = 'declined'");
    const next = { ...capture, operation: 'RETURN', content: 'content-r' };
    expect(() => journal.plan(next, dead)).toThrow(/order 900/);
  });

  test.each([
    ['from a state it was not in', 'unknown', 'done'],
    ['to where it cannot lead', 'done', 'planned'],
    ['back to sending', 'done', 'sending'],
  ])('a line added by hand, with its link, %s', async (_, from, to) => {
    const { createHash } = await import('node:crypto');
    const { journal, path } = open();
    const { id } = journal.begin(journal.plan(sale, dead).intent);
    journal.recordResult(id, 'done', { reason: 'paid' });
    const { count, hash } = journal.head();
    const made = [count + 1, id, from, to, Date.UTC(2030, 0, 7, 13), '', '{}'];
    const link = createHash('sha256')
      .update(`${hash}\n${JSON.stringify(made)}`)
      .digest('hex');
    const database = new DatabaseSync(path);
    database.prepare('INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(...made, link);
    database.exec(`UPDATE intents SET state = '${to}'`);
    database.close();
    expect(journal.flaws().map(({ what }) => what)).toContain(`the lines of entry ${id} are not a valid sequence`);
  });
});

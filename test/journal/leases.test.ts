import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { Intent, Journal, Lease, State } from '../../src/journal/index.js';
import { capture, dead, newFolder, type Opened, open, sale } from './support.js';

const minute = 60_000;
const hour = 60 * minute;
const terms = {
  profile: 'shop-test',
  login: 'shop',
  base: sale.base,
  user: 'pat',
  operations: ['RETURN', 'VOID'],
  max: { minor: '50000', currency: 'EUR' },
};
const eur = (minor: string) => ({ minor, currency: 'EUR' });

let made = 0;
function planned(journal: Journal): Intent {
  made += 1;
  const order = { orderId: `${made}`, clientOrderId: `order-${made}`, content: `content-${made}` };
  return journal.plan({ ...capture, ...order, operation: 'RETURN', sum: undefined }, dead).intent;
}

function use(journal: Journal, lease: Lease, minor: string, ends?: State): Intent {
  const sent = journal.begin(planned(journal), false, { lease: lease.id, counts: eur(minor) });
  return ends === undefined ? sent : journal.recordResult(sent.id, ends, { reason: '' });
}

const only = (journal: Journal): Lease | undefined => journal.leases()[0];

test('a lease stands as it was given, and outlives the process that gave it', () => {
  const { journal, folder, clock } = open();
  const lease = journal.unlock(terms, 15 * minute);
  expect(lease).toMatchObject({ ...terms, host: 'here', left: terms.max, uses: 0, ended: undefined });
  const until = lease.until - clock.time;
  expect([until > 14 * minute, until <= 15 * minute]).toEqual([true, true]);
  expect(open(folder, 2).journal.leases()).toEqual([lease]);
});

test('uses add up to its sum, and the first one too many does not begin', () => {
  const { journal } = open();
  const lease = journal.unlock(terms, 15 * minute);
  use(journal, lease, '30000');
  use(journal, lease, '20000');
  expect(only(journal)).toMatchObject({ uses: 2, left: eur('0') });
  const third = planned(journal);
  expect(() => journal.begin(third, false, { lease: lease.id, counts: eur('1') })).toThrow(/which leaves 0\.00 EUR/);
  expect(journal.get(third.id)).toMatchObject({ state: 'planned', attempts: 0 });
  expect(journal.flaws()).toEqual([]);
});

test.each<[State, string]>([
  ['not_sent', '50000'],
  ['refused', '50000'],
  ['declined', '50000'],
  ['unknown', '20000'],
  ['accepted', '20000'],
  ['done', '20000'],
])('a use that ended as %s leaves %s', (state, left) => {
  const { journal } = open();
  const lease = journal.unlock(terms, 15 * minute);
  use(journal, lease, '30000', state);
  expect(only(journal)).toMatchObject({ uses: 1, left: eur(left) });
});

test('an attempt repeated after a failure counts its sum once', () => {
  const { journal } = open();
  const lease = journal.unlock(terms, 15 * minute);
  const failed = use(journal, lease, '30000', 'not_sent');
  journal.begin(failed, false, { lease: lease.id, counts: eur('30000') });
  expect(only(journal)).toMatchObject({ uses: 2, left: eur('20000') });
});

test('another currency finds no room; a request that moves nothing always does', () => {
  const { journal } = open();
  const lease = journal.unlock(terms, 15 * minute);
  expect(() =>
    journal.begin(planned(journal), false, { lease: lease.id, counts: { minor: '1', currency: 'USD' } }),
  ).toThrow();
  journal.begin(planned(journal), false, { lease: lease.id });
  expect(only(journal)).toMatchObject({ uses: 1, left: eur('50000') });
});

test('of two processes, the second one to begin finds the room taken', () => {
  const first = open();
  const second = open(first.folder, 2);
  const lease = first.journal.unlock(terms, 15 * minute);
  const mine = planned(second.journal);
  expect(second.journal.leases()[0]?.left).toEqual(eur('50000'));
  use(first.journal, lease, '30000');
  expect(() => second.journal.begin(mine, false, { lease: lease.id, counts: eur('30000') })).toThrow(
    /which leaves 200\.00 EUR/,
  );
});

test('it ends by the clock, to the millisecond, and after eight hours at the latest', () => {
  const { journal, clock } = open();
  const lease = journal.unlock(terms, 15 * minute);
  clock.time = lease.until - 2;
  expect(only(journal)?.ended).toBeUndefined();
  expect(only(journal)?.ended).toBe('expired');
  expect(() => use(journal, lease, '1')).toThrow(/ended before the request was sent/);
  const long = journal.unlock(terms, 100 * hour);
  expect(long.until - long.from).toBeLessThanOrEqual(8 * hour);
  clock.time = long.until + hour;
  expect(journal.leases()).toEqual([]);
});

test('a clock set back does not prolong it', () => {
  const { journal, clock } = open();
  const lease = journal.unlock(terms, 15 * minute);
  clock.time -= 10 * minute;
  expect(only(journal)?.ended).toBe('clock');
  expect(() => use(journal, lease, '1')).toThrow();
  expect(() => journal.unlock(terms, minute)).toThrow(/the journal has lines dated/);
  clock.time = lease.until + minute;
  journal.note(undefined, 'seen', {});
  clock.time = lease.from + minute;
  expect(only(journal)?.ended).toBe('expired');
});

test('a clock set right by a moment does it no harm', () => {
  const { journal, clock } = open();
  const lease = journal.unlock(terms, 15 * minute);
  clock.time -= 1000;
  expect(use(journal, lease, '1').state).toBe('sending');
});

test('lock ends all that stand at once, and says which', () => {
  const { journal, folder } = open();
  const [one, two] = [journal.unlock(terms, minute), journal.unlock({ ...terms, profile: 'other' }, hour)];
  expect(
    open(folder, 2)
      .journal.lock()
      .map(({ id }) => id),
  ).toEqual([one.id, two.id]);
  expect(journal.leases().map(({ ended }) => ended)).toEqual(['locked', 'locked']);
  expect(() => use(journal, one, '1')).toThrow(/ended before/);
  expect(journal.lock()).toEqual([]);
});

test('two leases are counted apart', () => {
  const { journal } = open();
  const [one, two] = [journal.unlock(terms, hour), journal.unlock(terms, hour)];
  use(journal, one, '10000');
  use(journal, two, '20000');
  use(journal, two, '5000');
  expect(journal.leases().map(({ left, uses }) => [left.minor, uses])).toEqual([
    ['40000', 1],
    ['25000', 2],
  ]);
});

test('every step is a line of the chain', () => {
  const { journal } = open();
  const lease = journal.unlock(terms, hour);
  const { id: entry } = use(journal, lease, '10000');
  journal.lock();
  const lines = journal.linesAbout(undefined).map(({ reason, facts }) => [reason, JSON.parse(facts)]);
  expect(lines).toMatchObject([
    ['live unlocked', { ...terms, until: lease.until, host: 'here', pid: 1 }],
    ['lease used', { lease: lease.id, entry, counts: eur('10000') }],
    ['live locked', { leases: [lease.id] }],
  ]);
  expect(journal.flaws()).toEqual([]);
});

const changes: readonly (readonly [what: string, sql: string])[] = [
  ['made larger', `UPDATE moves SET facts = replace(facts, '50000', '90000') WHERE reason = 'live unlocked'`],
  ['made longer', `UPDATE moves SET facts = replace(facts, '"until":1', '"until":9') WHERE reason = 'live unlocked'`],
  ['with its use taken away', `DELETE FROM moves WHERE reason = 'lease used'`],
  ['with its use made smaller', `UPDATE moves SET facts = replace(facts, '30000', '1') WHERE reason = 'lease used'`],
  ['with its end taken away', `UPDATE moves SET reason = '' WHERE reason = 'live locked'`],
];

test.each(changes)('a lease %s by hand counts no more', (_, sql) => {
  const { journal, path } = open();
  use(journal, journal.unlock(terms, hour), '30000', 'not_sent');
  journal.lock();
  journal.unlock(terms, hour);
  const other = new DatabaseSync(path);
  other.exec('DROP TRIGGER moves_stay; DROP TRIGGER moves_last;');
  expect(Number(other.prepare(sql).run().changes)).toBeGreaterThan(0);
  other.close();
  expect(() => journal.leases()).toThrow(/journal could not be used/);
});

test('what was changed long before the lease is left to `journal verify`', () => {
  const { journal, path } = open();
  journal.plan(sale, dead);
  journal.unlock(terms, hour);
  const other = new DatabaseSync(path);
  other.exec("DROP TRIGGER moves_stay; UPDATE moves SET reason = 'x' WHERE id = 1");
  other.close();
  expect(journal.leases()).toHaveLength(1);
  expect(journal.flaws()).not.toEqual([]);
});

const spend = ({ journal }: Opened, minor: string, max: string) =>
  journal.begin(planned(journal), false, { counts: eur(minor), day: { profile: 'shop-test', max: eur(max) } });

test('the cap of a day is held against what has begun, to the last minor unit', () => {
  const one = open();
  spend(one, '60000', '100000');
  expect(() => spend(one, '40001', '100000')).toThrow(
    /600\.00 EUR of it has been sent since 00:00 UTC, and this request is for 400\.01 EUR/,
  );
  spend(one, '40000', '100000');
  expect(() => spend(one, '1', '100000')).toThrow(/a cap of profile shop-test/);
});

test('of two processes that both looked before, one slips under the cap', () => {
  const one = open();
  const two = open(one.folder, 2);
  const day = { profile: 'shop-test', max: eur('100000') };
  for (const { journal } of [one, two]) journal.checkDay(day, eur('60000'));
  const waiting = planned(two.journal);
  spend(one, '60000', '100000');
  expect(() => two.journal.begin(waiting, false, { counts: eur('60000'), day })).toThrow(/a cap of profile/);
  expect(two.journal.get(waiting.id)?.state).toBe('planned');
});

test('the day begins at 00:00 UTC, and counts what was sent in it, whenever that was settled', () => {
  const one = open();
  one.clock.time = Date.UTC(2030, 0, 7, 23, 59, 59, 900);
  const late = spend(one, '100000', '100000');
  expect(() => spend(one, '1', '100000')).toThrow(
    expect.objectContaining({ next: expect.stringContaining('2030-01-08T00:00:00.000Z') }),
  );
  one.clock.time = Date.UTC(2030, 0, 8) - 1;
  spend(one, '100000', '100000');
  one.journal.recordResult(late.id, 'done', { reason: 'learned today' });
  expect(() => spend(one, '1', '100000')).toThrow();
});

test('an intent that is sent again counts once, and not against itself', () => {
  const one = open(newFolder());
  const sent = spend(one, '60000', '100000');
  const lost = one.journal.recordResult(sent.id, 'unknown', { reason: 'lost' });
  one.journal.begin(lost, true, { counts: eur('60000'), day: { profile: 'shop-test', max: eur('100000') } });
  expect(one.journal.spentSince('shop-test', 0, 'EUR')).toBe(60000n);
});

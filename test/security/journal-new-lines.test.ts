import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

async function homeWithSale(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, [reply(200, taken)])).exit).toBe(0);
  return home;
}

function change(home: string, work: (database: InstanceType<typeof DatabaseSync>) => void): void {
  const database = new DatabaseSync(join(home, 'state', 'journal.db'));
  work(database);
  database.close();
}

/** Adds a line that says the payment never left, with its link or without. */
function forge(database: InstanceType<typeof DatabaseSync>, from: string, isLinked: boolean): void {
  const { id, hash } = database.prepare('SELECT id, hash FROM moves ORDER BY id DESC LIMIT 1').get();
  const made = [Number(id) + 1, 1, from, 'not_sent', Date.UTC(2030, 0, 7, 13), 'x', '{}'];
  const link = createHash('sha256')
    .update(`${hash}\n${JSON.stringify(made)}`)
    .digest('hex');
  database.prepare('INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(...made, isLinked ? link : 'abc');
  database.exec("UPDATE intents SET state = 'not_sent' WHERE id = 1");
}

test.each([
  ['without its link', (database) => forge(database, 'accepted', false)],
  ['with its link, to where its state cannot lead', (database) => forge(database, 'accepted', true)],
  ['with its link, from a state it is not in', (database) => forge(database, 'sending', true)],
  [
    'in the place of the last one',
    (database) =>
      database.exec(
        "DROP TRIGGER moves_stay; UPDATE moves SET to_state = 'not_sent' WHERE id = (SELECT max(id) FROM moves)",
      ),
  ],
] satisfies readonly (readonly [string, (database: InstanceType<typeof DatabaseSync>) => void])[])(
  'a line written by hand %s: nothing is sent, exit 13, until a person has taken it on',
  async (_, spoil) => {
    const home = await homeWithSale();
    change(home, spoil);
    const again = await run(home, saleFlags);
    expect([again.exit, again.requests], again.err).toEqual([13, []]);
    expect(again.err).toContain('paycli journal verify');
    expect((await run(home, ['journal', 'verify'])).exit).toBe(11);
    expect((await run(home, ['journal', 'verify', '--accept', '--evidence', 'looked into'])).exit).toBe(0);
    expect((await run(home, ['journal', 'list'])).exit).toBe(0);
  },
);

const secondSale = [...saleFlags.map((word) => (word === '902B4FF5' ? 'other' : word)), '--again'];
const secondTaken = { ...taken, 'merchant-order-id': 'other', 'paynet-order-id': '12346' };

test.each([1, 2])(
  'entry %i of two was removed: nothing is sent, exit 13, until a person has taken it on',
  async (id) => {
    const home = await homeWithSale();
    expect((await run(home, secondSale, [reply(200, secondTaken)])).exit).toBe(0);
    change(home, (database) => database.exec(`DELETE FROM intents WHERE id = ${id}`));
    const again = await run(home, saleFlags);
    expect([again.exit, again.requests], again.err).toEqual([13, []]);
    expect(again.err).toContain('entry');
    expect((await run(home, ['journal', 'verify', '--accept', '--evidence', 'looked into'])).exit).toBe(0);
    expect((await run(home, ['journal', 'list'])).exit).toBe(0);
    change(home, (database) => database.exec('DELETE FROM intents'));
    expect((await run(home, secondSale)).exit).toBe(13);
  },
);

test('lines that are there and not yet noted are taken as they are', async () => {
  const home = await homeWithSale();
  const note =
    readdirSync(join(home, 'config')).find((name) => name.startsWith('journal-end-')) ?? expect.unreachable();
  const first = new DatabaseSync(join(home, 'state', 'journal.db'));
  const hash = first.prepare('SELECT hash FROM moves WHERE id = 1').get()['hash'];
  first.close();
  writeFileSync(join(home, 'config', note), JSON.stringify({ count: 1, hash }));
  const processing = reply(200, statusReply('processing', { 'transaction-type': 'sale' }));
  const again = await run(home, saleFlags, [processing]);
  expect([again.exit, again.requests.length], again.err).toEqual([0, 1]);
});

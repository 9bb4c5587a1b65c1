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

import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

const send = (home: string, replies: readonly Delivery[], argv = saleFlags) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const processing = reply(200, statusReply('processing', { 'transaction-type': 'sale' }));

async function homeWithSale(): Promise<string> {
  const home = homeWithProfile();
  expect((await send(home, [reply(200, taken)])).exit).toBe(0);
  return home;
}

test('a state folder replaced by a link to an empty one is no new journal', async () => {
  const home = await homeWithSale();
  renameSync(join(home, 'state'), join(home, 'old'));
  mkdirSync(join(home, 'empty'), { mode: 0o700 });
  symlinkSync(join(home, 'empty'), join(home, 'state'));
  for (let times = 0; times < 2; times += 1) {
    const again = await send(home, []);
    expect([again.exit, again.requests], again.err).toEqual([13, []]);
    expect(again.err).toContain('paycli journal --accept-restored');
  }
  // The old folder put back is the journal that it was.
  rmSync(join(home, 'state'));
  renameSync(join(home, 'old'), join(home, 'state'));
  expect((await send(home, [processing])).exit).toBe(0);
});

test('nor is one of whose path a folder above became such a link', async () => {
  const home = homeWithProfile();
  const at = (replies: readonly Delivery[]) =>
    paycli(saleFlags, {
      home,
      network: replies.map((one) => () => one),
      env: { PAYCLI_STATE_DIR: join(home, 'above', 'state') },
    });
  expect((await at([reply(200, taken)])).exit).toBe(0);
  renameSync(join(home, 'above'), join(home, 'old'));
  mkdirSync(join(home, 'empty'), { mode: 0o700 });
  symlinkSync(join(home, 'empty'), join(home, 'above'));
  const again = await at([]);
  expect([again.exit, again.requests], again.err).toEqual([13, []]);
});

test('a state folder that was moved, with a link in its place, goes on, and so does an empty one once it was adopted', async () => {
  const home = await homeWithSale();
  renameSync(join(home, 'state'), join(home, 'moved'));
  symlinkSync(join(home, 'moved'), join(home, 'state'));
  const again = await send(home, [processing]);
  expect([again.exit, again.requests.length], again.err).toEqual([0, 1]);
  rmSync(join(home, 'state'));
  mkdirSync(join(home, 'empty'), { mode: 0o700 });
  symlinkSync(join(home, 'empty'), join(home, 'state'));
  expect((await send(home, [])).exit).toBe(13);
  expect((await send(home, [], ['journal', '--accept-restored'])).exit).toBe(0);
  expect((await send(home, [reply(200, taken)])).exit).toBe(0);
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { homeWithProfile, saleFlags } from '../cli/profiles.js';
import { paycli } from '../support/runtime.js';

/** Whether the journal of a home has a request that is being sent. */
function isSending(home: string): boolean {
  const file = join(home, 'state', 'journal.db');
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare("SELECT 1 FROM intents WHERE state = 'sending'").get() !== undefined;
  } catch {
    // Before its tables are made.
    return false;
  } finally {
    database.close();
  }
}

test('a process that was frozen for a minute after it recorded a sale does not send it', async () => {
  const home = homeWithProfile();
  const frozen = await paycli([...saleFlags, '--json'], {
    home,
    outside: (usual) => {
      const late = (time: () => number) => () => time() + (isSending(home) ? 60_000 : 0);
      const { clock } = usual;
      const { now, monotonic } = { now: late(() => clock.now()), monotonic: late(() => clock.monotonic()) };
      return { ...usual, clock: { now, monotonic, sleep: (ms) => clock.sleep(ms) } };
    },
  });
  expect([frozen.exit, frozen.requests.filter(({ url }) => url.includes('/sale/'))]).toEqual([6, []]);
});

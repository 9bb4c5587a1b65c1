import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const sale = ['sale', '--amount', '5.00', '--currency', 'EUR', '--test-card', 'approved'];

test.each([0o1777, 0o722])(
  'a state folder of mode %o, where others could put another journal, is refused',
  async (mode) => {
    const home = temporaryHome();
    mkdirSync(join(home, 'state'), { mode: 0o700 });
    chmodSync(join(home, 'state'), mode);
    const ran = await paycli(sale, { home });
    expect([ran.exit, ran.requests]).toEqual([13, []]);
    expect(ran.err).toContain('in a folder that only you can change');
    expect(ran.err).toContain(`chmod go-w ${join(home, 'state')}`);
  },
);

test.each([0o640, 0o602])('a journal or sandbox of mode %o, that others may read or write is refused', async (mode) => {
  for (const file of ['sandbox-requests.db', 'sandbox/default.db']) {
    const home = temporaryHome();
    expect((await paycli(sale, { home })).exit).toBe(0);
    chmodSync(join(home, 'state', file), mode);
    const ran = await paycli(sale, { home });
    expect([ran.exit, ran.requests, ran.err]).toEqual([13, [], expect.stringContaining('chmod 600')]);
  }
});

test.runIf(process.getuid?.() === 0)(
  'a state folder of another user, who could put another journal there, is refused',
  async () => {
    const home = temporaryHome();
    mkdirSync(join(home, 'state'), { mode: 0o700 });
    chownSync(join(home, 'state'), 4242, 4242);
    const ran = await paycli(sale, { home });
    expect([ran.exit, ran.requests]).toEqual([13, []]);
    expect(ran.err).toContain('in a folder that only you can change');
  },
);

test.each(["UPDATE meta SET value = '99' WHERE name = 'format'", 'DROP TABLE meta'])(
  'a journal after %s is an error, no crash',
  async (sql) => {
    const home = temporaryHome();
    expect((await paycli(sale, { home })).exit).toBe(0);
    const database = sqlite.open(join(home, 'state/sandbox-requests.db'));
    database.exec(sql);
    database.close();
    const ran = await paycli(['journal'], { home });
    expect([ran.exit, ran.err]).toEqual([13, expect.stringContaining('another format')]);
  },
);

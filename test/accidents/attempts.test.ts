import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeWithProfile, saleFlags } from '../cli/profiles.js';
import { paycli } from '../support/runtime.js';

test('a process that was frozen for a minute after it recorded a sale does not send it', async () => {
  const home = homeWithProfile();
  const frozen = await paycli([...saleFlags, '--json'], {
    home,
    outside: (usual) => {
      // Written with the record of the first request.
      const mark = join(home, 'config', 'journal-marks.json');
      const late = (time: () => number) => () => time() + (existsSync(mark) ? 60_000 : 0);
      const { clock } = usual;
      const { now, monotonic } = { now: late(() => clock.now()), monotonic: late(() => clock.monotonic()) };
      return { ...usual, clock: { now, monotonic, sleep: (ms) => clock.sleep(ms) } };
    },
  });
  expect([frozen.exit, frozen.requests.filter(({ url }) => url.includes('/sale/'))]).toEqual([6, []]);
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

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

test('a sale that takes longer than 150 s is not taken for lost by another terminal', async () => {
  const home = homeWithProfile();
  const beats: (() => void)[] = [];
  let other: unknown;
  const sent = await paycli(saleFlags, {
    home,
    outside: (usual) => ({
      ...usual,
      processes: {
        ...usual.processes,
        every(ms, work) {
          expect(ms).toBeLessThanOrEqual(30_000);
          beats.push(work);
          return () => undefined;
        },
      },
      transport: async () => ({
        async post() {
          for (let times = 0; times < 6; times += 1) {
            await usual.clock.sleep(30_000);
            for (const beat of beats) beat();
          }
          const { out } = await paycli(['resolve', '--json'], { home });
          other = JSON.parse(out).entries[0].state;
          return reply(200, taken);
        },
        close: async () => undefined,
      }),
    }),
  });
  expect([sent.exit, other]).toEqual([0, 'sending']);
});

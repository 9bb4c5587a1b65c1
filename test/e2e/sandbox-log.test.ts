import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, Home, type Running, type Signal } from './home.js';

let home: Home;
let following: Running | undefined;

beforeEach(() => {
  home = new Home();
});

afterEach(async () => {
  following?.signal('SIGKILL');
  await following?.done;
  home.remove();
});

async function sale(id: string): Promise<void> {
  const flags = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved', '--client-order-id', id];
  const ran = await home.call(['sale', ...flags]);
  expect(ran.exit, ran.err).toBe(0);
}

test.each<Signal>(['SIGINT'])(
  'log --follow shows what is new until %s, and ends with 0',
  { timeout: 60_000 },
  async (signal) => {
    await sale('before');
    const log = await home.start(['sandbox', 'log', '--follow', '--json']);
    following = log;
    await eventually('the log shows what was there', () => (log.out().includes('"before"') ? true : undefined));
    await sale('after-1');
    await eventually('the log shows the first', () => (log.out().includes('"after-1"') ? true : undefined));
    await sale('after-2');
    await eventually('the log shows the second', () => (log.out().includes('"after-2"') ? true : undefined));
    log.signal(signal);
    const { exit, out, err } = await log.done;
    expect([exit, err]).toEqual([0, '']);
    const ids: number[] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  },
);

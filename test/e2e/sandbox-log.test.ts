import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, Home, type Running } from './home.js';

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

test('log --follow shows what is new until a signal, and ends with 0', { timeout: 60_000 }, async () => {
  await sale('before');
  const log = await home.start(['sandbox', 'log', '--follow', '--json']);
  following = log;
  await eventually('the log shows what was there', () => (log.out().includes('"before"') ? true : undefined));
  await sale('after-1');
  await eventually('the log shows the first', () => (log.out().includes('"after-1"') ? true : undefined));
  await sale('after-2');
  await eventually('the log shows the second', () => (log.out().includes('"after-2"') ? true : undefined));
  log.signal('SIGTERM');
  const { exit, out, err } = await log.done;
  expect([exit, err]).toEqual([0, '']);
  const ids: number[] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(ids.length).toBeGreaterThan(2);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

test('log --follow of one order shows no other', { timeout: 60_000 }, async () => {
  const log = await home.start(['sandbox', 'log', '--follow', '--order', 'mine']);
  following = log;
  await eventually(
    'the sandbox was opened',
    () => existsSync(join(home.state, 'data/sandbox/default.db')) || undefined,
  );
  await sale('other');
  await sale('mine');
  await eventually('the log shows mine', () => (log.out().includes('sale accepted') ? true : undefined));
  log.signal('SIGINT');
  const { exit, out } = await log.done;
  expect([exit, out.match(/sale accepted/g)?.length]).toEqual([0, 1]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, Home, type Running } from '../e2e/home.js';
import { openHandler } from './handler.js';

let home: Home;
let running: Running | undefined;

beforeEach(() => {
  home = new Home();
});

afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.done;
  home.remove();
});

/** `sandbox start` as a process of its own, listening. */
async function start(): Promise<Running> {
  const ready = join(home.path, `ready-${Date.now()}`);
  running = await home.start(['sandbox', 'start', '--port', '0', '--ready-file', ready]);
  await eventually('the sandbox listens', () => {
    try {
      return readFileSync(ready, 'utf8');
    } catch {
      return undefined;
    }
  });
  return running;
}

async function kill(child: Running): Promise<void> {
  child.signal('SIGKILL');
  await child.done;
  running = undefined;
}

async function sale(id: string, callback: string): Promise<void> {
  const flags = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved', '--client-order-id', id];
  const ran = await home.call(['sale', ...flags, '--server-callback-url', callback, '--wait']);
  expect(ran.exit, ran.err).toBe(0);
}

interface Listed {
  readonly state: string;
  readonly attempts: readonly { readonly status: number | null; readonly reason: string | null }[];
}

async function outbox(): Promise<readonly Listed[]> {
  const ran = await home.call(['sandbox', 'callbacks', '--json']);
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out).callbacks;
}

function delivered(): Promise<readonly Listed[]> {
  return eventually('the callback is delivered', async () => {
    const rows = await outbox();
    return rows.length > 0 && rows.every(({ state }) => state === 'delivered') ? rows : undefined;
  });
}

test('a callback that was on its way when the sandbox was killed is sent again by the next one', {
  timeout: 60_000,
}, async () => {
  const handler = await openHandler();
  // The first attempt gets no answer at all.
  handler.answers.push(() => undefined);
  const child = await start();
  await sale('k1', handler.url);
  await eventually('the first attempt', () => handler.calls[0]);
  await kill(child);
  expect(await outbox()).toMatchObject([{ state: 'pending', attempts: [{ status: null, reason: null }] }]);
  await start();
  expect(await delivered()).toMatchObject([
    { attempts: [{ reason: 'the sandbox stopped before the reply arrived' }, { status: 200 }] },
  ]);
  expect(handler.calls[1]).toEqual(handler.calls[0]);
});

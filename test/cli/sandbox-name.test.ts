import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

/** The sandboxes there are. */
const made = (home: string) => {
  const folder = join(home, 'state/data/sandbox');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : [];
};

/** Those that only show what a sandbox has. */
const reading = ['status', 'log --findings', 'log', 'log --follow', 'callbacks', 'clock', 'pay 1'];

describe('a name that no sandbox has', () => {
  test.each(reading)('sandbox %s makes none', async (line) => {
    const home = temporaryHome();
    const ran = await paycli(['sandbox', ...line.split(' '), '--name', 'nosuch'], { home, signal: 'SIGINT' });
    expect(ran).toMatchObject({
      exit: 2,
      out: '',
      err: expect.stringMatching(
        /^error: there is no sandbox nosuch: `paycli sandbox start --name nosuch` creates it$/m,
      ),
    });
    expect(made(home)).toEqual([]);
  });

  test('the first look at the built-in one makes it, as the first payment does', async () => {
    const home = temporaryHome();
    expect((await paycli(['sandbox', 'status', '--json'], { home })).exit).toBe(0);
    expect(made(home)).toEqual(['default.db']);
  });
});

describe('what is said names the sandbox', () => {
  const json = (out: string) => JSON.parse(out);

  test('stop', async () => {
    const ran = await paycli(['sandbox', 'stop', '--name', 'boxa', '--json']);
    expect([ran.exit, json(ran.out)]).toEqual([
      0,
      { schema: 'paycli.sandbox-stopped/1', name: 'boxa', stopped: false, url: null },
    ]);
    expect((await paycli(['sandbox', 'stop', '--name', 'boxa'])).err).toBe('sandbox boxa is not listening\n');
    expect((await paycli(['sandbox', 'stop'])).err).toBe('sandbox default is not listening\n');
  });
});

test('a start that fails leaves no sandbox behind, and one that was there as it is', async () => {
  const home = temporaryHome();
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  const start = () => paycli(['sandbox', 'start', '--name', 'taken', '--port', port], { home });
  expect((await start()).exit).toBe(13);
  const folder = join(home, 'state/data/sandbox');
  expect(readdirSync(folder).filter((name) => name.startsWith('taken'))).toEqual([]);
  await paycli(['sandbox', 'outcomes', 'next', 'approved', '--name', 'taken'], { home });
  expect((await start()).exit).toBe(13);
  expect(made(home)).toEqual(['taken.db']);
  other.close();
});

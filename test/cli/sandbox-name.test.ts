import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandbox } from '../../src/cli/commands/sandbox/index.js';
import type { LoadCommand } from '../../src/cli/core/define-command.js';
import { copiesOf, paycli, temporaryHome } from '../support/runtime.js';

/** The sandboxes there are. */
const made = (home: string) => {
  const folder = join(home, 'state/data/sandbox');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : [];
};

const withBoxes = copiesOf(async () => {
  const home = temporaryHome();
  for (const name of ['boxa', 'boxz'])
    expect((await paycli(['sandbox', 'outcomes', 'next', 'approved', '--name', name], { home })).exit).toBe(0);
  return home;
});

const note = 'this is sandbox default; others on this machine: boxa, boxz: --name NAME\n';

/** Those that only show what a sandbox has. */
const reading = ['status', 'audit', 'log', 'log --follow', 'callbacks list', 'clock show'];

/** All others. */
const writing = [
  'outcomes next declined',
  'callbacks script never --client-order-id cb-1',
  'clock advance 1s',
  'clock set 2030-02-01T12:00:00Z',
  'clock run',
  'merchant add --login shop-a',
  'reset',
  'stop',
];

const count = (text: string, part: string) => text.split(part).length - 1;

describe('with several sandboxes and none named', () => {
  test.each(reading)('sandbox %s makes none, and names those there are', async (line) => {
    const home = await withBoxes();
    const ran = await paycli(['sandbox', ...line.split(' ')], { home, signal: 'SIGINT' });
    expect(ran).toMatchObject({
      exit: 2,
      out: '',
      err: expect.stringMatching(
        /^error: there is no sandbox default: `paycli sandbox start` creates it; on this machine: boxa, boxz: --name NAME$/m,
      ),
    });
    expect(made(home)).toEqual(['boxa.db', 'boxz.db']);
  });

  test.each(writing)('sandbox %s says once which one it is about', async (line) => {
    const home = await withBoxes();
    const ran = await paycli(['sandbox', ...line.split(' ')], { home });
    expect([ran.exit, count(ran.err, note)]).toEqual([0, 1]);
    expect(count(ran.err, 'others')).toBe(1);
  });

  test('every command is one of them', async () => {
    const known = [...reading, ...writing].map((line) => line.split(' '));
    const commands = await commandsIn(sandbox.commands);
    const left = commands.filter((name) => !known.some((words) => `${words.join(' ')} `.startsWith(`${name} `)));
    // Its own test starts programs.
    expect(left).toEqual(['start']);
  });

  test('with a name, by flag or variable, nothing is said', async () => {
    const home = await withBoxes();
    for (const [flags, env] of [
      [['--name', 'boxa'], {}],
      [[], { PAYCLI_SANDBOX: 'boxz' }],
    ] as const) {
      const ran = await paycli(['sandbox', 'clock', 'show', ...flags], { home, env });
      expect([ran.exit, ran.err]).toEqual([0, '']);
    }
  });

  test('one that is there is read, with the same words', async () => {
    const home = await withBoxes();
    await paycli(['sandbox', 'outcomes', 'next', 'approved'], { home });
    for (const form of [[], ['--json']]) {
      const ran = await paycli(['sandbox', 'status', ...form], { home });
      expect([ran.exit, ran.err]).toEqual([0, note]);
    }
  });
});

async function commandsIn(commands: Readonly<Record<string, LoadCommand>>, before = ''): Promise<string[]> {
  const all: string[] = [];
  for (const [word, load] of Object.entries(commands)) {
    const loaded = await load();
    if ('run' in loaded) all.push(`${before}${word}`);
    else all.push(...(await commandsIn(loaded.commands, `${before}${word} `)));
  }
  return all;
}

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

  test('what sign doctor keeps is no sandbox of the user', async () => {
    const home = temporaryHome();
    await paycli(['sandbox', 'outcomes', 'next', 'approved', '--name', 'doctor'], { home });
    await paycli(['sandbox', 'outcomes', 'next', 'approved', '--name', 'boxa-doctor'], { home });
    const ran = await paycli(['sandbox', 'reset'], { home });
    expect([ran.exit, ran.err]).toEqual([0, expect.not.stringContaining('others')]);
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

  test('commands that a message suggests', async () => {
    const home = await withBoxes();
    const run = (...words: string[]) => paycli(['sandbox', ...words, '--name', 'boxa'], { home });
    expect((await run('status')).out).toContain('no; `paycli sandbox start --name boxa` serves it over HTTP');
    expect((await run('outcomes')).out).toContain('paycli sandbox outcomes next NAME --name boxa\n');
    expect((await run('outcomes', 'next', 'declined', '--login', 'x')).err).toContain(
      '`paycli sandbox status --name boxa` lists',
    );
  });

  test('the only one there is, where a command without a name would be about another', async () => {
    const home = temporaryHome();
    await paycli(['sandbox', 'outcomes', 'next', 'approved', '--name', 'boxa'], { home });
    expect((await paycli(['sandbox', 'status'], { home })).out).toContain('`paycli sandbox start --name boxa`');
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

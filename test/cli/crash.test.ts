import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const card = '4444333322221111';
const argv = [
  'sale',
  '--card-number',
  card,
  '--cvv',
  '987',
  '--email',
  'jane@example.com',
  '--amount',
  '1',
  '--currency',
  'USD',
];

/** A fault whose every part holds something that must not come out, but its place. */
function fault(): Error {
  const cause = Object.assign(new RangeError(`cause ${card}`), { code: 'ERR_CAUSE' });
  const error = new TypeError(`bad card ${card} of jane@example.com\n    at ${card} (src/cli/${card}.ts:1:1)`, {
    cause,
  });
  return Object.assign(error, { code: card, data: card });
}

const failing =
  (thrown: unknown) =>
  (usual: Runtime): Runtime => ({ ...usual, database: () => Promise.reject(thrown) });

const folderOf = (home: string) => join(home, 'state', 'crash');
const reportsIn = (home: string) => readdirSync(folderOf(home)).sort();

describe('a fault of paycli', () => {
  test('leaves a report without any value, and says where it is and what to do', async () => {
    const home = temporaryHome();
    const ran = await paycli(argv, { home, outside: failing(fault()), env: { SECRET: 'hunter2' } });
    expect([ran.exit, ran.out]).toEqual([1, '']);
    const [name = ''] = reportsIn(home);
    const file = join(folderOf(home), name);
    expect(ran.err).toContain(`report it with the file ${file}`);
    expect(ran.err).toContain('paycli itself failed: TypeError');
    expect(ran.err).toContain('its outcome is unknown');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folderOf(home)).mode & 0o777).toBe(0o700);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toEqual({
      schema: 'paycli.crash/1',
      time: '2030-01-07T12:00:00.000Z',
      paycli: JSON.parse(readFileSync('package.json', 'utf8')).version,
      engine: 'Node 20.19.0',
      platform: 'linux x64',
      command: 'sale',
      errors: [
        {
          name: 'TypeError',
          code: null,
          frames: expect.arrayContaining([expect.stringMatching(/^test\/cli\/crash\.test\.ts:\d+:\d+$/)]),
        },
        { name: 'RangeError', code: 'ERR_CAUSE', frames: expect.anything() },
      ],
    });
    for (const planted of [card, '987', 'jane', 'hunter2', process.cwd(), home]) expect(text).not.toContain(planted);
  });
});

describe('reports', () => {
  test('are kept to the newest twenty; other files of the folder stay', async () => {
    const home = temporaryHome();
    mkdirSync(folderOf(home), { recursive: true });
    const old = Array.from({ length: 25 }, (_, at) => `202901${String(at + 1).padStart(2, '0')}T000000000Z-1.json`);
    for (const name of [...old, 'notes.txt']) writeFileSync(join(folderOf(home), name), 'x');
    await paycli(argv, { home, outside: failing(fault()) });
    expect(reportsIn(home)).toEqual([...old.slice(-19), '20300107T120000000Z-4242.json', 'notes.txt']);
  });

  test('go nowhere when the folder is a file', async () => {
    const home = temporaryHome();
    mkdirSync(join(home, 'state'));
    writeFileSync(folderOf(home), 'x');
    chmodSync(folderOf(home), 0o400);
    const ran = await paycli(argv, { home, outside: failing(fault()) });
    expect([ran.exit, ran.err]).toEqual([1, expect.stringContaining('no crash report could be written')]);
  });
});

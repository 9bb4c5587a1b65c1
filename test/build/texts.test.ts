import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isEvery } from '../support/every.js';
import { temporaryHome } from '../support/runtime.js';

const textsIn = (folder: string) =>
  spawnSync(process.execPath, [resolve('bin/paycli.js'), '__texts'], {
    ...{ cwd: folder, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 },
    env: { PATH: process.env['PATH'], PAYCLI_CONFIG_DIR: temporaryHome(), PAYCLI_STATE_DIR: temporaryHome() },
  });

function listsEveryText(): void {
  const { status, stdout, stderr } = textsIn('.');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^src\/cli\/commands\/journal\/list\.ts:\d+: .*journal/m);
  expect(stdout).toMatch(/^src\/cli\/core\/compose-request\.ts:\d+: \{…\} more fields filled in \{…\}/m);
  expect(stdout).not.toMatch(/: SELECT /);
}

// By night: the compiler reads all sources for it.
if (isEvery) test('__texts lists every text of the sources by file and line', listsEveryText);

test('elsewhere it says that it needs a checkout, and the program does not contain the compiler it uses', () => {
  const { status, stdout, stderr } = textsIn(temporaryHome());
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('run it in a checkout of paycli');
  for (const program of ['main', 'main-payments', 'complete'])
    expect(readFileSync(`dist/${program}.cjs`, 'latin1')).not.toContain('createTypeChecker');
});

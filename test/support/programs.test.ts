import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { isEvery } from '../support/every.js';
import { programs } from './programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const emptyFolder = mkdtempSync(join(tmpdir(), 'paycli-no-programs-'));
afterAll(() => rmSync(emptyFolder, { recursive: true }));

/** A small part of the tests where no program is on the path. */
function runWithoutPrograms(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly exit: number; readonly out: string }> {
  const files = ['test/spec/types.test.ts', 'test/completions/completions.test.ts'];
  const argv = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...files];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      argv,
      { cwd: root, env: { PATH: emptyFolder, NO_COLOR: '1', ...env } },
      (error, stdout, stderr) => resolve({ exit: error === null ? 0 : Number(error.code), out: stdout + stderr }),
    );
  });
}

describe('where programs are missing', () => {
  // Each shell has its own tests there, and all need a terminal.
  const leftOut = /^(\d+) tests left out: fish \d+, tmux \1, zsh \d+; /m;

  test('their tests are left out and counted at the end, the others run, and the run passes', async () => {
    const { exit, out } = await runWithoutPrograms();
    expect(exit, out).toBe(0);
    expect(out).toMatch(/ Tests +\d+ passed \| \d+ skipped /);
    const last = out.trimEnd().split('\n').at(-1) ?? '';
    expect(last).toMatch(leftOut);
    expect(last).toMatch(/; \.ci\/run installs these programs and runs all$/);
  });

  if (isEvery)
    test('the run fails where nothing may be left out, and names them', async () => {
      const { exit, out } = await runWithoutPrograms({ NOTHING_LEFT_OUT: '1' });
      expect(exit, out).toBe(1);
      expect(out).toMatch(leftOut);
      expect(out).toContain('; NOTHING_LEFT_OUT is set: the run has failed');
    });
});

describe('.ci/run', () => {
  const script = readFileSync(join(root, '.ci/run'), 'utf8');

  test.each(programs.flatMap((name) => (name === 'namespaces' ? ['ip', 'unshare'] : [name])))('installs %s', (name) => {
    expect(script).toMatch(new RegExp(name === 'postgres' ? '/bin/postgres' : `^(?:wanted=\\(| ).*\\b${name}=`, 'm'));
  });

  test('lets no test be left out', () => {
    expect(script).toMatch(/^step 'tests' env NOTHING_LEFT_OUT=1 npm test$/m);
  });
});

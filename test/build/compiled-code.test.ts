import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const [made = ''] = readdirSync(join(dist, 'code'));
const mine = `${process.platform}-${process.arch}-${process.versions.v8}`;
const scratch = mkdtempSync(join(tmpdir(), 'paycli-code-'));

afterAll(() => rmSync(scratch, { recursive: true }));

/** A copy of the package, to be spoilt. */
function copy(name: string): string {
  const folder = join(scratch, name);
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const sale = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved', '--client-order-id', 'order-1', '--json'];

function sign(folder: string): unknown {
  const env = { PATH: process.env['PATH'], PAYCLI_STATE_DIR: join(scratch, 'state'), PAYCLI_CONFIG_DIR: join(scratch, 'config') };
  const argv = [join(folder, 'bin/paycli.js'), 'sign', 'sale', ...sale];
  return JSON.parse(execFileSync(process.execPath, argv, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

describe('the code that the build compiled', () => {
  test('is there for one Node', () => {
    expect(readdirSync(join(dist, 'code'))).toHaveLength(1);
  });

  // The tests may run on another Node than the one that built.
  test.runIf(made === mine)('is taken by V8 for every bundle it was made of', () => {
    const names = readdirSync(join(dist, 'code', mine));
    expect(names).toEqual(expect.arrayContaining(['line.cjs', 'send.cjs', 'sandbox.cjs', 'runtime-transport.cjs', 'cosmiconfig.cjs']));
    // In a process of its own: another test here may have changed V8's flags, and with other flags V8 takes nothing.
    const look = `const [dist, code] = process.argv.slice(1);
      const { readFileSync } = require('node:fs');
      const taken = (name) => {
        const source = require('node:module').wrap(readFileSync(dist + '/' + name, 'utf8'));
        const cachedData = readFileSync(code + '/' + name);
        return !new (require('node:vm').Script)(source, { filename: dist + '/' + name, cachedData }).cachedDataRejected;
      };
      console.log(JSON.stringify(${JSON.stringify(names)}.filter((name) => !taken(name))));`;
    const code = join(dist, 'code', mine);
    expect(execFileSync(process.execPath, ['-e', look, dist, code], { encoding: 'utf8' })).toBe('[]\n');
    // Neither where it was built, nor anything else of the machine.
    for (const name of names) expect(readFileSync(join(code, name), 'latin1')).not.toContain('node_modules/.cache');
  });

  test('is not needed: without it, with the code of another version or with half of it, everything works as ever', () => {
    const wanted = sign(root);
    const without = copy('without');
    rmSync(join(without, 'dist/code'), { recursive: true });
    expect(sign(without)).toEqual(wanted);
    const spoilt = copy('spoilt');
    const folder = join(spoilt, 'dist/code', made);
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name));
      if (name === 'line.cjs') bytes.fill(0, 0, 16);
      writeFileSync(join(folder, name), name === 'line.cjs' ? bytes : bytes.subarray(0, bytes.length / 2));
    }
    expect(existsSync(join(folder, 'line.cjs'))).toBe(true);
    expect(sign(spoilt)).toEqual(wanted);
  });
});

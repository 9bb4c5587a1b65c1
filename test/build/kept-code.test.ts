import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { isEvery, oneIn } from '../support/every.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const code = join(root, 'dist/code');
const mine = `${process.platform}-${process.arch}-${process.versions.v8}`;
const scratch = mkdtempSync(join(tmpdir(), 'paycli-code-'));
/** Later Nodes keep code by themselves. */
const isKeptByBuild = process.versions.node.startsWith('20.') && existsSync(code);

afterAll(() => rmSync(scratch, { recursive: true }));

/** A copy of the package, to be changed. */
function copy(name: string): string {
  const folder = join(scratch, name);
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const order = ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'];
const sign = ['sign', ...order, '--client-order-id', 'order-1', '--json'];

function paycli(folder: string, ...words: string[]): string {
  const env = {
    PATH: process.env['PATH'],
    PAYCLI_STATE_DIR: join(scratch, 'state'),
    PAYCLI_CONFIG_DIR: join(scratch, 'config'),
    PAYCLI_PROFILE: 'sandbox',
  };
  const argv = [join(folder, 'bin/paycli.js'), ...words];
  return execFileSync(process.execPath, argv, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** The code of a bundle as it was built. Other Nodes may have kept code beside it since. */
function keptIn(folder: string, bundle = 'main-payments.cjs'): string {
  const start = `${mine}-${sha256(join(root, 'dist', bundle))}-`;
  const names = readdirSync(join(folder, 'dist/code'));
  return names.find((name) => name.startsWith(start)) ?? expect.unreachable('no kept code');
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The bundle says another word, and is as long as before. */
function edit(folder: string): void {
  const file = join(folder, 'dist/main-payments.cjs');
  const text = readFileSync(file, 'utf8');
  const edited = text.replaceAll('"paycli/1"', '"edited/1"');
  expect([edited.length, edited === text]).toEqual([text.length, false]);
  writeFileSync(file, edited);
}

/** Of what the build ran, so that it is in the kept code. */
const schemaOf = (folder: string): string => JSON.parse(paycli(folder, ...order, '--json')).schema;

describe('the code kept of the bundle', () => {
  test('is never run for another bundle, not even for one of the same length', () => {
    const folder = copy('edited');
    expect(schemaOf(folder)).toBe('paycli/1');
    edit(folder);
    expect(schemaOf(folder)).toBe('edited/1');
    // With the code under the name of the edited bundle the old word comes back: the hash is what keeps it away.
    if (!isKeptByBuild) return;
    const kept = join(folder, 'dist/code', keptIn(folder));
    const name = `${mine}-${sha256(join(folder, 'dist/main-payments.cjs'))}-${sha256(kept)}`;
    renameSync(kept, join(folder, 'dist/code', name));
    expect(schemaOf(folder)).toBe('paycli/1');
  });

  test.runIf(isKeptByBuild).each(['main.cjs', 'main-payments.cjs', 'complete.cjs'])(
    'is of %s as it is, and V8 takes it',
    (bundle) => {
      const file = join(root, 'dist', bundle);
      const kept = join(code, keptIn(root, bundle));
      expect(kept).toBe(join(code, `${mine}-${sha256(file)}-${sha256(kept)}`));
      // It is read as Latin-1.
      expect(readFileSync(file).every((byte) => byte < 128)).toBe(true);
      // In a process of its own: another test here may have changed V8's flags, and with other flags V8 takes nothing.
      const look = `const [file, code] = process.argv.slice(1);
      const { readFileSync } = require('node:fs');
      const source = require('node:module').wrap(readFileSync(file, 'utf8'));
      console.log(new (require('node:vm').Script)(source, { filename: file, cachedData: readFileSync(code) }).cachedDataRejected);`;
      expect(execFileSync(process.execPath, ['-e', look, file, kept], { encoding: 'utf8' })).toBe('false\n');
      // Neither where it was built, nor anything else of the machine.
      expect(readFileSync(kept, 'latin1')).not.toContain('node_modules/.cache');
    },
  );

  test.runIf(isKeptByBuild)(
    'is not needed: without it, with the code of another version or with half of it, everything works as ever',
    () => {
      const wanted = paycli(root, ...sign);
      const folder = copy('spoilt');
      const kept = join(folder, 'dist/code', keptIn(folder));
      const bytes = readFileSync(kept);
      // V8 takes the last one, and may do anything with it.
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      const all = [Buffer.from(bytes).fill(0, 0, 16), bytes.subarray(0, bytes.length / 2), Buffer.of(), flipped];
      for (const spoilt of oneIn(2, all, 1)) {
        writeFileSync(kept, spoilt);
        expect(paycli(folder, ...sign)).toBe(wanted);
      }
      if (isEvery) {
        rmSync(kept);
        mkdirSync(kept);
        expect(paycli(folder, ...sign)).toBe(wanted);
      }
      rmSync(join(folder, 'dist/code'), { recursive: true });
      expect(paycli(folder, ...sign)).toBe(wanted);
    },
  );
});

describe('a build that fails', () => {
  test.each(
    oneIn(
      2,
      [
        ['at a source', "import './missing.js';\n"],
        ['at a later step', "process.exitCode = 7;\nconsole.error('missing.js');\n"],
      ],
      1,
    ),
  )('%s says so, leaves dist/ as it was and nothing behind', (at, source) => {
    const folder = join(scratch, at);
    mkdirSync(join(folder, 'src/signing'), { recursive: true });
    for (const part of ['.ci', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
    for (const part of [
      'entry',
      'main',
      'main-payments',
      'complete',
      'index',
      'signing/library',
      'sandbox-library',
      'sandbox-library-types',
    ])
      writeFileSync(join(folder, 'src', `${part}.ts`), source);
    mkdirSync(join(folder, 'node_modules/typescript/bin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/typescript/bin/tsc'), '');
    writeFileSync(
      join(folder, 'node_modules/typescript/index.js'),
      "exports.transpileDeclaration = () => ({ outputText: '', diagnostics: [] });\n",
    );
    for (const name of ['esbuild', '@esbuild'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/entry.cjs'), 'as it was');
    const { status, stderr } = spawnSync(process.execPath, [join(folder, '.ci/build.mjs')], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/missing\.js[\s\S]*The build failed; dist\/ is as it was\.\n$/);
    expect(readdirSync(join(folder, 'dist'))).toEqual(['entry.cjs']);
    expect(readFileSync(join(folder, 'dist/entry.cjs'), 'utf8')).toBe('as it was');
    const cache = join(folder, 'node_modules/.cache');
    expect(existsSync(cache) ? readdirSync(cache) : []).toEqual([]);
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// These look at dist/ as the last build left it.
const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(read('package.json'));

describe('the tiny entry', () => {
  test.each(['--version', '-V'])('%s prints the version of package.json', (flag) => {
    expect(paycli(flag)).toBe(`${manifest.version}\n`);
  });

  test.each(['--help', '-h'])('%s prints what the whole program would', (flag) => {
    expect(paycli(flag)).toBe(paycli('__root-help'));
  });

  test('is small', () => {
    expect(statSync(`${root}/dist/entry.cjs`).size).toBeLessThan(6000);
  });

  test.each(['--version', '--help'])('%s loads nothing else', (flag) => {
    expect(loaded(flag).files).toEqual([`${root}dist/entry.cjs`]);
  });

  test('a reader that closes the pipe early is no error', () => {
    expect(execFileSync('bash', ['-o', 'pipefail', '-c', 'node bin/paycli.js --help | true'], inRoot)).toBe('');
  });
});

describe('the program', () => {
  test('a command that only prints text loads no package, and nothing of Node that only a request needs', () => {
    const { files, builtins } = loaded('__root-help');
    expect(files.filter((file) => file.includes('node_modules/'))).toEqual([]);
    expect(
      builtins.filter((name) => ['http', 'http2', 'https', 'tls', 'zlib', 'worker_threads'].includes(name)),
    ).toEqual([]);
  });

  test('a payment loads SQLite from its package, and nothing else from outside', () => {
    const { files } = loaded('sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'approved');
    const packages = files.flatMap((file) => /(?<=node_modules\/)(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
    expect([...new Set(packages)].sort()).toEqual(['@photostructure/sqlite', 'node-gyp-build']);
  });

  test('what is bundled is among the dependencies with its exact version, so that audits see it', () => {
    const bundled = [...read('dist/licenses.txt').matchAll(/^(\S+) (\d\S*), /gm)].map(([, name = '', version]) => [
      name,
      version,
    ]);
    expect(bundled.length).toBeGreaterThan(15);
    const lock = JSON.parse(read('package-lock.json')).packages;
    const hidden = bundled.filter(([name]) => lock[`node_modules/${name}`]?.dev === true);
    expect(hidden).toEqual([]);
    const inexact = Object.values<string>(manifest.dependencies).filter((range) => !/^\d+\.\d+\.\d+$/.test(range));
    expect(inexact).toEqual([]);
  });
});

describe('a fault inside the bundle', () => {
  test('is reported at its place in the source, by the map beside the bundle', () => {
    const home = mkdtempSync(join(tmpdir(), 'paycli-crashed-'));
    const fault = join(home, 'fault.cjs');
    writeFileSync(
      fault,
      `require('node:crypto').hash = () => {
        throw new TypeError('odd');
      };`,
    );
    const folders = { PAYCLI_STATE_DIR: home, PAYCLI_CONFIG_DIR: home };
    const env = { PATH: process.env['PATH'], PAYCLI_PROFILE: 'sandbox', ...folders };
    const sale = ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'];
    const argv = ['--require', fault, 'bin/paycli.js', 'sign', ...sale, '-vv'];
    const { status, stderr } = spawnSync('node', argv, { ...inRoot, env, encoding: 'utf8' });
    rmSync(home, { recursive: true });
    const [, path = '', line = '', column = ''] = /^ {4}at (src\/\S+):(\d+):(\d+)$/m.exec(stderr) ?? [];
    expect([status, path]).toEqual([1, 'src/signing/schemes/control-checksum.ts']);
    expect(
      read(path)
        .split('\n')
        [Number(line) - 1]?.slice(Number(column) - 1),
    ).toMatch(/^hash\('sha1', text, 'hex'\)/);
  });
});

describe('the library face', () => {
  const signing = [
    'authorizationHeader',
    'baseStringUri',
    'controlChecksum',
    'decodeForm',
    'normalizeParameters',
    'parseAuthorizationHeader',
    'percentEncode',
    'signatureBaseString',
    'signHmacSha1',
    'signRsaSha256',
    'verifyRsaSha256',
  ];

  test.each(['paycli', 'paycli/signing'])('%s brings the signing functions', (specifier) => {
    const script = `const face = await import('${specifier}');
      console.log(JSON.stringify(Object.keys(face).filter((name) => typeof face[name] === 'function')));`;
    const names = JSON.parse(execFileSync('node', ['--input-type=module', '--eval', script], inRoot));
    expect(names).toEqual(expect.arrayContaining(signing));
  });

  test('every file the package exports is there', () => {
    const filesOf = (way: unknown): string[] =>
      typeof way === 'string' ? [way] : Object.values(way as object).flatMap(filesOf);
    const files = filesOf(manifest.exports);
    expect(files.length).toBeGreaterThan(6);
    expect(files.filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
  });
});

const inRoot = { cwd: root, encoding: 'utf8' } as const;

function read(path: string): string {
  return readFileSync(`${root}/${path}`, 'utf8');
}

function paycli(...args: string[]): string {
  return execFileSync('node', ['bin/paycli.js', ...args], inRoot);
}

/** What one call loads: files by require(), and Node's own modules besides those of a bare start. */
function loaded(...args: string[]): { readonly files: readonly string[]; readonly builtins: readonly string[] } {
  const script = `
    const { writeSync } = require('node:fs');
    const bare = new Set(process.moduleLoadList);
    process.on('exit', () => {
      const builtins = process.moduleLoadList.filter((name) => !bare.has(name)).map((name) => name.replace(/^NativeModule /, ''));
      writeSync(3, JSON.stringify({ files: Object.keys(require.cache), builtins }));
    });
    process.argv.splice(1, Infinity, 'paycli', ...${JSON.stringify(args)});
    require('./dist/entry.cjs');`;
  const home = mkdtempSync(join(tmpdir(), 'paycli-loaded-'));
  const env = {
    PATH: process.env['PATH'],
    PAYCLI_STATE_DIR: join(home, 'state'),
    PAYCLI_CONFIG_DIR: join(home, 'config'),
    PAYCLI_PROFILE: 'sandbox',
  };
  const { output } = spawnSync('node', ['--eval', script], {
    ...inRoot,
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  rmSync(home, { recursive: true });
  return JSON.parse(output[3] ?? '');
}

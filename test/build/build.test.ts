import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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
    expect(loadedBy(flag)).toEqual(['entry.cjs']);
  });

  test('a reader that closes the pipe early is no error', () => {
    expect(execFileSync('bash', ['-o', 'pipefail', '-c', 'node bin/paycli.js --help | true'], inRoot)).toBe('');
  });
});

describe('the bundles', () => {
  test('a command that only prints text loads nothing heavy', () => {
    const heavy = /^(send|sandbox|runtime-(transport|database|prompter)|(sandbox|batch|callbacks)-.*)\.cjs$/;
    expect(loadedBy('__root-help').filter((name) => heavy.test(name))).toEqual([]);
  });

  test.each(['undici', 'hono', 'enquirer', '@photostructure/sqlite'])('%s is not in what every command loads', (library) => {
    const main = read('dist/main.cjs') + read('dist/line.cjs');
    expect(main).not.toContain(`// node_modules/${library}/`);
    expect(main).not.toContain(`require("${library}")`);
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
    const files = Object.values<string | Record<string, string>>(manifest.exports).flatMap((way) =>
      typeof way === 'string' ? way : Object.values(way),
    );
    expect(files.filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
  });

  test('a TypeScript program that uses it compiles', () => {
    const folder = mkdtempSync(join(tmpdir(), 'paycli-consumer-'));
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules/paycli'));
    symlinkSync(`${root}/node_modules/@types/node`, join(folder, 'node_modules/@types/node'));
    writeFileSync(
      join(folder, 'consumer.mts'),
      `import { ${signing.join(', ')} } from 'paycli/signing';
      export const text: string = controlChecksum(['1', '2'], 'key') + percentEncode('a b') + signHmacSha1('base', 'secret');
      export const pairs: readonly (readonly [string, string])[] = decodeForm('a=1');
      export const all = [${signing.join(', ')}];`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022', '--types', 'node'];
    const { stdout } = spawnSync('node', [`${root}/node_modules/typescript/bin/tsc`, ...options, 'consumer.mts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(stdout).toBe('');
  });
});

const inRoot = { cwd: root, encoding: 'utf8' } as const;

function read(path: string): string {
  return readFileSync(`${root}/${path}`, 'utf8');
}

function paycli(...args: string[]): string {
  return execFileSync('node', ['bin/paycli.js', ...args], inRoot);
}

/** Names of the files of dist/ that one call loads. */
function loadedBy(...args: string[]): string[] {
  const script = `
    const { writeSync } = require('node:fs');
    process.on('exit', () => writeSync(2, JSON.stringify(Object.keys(require.cache))));
    process.argv.splice(1, Infinity, 'paycli', ...${JSON.stringify(args)});
    require('./dist/entry.cjs');`;
  const loaded: string[] = JSON.parse(execFileSync('bash', ['-c', 'node --eval "$0" 2>&1 >/dev/null', script], inRoot));
  return loaded.filter((file) => file.startsWith(`${root}dist/`)).map((file) => file.slice(`${root}dist/`.length));
}

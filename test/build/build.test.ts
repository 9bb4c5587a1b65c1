import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../e2e/program.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'paycli-installed-'));
const target = join(place, 'node_modules/paycli');
const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
let packed: { readonly filename: string };

/** Packed by npm and put where npm would put it, beside the one dependency that is not in the program. */
beforeAll(async () => {
  await program();
  const quiet = ['--ignore-scripts', '--offline', '--loglevel', 'error'];
  const pack = ['pack', '--json', '--pack-destination', place, ...quiet];
  [packed] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(place, packed.filename), '-C', target, '--strip-components=1']);
  for (const name of ['@photostructure', 'node-gyp-build'])
    symlinkSync(join(root, 'node_modules', name), join(place, 'node_modules', name));
}, 120_000);
afterAll(() => rmSync(place, { recursive: true }));

function run(...words: string[]) {
  const env = { PATH: process.env['PATH'], HOME: place, PAYCLI_PROFILE: 'sandbox' };
  return spawnSync(process.execPath, words, { cwd: place, env, encoding: 'utf8' });
}

const paycli = (...words: string[]) => run(join(target, 'bin/paycli.js'), ...words);

describe('the package', () => {
  test('has every file it names, and no other manual page', () => {
    const files = [...manifest.man, ...Object.values<string | object>(manifest.exports)]
      .flatMap((way) => (typeof way === 'string' ? [way] : Object.values<string>(way)))
      .concat(Object.values<string>(manifest.bin), 'dist/licenses.txt', 'completions/paycli.bash');
    expect(files.filter((file) => !existsSync(join(target, file)))).toEqual([]);
  });

  test('tells its version, and makes a sale', () => {
    expect(paycli('--version').stdout).toBe(`${manifest.version}\n`);
    const sale = paycli('sale', '--amount', '5', '--currency', 'USD', '--test-card', 'approved', '--wait');
    expect([sale.status, sale.stdout]).toEqual([0, expect.stringContaining('approved')]);
  });
});

describe('the library', () => {
  // printf %s '4001order-21042payer@example.comkey' | openssl dgst -sha1
  const sum = "controlChecksum(['4001', 'order-2', '1042', 'payer@example.com'], 'key')";
  const use = `console.log(signing.${sum}, library.${sum});
    startSandbox({ listen: false }).then((sandbox) => sandbox.stop()).then(() => console.log('stopped'));`;
  const said = `${'c772468e3618498a03d8dbfbf6796fc5aa6b6e7c '.repeat(2).trim()}\nstopped\n`;

  test.each([
    [
      'import',
      'use.mjs',
      "import * as library from 'paycli'; import * as signing from 'paycli/signing'; import { startSandbox } from 'paycli/sandbox';",
    ],
    [
      'require',
      'use.cjs',
      "const [library, signing, { startSandbox }] = [require('paycli'), require('paycli/signing'), require('paycli/sandbox')];",
    ],
  ])('works by %s', (_, file, load) => {
    writeFileSync(join(place, file), `${load}\n${use}`);
    expect(run(file).stdout).toBe(said);
  });

  test('has types for a module and for a program that requires it', () => {
    const types = `
      const sum: string = controlChecksum(['4001'], 'key');
      export async function use(): Promise<number> {
        const sandbox: SandboxForTests = await startSandbox({ listen: false, seed: sum });
        // @ts-expect-error a port is a number
        await startSandbox({ port: '8080' });
        return sandbox.orders().length;
      }`;
    const head =
      "import { controlChecksum } from 'paycli/signing';\nimport { type SandboxForTests, startSandbox } from 'paycli/sandbox';";
    for (const name of ['types.mts', 'types.cts']) writeFileSync(join(place, name), `${head}${types}`);
    symlinkSync(join(root, 'node_modules/@types'), join(place, 'node_modules/@types'));
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
    ];
    const { status, stdout } = run(`${root}/node_modules/typescript/bin/tsc`, ...flags, 'types.mts', 'types.cts');
    expect([status, stdout]).toEqual([0, '']);
  });
});

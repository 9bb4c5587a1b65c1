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
let packed: { readonly filename: string; readonly size: number; readonly unpackedSize: number };

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
  test('takes no more than 1.5 MB to download and 5 MB installed', () => {
    expect(packed.size).toBeLessThan(1_500_000);
    expect(packed.unpackedSize).toBeLessThan(5_000_000);
  });

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

  test('says where a fault is, without any message', () => {
    const fault = join(place, 'fault.cjs');
    writeFileSync(fault, "require('node:crypto').hash = () => { throw new TypeError('odd'); };");
    const sale = ['sale', '--amount', '5', '--currency', 'USD', '--test-card', 'approved'];
    const { status, stderr } = run('--require', fault, join(target, 'bin/paycli.js'), 'sign', ...sale, '-vv');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^ {4}at controlChecksum dist\/paycli\.js:\d+:\d+$/m)]);
    expect(stderr).not.toContain('odd');
  });

  test('what is bundled is among the dependencies with its exact version, so that audits see it', () => {
    const licences = readFileSync(join(target, 'dist/licenses.txt'), 'utf8');
    const bundled = [...licences.matchAll(/^(\S+) \d\S*, /gm)].map(([, name = '']) => name);
    expect(bundled.length).toBeGreaterThan(15);
    const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')).packages;
    expect(bundled.filter((name) => lock[`node_modules/${name}`]?.dev === true)).toEqual([]);
    const inexact = Object.values<string>(manifest.dependencies).filter((range) => !/^\d+\.\d+\.\d+$/.test(range));
    expect(inexact).toEqual([]);
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

  test('paycli/signing loads neither the network nor anything native', () => {
    const script = `await import('paycli/signing');
      console.log(process.moduleLoadList.filter((name) => /^NativeModule (http|net|tls|child_process|worker)/.test(name)).length,
        process.report.getReport().sharedObjects.filter((name) => name.endsWith('.node')).length);`;
    writeFileSync(join(place, 'loaded.mjs'), script);
    const bare =
      'console.log(process.moduleLoadList.filter((name) => /^NativeModule (http|net|tls|child_process|worker)/.test(name)).length, 0);';
    writeFileSync(join(place, 'bare.mjs'), bare);
    expect(run('loaded.mjs').stdout).toBe(run('bare.mjs').stdout);
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

test('the suite of the help topic runs', () => {
  const topic = readFileSync(`${root}/src/cli/docs/topics/sandbox.md`, 'utf8');
  const [, suite = ''] = /```js\n([\s\S]*?)```/.exec(topic) ?? [];
  writeFileSync(join(place, 'shop.js'), shop);
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(place, 'lost.test.js'), suite);
  const { status, stdout } = run('--test', '--test-reporter=tap', 'lost.test.js');
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^# pass 1$/m)]);
});

/** A careful client: a lost reply is answered by a status query. */
const shop = `
  import { createHash } from 'node:crypto';
  const sha1 = (text) => createHash('sha1').update(text).digest('hex');
  export async function pay(id, { url, fetch, merchant: { login, endpoints: [endpoint], controlKey } }) {
    const post = async (operation, pairs) => {
      const headers = { Accept: 'application/vnd.pay+json' };
      const body = new URLSearchParams(pairs);
      return (await fetch(\`\${url}/api/v2/\${operation}/\${endpoint}\`, { method: 'POST', headers, body })).json();
    };
    const sale = {
      client_orderid: id, amount: '10.42', currency: 'USD', credit_card_number: '4444333322221111',
      card_printed_name: 'JANE DOE', expire_month: '12', expire_year: '2099', cvv2: '123', order_desc: 'Two tickets',
      email: 'jane@example.com', phone: '+4930123456', address1: 'Example Street 1', city: 'Berlin', zip_code: '10115',
      country: 'DE', ipaddress: '192.0.2.1', redirect_url: 'https://shop.example/return',
      control: sha1(endpoint + id + '1042' + 'jane@example.com' + controlKey),
    };
    await post('sale', sale).catch(() => undefined);
    return (await post('status', { login, client_orderid: id, control: sha1(login + id + controlKey) })).status;
  }`;

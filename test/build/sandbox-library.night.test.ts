import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { isEvery } from '../support/every.js';
import { installed } from '../support/installed.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = installed();
afterAll(() => rmSync(folder, { recursive: true }));
// Its one dependency is native: SQLite.
symlinkSync(join(root, 'node_modules/@photostructure'), join(folder, 'node_modules/@photostructure'));

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

/** The suite of the help topic, for a runner. */
function suite(head: string): string {
  const topic = readFileSync(join(root, 'src/cli/docs/topics/test-suites.md'), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(topic) ?? [];
  const line = "import { after, before, test } from 'node:test';";
  expect(code).toContain(line);
  return code.replace(line, head);
}

const vitestLine = "import { afterAll as after, beforeAll as before, test } from 'vitest';";

function run(program: string, ...words: string[]) {
  const env = { PATH: process.env['PATH'], HOME: folder };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
}

describe('the suite of the help topic runs in the installed package', () => {
  writeFileSync(join(folder, 'shop.js'), shop);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

  test('by node:test', () => {
    writeFileSync(join(folder, 'node.test.js'), suite("import { after, before, test } from 'node:test';"));
    const { status, text } = run('node', '--test', 'node.test.js');
    expect([status, text]).toEqual([0, expect.stringMatching(/^# pass 1$/m)]);
  });

  test('by vitest', () => {
    expect(readFileSync(join(root, 'src/cli/docs/topics/test-suites.md'), 'utf8')).toContain(vitestLine);
    writeFileSync(join(folder, 'vitest.test.js'), suite(vitestLine));
    symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
    const { status, text } = run('node', join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'vitest.test.js');
    expect([status, text]).toEqual([0, expect.stringMatching(/Tests .*1 passed/)]);
  });

  // SUITE_RUNNERS=1, in .ci/run: Jest is fetched from the registry.
  if (process.env['SUITE_RUNNERS'] !== undefined) test('by jest, with require', { timeout: 300_000 }, byJest);

  function byJest() {
    const place = join(folder, 'jest');
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{ "type": "commonjs" }');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', 'jest@30'], { cwd: place });
    const required = (text: string) =>
      text
        .replace(/^import assert from '(.*)';$/m, "const assert = require('$1');")
        .replaceAll(/^ *import (\{.*\}) from '(.*)';$/gm, "const $1 = require('$2');")
        .replace('export async function', 'exports.pay = pay; async function');
    writeFileSync(join(place, 'shop.js'), required(shop));
    writeFileSync(join(place, 'lost.test.js'), required(suite('const [after, before] = [afterAll, beforeAll];')));
    const { status, text } = run('node', join(place, 'node_modules/jest/bin/jest.js'), '--rootDir', place);
    expect([status, text]).toEqual([0, expect.stringMatching(/Tests: +1 passed/)]);
  }
});

describe('types', () => {
  const program = `
    const sandbox: SandboxForTests = await startSandbox({ listen: false, seed: 'a', settleMs: 300 });
    sandbox.outcomes.next('declined', 'order-1');
    sandbox.callbacks.script('late', 'order-1');
    await sandbox.clock.advance('7d');
    const [order] = sandbox.orders();
    const minor: bigint | undefined = order?.minor;
    const words: string[] = [sandbox.url, ...sandbox.merchant.endpoints, ...sandbox.audit().map(({ rule }) => rule)];
    const fields: Readonly<Record<string, string>>[] = sandbox.requests().map(({ fields }) => fields);
    const reply = await sandbox.fetch(sandbox.url, { method: 'POST' });
    const status: number = reply.status;
    // @ts-expect-error a port is a number
    await startSandbox({ port: '8080' });
    // @ts-expect-error read only
    sandbox.merchant.login = 'shop';
    sandbox.reset();
    await sandbox.stop();`;
  const head = "import { startSandbox, type SandboxForTests } from 'paycli/sandbox';";
  // A compiler each: by day under node16 alone.
  const modules = isEvery ? ['node16', 'nodenext'] : ['node16'];
  test.each(modules)('compile under %s by import and by require, without the types of Node', (module) => {
    writeFileSync(join(folder, 'types.mts'), `${head}${program}\n`);
    writeFileSync(join(folder, 'types.cts'), `${head}\nexport async function use() {${program}\n}\n`);
    expect(compiled('--module', module, 'types.mts', 'types.cts')).toBe('');
  });

  // By night: a compiler of its own.
  if (isEvery) test('its fetch is the global one, where that has a type', checkFetch);

  function checkFetch() {
    const client = `${head}
      const call: typeof fetch = (await startSandbox()).fetch;
      export const reply: Response = await call('http://127.0.0.1/', { signal: AbortSignal.timeout(1) });`;
    writeFileSync(join(folder, 'fetch.mts'), client);
    expect(compiled('--module', 'nodenext', '--lib', 'es2022,dom', 'fetch.mts')).toBe('');
  }

  /** What the compiler has to say, and its status unless it is 0; without `types`, those of no package are loaded. */
  function compiled(...words: string[]): string {
    const tsc = `${root}/node_modules/typescript/bin/tsc`;
    const options = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--lib', 'es2022', '--noEmit'];
    const { status, stdout } = spawnSync('node', [tsc, ...options, ...words], { cwd: folder, encoding: 'utf8' });
    return status === 0 ? stdout : `${stdout}ended with ${status}`;
  }
});

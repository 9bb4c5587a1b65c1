import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Program } from '../support/programs.js';
import { testSale } from '../support/test-sale.js';
import { eventually, freePort, Home } from './home.js';
import { type Document, type Gateway, profileText, startGateway } from './shop.js';

interface Handler {
  readonly language: string;
  readonly file: string;
  readonly compile?: readonly [string, ...string[]];
  readonly run: (port: string) => readonly [string, ...string[]];
  /** Where it says what it handled. */
  readonly says: 'stdout' | 'stderr';
  readonly tags: readonly Program[];
}

const byDay: readonly Handler[] = [
  {
    language: 'php',
    file: 'callback.php',
    run: (port) => ['php', '-S', `127.0.0.1:${port}`, '-d', 'error_reporting=-1', 'callback.php'],
    says: 'stderr',
    tags: ['php'],
  },
  {
    language: 'python',
    file: 'callback.py',
    run: () => ['python3', '-W', 'error', 'callback.py'],
    says: 'stdout',
    tags: ['python3'],
  },
  { language: 'node', file: 'callback.mjs', run: () => ['node', 'callback.mjs'], says: 'stdout', tags: [] },
];

// Their compilers are large, so .ci/nightly installs them.
const byNight: readonly Handler[] = [
  { language: 'ruby', file: 'callback.rb', run: () => ['ruby', '-w', 'callback.rb'], says: 'stdout', tags: [] },
  {
    language: 'go',
    file: 'callback.go',
    compile: ['go', 'build', '-o', 'callback.bin'],
    run: () => ['./callback.bin'],
    says: 'stdout',
    tags: [],
  },
  {
    language: 'java',
    file: 'Callback.java',
    compile: ['javac', '-Xlint:all', '-Werror'],
    run: () => ['java', '-cp', '.', 'Callback'],
    says: 'stdout',
    tags: [],
  },
  {
    language: 'csharp',
    file: 'callback.cs',
    compile: ['mcs', '-warnaserror'],
    run: () => ['mono', 'callback.exe'],
    says: 'stdout',
    tags: [],
  },
];
const handlers = process.env['SIGN_LANGUAGES'] === undefined ? byDay : byNight;

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(async () => {
  await gateway.close();
});

/** Java and Go keep what they compiled in the home folder, and Java prints in the locale's character set. */
const surroundings = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LC_ALL: 'C.UTF-8' };

interface Started {
  readonly home: Home;
  readonly url: string;
  /** What it wrote so far. */
  said(): string;
}

/** The handler of a profile, listening, gone after the test. */
async function start(
  { file, compile, run, says, language }: Handler,
  profile: readonly string[] = [],
): Promise<Started> {
  const lines = profile.map((line) => `    ${line}\n`).join('');
  const home = new Home(`default-profile: shop\nprofiles:\n${profileText('shop', gateway.url, gateway.keys)}${lines}`);
  onTestFinished(() => home.remove());
  const { exit, out, err } = await home.call(['callback', 'code', language]);
  expect(exit, err).toBe(0);
  expect(out).not.toContain(readFileSync(gateway.keys.control, 'utf8').trim());
  home.write(file, out);
  if (compile !== undefined)
    execFileSync(compile[0], [...compile.slice(1), file], { cwd: home.path, env: surroundings });
  const port = String(await freePort());
  const [command, ...words] = run(port);
  const env = { ...surroundings, PORT: port, CONTROL_KEY_FILE: gateway.keys.control };
  const child: ChildProcess = spawn(command, words, { cwd: home.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child[says]?.setEncoding('utf8').on('data', (piece) => {
    said += String(piece);
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually('the handler listens', async () => (await status(url).catch(() => undefined)) === 403 || undefined);
  return { home, url, said: () => said };
}

async function status(url: string, body?: string): Promise<number> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return (await fetch(url, body === undefined ? {} : { method: 'POST', headers, body })).status;
}

const id = 'né & +%2B ~*\'"';

/** A callback in the gateway's form, signed by hand. */
function signed(texts: readonly [status: string, orderId: string, clientOrderId: string], write = 'hex' as const) {
  const key = readFileSync(gateway.keys.control, 'utf8').trim();
  const control = createHash('sha1')
    .update(texts.join('') + key)
    .digest(write);
  const [state, orderId, clientOrderId] = texts.map(encodeURIComponent);
  return { query: `status=${state}&orderid=${orderId}&client_orderid=${clientOrderId}&amount=10.42`, control };
}

for (const handler of handlers)
  describe(`callback code ${handler.language}`, { tags: [...handler.tags] }, () => {
    test('takes the callback of a sale at the sandbox', async () => {
      const { home, url, said } = await start(handler);
      const orderName = `${id} ${handler.language}`;
      const sale = testSale('--json');
      const ran = await home.call([
        ...sale,
        '--client-order-id',
        orderName,
        '--server-callback-url',
        `${url}/callback?shop=1`,
      ]);
      const { order }: Document = JSON.parse(ran.out);
      await eventually('it is called', () => said().includes('verified: ') || undefined);
      expect(said()).toContain(`verified: approved, order ${order.orderId} (${orderName})`);
    });

    test('refuses whatever is not signed as it came, and takes the rest by GET and POST', async () => {
      const { url, said } = await start(handler);
      const { query, control } = signed(['declined', '7701', id]);
      const whole = `${query}&control=${control}`;
      const plus = whole.replaceAll('%20', '+');
      const answers = [
        status(`${url}/x?${whole}`),
        status(url, whole),
        status(url, plus),
        status(`${url}/?${whole}&comment=Caf%E9`),
        status(`${url}/?${query}&control=${control.toUpperCase()}`),
        status(`${url}/?${query}`),
        status(`${url}/?${query}&control=`),
        status(`${url}/?${query}&control=${control.slice(0, -1)}`),
        status(`${url}/?${whole.replace('declined', 'approved')}`),
        status(`${url}/?${whole}&status=approved`),
        status(`${url}/?${whole}&control=${control}`),
        status(`${url}/?${whole.replace('client_orderid', 'other')}`),
        status(`${url}/?${whole.replace(/control=./, 'control=%ff')}`),
      ];
      expect(await Promise.all(answers)).toEqual([...Array(5).fill(200), ...Array(8).fill(403)]);
      await eventually(
        'all are handled',
        () => said().split(`verified: declined, order 7701 (${id})`).length === 6 || undefined,
      );
    });

    test('takes no control over nothing but the key, and none in Base64 but where the profile says so', async () => {
      const { url } = await start(handler, ['assume: { control-encoding: base64 }']);
      const base64 = (texts: Parameters<typeof signed>[0]) => {
        const { query, control } = signed(texts);
        return [
          `${query}&control=${encodeURIComponent(Buffer.from(control, 'hex').toString('base64'))}`,
          `${query}&control=${control}`,
        ];
      };
      const [right = '', hex = ''] = base64(['approved', '1', 'a']);
      const [empty = ''] = base64(['', '', '']);
      const answers = [right, hex, empty].map((query) => status(`${url}/?${query}`));
      expect(await Promise.all(answers)).toEqual([200, 403, 403]);
    });
  });

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isEvery } from '../support/every.js';
import { testSale } from '../support/test-sale.js';
import { eventually, Home } from './home.js';
import { program } from './program.js';

const home = new Home();
afterAll(() => home.remove());

const money = testSale('--wait', '--json', '--no-input');
const payer = [
  ...[
    '--order-desc',
    'Order',
    '--email',
    'pat@example.com',
    '--phone',
    '+4930123456',
    '--address1',
    'Street 1',
    '--city',
    'Berlin',
  ],
  ...[
    '--zip-code',
    '10115',
    '--country',
    'DE',
    '--ip-address',
    '192.0.2.1',
    '--redirect-url',
    'https://shop.example/r',
  ],
];

test('--run gives a command all it needs, and its exit code back', { timeout: 60_000 }, async () => {
  const paycli = await program();
  const own = ['sandbox', 'start', '--name', 'run', '--port', '0', '--run', '--'];
  const sale = await home.run([...own, process.execPath, paycli, ...money, ...payer]);
  expect(sale.err).not.toContain('warning');
  expect({ exit: sale.exit, status: JSON.parse(sale.out).result.status }).toEqual({ exit: 0, status: 'approved' });
  const code =
    'process.exit(["BASE_URL", "LOGIN", "ENDPOINT_ID", "CONTROL_KEY_FILE", "PRIVATE_KEY_FILE"].every((n) => process.env["PAYCLI_" + n]) ? 7 : 1)';
  expect((await home.run([...own, process.execPath, '-e', code])).exit).toBe(7);
  if (isEvery) {
    expect((await home.run([...own, 'sh', '-c', 'kill -9 $$'])).exit).toBe(137);
    expect((await home.run([...own, '/no/such/program'])).exit).toBe(2);
  }
  expect(readdirSync(join(home.state, 'data/sandbox')).filter((name) => name.startsWith('run-'))).toEqual([]);
});

if (isEvery)
  test('--run has --wait ask at the pace of a sandbox, and no faster than its audit report allows', {
    timeout: 60_000,
  }, async () => {
    const paycli = await program();
    const own = ['sandbox', 'start', '--name', 'pace', '--port', '0', '--settle-ms', '2000', '--run', '--'];
    const sale = await home.run([...own, process.execPath, paycli, ...money, ...payer]);
    expect({ exit: sale.exit, status: JSON.parse(sale.out).result.status }).toEqual({ exit: 0, status: 'approved' });
    const log = await home.run(['sandbox', 'log', '--name', 'pace', '--ndjson']);
    // At the usual pace of 3 to 5 seconds there would be two.
    expect(log.out.split('\n').filter((line) => line.includes('"operation":"STATUS"')).length).toBeGreaterThan(2);
    expect((await home.run(['sandbox', 'audit', '--name', 'pace'])).exit).toBe(0);
  });

if (isEvery)
  test('commands that wait, watch and look at one order after the other do not count as fast polling', {
    timeout: 60_000,
  }, async () => {
    const paycli = await program();
    const own = ['sandbox', 'start', '--name', 'watch', '--port', '0', '--run', '--', 'sh', '-c'];
    const line = (argv: string) => `"${process.execPath}" "${paycli}" ${argv}`;
    const sale = line('sale --amount 10.42 --currency USD --test-card slow --test-payer --client-order-id w1');
    const commands = [
      `${sale} --wait --wait-timeout 5`,
      line('order w1'),
      line('status w1 --wait --wait-timeout 5'),
      line('order w1 --watch --wait-timeout 6'),
    ];
    const ran = await home.run([...own, `${commands.join('; ')}; true`]);
    expect(ran.exit, ran.err).toBe(0);
    const log = await home.run(['sandbox', 'log', '--name', 'watch', '--ndjson']);
    expect(log.out.match(/"operation":"STATUS"/g)?.length).toBeGreaterThan(12);
    const audit = await home.run(['sandbox', 'audit', '--name', 'watch']);
    expect(audit).toEqual({ exit: 0, out: expect.any(String), err: expect.stringContaining('no findings') });
  });

test('--run passes a signal on to the command and still cleans up', async () => {
  const text = 'process.on("SIGTERM", () => process.exit(5)); console.error("up"); setInterval(() => {}, 1000)';
  const running = await home.start([
    'sandbox',
    'start',
    '--name',
    'sig',
    '--port',
    '0',
    '--run',
    '--',
    process.execPath,
    '-e',
    text,
  ]);
  await eventually('the command is up', () => (running.err().includes('up') ? true : undefined));
  running.signal('SIGTERM');
  expect((await running.done).exit).toBe(5);
  expect(
    readdirSync(join(home.state, 'data/sandbox')).filter(
      (name) => name.startsWith('run-') || name.startsWith('sig.listening'),
    ),
  ).toEqual([]);
});

if (isEvery)
  test('a sandbox that listens is told from another program at its port, and stopped by name', async () => {
    const ready = join(home.path, 'ready');
    const server = await home.start(['sandbox', 'start', '--name', 'one', '--port', '0', '--ready-file', ready]);
    const url = await eventually('the sandbox is ready', () =>
      readdirSync(home.path).includes('ready') ? readFileSync(ready, 'utf8').trim() : undefined,
    );
    const { port } = new URL(url);
    const health = await (await fetch(new URL('/healthz', url))).json();
    expect(health).toMatchObject({ ok: true, name: 'one', pid: expect.any(Number) });
    const held = await home.run(['sandbox', 'start', '--name', 'two', '--port', port]);
    expect(held).toMatchObject({ exit: 13, err: expect.stringMatching(/by the sandbox one, process \d+/) });
    const same = await home.run(['sandbox', 'start', '--name', 'one', '--port', '0']);
    expect(same).toMatchObject({ exit: 13, err: expect.stringContaining('serves the same data') });
    expect((await home.run(['sandbox', 'stop', '--name', 'one'])).exit).toBe(0);
    const ended = await server.done;
    expect({ exit: ended.exit, err: ended.err }).toEqual({ exit: 0, err: 'stopped by SIGTERM\n' });
  });

test('a port that another program holds is said to be that', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  const ran = await home.run(['sandbox', 'start', '--name', 'taken', '--port', port]);
  expect(ran).toMatchObject({ exit: 13, err: expect.stringContaining(`port ${port} is in use by another program`) });
  other.close();
});

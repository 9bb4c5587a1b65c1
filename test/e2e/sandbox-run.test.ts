import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
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
  const own = ['sandbox', 'start', '--port', '0', '--run', '--'];
  const sale = await home.run([...own, process.execPath, paycli, ...money, ...payer]);
  expect(sale.err).not.toContain('warning');
  expect({ exit: sale.exit, status: JSON.parse(sale.out).result.status }).toEqual({ exit: 0, status: 'approved' });
  const code =
    'process.exit(["BASE_URL", "LOGIN", "ENDPOINT_ID", "CONTROL_KEY_FILE", "PRIVATE_KEY_FILE"].every((n) => process.env["PAYCLI_" + n]) ? 7 : 1)';
  expect((await home.run([...own, process.execPath, '-e', code])).exit).toBe(7);
  expect(readdirSync(join(home.state, 'data/sandbox')).filter((name) => name.startsWith('run-'))).toEqual([]);
});

test('--run passes a signal on to the command and still cleans up', async () => {
  const text = 'process.on("SIGTERM", () => process.exit(5)); console.error("up"); setInterval(() => {}, 1000)';
  const argv = ['sandbox', 'start', '--port', '0', '--run', '--', process.execPath, '-e', text];
  const running = await home.start(argv);
  await eventually('the command is up', () => (running.err().includes('up') ? true : undefined));
  running.signal('SIGTERM');
  expect((await running.done).exit).toBe(5);
  expect(
    readdirSync(join(home.state, 'data/sandbox')).filter(
      (name) => name.startsWith('run-') || name.includes('.listening'),
    ),
  ).toEqual([]);
});

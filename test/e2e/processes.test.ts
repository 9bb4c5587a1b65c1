import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testSale } from '../support/test-sale.js';
import { eventually, Home } from './home.js';
import { program } from './program.js';
import { payerFlags } from './shop.js';

const home = new Home();
afterAll(() => home.remove());

describe.concurrent('a reader that goes away', () => {
  test('| head -1 gets its line and no complaint follows', async () => {
    const { exit, out, err } = await home.shell('paycli help profiles | head -1');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out.trim().split('\n')).toHaveLength(1);
  });

  test('does not keep a sale from being made and its exit code from being right', async () => {
    const money = ['--amount', '10.42', '--currency', 'USD'];
    const running = await home.start(['sale', ...money, '--test-card', 'funds', '--wait']);
    running.closeOutput();
    const { exit, err } = await running.done;
    expect(exit, err).toBe(5);
    expect(err).not.toContain('EPIPE');
    expect(err.match(/^error: /gm)).toHaveLength(1);
  });
});

describe('sandbox start --run', () => {
  const own = ['sandbox', 'start', '--port', '0', '--run', '--', process.execPath];
  const left = () =>
    readdirSync(join(home.state, 'sandbox')).filter((name) => name.startsWith('run-') || name.includes('.listening'));

  test('gives a command all it needs', async () => {
    const words = testSale('--wait', '--json', '--no-input', '--redirect-url', 'https://shop.example/r', ...payerFlags);
    const sale = await home.run([...own, await program(), ...words]);
    expect(sale.err).not.toContain('warning');
    expect({ exit: sale.exit, status: JSON.parse(sale.out).result.status }).toEqual({ exit: 0, status: 'approved' });
  });

  test('passes a signal on to the command, gives its exit code back, and cleans up', async () => {
    const text = 'process.on("SIGTERM", () => process.exit(5)); console.error("up"); setInterval(() => {}, 1000)';
    const running = await home.start([...own, '-e', text]);
    await eventually('the command is up', () => (running.err().includes('up') ? true : undefined));
    running.signal('SIGTERM');
    expect((await running.done).exit).toBe(5);
    expect(left()).toEqual([]);
  });
});

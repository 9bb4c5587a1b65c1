import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home } from './home.js';

const readme = readFileSync('README.md', 'utf8');
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
const blockWith = (text: string) => blocks.find((block) => block.includes(text)) ?? `false # no block with ${text}`;

describe('the README', () => {
  let home: Home;
  beforeEach(() => {
    home = new Home();
  });
  afterEach(() => home.remove());

  test('begins with one line that installs and makes a sale, then one that installs and tests', () => {
    expect(blocks[0]).toMatch(/^npm ci && node bin\/paycli\.js sale .*--wait\n$/);
    expect(blocks[1]).toBe('npm ci && npm test\n');
  });

  test('first sale is approved', async () => {
    const { exit, out } = await home.shell((blocks[0] ?? '').replace('npm ci && node bin/paycli.js', 'paycli'));
    expect([exit, out]).toEqual([0, expect.stringContaining('✓ approved')]);
  });

  test('session runs as shown: everything succeeds until the void, which is refused because of the capture', async () => {
    const { exit, out, err } = await home.shell(`set -e; ${blockWith('paycli preauth --amount')}`);
    expect(out).toContain('reversal');
    expect([exit, err]).toEqual([4, expect.stringContaining('it was captured')]);
  });

  test('commands on signing run as shown', async () => {
    const { exit, out, err } = await home.shell(`set -e; ${blockWith('paycli sign sale')}`);
    expect(exit, err).toBe(0);
    expect(out).toContain('[4001][order-2][1042][payer@example.com][control key]');
    expect(out).toContain('5 Base string');
  });

  test('commands on a refused signature find the mistake that is named', async () => {
    const { exit, out, err } = await home.shell(blockWith('sign find-mistake sale'));
    expect([exit, err]).toEqual([11, expect.any(String)]);
    expect(out).toContain('decimal-amount');
  });

  test('commands on money safety run as shown', async () => {
    await home.shell('paycli sale --amount 10.42 --currency USD --test-card approved --client-order-id order-1; sleep 1');
    const { exit, out, err } = await home.shell(`set -e; ${blockWith('paycli resolve order-1')}`);
    expect(exit, err).toBe(0);
    expect(out).toContain('done');
    expect(out).toMatch(/whole: \d+ lines/);
  });

  test('commands on the sandbox run as shown', async () => {
    const lines = blockWith('paycli sandbox start --port 8484')
      .split('\n')
      .filter((line) => line.startsWith('paycli sandbox') && !line.includes('start'));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    const { exit, err } = await home.shell(`set -e; ${lines.join('\n')}`);
    expect(exit, err).toBe(0);
  });
});

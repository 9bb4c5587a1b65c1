import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { program } from '../e2e/program.js';
import { type Merchant, openMerchants, sale } from './merchant.js';
import { answer, byPath, faults } from './server.js';

const { newMerchant, serve } = openMerchants();
// Some of what follows goes by the clock, and a build takes its time.
beforeAll(program, 120_000);

const journalOf = ({ home }: Merchant) => join(home.state, 'requests.db');

/** A sale with one flag changed, or left out for undefined. */
function saleWith(flag: string, value: string | undefined): readonly string[] {
  const words = sale();
  const at = words.indexOf(flag);
  const rest = at === -1 ? words : [...words.slice(0, at), ...words.slice(at + 2)];
  return value === undefined ? rest : [...rest, flag, value];
}

describe.concurrent('F52 strange characters', () => {
  // The bytes of UTF-8 by hand, percent-encoded as RFC 3986 has it.
  test('in a text arrive as they are', async () => {
    const text = "!*'();:@&=+$,/?#[]% ~-._ e\u0301";
    const encoded = '%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25%20~-._%20e%CC%81';
    const server = await serve(faults.accepted);
    const { exit, err } = await newMerchant().call(saleWith('--order-desc', text), server.url);
    expect(exit, err).toBe(0);
    expect(server.exchanges[0]?.body.toString()).toContain(`order_desc=${encoded}&`);
  });

  test('in a text of a request signed by OAuth, the sandbox finds the signature right', async () => {
    const { home } = newMerchant();
    const words = ['--amount', '10.42', '--currency', 'USD', '--card-number', '4444333322221111'];
    const argv = ['payout', ...words, '--order-desc', '😀 \u202e\u200b é "%\'', '--profile', 'sandbox'];
    const { exit, err } = await home.call(argv);
    expect(exit, err).toBe(0);
  });
});

describe.concurrent('F68 a hostile working folder', () => {
  test('nothing in it is executed', async () => {
    const merchant = newMerchant();
    const folder = merchant.home.path;
    const mark = join(folder, 'was-executed');
    const evil = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`;
    for (const name of [
      '.paycli.js',
      'paycli.config.js',
      'paycli.config.cjs',
      '.paycli/index.js',
      '.config/config.js',
      'index.js',
      'evil.js',
    ]) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), evil);
    }
    writeFileSync(
      join(folder, 'package.json'),
      '{"main":"evil.js","paycli":{"$import":"./evil.js"},"cosmiconfig":{"searchPlaces":["evil.js"]}}',
    );
    writeFileSync(
      join(folder, '.env'),
      `NODE_OPTIONS=--require=${join(folder, 'evil.js')}\nPAYCLI_BASE_URL=http://127.0.0.1:9\n`,
    );
    writeFileSync(join(folder, '.npmrc'), `node-options=--require=${join(folder, 'evil.js')}\n`);
    const server = await serve(faults.accepted);
    const { exit, err } = await merchant.run(sale(), server.url);
    expect(exit, err).toBe(0);
    expect(server.bodies()).toBe(1);
    expect(readdirSync(folder)).not.toContain('was-executed');
  });
});

describe.concurrent('F69 the surroundings', () => {
  test('NODE_TLS_REJECT_UNAUTHORIZED=0: exit 3, nothing is written and nothing is sent', async () => {
    const [merchant, server] = [newMerchant(), await serve(faults.accepted)];
    const { exit, out, err } = await merchant.run(sale(), server.url, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect({ exit, out }).toEqual({ exit: 3, out: '' });
    expect(err).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks');
    expect(existsSync(journalOf(merchant))).toBe(false);
    expect(server.exchanges.length).toBe(0);
  });
});

test('F29 a clock that jumps back while it waits disturbs neither the wait nor the journal', async () => {
  const status = answer(
    '{"type":"status-response","paynet-order-id":"17","merchant-order-id":"order-1","status":"processing"}',
  );
  const server = await serve(byPath({ '/sale/': faults.accepted, '/status/': status }));
  const merchant = newMerchant();
  const jumping = 'const now = Date.now; let count = 0; Date.now = () => now() - 600_000 * (count++ > 5 ? 1 : 0)';
  const start = performance.now();
  const { exit, err } = await merchant.run([...sale(), '--wait', '--wait-timeout', '2'], server.url, {
    NODE_OPTIONS: `--require=${merchant.home.write('preload.cjs', jumping)}`,
  });
  expect(exit, err).toBe(7);
  expect(performance.now() - start).toBeLessThan(15_000);
  const [row] = merchant.rows(server.url);
  expect(row).toMatchObject({ state: 'accepted' });
  expect(Number(row?.['changed_at'])).toBeLessThan(Date.now() - 500_000);
  await merchant.expectWhole();
});

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ran } from '../e2e/home.js';
import { program } from '../e2e/program.js';
import { type Merchant, sale } from './merchant.js';
import { openMerchants } from './merchants.js';
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

/** Exit 2 with what is wrong and what to do; neither journal nor network see anything of it. */
async function expectRefused(argv: readonly string[]): Promise<Ran> {
  const [merchant, server] = [newMerchant(), await serve(faults.accepted)];
  const ran = await merchant.call(argv, server.url);
  expect({ exit: ran.exit, out: ran.out }, ran.err).toEqual({ exit: 2, out: '' });
  expect(ran.err).toMatch(/^error: .+\nnext: {2}.+\n$/s);
  expect(server.exchanges.length).toBe(0);
  expect(existsSync(journalOf(merchant))).toBe(false);
  return ran;
}

describe.concurrent('F55 an amount', () => {
  test.each([
    ['1e3', 'such as 10.42'],
    ['1,000.00', 'no thousands separators'],
  ])('%j is refused with the form that is right: %s', async (amount, right) => {
    const { err } = await expectRefused(saleWith('--amount', amount));
    expect(err).toMatch(/amount/);
    expect(err).toContain(right);
  });
});

describe.concurrent('F56 a currency', () => {
  const inCurrency = (amount: string, currency: string) =>
    saleWith('--amount', amount).map((word) => (word === 'USD' ? currency : word));

  test.each([
    ['100.00', 'JPY'],
    ['1.00', 'usd'],
  ])('%s %s is refused', async (amount, currency) => {
    await expectRefused(inCurrency(amount, currency));
  });

  test.each([['1.234', 'KWD', '1234']])('%s %s is sent as it is, and signed as %s', async (amount, currency, minor) => {
    const server = await serve(faults.accepted);
    const merchant = newMerchant();
    const { exit, err } = await merchant.call(inCurrency(amount, currency), server.url);
    expect(exit, err).toBe(0);
    const body = new URLSearchParams(server.exchanges[0]?.body.toString());
    expect([body.get('amount'), body.get('currency')]).toEqual([amount, currency]);
    // The description: endpoint, client order id, minor units, email, control key.
    const control = createHash('sha1').update(`5001order-1${minor}pat.payer@example.com7d1c0f5e2a9b4c68`).digest('hex');
    expect(body.get('control')).toBe(control);
    expect(merchant.rows(server.url)).toMatchObject([{ minor, currency, state: 'accepted' }]);
  });
});

describe.concurrent('F57, F58 card data and keys', () => {
  const card = ['--card-holder', 'PAT PAYER', '--expire-month', '12', '--expire-year', '2035', '--cvv', '123'];
  const withCard = (number: string) => [...saleWith('--test-card', undefined), ...card, '--card-number', number];

  test.each(['4444 3333 2222 1111', '4444333322221112'])(
    'the card number %s is refused, and not repeated',
    async (number) => {
      const { err } = await expectRefused(withCard(number));
      expect(err).not.toContain(number);
      expect(err.replace(/\D/g, '')).not.toContain('44443333');
    },
  );

  test('a card number on the command line with a live profile', async () => {
    const live = ['sale', '--live', ...withCard('4444333322221111').slice(1)];
    const { exit, out, err } = await newMerchant().call(live, 'https://gateway.example', { PAYCLI_CLASS: 'live' });
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toContain('from your shell history');
    expect(err).not.toContain('4444333322221111');
  });

  test.each(['--control-key', '--passphrase'])('%s on the command line with any profile', async (flag) => {
    for (const words of [[flag, 'k-5d41402abc4b2a76'], [`${flag}=k-5d41402abc4b2a76`]]) {
      const { err } = await expectRefused([...sale(), ...words, '--verbose']);
      expect(err).toContain('the shell history could');
      expect(err).not.toContain('5d41402');
    }
  });
});

describe.concurrent('F52 strange characters', () => {
  const files = newMerchant().home;
  const strange: Readonly<Record<string, string>> = {
    'CR LF': 'a\r\nb',
    NUL: 'a\0b',
    'a right-to-left mark': 'order-\u202e1',
  };

  test.each(Object.keys(strange))('%s in an id is refused', async (name) => {
    const file = files.write(`id-${name}`, JSON.stringify({ client_orderid: strange[name] }));
    const { err } = await expectRefused([...saleWith('--client-order-id', undefined), '--input', file]);
    expect(err).not.toMatch(/[\0\r\u200b\u202e]/);
  });

  test('invalid UTF-8 in a file is refused before anything is sent', async () => {
    const file = join(files.path, 'bytes');
    writeFileSync(file, Buffer.from([...Buffer.from('{"order_desc":"'), 0xff, ...Buffer.from('"}')]));
    await expectRefused([...saleWith('--order-desc', undefined), '--input', file]);
  });

  // The bytes of UTF-8 by hand, percent-encoded as RFC 3986 has it.
  test.each([
    ['a combining accent', 'e\u0301', 'e%CC%81'],
    [
      'all that is reserved',
      "!*'();:@&=+$,/?#[]% ~-._",
      '%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25%20~-._',
    ],
  ])('%s in a text arrives as it is', async (_, text, encoded) => {
    const server = await serve(faults.accepted);
    const { exit, err } = await newMerchant().call(saleWith('--order-desc', text), server.url);
    expect(exit, err).toBe(0);
    expect(server.exchanges[0]?.body.toString()).toContain(`order_desc=${encoded}&`);
  });

  test('in a text of a request signed by OAuth, the sandbox finds the signature right', async () => {
    const { home } = newMerchant();
    const words = [
      '--amount',
      '10.42',
      '--currency',
      'USD',
      '--card-number',
      '4444333322221111',
      '--order-desc',
      '😀 \u202e\u200b é "%\'',
    ];
    const { exit, err } = await home.call(['payout', ...words, '--profile', 'sandbox']);
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
    // What the trap would look like if it were sprung.
    await merchant.run(sale(), server.url, { NODE_OPTIONS: `--require=${join(folder, 'evil.js')}` });
    expect(readdirSync(folder)).toContain('was-executed');
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

  test('a proxy is asked for a tunnel to https, and gets nothing else', async () => {
    const proxy = await serve({
      connected: (socket) =>
        void socket.on('data', (piece) => seen.push(piece.toString('latin1'))).write('HTTP/1.1 502 No\r\n\r\n'),
    });
    const seen: string[] = [];
    const merchant = newMerchant();
    const url = 'https://gateway.invalid/pay';
    const { exit, err } = await merchant.run(sale(), url, { PAYCLI_CLASS: 'test', HTTPS_PROXY: proxy.url });
    expect(exit, err).toBe(6);
    expect(seen.length).toBeGreaterThan(0);
    for (const text of seen)
      expect(text).toMatch(/^CONNECT gateway\.invalid:443 HTTP\/1\.1\r\nhost: gateway\.invalid\r\n/i);
    expect(seen.join('')).not.toContain('order-1');
    expect(merchant.rows(url)).toMatchObject([{ state: 'not_sent', attempt: 1 }]);
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

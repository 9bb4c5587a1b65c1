import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ran } from '../e2e/home.js';
import { program } from '../e2e/program.js';
import { Merchant, sale } from './merchant.js';
import { answer, byPath, type Fault, type FaultServer, faultServer, faults } from './server.js';

const merchants: Merchant[] = [];
const open: FaultServer[] = [];

// Some of what follows goes by the clock, and a build takes its time.
beforeAll(program, 120_000);
afterAll(async () => {
  for (const { home } of merchants) home.remove();
  await Promise.all(open.map((server) => server.close()));
});

function newMerchant(): Merchant {
  const merchant = new Merchant();
  merchants.push(merchant);
  return merchant;
}

async function serve(fault: Fault): Promise<FaultServer> {
  const server = await faultServer(fault);
  open.push(server);
  return server;
}

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
    ['10.005', 'use at most 2 digits'],
    ['1,000.00', 'no thousands separators'],
    ['１０', 'such as 10.42'],
    ['12345678901234567890', 'use at most 999999999.99 in USD'],
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

  test.each(['4444 3333 2222 1111', '４４４４３３３３２２２２１１１１', '4444333322221112', '4.11111E+15'])(
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

  test.each(['--control-key', '--private-key', '--passphrase'])(
    '%s on the command line with any profile',
    async (flag) => {
      for (const words of [[flag, 'k-5d41402abc4b2a76'], [`${flag}=k-5d41402abc4b2a76`]]) {
        const { err } = await expectRefused([...sale(), ...words, '--verbose']);
        expect(err).toContain('the shell history could');
        expect(err).not.toContain('5d41402');
      }
    },
  );
});

describe.concurrent('F52 strange characters', () => {
  const files = newMerchant().home;
  const strange: Readonly<Record<string, string>> = {
    'CR LF': 'a\r\nb',
    NUL: 'a\0b',
    'a right-to-left mark': 'order-\u202e1',
    'a zero-width space': 'order-\u200b1',
    'an emoji': 'order-😀1',
    'what unreadable bytes become': 'order-\ufffd1',
    'a blank at its end': 'order-1 ',
  };

  test.each(Object.keys(strange))('%s in an id is refused', async (name) => {
    const file = files.write(`id-${name}`, strange[name] ?? '');
    const { err } = await expectRefused([
      ...saleWith('--client-order-id', undefined),
      '--field',
      `client_orderid=@${file}`,
    ]);
    expect(err).not.toMatch(/[\0\r\u200b\u202e]/);
  });

  test.each(['CR LF', 'NUL'])('%s in a text is refused', async (name) => {
    const file = files.write(`text-${name}`, strange[name] ?? '');
    await expectRefused([...saleWith('--order-desc', undefined), '--field', `order_desc=@${file}`]);
  });

  test.each([
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x62])],
    ['half of a surrogate pair', Buffer.from([0x61, 0xed, 0xa0, 0xbd, 0x62])],
  ])('%s in a file is refused before anything is sent', async (name, bytes) => {
    const file = join(files.path, name.replaceAll(' ', '-'));
    writeFileSync(file, bytes);
    const server = await serve(faults.accepted);
    const { exit, out, err } = await newMerchant().call(
      [...saleWith('--order-desc', undefined), '--field', `order_desc=@${file}`],
      server.url,
    );
    expect({ exit, out }, err).toEqual({ exit: 2, out: '' });
    expect(err).toContain('UTF-8');
    expect(server.exchanges.length).toBe(0);
  });

  // The bytes of UTF-8 by hand, percent-encoded as RFC 3986 has it.
  test.each([
    ['a right-to-left mark', 'a\u202eb', 'a%E2%80%AEb'],
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

describe.concurrent('F29, F30 clock and chance', () => {
  const preload = (merchant: Merchant, text: string) => ({
    NODE_OPTIONS: `--require=${merchant.home.write('preload.cjs', text)}`,
  });

  test.each([['10 minutes ahead', 600_000, 'ahead of']])(
    'a clock that is %s is found by doctor',
    async (_, shift, words) => {
      const server = await serve(byPath({}));
      const merchant = newMerchant();
      const date = answer('', { status: 404, headers: [`date: ${new Date().toUTCString()}`] });
      const gateway = await serve(date);
      const { exit, out } = await merchant.run(
        ['doctor'],
        gateway.url,
        preload(merchant, `const now = Date.now; Date.now = () => now() + ${shift}`),
      );
      expect(exit, out).toBe(0);
      expect(out).toMatch(new RegExp(`warn +clock +(?:59\\d|60\\d) s ${words} 127\\.0\\.0\\.1`));
      expect(server.exchanges.length).toBe(0);
    },
  );

  test('a clock that jumps back while it waits disturbs neither the wait nor the journal', async () => {
    const status = answer(
      '{"type":"status-response","paynet-order-id":"17","merchant-order-id":"order-1","status":"processing"}',
    );
    const server = await serve(byPath({ '/sale/': faults.accepted, '/status/': status }));
    const merchant = newMerchant();
    const jumping = 'const now = Date.now; let count = 0; Date.now = () => now() - 600_000 * (count++ > 5 ? 1 : 0)';
    const start = performance.now();
    const { exit, err } = await merchant.run(
      [...sale(), '--wait', '--wait-timeout', '2'],
      server.url,
      preload(merchant, jumping),
    );
    expect(exit, err).toBe(7);
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(merchant.rows(server.url)).toMatchObject([{ state: 'accepted' }]);
    const [row] = merchant.rows(server.url);
    expect(Number(row?.['changed_at'])).toBeLessThan(Date.now() - 500_000);
    await merchant.expectWhole();
  });

  test('two requests never carry the same nonce', async () => {
    const server = await serve(faults.accepted);
    const merchant = newMerchant();
    const words = [
      'payout',
      '--amount',
      '1.00',
      '--currency',
      'USD',
      '--card-number',
      '4444333322221111',
      '--client-order-id',
    ];
    for (const id of ['order-1', 'order-2']) await merchant.call([...words, id, '--again'], server.url);
    const nonces = server.exchanges.map(({ head }) => /oauth_nonce="([^"]+)"/.exec(head)?.[1]);
    expect(nonces).toHaveLength(2);
    expect(new Set(nonces).size).toBe(2);
    expect(nonces).not.toContain(undefined);
  });
});

// @module-tag openssl
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Home } from './home.js';
import { type Gateway, homeAt, startGateway } from './shop.js';

// Numbers nobody else uses, so that a find is a leak. The last digit of the first one makes it a possible card number.
const number = '4929618305724915';
const code = '8642';
const money = ['--amount', '10.42', '--currency', 'USD'];
const holder = ['--card-holder', 'PAT PAYER', '--expire-month', '12', '--expire-year', '2035'];
const card = ['--card-number', number, ...holder, '--cvv', code];

let gateway: Gateway;
let home: Home;
let controlKey: string;
let privateKeyLine: string;

beforeAll(async () => {
  gateway = await startGateway(['--settle-ms', '0', '--any-card']);
  const { keys } = gateway;
  home = homeAt(gateway);
  controlKey = readFileSync(keys.control, 'utf8').trim();
  privateKeyLine = readFileSync(keys.pkcs8, 'utf8').split('\n')[5] ?? '';
}, 60_000);

afterAll(async () => {
  home.remove();
  await gateway.close();
});

/** What of the planted secrets stands in a text, however the number is grouped or encoded. */
function leaksIn(text: string): string[] {
  // Digests hold any four digits sooner or later.
  const words = text.replace(/[0-9a-f]{32,}/g, '');
  const digits = text.replace(/(?<=\d)(?:[ -]|%20|\+)(?=\d)/g, '');
  const found = [
    ['card number', digits.includes(number)],
    ['middle of the card number', digits.includes(number.slice(6, 12))],
    ['security code', new RegExp(`(?<!\\d)${code}(?!\\d)`).test(words)],
    ['control key', text.includes(controlKey)],
    ['private key', text.includes(privateKeyLine) || text.includes('PRIVATE KEY-----')],
    ['encoded card number', text.includes(Buffer.from(number).toString('base64').slice(0, -4))],
    ['encoded control key', text.includes(Buffer.from(controlKey).toString('base64').slice(0, -4))],
  ] as const;
  return found.filter(([, isThere]) => isThere).map(([name]) => name);
}

test('the search finds what it is meant to find', () => {
  expect(leaksIn(`cvv2%3D${code}%26 4929 6183 0572 4915 ${controlKey} ${privateKeyLine}`)).toEqual([
    'card number',
    'middle of the card number',
    'security code',
    'control key',
    'private key',
  ]);
  expect(leaksIn(`492961 4910 1${code}`)).toEqual([]);
});

// One after another: equal payments of one user at once would stop each other.
test('what is sent by a process of its own is shown masked', async () => {
  // The security code is none that approves.
  const ran = await home.run(['sale', ...money, ...card, '--wait', '--verbose']);
  expect(ran.exit, ran.err + ran.out).toBe(5);
  expect(leaksIn(ran.out + ran.err)).toEqual([]);
  expect(ran.err).toContain('> credit_card_number = •••• 4915');
});

/** Every file below a folder with its bytes, so that nothing a database keeps is overlooked. */
function filesIn(folder: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, text: readFileSync(join(parentPath, name)).toString('latin1') }));
}

test('what is kept of a payment and of one that the gateway refused holds nothing of it', async () => {
  const refused = ['payout', ...money, '--card-number', number, '--control-key-file', gateway.keys.otherControl];
  expect((await home.call([...refused, '--again'])).exit).toBe(4);
  const words = ['preauth', ...money, ...card, '--client-order-id', 'kept-1', '--again'];
  expect((await home.call(words)).exit).toBe(0);
  const status = await home.call(['status', '--client-order-id', 'kept-1', '--wait', '--json']);
  const { orderId } = JSON.parse(status.out).order;
  const files = [home.path, gateway.home.state].flatMap(filesIn);
  // The order is in there, so these are the right files, the write-ahead logs included.
  expect(files.filter(({ text }) => text.includes(orderId)).length).toBeGreaterThan(1);
  for (const { name, text } of files) {
    // The sandbox keeps the key it was given, which is its own.
    const known = /^default\.db(?:-wal|-shm)?$/.test(name) ? ['control key'] : [];
    const leaks = leaksIn(text).filter((leak) => !known.includes(leak));
    expect(leaks, name).toEqual([]);
  }
});

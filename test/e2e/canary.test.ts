// @module-tag openssl
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Home, Variables } from './home.js';
import { type Gateway, homeAt, startGateway } from './shop.js';

// Numbers nobody else uses, so that a find is a leak. The last digit of the first one makes it a possible card number.
const number = '4929618305724915';
const mistyped = '4929618305724910';
const code = '8642';
const money = ['--amount', '10.42', '--currency', 'USD'];
const holder = ['--card-holder', 'PAT PAYER', '--expire-month', '12', '--expire-year', '2035'];
const card = (value = number) => ['--card-number', value, ...holder, '--cvv', code];

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
    ['card number', digits.includes(number) || digits.includes(mistyped)],
    ['middle of the card number', digits.includes(number.slice(6, 12))],
    ['security code', new RegExp(`(?<!\\d)${code}(?!\\d)`).test(words)],
    ['control key', text.includes(controlKey)],
    ['private key', text.includes(privateKeyLine) || text.includes('PRIVATE KEY-----')],
    ['encoded card number', text.includes(Buffer.from(number).toString('base64').slice(0, -4))],
    ['encoded control key', text.includes(Buffer.from(controlKey).toString('base64').slice(0, -4))],
  ] as const;
  return found.filter(([, isThere]) => isThere).map(([name]) => name);
}

/** In a process of its own where `runs` says so, which writes what the runtime itself may have to say. */
async function expectNoLeak(
  argv: readonly string[],
  exit: number,
  env: Variables = {},
  runs: 'run' | 'call' = 'call',
): Promise<string> {
  const ran = await home[runs](argv, env);
  expect(ran.exit, ran.err + ran.out).toBe(exit);
  expect(leaksIn(ran.out), ran.out).toEqual([]);
  expect(leaksIn(ran.err), ran.err).toEqual([]);
  return ran.out + ran.err;
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

const output = ['--verbose', '--verbose', '--json'];

// One after another: equal payments of one user at once would stop each other.
describe('what is sent is shown masked', () => {
  const approved = (argv: readonly string[], more: readonly string[]) => expectNoLeak([...argv, ...more], 0);
  const again = ['--again'];

  test('by sale', async () => {
    // The security code is none that approves.
    const text = await expectNoLeak(['sale', ...money, ...card(), '--wait', '--verbose'], 5, {}, 'run');
    expect(text).toContain('> credit_card_number = •••• 4915');
  });

  test('by every other operation that takes a card', async () => {
    await approved(['preauth', ...money, ...card(), ...again], output);
    await approved(['account-verification', ...card()], output);
    await approved(['payout', ...money, '--card-number', number, ...again], output);
    await approved(['payout', 'check', ...money, '--card-number', number, ...again], output);
    await approved(['transfer', ...money, ...card(), '--destination-card-number', number, ...again], output);
    await approved(['recurring', '--recurring-card-type', 'SRC', ...money, ...card()], output);
    await approved(['pan-eligibility', '--sending-card-number', number, ...holder], output);
  });

  test('by --input and by --field', async () => {
    const text = JSON.stringify({
      ...{ credit_card_number: number, card_printed_name: 'PAT PAYER' },
      ...{ expire_month: '12', expire_year: '2035', cvv2: code },
    });
    await approved(['sale', ...money, '--input', home.write('card', text), ...again], ['--verbose']);
    const fields = ['--field', `credit_card_number=${number}`, '--field', `cvv2=${code}`, ...holder];
    await approved(['sale', ...money, ...fields, ...again], ['--verbose']);
  });
});

describe.concurrent('what is refused is not repeated', () => {
  test('by the gateway neither', async () => {
    const { keys } = gateway;
    const other = ['--control-key-file', keys.otherControl, '--verbose', '--again'];
    await expectNoLeak(['sale', ...money, ...card(), ...other], 4);
    await expectNoLeak(['payout', ...money, '--card-number', number, ...other], 4);
    await expectNoLeak(['sale', ...money, ...card(), '--base-url', 'http://127.0.0.1:1', '--verbose'], 6);
  });
});

/** Every file below a folder with its bytes, so that nothing a database keeps is overlooked. */
function filesIn(folder: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, text: readFileSync(join(parentPath, name)).toString('latin1') }));
}

// One after the other: two equal payments at the same moment are refused.
describe('on disk', () => {
  test('the merchant’s side keeps nothing of it', async () => {
    await expectNoLeak(['preauth', ...money, ...card(), '--again'], 0);
    const files = filesIn(home.path).filter(({ name }) => name !== 'card');
    expect(files.map(({ name, text }) => [name, leaksIn(text)]).filter(([, leaks]) => leaks?.length !== 0)).toEqual([]);
  });

  test('the sandbox keeps the key it was given, which is its own, and nothing of a card', async () => {
    const words = ['preauth', ...money, ...card(), '--client-order-id', 'kept-1', '--again'];
    await expectNoLeak(words, 0);
    const order = JSON.parse((await home.call(['status', '--client-order-id', 'kept-1', '--wait', '--json'])).out).order
      .orderId;
    const files = filesIn(gateway.home.state);
    // The order is in there, so these are the right files, the write-ahead log included.
    expect(files.some(({ text }) => text.includes(order))).toBe(true);
    for (const { name, text } of files) {
      const known = /^default\.db(?:-wal|-shm)?$/.test(name) ? ['control key'] : [];
      expect(
        leaksIn(text).filter((leak) => !known.includes(leak)),
        name,
      ).toEqual([]);
    }
  });
});

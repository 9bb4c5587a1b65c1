import { describe, expect, test } from 'vitest';
import { flagOf } from '../../src/cli/command.js';
import { isFromProfile } from '../../src/cli/flags.js';
import { allOperations, type Operation } from '../../src/spec/index.js';
import { paycli, type TestOptions } from '../support/runtime.js';
import { samples } from '../support/samples.js';
import { endings, json, network } from './echoing.js';
import { hunting } from './hunting.js';
import { card, code, controlKey, leaksIn, mistyped, otherCard, passphrase, plantFiles } from './planted.js';

const planted = plantFiles();
const { shop, search } = hunting(planted);

test('the search finds what it is meant to find', () => {
  const percent = (text: string) => [...text].map((char) => `%${Buffer.from(char).toString('hex')}`).join('');
  for (const [text, name] of [
    [card.slice(0, 10), 'card'],
    ['6759 6498 2643 8453', 'card'],
    [percent(card), 'card'],
    [percent(percent(card)), 'card'],
    [[...card].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''), 'card'],
    [Buffer.from(`ab${card}`).toString('base64'), 'card'],
    [`cvv2=${code}&`, 'security code'],
    [controlKey.toLowerCase(), 'control key'],
    [Buffer.from(controlKey).toString('hex'), 'control key'],
    [Buffer.from(`a${controlKey}`).toString('base64url'), 'control key'],
    [encodeURIComponent(passphrase), 'passphrase'],
  ] as const)
    expect(leaksIn(text, planted), text).toContain(name);
  expect(leaksIn('order 12345 at 10:42, fingerprint 3f0947aa, •••• 8453', planted)).toEqual([]);
});

/** What the names in examples stand for. */
const names: Readonly<Record<string, string>> = {
  ORDER: '12345',
  ID: 'id-1',
  CARD: '77',
  CRES: 'eyJhIjoxfQ',
  PARES: 'eJwDAAAAAAE',
  TDS: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
};

const added: ReadonlySet<string> = new Set(['--profile', '--test-card', '--client-order-id', '--deposit2card']);

/**
 * The words of an example with a planted number for each of its own, and without what is added here: ids and the paying
 * card.
 */
function exampleWords(row: Operation): string[] {
  const words = [...(row.examples[0] ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? '';
    if (word === '--wait' || added.has(word) || added.has(before)) return [];
    return [
      /card-number$/.test(before) ? otherCard : word.replace(/\$([A-Z]+)/g, (_, name: string) => names[name] ?? ''),
    ];
  });
}

const made = new Map<string, readonly string[]>();

/** Flags with which an operation can be signed; its own card is the planted one. */
async function flagsFor(row: Operation): Promise<readonly string[]> {
  const known = made.get(row.id);
  if (known !== undefined) return known;
  const argv = exampleWords(row);
  const add = (key: string, value: string) => {
    if (key in row.fields && !argv.includes(flagOf(key)) && !isFromProfile(key)) argv.push(flagOf(key), value);
  };
  add('clientOrderId', 'id-1');
  if (row.examples[0]?.includes('--test-card') === true || row.command === 'transfer')
    for (const [key, value] of Object.entries(cardFields)) add(key, value);
  const home = shop();
  for (let tries = 0; tries < 5; tries += 1) {
    const ran = await paycli([...argv, '--dry-run', '--json'], { home });
    if (ran.exit === 0) {
      made.set(row.id, argv);
      return argv;
    }
    const { facts, message } = JSON.parse(ran.err);
    const missing: readonly string[] = facts.flags?.split(', ') ?? message.match(/--[\w-]+(?= is missing)/g) ?? [];
    for (const flag of missing) {
      const [key = '', field] = Object.entries(row.fields).find(([each]) => flagOf(each) === flag) ?? [];
      if (field !== undefined) add(key, field.values?.[0] ?? samples[field.kind].good[0] ?? 'x');
    }
  }
  throw new Error(`no good request for ${row.command}: ${argv.join(' ')}`);
}

const cardFields = { cardNumber: card, cardHolder: 'PAT PAYER', expireMonth: '12', expireYear: '2035', cvv: code };
describe.each(allOperations.map((row) => ({ command: row.command, row })))('$command', ({ row }) => {
  test('dry run, signature, and code made of it', async () => {
    const argv = await flagsFor(row);
    const home = shop();
    expect((await search([...argv, '--dry-run', '-vv'], { home })).exit).toBe(0);
    expect((await search(['sign', ...argv, '--explain', '--json'], { home })).exit).toBe(0);
    const ran = await search(['sign', ...argv, '--code', 'curl'], { home });
    expect(ran.exit, ran.err).toBe(0);
  });

  // The whole list for the operation most used; for each other one that shows most of a reply.
  const ends = endings.filter(([name]) => row.id === 'SALE' || name === 'accepted');
  test.each(ends)('sent: %s', async (name, ending) => {
    const argv = await flagsFor(row);
    for (const more of [['-vv', '--json'], ...(name === 'accepted' && row.id === 'SALE' ? [['--wait']] : [])]) {
      const home = shop();
      const { bodies, outside } = network(row, ending);
      const ran = await search([...argv, ...more], { home, outside });
      expect(ran.exit, ran.err).not.toBe(1);
      expect([2, 3].includes(ran.exit) && name !== 'a wrong certificate', ran.err).toBe(false);
      if (argv.includes(card)) expect(bodies.join('\n')).toContain(card);
    }
  });
});

describe('card data from', () => {
  const sale = async () =>
    (await flagsFor(allOperations.find(({ id }) => id === 'SALE') ?? never())).filter(
      (word, at, all) => !isCard(word) && !isCard(all[at - 1] ?? ''),
    );
  const isCard = (word: string) => Object.keys(cardFields).some((key) => flagOf(key) === word);
  const never = (): never => {
    throw new Error('no such operation');
  };
  const saleRow = allOperations.find(({ id }) => id === 'SALE') ?? never();

  test.each<[string, readonly string[], Partial<TestOptions>]>([
    ['a file', ['--input', planted.card], {}],
    [
      'standard input',
      ['--input', '-'],
      {
        stdin: JSON.stringify({
          credit_card_number: card,
          card_printed_name: 'PAT PAYER',
          expire_month: '12',
          expire_year: '2035',
          cvv2: code,
        }),
      },
    ],
    ['prompts', [], { tty: true, answers: Object.entries(cardFields).map(([name, value]) => [name, value] as const) }],
    [
      '--field',
      [
        '--field',
        `credit_card_number=${card}`,
        '--field',
        `cvv2=${code}`,
        '--card-holder',
        'PAT PAYER',
        '--expire-month',
        '12',
        '--expire-year',
        '2035',
      ],
      {},
    ],
    ['a field nobody has', ['--input', planted.card, '--allow-unknown-field', '--field', `pan=${otherCard}`], {}],
  ])('%s', async (_, flags, options) => {
    const { bodies, outside } = network(saleRow, json(200));
    const ran = await search([...(await sale()), ...flags, '-vv'], { home: shop(), outside, ...options });
    // The echoing gateway declines it.
    expect(ran.exit, ran.err).toBe(5);
    expect(bodies[0]).toContain(card);
  });
});

const sale = ['sale', '--amount', '10.42', '--currency', 'USD', '--client-order-id', 'id-1'];
const holder = ['--card-holder', 'PAT PAYER', '--expire-month', '12', '--expire-year', '2035'];

describe('what is refused here is not repeated', () => {
  test.each<[string, readonly string[], Partial<TestOptions>?]>([
    ['a wrong check digit', [...sale, ...holder, '--card-number', mistyped, '--cvv', code]],
    ['a code as month', [...sale, '--expire-month', code]],
    ['a number as e-mail', [...sale, '--email', card]],
    ['a mistyped flag', [...sale, '--card-numbr', card]],
    ['a word too many', [...sale, card]],
    ['a command', [card]],
    ['a field without a name', [...sale, '--field', card]],
    ['the name of a field', [...sale, '--field', `${card}=x`]],
    ['the name of a field in a file', [...sale, '--input', planted.put('odd', `{"${card}": 1}`)]],
    ['a file that is no JSON', [...sale, '--input', planted.put('cut', `{"credit_card_number":"${card}`)]],
    ['a profile', [...sale, '--profile', card]],
    ['an endpoint', [...sale, '--endpoint-id', card]],
    ['an address', [...sale, '--base-url', `https://${controlKey}:${card}@x.example`]],
    ['a key as a flag', [...sale, '--control-key', controlKey]],
    ['a passphrase as a flag', [...sale, `--passphrase=${passphrase}`]],
    ['a key in place of its file, by the environment', sale, { env: { PAYCLI_CONTROL_KEY_FILE: controlKey } }],
    ['a path', ['request', `/api/v2/${card}/${card}`]],
    [
      'an unknown path',
      ['request', '/api/v9/pay', '--scheme', 'control', '--signed-values', card, '--field', `pan=${card}`],
    ],
    ['a wrong passphrase', [...sale, '--private-key-file', planted.locked, '--passphrase-file', planted.key]],
  ])('%s', async (_, argv, options = {}) => {
    expect([2, 3]).toContain((await search([...argv, '-vv'], { home: shop(), ...options })).exit);
  });
});

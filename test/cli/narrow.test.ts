import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { widthOf, wrapValues } from '../../src/errors/text-width.js';
import { paycli, type TestOptions, temporaryHome } from '../support/runtime.js';
import { openHome, stillUnknown } from './listed.js';
import { saleFlags } from './profiles.js';

const unknownOrder = ['void', 'never-made', '--profile', 'sandbox', '--comment', 'x'];

test.each([40, 60, 80])('an error on a terminal of %i columns is broken between words', async (errColumns) => {
  const { err } = await paycli(['sale', '--amont', '1'], { tty: true, errColumns });
  const lines = stripVTControlCharacters(err).trimEnd().split('\n');
  expect(lines.every((line) => widthOf(line) <= errColumns)).toBe(true);
  // Whatever follows a label stands below it.
  for (const line of lines) expect(line).toMatch(/^(?:error: |next: |help: | {2}\S| {7}\S)/);
});

test('a command in its next step stays in one piece', async () => {
  const home = await openHome();
  const second = ['sale', '--client-order-id', 'second', '--again', ...saleFlags.slice(3)];
  const { err } = await paycli(second, { home, tty: true, errColumns: 34, network: [stillUnknown, stillUnknown] });
  expect(err).toMatch(/^ {7}`paycli orders`/m);
});

test('elsewhere, and as JSON, every line stays whole', async () => {
  const whole = await paycli(unknownOrder, { errColumns: 40 });
  expect(
    whole.err
      .trimEnd()
      .split('\n')
      .filter((line) => line.startsWith(' ')),
  ).toEqual([]);
  const json = await paycli([...unknownOrder, '--json'], { tty: true, errColumns: 40 });
  expect(JSON.parse(json.err)).toMatchObject({ schema: 'paycli.error/1' });
});

test('a command to paste is broken between words, as a shell reads it', () => {
  const line = "  paycli return order-1 --comment 'two words' --amount 5.00 --profile shop-test";
  expect(wrapValues(line, 40)).toBe(
    "  paycli return order-1 --comment \\\n    'two words' --amount 5.00 \\\n    --profile shop-test",
  );
});

describe('a list on 80 columns', () => {
  const narrow: TestOptions = {
    tty: true,
    outside: (usual) => ({ ...usual, terminal: { ...usual.terminal, width: 80 } }),
  };

  test.each([
    [
      'journal list',
      /^ +1 +\S.* preauth +\d{8} +30\.00 USD +done\n {2}your id: narrow-20300107-120000-abcdef\n {2}reason: status: approved$/m,
    ],
    [
      'sandbox callbacks list -o table',
      /^ +1 +\d{8} +approved .*\n {2}your id: narrow-20300107-120000-abcdef\n {2}url: http:\/\/127\.0\.0\.1:9\/hook$/m,
    ],
  ])('%s keeps both ids of an order and cuts no reason or address', async (command, row) => {
    const home = temporaryHome();
    const preauth = [
      ...['preauth', '--amount', '30.00', '--currency', 'USD', '--test-card', 'approved', '--wait', '--quiet'],
      ...['--client-order-id', 'narrow-20300107-120000-abcdef', '--server-callback-url', 'http://127.0.0.1:9/hook'],
    ];
    const paid = await paycli(preauth, { home });
    expect(paid.exit, paid.err).toBe(0);
    const { out } = await paycli(command.split(' '), { ...narrow, home });
    const text = stripVTControlCharacters(out);
    expect(text).toMatch(row);
    for (const line of text.split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(80);
  });
});

describe.each([40, 60, 80])('on %i columns', (width) => {
  const narrow: TestOptions = {
    tty: true,
    outside: (usual) => ({ ...usual, terminal: { ...usual.terminal, width } }),
  };
  const clientOrderId = 'narrow-20300107-120000-a1';

  test.each([
    ['order', 'approved'],
    ['order --timeline', 'approved'],
    ['order', 'declined'],
  ])('%s of an %s sale breaks no word', async (command, card) => {
    const home = temporaryHome();
    await paycli(['sale', ...saleOf(clientOrderId, card)], { home });
    const [name = '', ...flags] = command.split(' ');
    const whole = await paycli([name, clientOrderId, ...flags], { home });
    const { out } = await paycli([name, clientOrderId, ...flags], { ...narrow, home });
    const lines = stripVTControlCharacters(out).trimEnd().split('\n');
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(width);
    // Every word is still there, in one piece.
    const words = new Set(lines.flatMap((line) => line.split(/\s+/)));
    for (const word of ['sale', 'recorded', 'accepted;', 'answered:', 'callbacks', 'approved'])
      if (new RegExp(`(?<!\\S)${word}(?!\\S)`).test(whole.out)) expect(words).toContain(word);
  });

  test('orders keeps both ids of each order whole', async () => {
    const home = temporaryHome();
    for (const end of ['a', 'b']) await paycli(['sale', ...saleOf(`${clientOrderId}${end}`, 'approved')], { home });
    const { out } = await paycli(['orders'], { ...narrow, home });
    const text = stripVTControlCharacters(out);
    for (const end of ['a', 'b']) expect(text).toContain(`${clientOrderId}${end}`);
    expect(text.match(/(?<!\d)1\d{7}(?!\d)/g)).toHaveLength(2);
    expect(text).not.toContain('…');
    for (const line of text.split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(width);
  });
});

describe('columns that a narrow terminal leaves out of orders', () => {
  const at = (width: number): TestOptions => ({
    tty: true,
    outside: (usual) => ({ ...usual, terminal: { ...usual.terminal, width } }),
  });
  const line = /^not shown: .*(?:\n.*)*$/m;

  test('are named in one line below, with what shows them', async () => {
    const home = temporaryHome();
    await paycli(['sale', ...saleOf('hidden-columns-1', 'approved')], { home });
    const shown = async (width: number, ...flags: string[]) =>
      stripVTControlCharacters((await paycli(['orders', ...flags], { ...at(width), home })).out).trimEnd();
    const [text = ''] = line.exec(await shown(80)) ?? [];
    expect(text.replaceAll('\n', ' ')).toMatch(
      /^not shown: (?:[a-z ]+, )*gateway status; a wider terminal, --json or -o csv shows them$/,
    );
    const [names = ''] = text.replaceAll('\n', ' ').slice('not shown: '.length).split(';');
    const head = (await shown(80)).split('\n')[0] ?? '';
    for (const name of names.split(', ')) expect(head).not.toMatch(new RegExp(`(?:^| )${name}(?: |$)`));
    expect(await shown(200)).not.toMatch(line);
    for (const form of ['csv', 'json', 'ndjson', 'yaml']) expect(await shown(40, '-o', form)).not.toMatch(line);
    expect((await paycli(['orders'], { home })).out).not.toMatch(line);
  });
});

function saleOf(clientOrderId: string, card: string): string[] {
  return [
    ...['--amount', '30.00', '--currency', 'USD', '--test-card', card, '--wait', '--quiet'],
    ...['--client-order-id', clientOrderId],
  ];
}

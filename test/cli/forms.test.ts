import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { paycli, type TestOptions, temporaryHome } from '../support/runtime.js';
import { callbackHome, done, openHome, sale, sandboxHome, stillUnknown, strangeCardHome, wide } from './listed.js';
import { homeWithProfile } from './profiles.js';

interface List {
  readonly argv: readonly string[];
  readonly home: () => Promise<string> | string;
  readonly key: string;
  /** How many entries there are, and what one column says of each. */
  readonly says: readonly [column: string, ...values: string[]];
  readonly head: RegExp;
  readonly text: RegExp;
  readonly exit?: number;
  /** Answers of the gateway to each run. */
  readonly network?: TestOptions['network'];
}

const lists: readonly List[] = [
  {
    argv: ['journal', 'list'],
    home: sandboxHome,
    key: 'entries',
    says: ['order.clientOrderId', 'order-1', 'order-2'],
    head: /^entry +created +profile +operation +order +your id +amount +state +reason$/,
    text: /^ {4}1 {2}2030-01-07T12:00:00Z {2}sandbox {2}sale +\d+ {2}order-1 {2}10\.42 USD {2}done /m,
  },
  {
    argv: ['journal', 'show', 'order-2'],
    home: sandboxHome,
    key: 'entries',
    says: ['amount.text', '7.00'],
    head: /^entry +created +profile +operation /,
    text: /^entry 2 {2}sale 7\.00 EUR: declined\n {2}order +\d+ \/ order-2\n {2}profile {2}sandbox\n {2}made +2030-01-07T12:00:0\dZ \(just now\)\n/,
  },
  {
    argv: ['callback', 'list'],
    home: callbackHome,
    key: 'callbacks',
    says: ['verified', 'fits', 'wrong'],
    head: /^id +received +profile +status +type +order +your id +amount +control +reason$/,
    text: /^ 1 {2}2030-01-07T11:57:00Z {2}shop \(test\) {2}approved {2}sale +12345 {2}902B4FF5 {2}10\.42 USD {2}✓ valid/m,
  },
  {
    argv: ['profile', 'list'],
    home: homeWithProfile,
    key: 'profiles',
    says: ['name', 'shop'],
    head: /^profile +class +default +address +login +key since +RSA key since +file$/,
    text: /^shop +test +yes +https:\/\/gate\.example\/prefix +my-shop +\S.* +\/.*config\.yaml$/m,
  },
  {
    argv: ['config', 'explain'],
    home: homeWithProfile,
    key: 'values',
    says: [
      'key',
      'profile',
      'class',
      'base-url',
      'login',
      'endpoint-id',
      'control-key',
      'redirect-url',
      'ask-first',
      'output',
      'timeout',
    ],
    head: /^key +value +from$/,
    text: /^login +my-shop +user: profiles\.shop$/m,
  },
  {
    argv: ['sandbox', 'log', '--limit', '2', '--order', 'order-1'],
    home: sandboxHome,
    key: 'events',
    says: ['kind', 'stage', 'request'],
    head: /^time +kind +order +what +facts$/,
    text: /^2030-01-07T12:00:0\dZ +request +\d+ +status answered: approved +HTTP 200, control valid, [\d.]+ ms$/m,
  },
  {
    argv: ['sandbox', 'audit'],
    home: strangeCardHome,
    key: 'findings',
    says: ['rule', 'card-not-test'],
    head: /^rule +times +last +what +fix$/,
    text: /^card-not-test {2}/,
    exit: 11,
  },
  {
    argv: ['sandbox', 'callbacks', 'list'],
    home: sandboxHome,
    key: 'callbacks',
    says: ['state', 'pending'],
    head: /^id +order +your id +status +delivery +tried +due +url$/,
    text: /^#1 order \d+ \(order-1\) approved: pending/,
  },
  {
    argv: ['sandbox', 'status'],
    home: sandboxHome,
    key: 'merchants',
    says: ['login', 'sandbox', 'other-shop'],
    head: /^merchant +endpoints +control key +RSA public key$/,
    text: /^name +default\nlistens +no; `paycli sandbox start` serves it over HTTP\ndata +\/.*\n\nmerchant +endpoints /,
  },
  {
    argv: ['sandbox', 'snapshot', 'list'],
    home: sandboxHome,
    key: 'snapshots',
    says: ['value', 'first'],
    head: /^snapshot$/,
    text: /^first\n$/,
  },
  {
    argv: ['order', '902B4FF5', '--timeline'],
    home: openHome,
    key: 'events',
    says: ['kind', 'planned', 'request', 'state'],
    head: /^time +source +kind +what$/,
    text: /^order 902B4FF5 {2}sale 10\.42 USD: unknown\nbegan 2030-01-07T12:00:00Z \(just now\)\n/,
  },
  {
    argv: ['resolve', '--all'],
    home: openHome,
    key: 'entries',
    says: ['state', 'unknown'],
    head: /^entry +created +profile +operation +order +your id +amount +state +reason$/,
    text: /^ {4}1 {2}2030-01-07T12:00:00Z {2}shop \(test\) {2}sale +902B4FF5 {2}10\.42 USD {2}unknown /m,
    exit: 8,
    network: [stillUnknown],
  },
];

const nameOf = ({ argv }: List) => [argv.join(' '), argv] as const;
const cell = (document: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value instanceof Object ? Reflect.get(value, name) : undefined), document);

describe.each(lists.map((list) => ({ name: nameOf(list)[0], list })))('$name', ({ list }) => {
  const { argv, key, says, exit = 0, network = [] } = list;
  const [column, ...values] = says;
  const run = (home: string, more: readonly string[], options: TestOptions = {}) =>
    done([...argv, ...more], { home, network, ...options }, exit);
  const asDocument = (entry: unknown) => (typeof entry === 'string' ? { value: entry } : entry);

  test('json, ndjson and yaml say the same', async () => {
    const home = await list.home();
    const document = JSON.parse((await run(home, ['--json'])).out);
    expect(document.schema).toMatch(/^paycli\.[a-z-]+\/1$/);
    expect(Object.keys(document)[0]).toBe('schema');
    const entries: unknown[] = document[key].map(asDocument);
    expect(entries.map((entry) => cell(entry, column))).toEqual(values);
    const { out } = await run(home, ['--output', 'ndjson']);
    expect(out.endsWith('\n')).toBe(true);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(entries);
    expect(load((await run(home, ['-o', 'yaml'])).out)).toEqual(document);
  });

  test('csv has a head and a row an entry', async () => {
    const { out } = await run(await list.home(), ['-o', 'csv']);
    expect(out).toMatch(/^"[^\r\n]*"\r\n(?:.*\r\n)+$/s);
    const [head = [], ...rows] = parse(out, { record_delimiter: '\r\n' });
    expect(rows.map((row) => row[head.indexOf(column)])).toEqual(values);
  });

  test('a table and a text for people, neither of them cut off a terminal', async () => {
    const home = await list.home();
    const table = await run(home, ['-o', 'table']);
    const [head = '', ...rows] = table.out.trimEnd().split('\n');
    expect(head).toMatch(list.head);
    expect(rows).toHaveLength(values.length);
    const text = await run(home, []);
    expect(text.out).toMatch(list.text);
    for (const { out } of [table, text]) {
      expect(out).not.toMatch(/…(?! and)/);
      expect(out).not.toContain('\u001b');
    }
  });

  test('a table fits a terminal of 80 columns, and one of 120', async () => {
    const home = await list.home();
    for (const width of [80, 120]) {
      const { out } = await run(home, ['-o', 'table', '--no-color'], { tty: true, outside: wide(width) });
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width);
    }
  });
});

describe('doctor', () => {
  test('names every check in every form', async () => {
    const home = homeWithProfile();
    const checks = JSON.parse((await paycli(['doctor', '--json'], { home })).out).checks.map(
      ({ check }: { check: string }) => check,
    );
    expect(checks).toContain('control key');
    const csv: string[][] = parse((await paycli(['doctor', '-o', 'csv'], { home })).out);
    expect(csv.slice(1).map(([check]) => check)).toEqual(checks);
    const table = (await paycli(['doctor', '-o', 'table'], { home })).out.trimEnd().split('\n');
    expect(table[0]).toMatch(/^result +check +found +do$/);
    expect(table).toHaveLength(checks.length + 1);
  });
});

/** The head of the CSV of an empty list, by the key of the list and the schema. */
const entryColumns =
  'entry operation state order.orderId order.clientOrderId profile class login endpointId gateway sequence attempts amount.minor amount.digits amount.currency amount.text wholeAmount card.lastFour reason waiting result madeAt changedAt sender';
const columnsOf: Readonly<Record<string, string>> = {
  'journal list': `${entryColumns} moves`,
  'resolve --all': `${entryColumns} doubt`,
  'callback list':
    'id at verified why order.orderId order.clientOrderId status type amount currency profile class readable method contentType bytes repeats lastAt repeatOf fields asked conflicts forwards',
  'profile list': 'name class isDefault baseUrl login controlKeySince privateKeySince file',
  'sandbox log': 'id login orderId kind title detail at machineAt fields',
  'sandbox audit': 'rule title fix detail count orders firstAt lastAt request',
  'sandbox callbacks list': 'id orderId clientOrderId status url script state madeAt dueAt attempts',
  'sandbox snapshot list': 'value',
  'batch list':
    'plan digest operation profile class login gateway count totals file cards madeAt planner version engine states newest',
  orders:
    'orderId clientOrderId operation status gatewayStatus errorCode state amount currency captured capturePending released leftToCapture returned returnedElsewhere pending voidPending left card reason profile gateway endpointId madeAt',
};
const headOf = (argv: readonly string[]) => {
  const name = Object.keys(columnsOf).find((each) => argv.join(' ').startsWith(each)) ?? '';
  return `"${columnsOf[name]?.replaceAll(' ', '","')}"\r\n`;
};

const nothingSent =
  'nothing was sent from this machine; orders that your shop sent from elsewhere are not listed here: `paycli order ID` queries one at the gateway';

describe('nothing to list', () => {
  test.each([
    [['journal', 'list'], nothingSent, 'entries'],
    [['journal', 'list', '--state', 'unknown'], nothingSent, 'entries'],
    [
      ['callback', 'list', '--since', '7d'],
      'no callback matches these filters; without them and PAYCLI_PROFILE, `paycli callback list` shows all',
      'callbacks',
    ],
    [
      ['profile', 'list'],
      'no profiles yet: `paycli init` sets one up, and --profile sandbox is the built-in sandbox',
      'profiles',
    ],
    [
      ['sandbox', 'log'],
      'nothing has happened in this sandbox yet; try `paycli sale --amount 10.42 --currency USD --test-card approved --profile sandbox`',
      'events',
    ],
    [['sandbox', 'log', '--order', 'x'], 'the log has nothing on this order; `paycli sandbox log` shows all', 'events'],
    [['sandbox', 'audit'], 'no findings: the clients have made no mistakes so far', 'findings'],
    [
      ['sandbox', 'callbacks', 'list'],
      'no callbacks yet; send an order with --server-callback-url to get some',
      'callbacks',
    ],
    [['sandbox', 'snapshot', 'list'], 'no snapshots yet; try `paycli sandbox snapshot save NAME`', 'snapshots'],
    [['orders'], nothingSent, 'orders'],
    [
      ['batch', 'list'],
      'this profile has no plans; without --profile and PAYCLI_PROFILE, `paycli batch list` shows all',
      'batches',
    ],
    [['resolve', '--all'], 'nothing is open; `paycli journal list` shows every request', 'entries'],
  ])('%j', async (argv, says, key) => {
    const home = temporaryHome();
    const text = await done(argv, { home });
    expect(text.out).toBe('');
    expect(text.err.split('\n')).toContain(says);
    expect((await done([...argv, '-o', 'table'], { home })).out).toBe('');
    const csv = await done([...argv, '-o', 'csv'], { home });
    expect(csv.out).toBe(headOf(argv));
    expect(csv.err.split('\n')).toContain(says);
    expect((await done([...argv, '-o', 'csv', '-q', '--output-file', 'old'], { home })).out).toBe('');
    expect(readFileSync(join(home, 'old'), 'utf8')).toBe(csv.out);
    for (const form of ['ndjson', 'text', 'table']) {
      writeFileSync(join(home, 'old'), 'older result');
      expect((await done([...argv, '-o', form, '--output-file', 'old'], { home })).out).toBe('');
      expect(readFileSync(join(home, 'old'), 'utf8'), form).toBe('');
    }
    await done([...argv, '-o', 'yaml', '--output-file', 'old'], { home });
    expect(load(readFileSync(join(home, 'old'), 'utf8'))).toMatchObject({ [key]: [] });
    expect((await done([...argv, '--ndjson'], { home })).out).toBe('');
    const json = await done([...argv, '--json'], { home });
    expect(JSON.parse(json.out)[key]).toEqual([]);
    expect(json.err).not.toContain(says);
    const quiet = await done([...argv, '--quiet'], { home });
    expect([quiet.out, quiet.err]).toEqual(['', '']);
  });
});

/** A list with entries has the columns of an empty one, but for those that depend on the values. */
test('orders with and without a match have one header, and the file of the second run has no row of the first', async () => {
  const home = await sandboxHome();
  const list = (status: string) =>
    done(['orders', '--status', status, '-o', 'csv', '--output-file', 'd.csv', '-q'], { home });
  const file = () => readFileSync(join(home, 'd.csv'), 'utf8').split('\r\n');
  await list('declined');
  const [head, ...rows] = file();
  expect(rows).toHaveLength(2);
  await list('voided');
  expect(file()).toEqual([head, '']);
});

test('an empty list under chosen fields and under a template', async () => {
  const home = temporaryHome();
  const run = async (...argv: readonly string[]) => (await done([...argv], { home })).out;
  expect(await run('orders', '-o', 'csv', '--select', 'orderId,left')).toBe('"orderId","left"\r\n');
  expect(await run('journal', 'list', '-o', 'csv', '--select', 'total')).toBe('"total"\r\n"0"\r\n');
  writeFileSync(join(home, 'old'), 'older result');
  expect(await run('orders', '--template', '{{orderId}}')).toBe('');
  await run('orders', '--template', '{{orderId}}', '--output-file', 'old');
  expect(readFileSync(join(home, 'old'), 'utf8')).toBe('');
});

describe('--quiet', () => {
  test.each([
    [sale],
    [['sandbox', 'snapshot', 'save', 'x']],
    [['sandbox', 'reset']],
    [[...sale.slice(0, -1), '--dry-run']],
  ])('leaves nothing on standard error: %j', async (argv) => {
    expect((await done([...argv, '--quiet'], {})).err).toBe('');
  });
});

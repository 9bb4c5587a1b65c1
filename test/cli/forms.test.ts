import { describe, expect, test } from 'vitest';
import { parse as load } from 'yaml';
import { type TestOptions, temporaryHome } from '../support/runtime.js';
import { callbackHome, done, openHome, sandboxHome, stillUnknown } from './listed.js';

interface List {
  readonly argv: readonly string[];
  readonly home: () => Promise<string> | string;
  readonly key: string;
  /** How many entries there are, and what one column says of each. */
  readonly says: readonly [column: string, ...values: string[]];
  readonly exit?: number;
  /** Answers of the gateway to each run. */
  readonly network?: TestOptions['network'];
}

const lists: readonly List[] = [
  {
    argv: ['journal'],
    home: sandboxHome,
    key: 'entries',
    says: ['order.clientOrderId', 'order-1', 'order-2'],
  },
  {
    argv: ['journal', 'order-2'],
    home: sandboxHome,
    key: 'entries',
    says: ['amount.text', '7.00'],
  },
  {
    argv: ['callback', 'list'],
    home: callbackHome,
    key: 'callbacks',
    says: ['verified', 'fits', 'wrong'],
  },
  {
    argv: ['order', '902B4FF5', '--timeline'],
    home: openHome,
    key: 'events',
    says: ['source', 'paycli', 'paycli'],
  },
  {
    argv: ['resolve'],
    home: openHome,
    key: 'entries',
    says: ['state', 'unknown'],
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
});

describe('nothing to list', () => {
  test.each([
    [['journal'], 'entries'],
    [['callback', 'list'], 'callbacks'],
    [['orders'], 'orders'],
    [['batch', 'show'], 'batches'],
    [['resolve'], 'entries'],
  ])('%j', async (argv, key) => {
    const home = temporaryHome();
    expect((await done(argv, { home })).out).toBe('');
    expect((await done([...argv, '-o', 'csv'], { home })).out).toMatch(/^"[^\r\n]+"\r\n$/);
    expect((await done([...argv, '-o', 'ndjson'], { home })).out).toBe('');
    expect(JSON.parse((await done([...argv, '--json'], { home })).out)[key]).toEqual([]);
    const quiet = await done([...argv, '--quiet'], { home });
    expect([quiet.out, quiet.err]).toEqual(['', '']);
  });
});

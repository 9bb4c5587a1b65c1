import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flagOf, isForbidden } from '../../src/cli/core/flags.js';
import { regenerate } from '../../src/cli/docs/tables.js';
import { topicNames } from '../../src/cli/docs/topics.js';
import { exitCodes } from '../../src/errors/index.js';
import { allOperations, assumeDefaults } from '../../src/spec/index.js';
import { isOutOfForce } from '../../src/wire/check-request.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const root = () => paycli(['--help']);

/** True when a help text has a line for this word. */
function lists(help: string, word: string): boolean {
  return help.split('\n').some((line) => new RegExp(`^ {2}${word}(?:[ |]|$)`).test(line));
}

describe('every operation of the interface', () => {
  test.each(allOperations.map((row) => ({ command: row.command, row })))(
    '$command is listed in the root help or in its group’s',
    async ({ row }) => {
      const [first = '', second] = row.command.split(' ');
      expect(lists((await root()).out, first)).toBe(true);
      if (second === undefined) return;
      const group = await paycli([first, '--help']);
      expect(group.exit).toBe(0);
      expect(lists(group.out, second)).toBe(true);
    },
  );

  test.each(allOperations.map((row) => ({ command: row.command, row })))(
    '$command --help shows examples, then every field by its flag',
    async ({ row }) => {
      const help = await paycli([...row.command.split(' '), '--help']);
      expect(help.exit).toBe(0);
      expect(help.out.indexOf('Examples:')).toBeGreaterThan(0);
      for (const [key, field] of Object.entries(row.fields)) {
        const shown = help.out.includes(`  ${flagOf(key)} <`);
        // The login comes from the profile; its flag is among those of the connection, on `paycli help flags`.
        expect(shown, key).toBe(key !== 'login' && !isForbidden(row, key) && !isOutOfForce(field, assumeDefaults));
      }
    },
  );

  test('help X and X --help are the same', async () => {
    const [a, b] = [await paycli(['help', 'card-ref', 'info']), await paycli(['card-ref', 'info', '--help'])];
    expect(a.out).toBe(b.out);
    expect(a.out).toContain('paycli card-ref info --card-ref-id');
  });
});

describe('the size of help at 80 columns', () => {
  const linesOf = async (...argv: string[]) => (await paycli(argv)).out.trimEnd().split('\n');

  test('the root help is one screen of 50 lines, and names every command', async () => {
    const lines = await linesOf('--help');
    expect(lines.length).toBeLessThanOrEqual(50);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const { out } = await paycli(['commands', '--json']);
    const first: string[] = JSON.parse(out).commands.map(({ command }: { command: string }) => command.split(' ')[0]);
    expect(first.length).toBeGreaterThan(80);
    const words = new Set(lines.join(' ').split(/[\s,]+/));
    expect(first.filter((word) => !words.has(word))).toEqual([]);
  });

  test.each(['return', 'capture', 'void', 'status', 'payout pay'])('%s: fewer than 35 lines', async (command) => {
    expect((await linesOf(...command.split(' '), '--help')).length).toBeLessThan(35);
  });

  test('flags that matter to money stay in the help of the command', async () => {
    const { out } = await paycli(['return', '--help']);
    for (const flag of ['--dry-run', '--live', '--again', '--confirm-login', '--wait'])
      expect(out).toMatch(new RegExp(`^ {2}${flag} `, 'm'));
  });
});

describe('flags that many commands have', () => {
  test('are in no help of a command; its last line names the topic', async () => {
    const { out } = await paycli(['sale', '--help']);
    for (const flag of ['--private-key-file', '--output', '--field', '--input', '--no-color', '--profile'])
      expect(out).not.toMatch(new RegExp(`^ +(?:-\\w, )?${flag}\\b`, 'm'));
    expect(out).toMatch(/\nGlobal flags \(fields, profile, keys, output\): `paycli help flags`\n$/);
    const listed = await paycli(['journal', 'list', '--help']);
    expect(listed.out).toMatch(/\nGlobal flags \(output\): `paycli help flags`\n$/);
    expect(listed.out).toMatch(/^ {2}-p, --profile <name> +only entries/m);
    expect((await paycli(['batch', '--help'])).out).not.toContain('Global flags');
  });

  test('are all on the topic, with what they mean', async () => {
    const { out } = await paycli(['help', 'flags']);
    const left = new Set<string>();
    const { commands } = JSON.parse((await paycli(['commands', '--json'])).out);
    for (const command of ['sale', 'profile show', 'sign sale', 'journal list', 'batch run', 'status']) {
      const shown = (await paycli([...command.split(' '), '--help'])).out;
      const { flags } = commands.find((each: { command: string }) => each.command === command.replace(' sale', ''));
      for (const { name } of flags) if (!new RegExp(`${name}\\b`).test(shown)) left.add(name);
    }
    expect(left.size).toBeGreaterThan(20);
    for (const name of left) expect(out).toMatch(new RegExp(`^ +(?:-\\w, )?${name}\\b`, 'm'));
  });
});

test('the help of a command says what an assumption id is where it shows one', async () => {
  expect((await paycli(['return', '--help'])).out).toContain(
    '\n[A45]: assumed, not documented; `paycli assumptions explain A45`\n',
  );
  expect((await paycli(['assumptions', 'explain', 'A45'])).exit).toBe(0);
  expect((await paycli(['profile', 'show', '--help'])).out).not.toContain('assumed, not documented');
});

test('void names no amount in its help, and says why one is refused', async () => {
  const ran = await paycli(['void', '1', '--client-order-id', 'a', '--amount', '5.00', '--currency', 'EUR']);
  expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('a void never takes a partial amount')]);
});

test('a bare group shows its help', async () => {
  for (const group of ['payout', 'card-ref', 'form', 'sandbox', 'sign', 'assumptions']) {
    const ran = await paycli([group]);
    expect([group, ran.exit, ran.out]).toEqual([group, 0, expect.stringContaining(`Usage: paycli ${group}`)]);
  }
});

test.each([
  ['refund', 'return'],
  ['authorize', 'preauth'],
  ['auth', 'preauth'],
  ['cancel', 'void'],
  ['charge', 'sale'],
  ['purchase', 'sale'],
  ['disburse', 'payout'],
  ['webhook', 'callback'],
  ['tokenize', 'card-ref create'],
  ['batch upload', 'batch plan'],
  ['poll', 'status'],
  ['Refund', 'return'],
])('help for %s, another word for a command, is the help of %s', async (word, command) => {
  const own = await paycli([...command.split(' '), '--help']);
  expect(own.out).toContain('Usage: paycli ');
  for (const argv of [
    [...word.split(' '), '--help'],
    [...word.split(' '), '-h'],
    ['help', ...word.split(' ')],
  ]) {
    const ran = await paycli(argv);
    expect([ran.exit, ran.err, ran.out]).toEqual([0, '', `\`${word}\` is \`paycli ${command}\`:\n\n${own.out}`]);
  }
});

describe('mistyped words', () => {
  test.each([
    [['order', '12345', '--can', 'refund'], 'there is no operation refund; did you mean return?'],
    [
      ['orders', '--operation', 'authorise'],
      '--operation: use a command, such as sale or payout pay; did you mean preauth?',
    ],
    [['batch', 'plan', 'rows.csv', '--operation', 'refund'], 'did you mean return?'],
  ])('%j: another word for an operation is suggested by its command', async (argv, message) => {
    const home = temporaryHome();
    writeFileSync(join(home, 'rows.csv'), 'order-id,amount\n1,5.00\n');
    const ran = await paycli(argv, { home });
    expect([ran.exit, ran.requests]).toEqual([2, []]);
    expect(ran.err).toContain(message);
  });

  test.each([
    [['sal'], 'did you mean `paycli sale`?'],
    [['payment', 'list'], 'did you mean `paycli orders`?'],
    [['sales', 'show'], 'did you mean `paycli order`?'],
    [['refund', 'history'], 'did you mean `paycli journal list`?'],
    [['card-ref', 'crate'], 'did you mean `paycli card-ref create`?'],
    [['sale', '--amuont', '1'], 'did you mean --amount?'],
    [['sign', 'php', 'refund', '5'], 'did you mean `paycli sign php return`?'],
    [['assumptions', 'explain', 'control-encodin'], 'did you mean control-encoding?'],
    ...['authorize', 'authorise', 'authorization', 'authorisation', 'hold'].map(
      (word) => [[word, '--amount', '1.00'], 'did you mean `paycli preauth`?'] as const,
    ),
    ...['pay', 'payment', 'purchase', 'charge'].map((word) => [[word], 'did you mean `paycli sale`?'] as const),
    ...['tokenize', 'tokenise', 'token'].map((word) => [[word], 'did you mean `paycli card-ref create`?'] as const),
    [['reverse', '5'], 'did you mean `paycli void` or `paycli return`?'],
    [['retry', '5'], 'did you mean `paycli status` or `paycli resolve`? (neither sends the payment again)'],
    [['settle', '5'], 'did you mean `paycli capture` or `paycli resolve`?'],
    [['sign', 'curl', 'order-400'], '; the operation comes first, as in `paycli sign curl status ORDER`'],
    [['listen'], 'did you mean `paycli callback listen`?'],
    [['transactions'], 'did you mean `paycli orders`?'],
    [['sale', '--jsn'], 'did you mean --json?'],
    [['rfund', '5'], 'did you mean `paycli return`?'],
    [['webhok'], 'did you mean `paycli callback`?'],
    [['reconcile', 'file.csv'], 'did you mean `paycli batch reconcile`?'],
    [['curl', 'sale'], 'did you mean `paycli sign curl`?'],
    ...['show', 'get', 'lookup', 'transaction'].map((word) => [[word, '5'], 'did you mean `paycli order`?'] as const),
    ...['setup', 'configure', 'login'].map((word) => [[word], 'did you mean `paycli init`?'] as const),
    [['profile', 'delete', 'shop'], 'did you mean `paycli profile remove`?'],
    [['batch', 'status'], 'did you mean `paycli batch show`?'],
    [['batch', 'stop'], 'did you mean `paycli batch pause`?'],
    ...['list', 'search', 'find'].map((word) => [[word], 'did you mean `paycli orders`?'] as const),
    [['help', 'outcomes'], 'did you mean `paycli help sandbox`?'],
    [['help', '403'], 'did you mean `paycli help runbooks`?'],
    [['credit', '5'], 'did you mean `paycli return` or `paycli payout`?'],
    [['credit', '--help'], 'did you mean `paycli return` or `paycli payout`?'],
    [
      ['chargeback', '5'],
      'did you mean `paycli order`? (it shows what happened to an order; nothing sends a chargeback,',
    ],
    ...['disburse', 'withdraw'].map((word) => [[word], 'did you mean `paycli payout`?'] as const),
    ...['query', 'inquiry'].map((word) => [[word, '5'], 'did you mean `paycli status`?'] as const),
    [['keys', 'rotate'], 'did you mean `paycli profile set-key`?'],
    [['profile', 'rotate-key'], 'did you mean `paycli profile set-key`?'],
    [['sale', '--curl'], 'did you mean `paycli sign curl sale`?'],
    [['--curl'], 'did you mean `paycli sign curl`?'],
    [['profile', '--json', 'show'], 'did you mean `paycli profile show --json`?'],
    [['profile', '--json'], 'did you mean `paycli profile show --json`?'],
    [['return', 'order-1', '5.00'], 'takes only <order>; give an amount with --amount\n'],
    [['return', 'order-1', '5.00', 'EUR'], 'takes only <order>; give an amount with --amount and --currency'],
    [
      ['callback', 'list', 'order-1'],
      'unexpected argument order-1: paycli callback list takes only flags; give an order',
    ],
    [
      ['sale', 'two words', 'here'],
      "unexpected arguments 'two words', here: paycli sale takes only flags; quote values",
    ],
    // The password of a database, and an empty text, which has nothing to name.
    [['journal', 'list', 'postgres://me:hunter2@db.example/x'], 'unexpected argument: paycli journal list takes only'],
    [['sale', ''], 'unexpected argument: paycli sale takes only flags'],
  ] as const)('%s: suggested, exit 2, never run', async (argv, says) => {
    const ran = await paycli(argv);
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(says);
  });

  test.each([['--json'], ['-o', 'json'], ['--output=json', '-q'], ['--ndjson']])(
    '%s alone says that the command is missing, as one JSON object',
    async (...argv) => {
      const ran = await paycli(argv);
      expect(ran.exit).toBe(2);
      expect(JSON.parse(ran.err)).toMatchObject({
        code: 'USAGE',
        message: 'no command is given, only flags',
        next: 'see `paycli --help`',
      });
    },
  );

  test.each(['return', 'status', 'order', 'resolve'])('help is not taken as an order of %s', async (command) => {
    const ran = await paycli([command, 'help']);
    expect([ran.exit, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).toContain('`help` is not an order id');
    expect(ran.err).toContain(`see \`paycli ${command} --help\``);
  });

  test('a part of a card number, a security code or a part of a key among other words is not repeated', async () => {
    for (const words of [
      ['4444', '3333', '2222', '1111'],
      ['3782', '822463', '10005'],
      ['here', '123'],
      ['444433332222111'],
      ['4444-3333'],
      ['control-key=7C9E6679-7425-40DE-944B-E07FC1F90AE7'],
      ['-----BEGIN', 'PRIVATE', 'KEY-----', 'here', '-----END', 'PRIVATE', 'KEY-----'],
    ]) {
      const ran = await paycli(['sale', '--', ...words]);
      expect([ran.exit, ran.err.split(';')[0]]).toEqual([
        2,
        `error: unexpected argument${words.length > 1 ? 's' : ''}: paycli sale takes only flags`,
      ]);
    }
  });

  test.each([
    [['order', '12345', '--can'], 'there is no operation of that name'],
    [['journal', 'list', '--select'], '--json and --select: there is no field of that name'],
    [[], 'unknown command\n'],
    [['sign'], 'unknown command\n'],
  ])('a key in place of a word of %j is not repeated', async (argv, says) => {
    for (const key of ['7C9EABCD-74CD-40DE-944B-EABCDEF90AE7', 'MCowBQYDK2VwAyEAGbAbCdEfGhIjKlMnOpQrStUv']) {
      const ran = await paycli([...argv, key], { home: temporaryHome() });
      expect([ran.exit, ran.err.startsWith(`error: ${says}`)], ran.err).toEqual([2, true]);
      expect(ran.err).not.toContain(key.slice(0, 10));
    }
  });

  test('a card number in the wrong place is not repeated', async () => {
    for (const argv of [
      ['4444333322221111'],
      ['sale', '--card-numbr=4444333322221111'],
      ['status', '4444333322221111', '4444333322221111'],
    ]) {
      const ran = await paycli(argv);
      expect(ran.exit).toBe(2);
      expect(ran.err).not.toContain('4444333322221111');
    }
  });
});

describe('topics', () => {
  test.each(topicNames.map((name) => ({ name })))('help $name', async ({ name }) => {
    const ran = await paycli(['help', name]);
    expect(ran.exit).toBe(0);
    expect(ran.out.length).toBeGreaterThan(200);
    expect((await root()).out).toContain(name);
  });

  test('help exit-codes has every code', async () => {
    const { out } = await paycli(['help', 'exit-codes']);
    for (const { code, meaning } of exitCodes)
      expect(out).toMatch(
        new RegExp(`^${code} .*${meaning.slice(0, 20).replace(/[-[\]{}()*+?.,\\^$|#]/g, '\\$&')}`, 'm'),
      );
  });

  test('help for a word nobody knows is an error', async () => {
    const ran = await paycli(['help', 'frobnicate']);
    expect(ran.exit).toBe(2);
  });
});

test.each(['README.md', ...topicNames.map((name) => `src/cli/docs/topics/${name}.md`)])(
  'the generated parts of %s are up to date',
  (file) => {
    const text = readFileSync(file, 'utf8');
    expect(regenerate(text)).toBe(text);
  },
);

test('a generated part that is old is found', () => {
  expect(readFileSync('README.md', 'utf8')).toContain('<!-- generated operations -->\n| command ');
  const text = readFileSync('src/cli/docs/topics/states.md', 'utf8');
  const old = text.replace('- `planned`: ', '- `planed`: ');
  expect(old).not.toBe(text);
  expect(regenerate(old)).toBe(text);
});

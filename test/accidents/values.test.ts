import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { declaredBy } from '../../src/cli/command.js';
import { allOperations } from '../../src/spec/index.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { Home } from '../e2e/home.js';
import { commandTree } from '../support/declared.js';
import { paycli, reply } from '../support/runtime.js';

// What a script types whose variable is empty.

const tree = await commandTree();
const home = mkdtempSync(join(tmpdir(), 'paycli-test-'));
mkdirSync(join(home, 'state'));
afterAll(() => rmSync(home, { recursive: true }));

/** Every command that runs, without the operations below `sign`. */
const commands = [...tree].filter(([, command]) => declaredBy(command) !== undefined);

/** The words of a command line from which nothing is missing but this flag. */
function wordsBeside(path: string, command: Command, flag: Option): string[] {
  const required = command.registeredArguments.filter((argument) => argument.required);
  const others = command.options.filter((option) => option.mandatory && option !== flag);
  return [
    ...path.split(' '),
    ...required.map(({ argChoices }) => argChoices?.[0] ?? 'x'),
    ...others.flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']),
  ];
}

/** Ends with 2 and sends, prints and writes nothing. Returns what the error says. */
async function refused(argv: readonly string[]): Promise<string> {
  const before = readdirSync(home);
  const ran = await paycli([...argv, '-o', 'json'], { home });
  expect([ran.exit, ran.requests, ran.out, readdirSync(home)], `${argv.join(' ')}: ${ran.err}`).toEqual([
    2,
    [],
    '',
    before,
  ]);
  return JSON.parse(ran.err).message;
}

describe.each(commands)('%s', (path, command) => {
  const flags = command.options.filter(({ required, optional }) => required || optional);

  test('takes neither another flag nor nothing for the value of a flag', async () => {
    for (const flag of flags) {
      const name = flag.long ?? expect.unreachable(`a flag of ${path} has no name`);
      const words = wordsBeside(path, command, flag);
      expect(await refused([...words, name, '--dryrun'])).toContain(`${name} has no value`);
      expect(await refused([...words, `${name}=`])).toContain(name);
    }
    // The same flag with what most scripts have behind it.
    const [flag] = flags;
    if (flag === undefined) return;
    const words = wordsBeside(path, command, flag);
    for (const next of [['--json'], ['-q'], ['-h'], ['--'], [''], ['-psandbox'], ['-qv'], [' '], ['\u00a0']])
      expect(await refused([...words, flag.long ?? '', ...next])).toContain(flag.long);
    await refused([...words, flag.long ?? '']);
  });

  test('does not run with a flag of the program', async () => {
    await refused([...path.split(' '), '--version']);
    await refused([...path.split(' '), '-V']);
  });

  test('takes neither a flag nor nothing for an argument', async () => {
    for (const [at, argument] of command.registeredArguments.entries()) {
      const words = [...path.split(' '), ...Array.from({ length: at }, () => 'x')];
      await refused([...words, '--dryrun']);
      if (argument.name() !== 'command') await refused([...words, '']);
    }
  });
});

/** Commands whose argument is optional since they list, show or start something without it. */
const withoutArgument = [
  ...['sandbox outcomes', 'sandbox clock', 'orders', 'journal', 'profile show', 'support', 'assumptions'],
  ...['sandbox start', 'callback list', 'batch show', 'resolve'],
];

test.each(
  commands.filter(
    ([
      path,
      {
        registeredArguments: [first],
      },
    ]) => first !== undefined && !withoutArgument.includes(path),
  ),
)('%s wants its argument in a script', async (path, command) => {
  const mandatory = command.options.filter((option) => option.mandatory);
  await refused([
    ...path.split(' '),
    ...mandatory.flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']),
  ]);
});

describe('a payment with an empty variable', () => {
  // The journal knows the order that the follow-ups are about.
  const paid = async () => {
    const shop = homeWithProfile();
    expect((await paycli([...saleFlags], { home: shop, network: [() => reply(200, taken)] })).exit).toBe(0);
    return shop;
  };
  const without = (flag: string) =>
    saleFlags.filter((_, at) => at !== saleFlags.indexOf(flag) && saleFlags[at - 1] !== flag);

  test.each([
    ['--dry-run for the client order id', [...without('--client-order-id'), '--client-order-id', '--dry-run']],
    ['--dry-run for a free text', [...saleFlags.slice(0, -2), '--order-desc', '--dry-run']],
    ['a mistyped flag', [...without('--client-order-id'), '--client-order-id', '--dryrun']],
    ['a flag in another spelling', [...without('--client-order-id'), '--client_orderid', '--dry-run']],
    ['an empty comment', ['return', '12345', '--amount', '1', '--comment', '']],
    ['a return of no order', ['return', '--all']],
    ['--amount for the order', ['return', '--order-id', '--amount', '5']],
    ['a short flag before it', [...without('--client-order-id'), '-qp', '--dry-run']],
    ['an order that is settled', ['resolve', '--settle-as', 'not-paid', '--evidence', 'statement of 31 January']],
    ['an order that is sent again', ['resolve', '--resend']],
    [
      'a decision that is two',
      ['resolve', '12345', '--settle-as', 'paid', '--settle-as', 'not-paid', '--evidence', 'x'],
    ],
    ['an API version', ['card-ref', 'create', '12345', '--api']],
    ['an API version before a flag', ['card-ref', 'create', '12345', '--api', '--dry-run']],
    ['the entries in no state', ['journal', '--state', '--json']],
    ['a file for the result', ['journal', '--output-file', '--json']],
  ])('%s: nothing is sent', async (_, argv) => {
    const shop = await paid();
    const ran = await paycli(argv, { home: shop });
    expect([ran.exit, ran.requests, ran.out], ran.err).toEqual([2, [], '']);
  });

  test('a text that begins with -- is given with =', async () => {
    const argv = [...without('--order-desc'), '--order-desc=--dry-run'];
    const { exit, requests } = await paycli(argv, { home: homeWithProfile(), network: [() => reply(200, taken)] });
    expect([exit, new URLSearchParams(requests[0]?.body).get('order_desc')]).toEqual([0, '--dry-run']);
  });
});

test('words after -- are those of another program', async () => {
  const own = new Home();
  try {
    const echo = ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--'];
    const words = ['--order', '--dry-run', '--client-order-id', '', '--json', '-q'];
    const argv = ['sandbox', 'start', '--port', '0', '--run', '--', process.execPath, ...echo, ...words];
    const ran = await own.run(argv);
    expect(ran.out, ran.err).toContain(JSON.stringify(words));
  } finally {
    rmSync(own.path, { recursive: true });
  }
});

test.each([[['--explain']], [['--explain', 'sale']]])('sign %j lists the operations', async (words) => {
  const ran = await paycli(['sign', ...words], { home });
  expect([ran.exit, ran.out]).toEqual([2, '']);
  for (const { command } of allOperations) expect(ran.err).toContain(command.split(' ')[0]);
});

test.each([
  ['-q', 'sale', '--amount', '7', '--currency', 'EUR'],
  ['void', ' '],
  ['request', '/api/v2/card/4444333322221111/x', '--scheme', 'none'],
  ['request', '/api/v2/foo', '--scheme', 'none', '--signed-values', 'a'],
  ['journal', 'x', '--state', 'done'],
  ['journal', '--verify', '--since', '7d'],
  ['journal', '--fields', ','],
  ['journal', '--fields', 'total', '--template', 'x'],
  ['callback', 'list', '1', '--order', 'x'],
  ['payout', '--dry-run', 'pay', 'x'],
])('%s %s is a mistake, and nothing is sent', async (...argv) => {
  expect(await refused(argv)).not.toContain('4444333322221111');
});

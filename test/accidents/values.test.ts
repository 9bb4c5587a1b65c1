import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { declaredBy } from '../../src/cli/command.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
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

/** Of a command one flag in turn, so that the flags of all commands take part. */
const samples = commands.flatMap(([path, command], at) => {
  const flags = command.options.filter(({ required, optional }) => required || optional);
  const flag = flags[at % Math.max(1, flags.length)];
  return flag === undefined ? [] : [{ name: flag.long ?? '', words: wordsBeside(path, command, flag) }];
});

test('no flag takes another flag or nothing for its value', async () => {
  const ways = [['--dryrun'], [], ['--json'], ['-q'], ['--'], [''], ['-psandbox'], ['\u00a0']];
  for (const [at, { name, words }] of samples.entries()) {
    expect(await refused([...words, name, ...(ways[at % ways.length] ?? [])])).toContain(name);
    if (at % 5 === 0) expect(await refused([...words, `${name}=`])).toContain(name);
  }
});

test('no command takes a flag or nothing for an argument', async () => {
  for (const [path, command] of commands)
    for (const [at, argument] of command.registeredArguments.entries()) {
      const words = [...path.split(' '), ...Array.from({ length: at }, () => 'x')];
      await refused([...words, '--dryrun']);
      if (argument.name() !== 'command') await refused([...words, '']);
    }
});

/** Commands whose argument is optional since they list, show or start something without it. */
const withoutArgument = [
  ...['sandbox outcomes', 'sandbox clock', 'orders', 'journal', 'profile show', 'support', 'assumptions'],
  ...['sandbox start', 'callback list', 'batch show', 'resolve'],
];

test('every other command wants its argument in a script', async () => {
  for (const [path, { registeredArguments, options }] of commands) {
    if (registeredArguments.length === 0 || withoutArgument.includes(path)) continue;
    const mandatory = options.filter((option) => option.mandatory);
    await refused([
      ...path.split(' '),
      ...mandatory.flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']),
    ]);
  }
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
    ['a flag in another spelling', [...without('--client-order-id'), '--client_orderid', '--dry-run']],
    ['--amount for the order', ['return', '--order-id', '--amount', '5']],
    ['an order that is settled', ['resolve', '--settle-as', 'not-paid', '--evidence', 'statement of 31 January']],
    [
      'a decision that is two',
      ['resolve', '12345', '--settle-as', 'paid', '--settle-as', 'not-paid', '--evidence', 'x'],
    ],
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

test.each([
  ['-q', 'sale', '--amount', '7', '--currency', 'EUR'],
  ['request', '/api/v2/card/4444333322221111/x', '--scheme', 'none'],
  ['payout', '--dry-run', 'pay', 'x'],
])('%s %s is a mistake, and nothing is sent', async (...argv) => {
  expect(await refused(argv)).not.toContain('4444333322221111');
});

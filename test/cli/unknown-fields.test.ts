import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { payouts } from '../batch/command.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { callbackHome, sandboxHome, strangeCardHome } from './listed.js';

const homes: Readonly<Record<string, () => Promise<string>>> = {
  box: sandboxHome,
  callback: callbackHome,
  strangeCard: strangeCardHome,
};

/** The words of a line and a home for it, with a plan where one is named. */
async function openFor(
  line: string,
  name: string,
): Promise<{ readonly argv: readonly string[]; readonly home: string }> {
  const home = (await homes[name]?.()) ?? expect.unreachable(`no home ${name}`);
  const words = line.split(' ');
  if (!words.includes('PLAN') && line !== 'batch show') return { argv: words, home };
  const file = join(home, 'payouts.csv');
  writeFileSync(file, payouts(1), { mode: 0o600 });
  const expected = ['--expect-count', '1', '--expect-total', 'EUR=10.42', '--json', '--profile', 'sandbox'];
  const planned = await paycli(['batch', 'plan', file, '--operation', 'payout', ...expected], { home });
  expect(planned.exit, planned.err).toBe(0);
  const plan = String(JSON.parse(planned.out).plan);
  return { argv: words.map((word) => (word === 'PLAN' ? plan : word)), home };
}

/** What a command shows: its line, the home it is run in, and the list in its document. */
const shown: readonly (readonly [line: string, home: string, list: string | undefined])[] = [
  ['journal', 'box', 'entries'],
  ['journal order-1', 'box', 'entries'],
  ['batch show', 'box', 'batches'],
  ['batch show PLAN', 'box', undefined],
  ['callback list', 'callback', 'callbacks'],
  ['callback list 1', 'callback', undefined],
  ['order --client-order-id order-1', 'box', 'next'],
  ['order --can return --client-order-id order-1', 'box', undefined],
  ['doctor', 'box', 'checks'],
  ['order order-1 --timeline', 'box', 'events'],
  ['profile show', 'callback', 'profiles'],
  ['profile show', 'callback', undefined],
  ['sandbox status', 'box', 'merchants'],
  ['sandbox log', 'box', 'events'],
  ['sandbox audit', 'strangeCard', 'findings'],
  ['sandbox clock show', 'box', undefined],
  ['sandbox outcomes', 'box', undefined],
  ['sandbox callbacks list', 'box', 'callbacks'],
  ['assumptions', 'box', 'assumptions'],
  ['assumptions A01', 'box', undefined],
  ['sign sale --recipe', 'box', undefined],
];

describe('--fields=nope is an error that lists the fields', () => {
  test.each(shown)('%s, in home %s', async (line, name) => {
    const { argv, home } = await openFor(line, name);
    const ran = await paycli([...argv, '--fields=nope'], { home });
    expect([ran.exit, ran.out, ran.err]).toEqual([
      2,
      '',
      expect.stringMatching(/there is no field nope.*; available: \w+, /s),
    ]);
  });
});

describe('a path below a field that has no such part is an error that lists the fields', () => {
  test.each([
    ['journal', 'amount.foo'],
    ['journal', 'order.foo'],
    ['order --client-order-id order-1', 'amounts.foo'],
    ['status --client-order-id order-1', 'order.foo'],
    ['status --client-order-id order-1', 'status.foo'],
    ['status --client-order-id order-1', 'amount.foo'],
  ])('%s --fields=%s', async (line, name) => {
    const home = await sandboxHome();
    const ran = await paycli([...line.split(' '), `--fields=${name}`], { home });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(`there is no field ${name}`);
    expect(ran.err).toMatch(/; available: \w+, /);
  });
});

test.each([
  'sign sale --test-card approved --amount 1.00 --currency USD --client-order-id a',
  'sale --test-card approved --amount 1.00 --currency USD --dry-run',
  'keys generate --out key.pem',
  'sandbox merchant add --login shop',
  'sandbox reset',
  'sandbox stop',
  'sandbox start',
  'batch plan payouts.csv --operation payout --expect-count 1 --expect-total EUR=10.42',
  'callback listen',
  'init',
])('nothing is done before the unknown field is refused: %s', async (line) => {
  const home = temporaryHome();
  for (const chosen of ['--fields=schema,nope', '--fields=nope', '--template={{nope}}']) {
    const ran = await paycli([...line.split(' '), chosen], { home });
    expect([ran.exit, ran.out, ran.requests], chosen).toEqual([2, '', []]);
    expect(ran.err, chosen).toMatch(/there is no field nope|there is no field schema|this command prints no fields/);
  }
  expect(readdirSync(home)).toEqual([]);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownFields } from '../../src/cli/chosen-fields.js';
import { payouts } from '../batch/command.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { callbackHome, hastyHome, leaseHome, sandboxHome } from './listed.js';

const homes: Readonly<Record<string, () => Promise<string>>> = {
  box: sandboxHome,
  callback: callbackHome,
  lease: leaseHome,
  hasty: hastyHome,
};

/** The words of a line and a home for it, with a plan where one is named. */
async function openFor(line: string, name: string): Promise<{ readonly argv: readonly string[]; readonly home: string }> {
  const home = (await homes[name]?.()) ?? expect.unreachable(`no home ${name}`);
  const words = line.split(' ');
  if (!words.includes('PLAN') && line !== 'batch list') return { argv: words, home };
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
  ['journal list', 'box', 'entries'],
  ['journal show order-1', 'box', 'entries'],
  ['journal verify', 'box', undefined],
  ['batch list', 'box', 'batches'],
  ['batch show PLAN', 'box', undefined],
  ['batch report PLAN --out report', 'box', undefined],
  ['callback list', 'callback', 'callbacks'],
  ['callback show 1', 'callback', undefined],
  ['flow --client-order-id order-1', 'box', 'next'],
  ['can return --client-order-id order-1', 'box', undefined],
  ['doctor', 'box', 'checks'],
  ['timeline order-1', 'box', 'events'],
  ['whoami', 'box', undefined],
  ['whoami', 'callback', undefined],
  ['profile list', 'callback', 'profiles'],
  ['profile show', 'callback', undefined],
  ['config explain', 'callback', 'values'],
  ['live status', 'lease', 'leases'],
  ['sandbox status', 'box', 'merchants'],
  ['sandbox log', 'box', 'events'],
  ['sandbox audit', 'hasty', 'findings'],
  ['sandbox clock show', 'box', undefined],
  ['sandbox outcomes', 'box', undefined],
  ['sandbox callbacks list', 'box', 'callbacks'],
  ['assumptions list', 'box', 'assumptions'],
  ['assumptions explain A01', 'box', undefined],
  ['recipe sale', 'box', undefined],
  ['version', 'box', undefined],
  ['commands', 'box', 'commands'],
];

/** With nothing to show, there is still an error; and none of these may do anything before it. */
const empty: readonly string[] = [
  ...['journal list', 'batch list', 'callback list', 'profile list', 'live status', 'sandbox log', 'sandbox audit'],
  ...['sandbox callbacks list', 'sandbox snapshot list', 'resolve --all', '3ds run --order 1 --path challenge', 'batch report none'],
];

describe('--json=nope is an error that lists the fields', () => {
  test.each(shown)('%s, in home %s', async (line, name) => {
    const { argv, home } = await openFor(line, name);
    const ran = await paycli([...argv, '--json=nope'], { home });
    expect([ran.exit, ran.out, ran.err]).toEqual([2, '', expect.stringMatching(/there is no field nope.*; there are: \w+, /s)]);
  });

  test.each(empty)('%s, with nothing to show', async (line) => {
    const ran = await paycli([...line.split(' '), '--json=nope'], { home: temporaryHome() });
    expect([ran.exit, ran.out, ran.err, ran.requests]).toEqual([2, '', expect.stringMatching(/there is no (field nope|plan none)/), []]);
  });
});

describe('the fields that are known beforehand are those there are', () => {
  test.each(shown)('%s, in home %s', async (line, name, list) => {
    const { argv, home } = await openFor(line, name);
    const ran = await paycli([...argv, '--json'], { home });
    const document: Record<string, unknown> = JSON.parse(ran.out);
    const entries: unknown = list === undefined ? [document] : document[list];
    const all = Array.isArray(entries) ? entries : expect.unreachable(`no list ${list}`);
    expect(all.length).toBeGreaterThan(0);
    const known = knownFields(String(document['schema']).replace(/^paycli\.|\/1$/g, '')) ?? expect.unreachable('no fields are known');
    expect([...new Set(all.flatMap((each: object) => Object.keys(each)))].filter((name) => !known.includes(name))).toEqual([]);
  });
});

test.each([
  'sign sale --test-card approved --amount 1.00 --currency USD --client-order-id a',
  'keys generate --out FILE',
  // Its keys are shown this once.
  'sandbox merchant add --login NAME',
])('of what was done or found out all is shown, and the unknown field is remarked on: %s', async (line) => {
  const home = temporaryHome();
  const words = (name: string) => line.split(' ').map((word) => (word === 'FILE' ? join(home, name) : word === 'NAME' ? name : word));
  const plain = await paycli([...words('one'), '--json'], { home });
  const document = JSON.parse(plain.out);
  const ran = await paycli([...words('two'), '--json=schema,nope'], { home });
  expect([ran.exit, Object.keys(JSON.parse(ran.out))]).toEqual([0, Object.keys(document)]);
  expect(ran.err).toContain(`this result has no field nope; there are: ${Object.keys(document).join(', ')}`);
});

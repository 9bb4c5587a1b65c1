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
  ['order --client-order-id order-1', 'box', 'next'],
  ['order --can return --client-order-id order-1', 'box', undefined],
  ['doctor', 'box', 'checks'],
  ['order order-1 --timeline', 'box', 'events'],
  ['whoami', 'box', undefined],
  ['whoami', 'callback', undefined],
  ['profile list', 'callback', 'profiles'],
  ['profile show', 'callback', undefined],
  ['config explain', 'callback', 'values'],
  ['sandbox status', 'box', 'merchants'],
  ['sandbox log', 'box', 'events'],
  ['sandbox audit', 'strangeCard', 'findings'],
  ['sandbox clock show', 'box', undefined],
  ['sandbox outcomes', 'box', undefined],
  ['sandbox callbacks list', 'box', 'callbacks'],
  ['assumptions list', 'box', 'assumptions'],
  ['assumptions explain A01', 'box', undefined],
  ['sign sale --recipe', 'box', undefined],
  ['--version', 'box', undefined],
  ['commands', 'box', 'commands'],
];

/** With nothing to show, there is still an error; and none of these may do anything before it. */
const empty: readonly string[] = [
  ...['journal list', 'batch list', 'callback list', 'profile list', 'sandbox log', 'sandbox audit'],
  ...[
    'sandbox callbacks list',
    'sandbox snapshot list',
    'resolve --all',
    '3ds run --order 1 --path challenge',
    'batch report none',
  ],
];

describe('--json=nope is an error that lists the fields', () => {
  test.each(shown)('%s, in home %s', async (line, name) => {
    const { argv, home } = await openFor(line, name);
    const ran = await paycli([...argv, '--json=nope'], { home });
    expect([ran.exit, ran.out, ran.err]).toEqual([
      2,
      '',
      expect.stringMatching(/there is no field nope.*; available: \w+, /s),
    ]);
  });

  test.each(empty)('%s, with nothing to show', async (line) => {
    const ran = await paycli([...line.split(' '), '--json=nope'], { home: temporaryHome() });
    expect([ran.exit, ran.out, ran.err, ran.requests]).toEqual([
      2,
      '',
      expect.stringMatching(/there is no (field nope|plan none)/),
      [],
    ]);
  });
});

describe('a path below a field that has no such part is an error that lists the fields', () => {
  test.each([
    ['orders', 'orders.foo'],
    ['orders', 'total.foo'],
    ['orders', 'status.foo'],
    ['journal list', 'amount.foo'],
    ['journal list', 'order.foo'],
    ['journal list', 'entries.amount'],
    ['order --client-order-id order-1', 'amounts.foo'],
    ['order --client-order-id order-1', 'next.legal'],
    ['order --client-order-id order-1', 'stage.foo'],
    ['status --client-order-id order-1', 'order.foo'],
    ['status --client-order-id order-1', 'status.foo'],
    ['status --client-order-id order-1', 'amount.foo'],
    ['sandbox status', 'merchants.login'],
  ])('%s --json=%s', async (line, name) => {
    const home = await sandboxHome();
    const ran = await paycli([...line.split(' '), `--json=${name}`], { home });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(`there is no field ${name}`);
    expect(ran.err).toMatch(/; available: \w+, /);
  });

  test.each([
    ['journal list', 'amount.minor'],
    ['journal list', 'order.orderId'],
    ['journal list', 'result.foo'],
    ['status --client-order-id order-1', 'result.foo'],
    ['status --client-order-id order-1', 'order.orderId'],
    ['order --client-order-id order-1', 'amounts.left'],
  ])('but %s --json=%s is taken', async (line, name) => {
    const ran = await paycli([...line.split(' '), `--json=${name}`], { home: await sandboxHome() });
    expect(ran.exit, ran.err).toBe(0);
  });

  // What is shown is divided where paycli takes a path, or a path would be refused that there is.
  test.each(shown)('no value of %s that has parts is refused, in home %s', async (line, name, list) => {
    const { argv, home } = await openFor(line, name);
    const document: unknown = JSON.parse((await paycli([...argv, '--json'], { home })).out);
    const entry = Object(document)[list ?? ''] as unknown[] | undefined;
    for (const path of [document, entry?.[0]].flatMap(pathsIn)) {
      const ran = await paycli([...argv, `--json=${path}`, ...anew(argv)], { home });
      expect(ran.err, path).not.toContain('there is no field');
    }
  });
});

/** `a.b` for every value that is itself an object. */
function pathsIn(document: unknown): readonly string[] {
  return Object.entries(Object(document)).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value)
          .slice(0, 3)
          .map((part) => `${name}.${part}`)
      : [],
  );
}

/** A report is not written over another. */
function anew(argv: readonly string[]): readonly string[] {
  return argv.includes('--out') ? ['--replace'] : [];
}

test.each([
  'sign sale --test-card approved --amount 1.00 --currency USD --client-order-id a',
  'sale --test-card approved --amount 1.00 --currency USD --dry-run',
  'keys generate --out key.pem',
  'sandbox merchant add --login shop',
  'sandbox reset',
  'sandbox stop',
  'sandbox start',
  'profile add shop --class test --base-url https://gate.example --login shop --endpoint-id 1',
  'batch plan payouts.csv --operation payout --expect-count 1 --expect-total EUR=10.42',
  'callback listen',
  'init',
])('nothing is done before the unknown field is refused: %s', async (line) => {
  const home = temporaryHome();
  for (const chosen of ['--json=schema,nope', '--select=nope', '--template={{nope}}']) {
    const ran = await paycli([...line.split(' '), chosen], { home });
    expect([ran.exit, ran.out, ran.requests], chosen).toEqual([2, '', []]);
    expect(ran.err, chosen).toMatch(/there is no field nope|there is no field schema|this command prints no fields/);
  }
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  ['sale', '{{status}} {{order.orderId}} {{result.anything}} {{#order}}{{nope}}{{/order}}'],
  ['journal list', '{{total}} {{#entries}}{{order}} {{nope}}{{/entries}}'],
  ['doctor', '{{ok}} {{#checks}}{{check}}{{/checks}}{{^checks}}none{{/checks}}'],
])('%s takes the template %s: what is inside a section may be a part of it', async (command, template) => {
  const ran = await paycli([...command.split(' '), '--template', template, '--no-input'], { home: temporaryHome() });
  expect(ran.err).not.toContain('there is no field');
});

test.each([
  ['journal list --json=total', { total: 2 }],
  ['journal list --json=schema,total', { schema: 'paycli.journal/1', total: 2 }],
  ['order --client-order-id order-1 --json=stage', { stage: expect.any(String) }],
  ['doctor --json=ok', { ok: expect.any(Boolean) }],
  ['sandbox status --json=name', { name: expect.any(String) }],
])('what stands beside a list is chosen as one document: %s', async (line, document) => {
  const ran = await paycli(line.split(' '), { home: await sandboxHome() });
  expect(JSON.parse(ran.out)).toEqual(document);
});

test('beside an empty list too, and as text; not together with a part of its entries', async () => {
  const home = temporaryHome();
  expect(JSON.parse((await paycli(['journal', 'list', '--json=total,entries'], { home })).out)).toEqual({
    total: 0,
    entries: [],
  });
  expect((await paycli(['journal', 'list', '--select', 'total'], { home })).out).toMatch(/^total +0$/m);
  expect(JSON.parse((await paycli(['journal', 'list', '--json=order'], { home })).out)).toEqual([]);
  const mixed = await paycli(['journal', 'list', '--json=total,order'], { home });
  expect([mixed.exit, mixed.err]).toEqual([
    2,
    expect.stringContaining('total belongs to the document and order to each entry of its list'),
  ]);
});

test('a template that names a field beside a list is told of those as well', async () => {
  const ran = await paycli(['journal', 'list', '--template', '{{nope}}'], { home: temporaryHome() });
  expect([ran.exit, ran.err]).toEqual([
    2,
    expect.stringMatching(/--template: there is no field nope.*; and beside the list: entries, schema, total/s),
  ]);
});

test('a template that names parts of an entry is filled in for each entry', async () => {
  const home = temporaryHome();
  const ran = await paycli(['assumptions', 'list', '--template', '{{id}}'], { home });
  expect([ran.exit, ran.err, ran.out.split('\n').slice(0, 2)]).toEqual([0, '', ['A01', 'A02']]);
});

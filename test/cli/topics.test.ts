import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/cli/help/topics/block.js';
import { environment } from '../../src/cli/help/topics/environment.js';
import { outputExamples } from '../../src/cli/help/topics/output.js';
import { plainText } from '../../src/cli/help/topics/plain.js';
import { exampleFile } from '../../src/cli/help/topics/profiles.js';
import { threedsTopic } from '../../src/cli/help/topics/threeds.js';
import { signingSteps } from '../../src/cli/man/signing-steps.js';
import { states } from '../../src/journal/states.js';
import { statuses } from '../../src/spec/index.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const names = [
  'exit-codes',
  'environment',
  'output',
  'signing',
  'states',
  'live',
  'assumptions',
  'sandbox',
  '3ds',
  'callbacks',
  'money-safety',
  'profiles',
  'secrets',
];

const help = async (name: string) => (await paycli(['help', name])).out;

/** The commands among the lines that are kept as they are, those over several lines as one. */
function commandsIn(blocks: readonly Block[]): string[] {
  const kept = blocks.flatMap((block) => (block.kind === 'lines' ? [`${block.lines.join('\n')}\n`] : [])).join('');
  return [...kept.replace(/ \\\n\s+/g, ' ').matchAll(/^paycli (.*)$/gm)].map(([, line = '']) => line);
}

/** The words a shell makes of a line with single quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

describe.each(names)('help %s', (name) => {
  test('is there, with a title and no line wider than 80 columns', async () => {
    const { exit, out, err } = await paycli(['help', name]);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`^${name}: \\S`));
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('sends to no topic that is not there', async () => {
    const named = [...(await help(name)).matchAll(/`paycli help ([\w-]+)`/g)].map(([, topic]) => topic);
    expect(named.filter((topic) => !names.includes(topic ?? ''))).toEqual([]);
  });

  test('names only commands that are there', async () => {
    const lines = [...(await help(name)).matchAll(/(?:^ {2}|`)paycli ([a-z3][a-z0-9-]*(?: [a-z][a-z-]+)?)/gm)].map(([, words = '']) =>
      words.split(' '),
    );
    for (const [first = '', second] of lines.filter(([word]) => word !== 'help' && word !== 'paycli')) {
      const { out, exit } = await paycli([first, '--help']);
      expect([first, exit]).toEqual([first, 0]);
      const commands = [...out.matchAll(/^ {2}([a-z][a-z0-9-]*)/gm)].map(([, word]) => word);
      const isGroup = out.includes('<command> [flags]');
      if (isGroup && second !== undefined) expect(commands, `${first} ${second}`).toContain(second);
    }
  });
});

test('paycli help lists the commands, then every topic with a line', async () => {
  const { exit, out } = await paycli(['help']);
  expect(exit).toBe(0);
  expect(out).toMatch(/^ {2}sale /m);
  for (const name of names) expect(out).toMatch(new RegExp(`^ {2}paycli help ${name} +\\S`, 'm'));
});

describe('what a topic is made of', () => {
  test('states: every state of the journal and every status of an order', async () => {
    const out = await help('states');
    for (const [word, meaning] of Object.entries(states)) expect(out).toMatch(new RegExp(`^ {2}${word} +${meaning.slice(0, 12)}`, 'm'));
    for (const [word, { final }] of Object.entries(statuses)) expect(out).toMatch(new RegExp(`^${word} +${final ? 'yes' : 'no'} `, 'm'));
  });

  test('output: the examples run, each in its form', async () => {
    const home = temporaryHome();
    for (const [form, line] of outputExamples) {
      const { exit, out } = await paycli(line.split(' '), { home });
      expect([line, exit]).toEqual([line, 0]);
      if (form === 'json') expect(JSON.parse(out)).toHaveProperty('schema');
      if (form === 'ndjson') for (const each of out.trim().split('\n')) expect(JSON.parse(each)).toHaveProperty('id');
      if (form === 'csv') expect(out).toMatch(/^"id",.*\r\n"A01",/);
      if (form === 'yaml') expect(out).toMatch(/^schema: paycli\./);
      if (form === 'table') expect(out).toMatch(/^id +switch .*\nA01 /);
    }
  });

  test('output: the other lines it shows run as well', async () => {
    const out = await help('output');
    const shown = [...out.matchAll(/^ {2}paycli (.*)$/gm)].map(([, line = '']) => line);
    expect(shown.length).toBeGreaterThan(outputExamples.length);
    for (const line of shown) {
      const { exit, err } = await paycli(words(line));
      expect([line, exit, err]).toEqual([line, 0, expect.not.stringContaining('error:')]);
    }
  });

  test('3ds: the order it takes through all steps ends approved', async () => {
    const home = temporaryHome();
    for (const line of commandsIn(threedsTopic.blocks())) await paycli(words(line), { home });
    const { out } = await paycli(['status', '--client-order-id', 'order-8', '--json'], { home });
    expect(JSON.parse(out).result.status).toBe('approved');
  });

  test('signing: every command of its page runs', async () => {
    const home = temporaryHome();
    for (const [name, text] of Object.entries({
      'control.key': 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
      'values.json': '["4001","order-2","1042"]',
      'fields.json': '[["client_orderid","order-3"]]',
    }))
      writeFileSync(join(home, name), text, { mode: 0o600 });
    const shown = commandsIn(signingSteps());
    expect(shown).toHaveLength(4);
    for (const line of shown) {
      const { exit, err } = await paycli(words(line), { home });
      expect([line, exit, err]).toEqual([line, 0, expect.not.stringContaining('error:')]);
    }
  });

  test('profiles: the file it shows is one paycli takes', async () => {
    const home = temporaryHome();
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(join(home, 'config/config.yaml'), exampleFile.join('\n'), { mode: 0o600 });
    const { exit, out, err } = await paycli(['profile', 'list', '--json'], { home });
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('"shop-test"');
  });
});

describe('variables', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  /** The build puts the first in place of a name; the others are names of families in texts. */
  const none = ['PAYCLI_VERSION', 'PAYCLI_'];

  test('every PAYCLI_ name in the source is in the table, and the other way round', () => {
    const read = new Set(sources.flatMap((name) => readFileSync(join('src', name), 'utf8').match(/PAYCLI_[A-Z_]*/g) ?? []));
    const listed = environment.map(([name]) => name);
    expect([...read].filter((name) => !none.includes(name)).sort()).toEqual([...listed].sort());
  });

  test.each(environment.map(([name]) => ({ name })))('$name, misspelt, is warned about', async ({ name }) => {
    const misspelt = `${name.slice(0, -1)}${name.endsWith('X') ? 'Y' : 'X'}`;
    const { err } = await paycli(['whoami'], { env: { [misspelt]: '1' } });
    expect(err).toContain(misspelt);
    expect(err).toContain(`did you mean ${name}?`);
  });

  test.each(environment.map(([name]) => ({ name })))('$name itself is not called unknown', async ({ name }) => {
    const { err } = await paycli(['whoami', '--profile', 'sandbox'], { env: { [name]: name === 'PAYCLI_OUTPUT' ? 'text' : '1' } });
    expect(err).not.toContain('is not a variable of paycli');
  });
});

describe('plain text', () => {
  test('long words in backticks stay together, tables wrap their widest cells', () => {
    expect(plainText([{ kind: 'text', text: 'one `two three` four' }], 12)).toBe('one\n`two three`\nfour\n');
    expect(
      plainText(
        [
          {
            kind: 'table',
            rows: [
              ['a', 'b'],
              ['1', 'one two three'],
            ],
          },
        ],
        12,
      ),
    ).toBe('a  b\n1  one two\n   three\n');
  });

  test('a long term has a line of its own', () => {
    const long = 'x'.repeat(30);
    expect(
      plainText(
        [
          {
            kind: 'terms',
            terms: [
              ['a', 'short'],
              [long, 'long'],
            ],
          },
        ],
        80,
      ),
    ).toBe(`  a  short\n  ${long}\n     long\n`);
  });
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment } from '../../src/cli/docs/environment.js';
import { readMarkdown } from '../../src/cli/docs/markdown.js';
import { plainText } from '../../src/cli/docs/plain-text.js';
import { topicNames } from '../../src/cli/docs/topics.js';
import { states } from '../../src/journal/states.js';
import { statuses } from '../../src/spec/index.js';
import { paycli, type Ran, temporaryHome } from '../support/runtime.js';

const names = [
  'exit-codes',
  'flags',
  'environment',
  'output',
  'signing',
  'signing-steps',
  'states',
  'live',
  'assumptions',
  'sandbox',
  '3ds',
  'callbacks',
  'money-safety',
  'profiles',
  'secrets',
  'batches',
  'test-suites',
  'certify',
  'runbooks',
  'glossary',
  'development',
];

const help = async (name: string) => (await paycli(['help', name])).out;

/** The Markdown of a topic. */
const markdown = (name: string) => readFileSync(`src/cli/docs/topics/${name}.md`, 'utf8');

test('there is a file for each topic, and no other', () => {
  expect(readdirSync('src/cli/docs/topics').sort()).toEqual(names.map((name) => `${name}.md`).sort());
  expect([...topicNames].sort()).toEqual([...names].sort());
});

const helps = new Map<string, Promise<Ran>>();

/** Of a command that several topics name, once. */
function helpOfCommand(word: string): Promise<Ran> {
  const ran = helps.get(word) ?? paycli([word, '--help']);
  helps.set(word, ran);
  return ran;
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
    const lines = [...(await help(name)).matchAll(/(?:^ {2}|`)paycli ([a-z3][a-z0-9-]*(?: [a-z][a-z-]+)?)/gm)].map(
      ([, words = '']) => words.split(' '),
    );
    for (const [first = '', second] of lines.filter(([word]) => word !== 'help' && word !== 'paycli')) {
      const { out, exit } = await helpOfCommand(first);
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
    for (const [word, meaning] of Object.entries(states))
      expect(out).toMatch(new RegExp(`^ {2}${word} +${meaning.slice(0, 12)}`, 'm'));
    for (const [word, { final }] of Object.entries(statuses))
      expect(out).toMatch(new RegExp(`^${word} +${final ? 'yes' : 'no'} `, 'm'));
  });

  const forms: Readonly<Record<string, (out: string) => void>> = {
    text: (out) => expect(out).toMatch(/^name +default\n/),
    json: (out) => expect(JSON.parse(out)).toHaveProperty('schema'),
    ndjson: (out) => {
      for (const each of out.trim().split('\n')) expect(JSON.parse(each)).toHaveProperty('id');
    },
    csv: (out) => expect(out).toMatch(/^"id",.*\r\n"A01",/),
    yaml: (out) => expect(out).toMatch(/^schema: paycli\./),
    table: (out) => expect(out).toMatch(/^id +switch .*\nA01 /),
  };

  test('output: the first examples show each form in its order', async () => {
    const home = temporaryHome();
    const named = [...markdown('output').matchAll(/^- `-o (\w+)`: /gm)].map(([, form]) => form);
    expect(named).toEqual(Object.keys(forms));
    const shown = [...markdown('output').matchAll(/^paycli (.*)$/gm)].map(([, line = '']) => line);
    for (const [at, check] of Object.values(forms).entries()) {
      const { exit, out } = await paycli(shown[at]?.split(' ') ?? [], { home });
      expect([shown[at], exit]).toEqual([shown[at], 0]);
      check(out);
    }
  });

  test('profiles: the file it shows is one paycli takes', async () => {
    const home = temporaryHome();
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(join(home, 'config/config.yaml'), /```yaml\n([\s\S]*?)```/.exec(markdown('profiles'))?.[1] ?? '', {
      mode: 0o600,
    });
    const { exit, out, err } = await paycli(['profile', 'show', '--json'], { home });
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('"shop-test"');
  });
});

describe('variables', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  /** The build puts the first in place of a name; the others are names of families in texts. */
  const none = ['PAYCLI_VERSION', 'PAYCLI_'];

  test('every PAYCLI_ name in the source is in the table, and the other way round', () => {
    const read = new Set(
      sources.flatMap((name) => readFileSync(join('src', name), 'utf8').match(/(?<!ERR_)PAYCLI_[A-Z_]*/g) ?? []),
    );
    const listed = environment.map(([name]) => name);
    expect([...read].filter((name) => !none.includes(name)).sort()).toEqual([...listed].sort());
  });

  test.each(environment.map(([name]) => ({ name })))('$name, misspelt, is warned about', async ({ name }) => {
    const misspelt = `${name.slice(0, -1)}${name.endsWith('X') ? 'Y' : 'X'}`;
    const { err } = await paycli(['profile', 'show', '--origins'], { env: { [misspelt]: '1' } });
    expect(err).toContain(misspelt);
    expect(err).toContain(`did you mean ${name}?`);
  });

  test.each(environment.map(([name]) => ({ name })))('$name itself is not called unknown', async ({ name }) => {
    const { err } = await paycli(['profile', 'show', '--origins', '--profile', 'sandbox'], {
      env: { [name]: name === 'PAYCLI_OUTPUT' ? 'text' : '1' },
    });
    expect(err).not.toContain('is not a variable of paycli');
  });
});

describe('Markdown', () => {
  const text = `# some-name: what it is about

Two lines of
one paragraph with \`a command\`.

## A heading

- \`--flag, PAYCLI_X\`: its meaning: all
  of it
- **three words**: bold

- plain: not a term
- \`code\` in a sentence

1. first
2. second
   goes on

<!-- generated rows -->
| a | b |
| --- | --- |
| x \\| y |  |
| \\<n> | - |
<!-- end -->

\`\`\`sh
# no heading

| no table
\`\`\`
`;

  test('becomes blocks', () => {
    expect(readMarkdown(text)).toEqual({
      name: 'some-name',
      brief: 'what it is about',
      blocks: [
        { kind: 'text', text: 'Two lines of one paragraph with `a command`.' },
        { kind: 'heading', text: 'A heading' },
        {
          kind: 'terms',
          terms: [
            ['--flag, PAYCLI_X', 'its meaning: all of it'],
            ['three words', 'bold'],
          ],
        },
        {
          kind: 'terms',
          terms: [
            ['-', 'plain: not a term'],
            ['-', '`code` in a sentence'],
          ],
        },
        {
          kind: 'terms',
          terms: [
            ['1.', 'first'],
            ['2.', 'second goes on'],
          ],
        },
        {
          kind: 'table',
          rows: [
            ['a', 'b'],
            ['x | y', ''],
            ['<n>', '-'],
          ],
        },
        { kind: 'lines', language: 'sh', lines: ['# no heading', '', '| no table'] },
      ],
    });
  });

  test.each(names)('of %s has nothing that a code host or the parser would take for something else', (name) => {
    const page = readMarkdown(markdown(name));
    expect(page.name).toBe(name);
    expect(page.brief).not.toBe('');
    const prose = markdown(name).replace(/^```[\s\S]*?^```$|^<!--.*-->$|`[^`]*`|\\</gm, '');
    // Tags, links, emphasis, headings of another level and quotations are no part of these texts.
    expect(prose.match(/<|\]\(|(?<!\*)\*(?!\*)\w|^#(?!#? )|^>|(?<=\n\n) {4}/gm) ?? []).toEqual([]);
    expect(
      markdown(name)
        .split('\n')
        .filter((line) => line.length > 120 && !line.startsWith('| ')),
    ).toEqual([]);
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

test('the glossary has an entry of its own for each term, and shows no markup', async () => {
  const text = await help('glossary');
  expect(text).not.toMatch(/\*\*|^ *- /m);
  const terms = 'preauth capture void return transfer rebill assumption callback'.split(' ');
  expect(terms.filter((term) => !new RegExp(`^ *${term}(?: |$)`, 'm').test(text))).toEqual([]);
});

test('help sandbox has every script of callbacks by its name', async () => {
  const text = readFileSync('src/cli/docs/topics/sandbox.md', 'utf8');
  const scripts = JSON.parse((await paycli(['sandbox', 'callbacks', 'script', '--json'])).out).scripts;
  const names = Object.keys(scripts).filter((name) => name !== 'normal');
  expect(names).toEqual(expect.arrayContaining(['before-response', 'swapped', 'never']));
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

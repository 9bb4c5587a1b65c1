import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyPart } from '../../src/cli/commands/index.js';
import { treeBuilder } from '../../src/cli/core/program.js';
import { fileKeys, profileKeys } from '../../src/cli/docs/man/config-keys.js';
import { projectFile } from '../../src/cli/docs/man/config-page.js';
import { manPages } from '../../src/cli/docs/man/pages.js';
import { escaped, literal, paragraph, prose } from '../../src/cli/docs/man/roff.js';
import { readConfigFile } from '../../src/config/config-file.js';
import { contentOf } from '../../src/config/content.js';
import { sanitizeConfig } from '../../src/config/sanitize.js';
import { guardedKeys } from '../../src/config/trust.js';
import { openFiles } from '../../src/runtime/files.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import { allOperations } from '../../src/spec/index.js';
import { oneIn } from '../support/every.js';

const runtime = nodeRuntime();
const pages = await manPages(treeBuilder(runtime, everyPart));
const folder = mkdtempSync(join(tmpdir(), 'paycli-man-'));
const environment = { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '80', GROFF_NO_SGR: '1' };
const run = promisify(execFile);

beforeAll(() => {
  for (const { file, text } of pages) writeFileSync(join(folder, file), text);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

function page(file: string): string {
  return pages.find((each) => each.file === file)?.text ?? expect.unreachable(`no ${file}`);
}

interface Shown {
  /** As a terminal of 80 columns has it, without the overstrikes of bold letters. */
  readonly text: string;
  /** What the formatter has against the pages. */
  readonly warnings: string;
}

/** One page as man(1) shows it. */
const byMan = (file: string) => shown('man', ['--warnings=w', '-E', 'UTF-8', '-P', 'cat', '-l', join(folder, file)]);

/** Pages one after the other, by the formatter that man(1) starts for each. */
const byGroff = (names: readonly string[]) =>
  shown('groff', ['-k', '-t', '-man', '-Tutf8', '-ww', '-P-c', '-rLL=80n', ...names.map((name) => join(folder, name))]);

async function shown(program: string, words: readonly string[]): Promise<Shown> {
  const { stdout, stderr } = await run(program, words, { env: environment, maxBuffer: 2 ** 24 });
  return { text: stdout.replaceAll(new RegExp(`.${backspace}`, 'gu'), ''), warnings: stderr };
}

const backspace = '\u0008';
const files = pages.map(({ file }) => file);

describe('man', { tags: 'man' }, () => {
  // All pages once, for both tests; the line that installs a completion has to be one line, whatever its width.
  const isWide = (file: string) => file === 'paycli-completion.1';
  let narrow: Promise<Shown>;
  beforeAll(() => {
    narrow = byGroff(files.filter((file) => !isWide(file)));
  });

  test('has nothing against any page', async () => {
    const all = await Promise.all([narrow, byGroff(files.filter(isWide))]);
    expect(all.map(({ warnings }) => warnings)).toEqual(['', '']);
    expect(all.flatMap(({ text }) => text.match(/^PAYCLI\S*\(\d\) /gm))).toHaveLength(files.length);
  });

  test.each(
    oneIn(
      3,
      [
        ['a macro nobody knows', '.XX one two\n'],
        ['a sign nobody knows', 'a \\[nosuchsign] b\n'],
        ['a dot that was not escaped', '.config is a folder\n'],
      ],
      0,
    ),
  )('would have with %s', async (_, broken) => {
    writeFileSync(join(folder, 'broken.1'), `${page('paycli-sale.1')}${broken}`);
    expect((await byGroff(['broken.1'])).warnings).not.toBe('');
    expect((await byMan('broken.1')).warnings).not.toBe('');
  });

  test('shows no line wider than 80 columns', async () => {
    const { text } = await narrow;
    expect(text.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
  });

  test.each<readonly [string, readonly RegExp[]]>(
    oneIn(
      3,
      [
        ['paycli.1', [/~\/\.config\/paycli\/config\.yaml/]],
        ['paycli-output.7', [/--template '\{\{order\.orderId\}\} \{\{status\}\}'/]],
      ],
      0,
    ),
  )('shows flags, quotes and dots of %s as they are typed', async (file, typed) => {
    const { text, warnings } = await byMan(file);
    expect(warnings).toBe('');
    for (const each of typed) expect(text).toMatch(each);
  });
});

describe('the pages', () => {
  test('are there for the program, every operation, groups, aliases, files and topics', () => {
    const wanted = allOperations.map((row) => `paycli-${row.command.replace(/ --api .*/, '').replaceAll(' ', '-')}.1`);
    expect(files).toEqual(
      expect.arrayContaining([
        ...wanted,
        'paycli.1',
        'paycli-card-ref.1',
        'paycli-verify.1',
        'paycli-sign-diff.1',
        'paycli-config.5',
        'paycli-signing.7',
        'paycli-states.7',
      ]),
    );
    expect(new Set(files).size).toBe(files.length);
  });

  test('name only pages that are there', () => {
    const named = pages.flatMap(({ text }) =>
      [...text.matchAll(/\\fB(paycli[\w\\-]*)\\fR\((\d)/g)].map(
        ([, name = '', number]) => `${name.replaceAll('\\-', '-')}.${number}`,
      ),
    );
    expect(named.length).toBeGreaterThan(300);
    expect([...new Set(named)].filter((name) => !files.includes(name))).toEqual([]);
  });

  test.each([
    ['NAME'],
    ['SYNOPSIS'],
    ['DESCRIPTION'],
    ['OPTIONS'],
    ['EXIT STATUS'],
    ['EXAMPLES'],
    ['FILES'],
    ['ENVIRONMENT'],
    ['SEE ALSO'],
  ])('of a command and of the program has %s', (title) => {
    for (const file of ['paycli.1', 'paycli-sale.1']) expect(page(file)).toContain(`.SH "${title}"`);
  });

  test('have the flags under the headings of help', () => {
    const text = page('paycli-sale.1');
    expect(text.indexOf('.SS "Required fields"')).toBeLessThan(text.indexOf('\\fB\\-\\-amount\\fR \\fI10.42\\fR'));
    expect(text).toContain('\\fB\\-p\\fR, \\fB\\-\\-profile\\fR \\fIname\\fR');
  });

  test('have only the exit codes the command can end with', () => {
    const codes = (file: string) =>
      /"EXIT STATUS"\n([\s\S]*?)\.SH/.exec(page(file))?.[1]?.match(/(?<=\\fB)\d+(?=\\fR)/g);
    expect(codes('paycli-commands.1')).toEqual(['0', '1', '2', '13']);
    expect(codes('paycli-sale.1')).toContain('8');
  });

  test('of signing has both schemes with the sections of RFC 5849, and every mistake by name', () => {
    const text = page('paycli-signing-steps.7').replaceAll('\\-', '-');
    for (const section of ['3.3', '3.4.1.1', '3.4.1.2', '3.4.1.3.1', '3.4.1.3.2', '3.4.2', '3.4.3', '3.5.1', '3.6'])
      expect(text).toContain(section);
    for (const name of [
      'space-plus',
      'sort-order',
      'query-left-out',
      'signing-key',
      'rsa-key-or-method',
      'decimal-amount',
      'missing-email',
      'key-whitespace',
    ])
      expect(text).toContain(name);
  });
});

describe('paycli-config(5)', () => {
  const everything = [
    ...Object.entries(fileKeys).map(([name, row]) => ({ name, row, yaml: `${name}: ${row.example}\n`, path: name })),
    ...Object.entries(profileKeys).map(([name, row]) => {
      const kind = name === 'class' ? '' : '    class: test\n';
      return {
        name: `profile ${name}`,
        row,
        yaml: `profiles:\n  a:\n${kind}    ${name}: ${row.example}\n`,
        path: `profiles.a.${name}`,
      };
    }),
  ];

  test.each(everything)('$name: its example is taken from the user file', ({ yaml }) => {
    expect(() => read(yaml, 'user')).not.toThrow();
  });

  test.each(everything)('$name: where it counts', ({ yaml, row, path }) => {
    if (row.project === 'never') expect(() => read(yaml, 'project')).toThrow(/only in the user file/);
    else {
      expect(() => read(yaml, 'project')).not.toThrow();
      const { data } = sanitizeConfig(readConfigFile(join(folder, 'config.yaml'), disk).data);
      expect(guardedKeys(data).includes(path)).toBe(row.project === 'when trusted');
    }
  });

  test('its project file needs no trust', () => {
    const yaml = projectFile.join('\n');
    expect(() => read(yaml, 'project')).not.toThrow();
    expect(guardedKeys(sanitizeConfig(readConfigFile(join(folder, 'config.yaml'), disk).data).data)).toEqual([]);
  });

  test('every key stands on the page', () => {
    const text = page('paycli-config.5').replaceAll('\\-', '-');
    for (const name of [...Object.keys(fileKeys), ...Object.keys(profileKeys)])
      expect(text).toContain(`\\fB${name}\\fR \\fI`);
  });

  const disk = openFiles({}, { home: folder, working: folder });
  function read(yaml: string, kind: 'user' | 'project') {
    writeFileSync(join(folder, 'config.yaml'), yaml, { mode: 0o600 });
    return contentOf(readConfigFile(join(folder, 'config.yaml'), disk), kind, disk);
  }
});

describe('roff', () => {
  test.each([
    ['--flag', '\\-\\-flag'],
    ['C:\\dir', 'C:\\edir'],
    ['say "it\'s"', 'say \\(dqit\\(aqs\\(dq'],
    ['~/.config `x` ^', '\\(ti/.config \\(gax\\(ga \\(ha'],
    ['ä', '\\[u00E4]'],
  ])('%s', (plain, roff) => {
    expect(escaped(plain)).toBe(roff);
  });

  test('no line of text begins with a request', () => {
    expect(paragraph('.paycli.yaml is a file')).toBe('.PP\n\\&.paycli.yaml is a file\n');
    expect(literal(['.x', "'y", 'z'])).toBe('.PP\n.nf\n\\&.x\n\\(aqy\nz\n.fi\n');
    expect(prose('see `paycli sale`')).toBe('see \\fBpaycli sale\\fR');
  });
});

describe('the package', () => {
  const manifest: { readonly man: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));

  test('lists every page for npm, which goes by no folder', () => {
    const wanted = files.map((file) => `dist/man/${file}`);
    const differing = [
      ...wanted.filter((file) => !manifest.man.includes(file)),
      ...manifest.man.filter((file) => !wanted.includes(file)),
    ];
    expect(differing, 'run `node bin/paycli.js __generate`').toEqual([]);
  });

  test('has the pages the build made', () => {
    expect(readdirSync('dist/man').sort()).toEqual([...files].sort());
  });
});

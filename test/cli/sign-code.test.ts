import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plainExample } from '../../src/cli/core/examples.js';
import { allOperations } from '../../src/spec/index.js';
import type { Program } from '../support/programs.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags } from './profiles.js';

/** For the names in examples: nothing is sent, so anything of the right form will do. */
const names: Readonly<Record<string, string>> = {
  ORDER: '77',
  ID: 'order-77',
  CARD: '78',
  TDS: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
  CRES: 'eyJhIjoxfQ',
  PARES: 'eJxzAQAAVgBV',
};

interface Reader {
  readonly language: string;
  /** How to read a program without running it; what it says on standard output must be nothing. */
  readonly reader?: readonly [string, ...string[]];
  readonly file?: string;
  readonly tags: readonly Program[];
}

const byDay: readonly Reader[] = [
  { language: 'curl', reader: ['sh', '-n'], tags: [] },
  { language: 'php', reader: ['php', '-l'], tags: ['php'] },
  {
    language: 'python',
    reader: ['python3', '-c', 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")'],
    tags: ['python3'],
  },
  { language: 'node', reader: ['node', '--check'], file: 'program.mjs', tags: [] },
  ...['java', 'csharp'].map((language) => ({ language, tags: [] })),
];

// Their compilers are large, so .ci/nightly installs them.
const byNight: readonly Reader[] = [
  { language: 'java', reader: ['javac', '-Xlint:all', '-Werror'], file: 'Request.java', tags: [] },
  { language: 'csharp', reader: ['mcs', '-warnaserror', '-r:System.Net.Http.dll'], file: 'request.cs', tags: [] },
];
const isNight = process.env['SIGN_LANGUAGES'] !== undefined;

/** As a shell takes them apart. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare ?? '').replace(/\$([A-Z]+)/g, (_, name: string) => names[name] ?? `unset ${name}`),
  );
}

/** One of each scheme. */
const rows = allOperations
  .filter(({ command }) => ['sale', 'payout send', 'payout check', 'card-ref info'].includes(command))
  .map((row) => ({ command: row.command, row }));

for (const { language, reader, file = 'program', tags } of isNight ? byNight : byDay)
  describe(`sign ${language}`, () => {
    test.each(rows)('$command: the example of its help gives a program', { tags: [...tags] }, async ({ row }) => {
      const home = temporaryHome();
      const example = `sign ${plainExample(row)} --code ${language}`;
      const ran = await paycli(words(example), { home });
      expect(ran.exit, ran.err).toBe(0);
      expect(ran.out).toContain(`(${row.id}).`);
      expect(ran.out).toContain(row.path);
      if (reader === undefined) return;
      writeFileSync(join(home, file), ran.out);
      const [command, ...flags] = reader;
      const read = spawnSync(command, [...flags, join(home, file)], { encoding: 'utf8', cwd: home });
      expect([read.error, read.status, read.stderr]).toEqual([undefined, 0, '']);
      if (isNight) expect(read.stdout).toBe('');
    });

    test('with --json the program is a text in a document', async () => {
      const { exit, out } = await paycli(['sign', 'status', '--client-order-id', 'a', '--code', language, '--json'], {
        home: homeWithProfile(),
      });
      expect(exit).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        schema: 'paycli.code/1',
        operation: 'STATUS',
        profile: 'shop',
        language,
      });
    });

    test('a field given by hand keeps its value', async () => {
      const argv = [
        'sign',
        'status',
        '--code',
        language,
        '--client-order-id',
        'a',
        '--allow-unknown-field',
        '--field',
        'note=somebody',
      ];
      const { exit, out } = await paycli(argv, {
        home: homeWithProfile({ class: 'sandbox', baseUrl: 'http://127.0.0.1:9/x' }),
      });
      expect([exit, out]).toEqual([0, expect.stringContaining('somebody')]);
    });

    test('needs no key', async () => {
      const home = homeWithProfile({ withoutControlKey: true });
      expect((await paycli(['sign', 'status', '--client-order-id', 'a', '--code', language], { home })).exit).toBe(0);
    });
  });

test('with a live profile a program asks for the card, even for the number of a published test card', async () => {
  const home = homeWithProfile({ class: 'live' });
  const card = join(home, 'card.json');
  const pairs = { 'card-number': '4444333322221111', 'card-holder': 'JANE DOE', 'expire-month': '12' };
  writeFileSync(card, JSON.stringify({ ...pairs, 'expire-year': '2034', cvv: '123' }), { mode: 0o600 });
  const cards = ['--card-number', '--card-holder', '--expire-month', '--expire-year', '--cvv'];
  const isOfCard = (at: number) => [saleFlags[at], saleFlags[at - 1]].some((word) => cards.includes(word ?? ''));
  const [, ...fields] = saleFlags.filter((_, at) => !isOfCard(at));
  for (const language of ['curl', 'php', 'java']) {
    const ran = await paycli(['sign', 'sale', ...fields, '--card-file', card, '--live', '--code', language], { home });
    expect([ran.exit, ran.out], ran.err).toEqual([0, expect.stringContaining('CARD_NUMBER')]);
    expect(ran.out + ran.err).not.toMatch(/4444333322221111|\b123\b/);
  }
  const status = ['sign', 'status', '12345', '--client-order-id', '902B4FF5', '--live', '--code', 'curl'];
  expect((await paycli(status, { home })).exit).toBe(0);
});

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { flawsOf } from '../../src/journal/verify.js';
import { sqlite } from '../../src/runtime/database.js';
import { fillJournal } from '../bench/large-journal.mjs';
import { program } from '../e2e/program.js';
import { newFolder, open } from './support.js';

/** The nightly run takes a hundred times as many, shows them in every form, and holds the memory to a limit. */
const nightly = process.env['JOURNAL_ENTRIES'];
const entries = Number(nightly ?? 2000);
const forms: readonly (readonly [argv: string, lines: number])[] = [
  ['journal list --all', entries + 1],
  ['journal verify', 1],
  ...(nightly === undefined ? [] : furtherForms()),
];

function furtherForms(): readonly (readonly [argv: string, lines: number])[] {
  return [
    ['journal list', 51],
    ['journal list -o ndjson', entries],
    ['journal list -o csv', entries + 1],
    ['orders -o ndjson', entries],
    ['orders -o csv', entries + 1],
    ['orders --json --select clientOrderId', entries * 3 + 2],
  ];
}

const folder = newFolder();
const root = join(import.meta.dirname, '../..');

let built = '';

beforeAll(async () => {
  built = await program();
  open(folder).journal.close();
  fillJournal(folder, entries);
}, 600_000);

/** A small heap would not hold a tenth of the journal: whoever reads all of it at once ends with an error. */
function run(argv: readonly string[]) {
  const flags = ['--max-old-space-size=48', '--require', join(root, 'test/bench/peak.cjs'), built];
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    PAYCLI_STATE_DIR: folder,
    PAYCLI_CONFIG_DIR: join(folder, 'config'),
  };
  const ran = spawnSync(process.execPath, [...flags, ...argv], { env, encoding: 'utf8', maxBuffer: 2 ** 30 });
  return { ...ran, mebibytes: Number(/^peak (\d+) KiB$/m.exec(ran.stderr)?.[1]) / 1024 };
}

describe(`a journal of ${entries} entries`, () => {
  test('is what the journal itself would have written', () => {
    expect(open(folder).journal.flaws()).toEqual([]);
  });

  test.each(forms)(
    '%s does not hold it in memory',
    (argv, lines) => {
      const { status, stdout, stderr, mebibytes } = run(argv.split(' '));
      expect(status, stderr).toBe(0);
      expect(stdout.split('\n').length - 1).toBe(lines);
      expect(mebibytes).toBeLessThan(200);
    },
    600_000,
  );

  test.each<readonly [what: string, sql: string, flaws: readonly string[]]>([
    [
      'a changed line',
      "UPDATE moves SET reason = 'other' WHERE id = 5678",
      ['line 5678 or the one before it was changed'],
    ],
    [
      'a changed hash',
      `UPDATE moves SET hash = '${'0'.repeat(64)}' WHERE id = 5678`,
      [5678, 5679].map((line) => `line ${line} or the one before it was changed`),
    ],
    [
      'bytes in the place of a text',
      "UPDATE moves SET reason = x'80' WHERE id = 5678",
      ['line 5678 or the one before it was changed'],
    ],
    ['a removed line', 'DELETE FROM moves WHERE id = 5678', ['line 5678 is missing']],
  ])('%s far from the beginning is named', (_, sql, flaws) => {
    const database = sqlite.open(join(folder, 'journal.db'));
    const { journal } = open(folder, 1, database);
    database.exec('BEGIN; DROP TRIGGER moves_stay; DROP TRIGGER moves_last');
    database.exec(sql);
    // Its own transaction would end this one.
    const within = {
      ...database,
      exec: (words: string) => (words === 'BEGIN' || words === 'COMMIT' ? undefined : database.exec(words)),
    };
    expect(
      flawsOf(within, 'none')
        .map(({ what }) => what)
        .filter((what) => !what.startsWith('the ')),
    ).toEqual(flaws);
    database.exec('ROLLBACK');
    journal.close();
  });

  test('doctor finds it whole without holding it in memory', () => {
    const { stdout, mebibytes } = run(['doctor', '--json']);
    expect(stdout).toContain(`intact: ${entries * 3} lines`);
    expect(mebibytes).toBeLessThan(200);
  }, 600_000);

  test('a list of all of it as JSON and as YAML is one whole document', () => {
    const { entries: all, total } = JSON.parse(run(['journal', 'list', '--json']).stdout);
    expect([all.length, total, all.at(-1).entry]).toEqual([entries, entries, entries]);
    const chosen = JSON.parse(run(['journal', 'list', '--json', '--select', 'entry,amount.text']).stdout);
    expect(chosen[1]).toEqual({ entry: 2, 'amount.text': '0.01' });
  }, 600_000);

  test('what a profile sent today is told without a walk through the day', () => {
    const counted: string[] = [];
    const database = sqlite.open(join(folder, 'journal.db'));
    const { journal } = open(folder, 1, {
      ...database,
      all: (sql, ...values) => {
        const rows = database.all(sql, ...values);
        counted.push(`${rows.length} rows`);
        return rows;
      },
    });
    counted.length = 0;
    expect(journal.spentSince('shop', 0, 'EUR')).toBe(BigInt(entries));
    expect(counted).toEqual(['1 rows']);
    journal.close();
  });
});

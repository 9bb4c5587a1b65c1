import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { oneIn } from '../support/every.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kept = join(root, 'test/bench/results.json');

function node(script: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'test/bench', script), ...words], {
    cwd: root,
    encoding: 'utf8',
  });
  return { exit: status, out: stdout, err: stderr };
}

describe('the tables of speed', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paycli-table-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('are made from the kept results', () => {
    expect(node('readme.mjs', '--check')).toEqual({ exit: 0, out: '', err: '' });
    const few =
      /<!-- measured -->\n([\s\S]*?)<!-- end -->/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? '';
    const all = readFileSync(join(root, 'test/bench/README.md'), 'utf8');
    expect(few.trim().split('\n')).toHaveLength(6);
    for (const line of few.trim().split('\n')) expect(all).toContain(`\n${line}\n`);
  });

  test('are found to be old when a result differs, and renewed', () => {
    const [results, readme] = [join(folder, 'results.json'), join(folder, 'README.md')];
    const document = JSON.parse(readFileSync(kept, 'utf8'));
    document.parts[0].rows[0].figure += 1;
    writeFileSync(results, JSON.stringify(document));
    copyFileSync(join(root, 'test/bench/README.md'), readme);
    expect(node('readme.mjs', '--check', results, readme)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('node test/bench/readme.mjs'),
    });
    expect(node('readme.mjs', results, readme).exit).toBe(0);
    expect(node('readme.mjs', '--check', results, readme).exit).toBe(0);
  });

  test('shows figures, ratios, goals and what was missed', () => {
    const [results, readme] = [join(folder, 'results.json'), join(folder, 'README.md')];
    const machine = { processor: 'Processor', cores: 2, load: 0.3, node: '20.20.2' };
    const rows = [
      {
        what: 'a',
        unit: 'ms',
        figure: 41.26,
        beside: 'b',
        besideFigure: 40,
        ratio: 1.03,
        goal: { atMost: 1.1 },
        met: true,
      },
      {
        what: 'c',
        unit: '/s',
        figure: 12345.6,
        beside: 'd',
        besideFigure: 30000.4,
        ratio: 0.41,
        goal: { atLeast: 0.5 },
        met: false,
      },
      { what: 'e', unit: 'MB', figure: 8.516, goal: null, met: null },
    ];
    const parts = [{ name: 'x', title: 'Part', method: '41 pairs', rows }];
    writeFileSync(
      results,
      JSON.stringify({
        schema: 'paycli.bench/1',
        date: '2026-11-21T10:00:00.000Z',
        machine,
        quick: false,
        parts,
        leftOut: [],
      }),
    );
    writeFileSync(readme, 'before\n<!-- measured: all -->\nold\n<!-- end -->\nafter\n');
    expect(node('readme.mjs', results, readme)).toEqual({ exit: 0, out: '', err: '' });
    expect(readFileSync(readme, 'utf8')).toBe(`before
<!-- measured: all -->
| | median | baseline | ratio | goal |
|---|---:|---|---:|---|
| **Part**: 41 pairs | | | | |
| a | 41.3 ms | b, 40 ms | 1.03 | ≤ 1.1 |
| c | 12,346/s | d, 30,000/s | 0.41 | **≥ 0.5, missed** |
| e | 8.52 MB | | | |

Processor, 2 cores, load 0.3, Node 20.20.2, 2026-11-21.
<!-- end -->
after
`);
  });
});

describe('the bench', () => {
  test.each(
    oneIn(
      2,
      [
        [['startupp'], 'there is no part named startupp'],
        [['--pairs', 'many'], '--pairs wants a number'],
      ],
      0,
    ),
  )('refuses %j', (words, why) => {
    expect(node('run.mjs', ...words)).toMatchObject({ exit: 2, out: '', err: expect.stringContaining(why) });
  });
});

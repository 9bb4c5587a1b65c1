import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { everyPart } from '../../src/cli/commands/index.js';
import { layOut } from '../../src/cli/core/help-sheet.js';
import { treeBuilder } from '../../src/cli/core/program.js';
import { helpSheets } from '../../src/cli/docs/write-help-sheets.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { oneIn } from '../support/every.js';
import { paycli } from '../support/runtime.js';

/** What commander prints on a terminal of so many columns, without the sheets. */
async function printed(path: string, columns: number): Promise<string> {
  let text = '';
  const outside = (usual: Runtime): Runtime => {
    const out = (piece: string) => {
      text += piece;
    };
    return { ...usual, terminal: { ...usual.terminal, width: columns, out } };
  };
  await paycli([...path.split(' '), '--help'], { outside });
  return text;
}

const sheets = await helpSheets(treeBuilder(nodeRuntime(), everyPart));

test.each(oneIn(2, [30, 44, 60, 80, 117, 200], 1))(
  'the help that the build keeps is what commander prints in %i columns',
  async (columns) => {
    expect(sheets.size).toBeGreaterThan(150);
    const all = [...sheets];
    for (const [path, sheet] of oneIn(columns === 80 ? 2 : 6, all, columns))
      expect(layOut(sheet, columns), path).toBe(await printed(path, columns));
  },
);

test.each([30, 40, 60])('in %i columns every example is one command, whatever width it was written for', (columns) => {
  const examples = (text: string) =>
    (text.split('\n\n').find((part) => part.startsWith('Examples:')) ?? '')
      .split(/ \\\n */)
      .join(' ')
      .split('\n')
      .slice(1);
  for (const [path, sheet] of sheets) {
    const narrow = layOut(sheet, columns);
    expect(examples(narrow), path).toEqual(examples(layOut(sheet, 200)));
    expect(narrow, path).not.toMatch(/^\s*\\$/m);
  }
});

const program = fileURLToPath(new URL('../../bin/paycli.js', import.meta.url));
const built = (...argv: string[]) => execFileSync(process.execPath, [program, ...argv], { encoding: 'utf8' });

test.each(oneIn(4, ['sale', 'card-ref create', 'sign sale', 'sign diff sale', 'batch'], 0))(
  'the built program prints the help of %s, whatever way it goes',
  async (path) => {
    const words = path.split(' ');
    const wanted = await printed(path, 80);
    expect(wanted).toContain('Usage: paycli');
    expect(built(...words, '--help')).toBe(wanted);
    expect(built(...words, '-h')).toBe(wanted);
    expect(built('help', ...words)).toBe(wanted);
    expect(built(...words, '--no-color', '--help')).toBe(wanted);
  },
);

import { describe, expect, test } from 'vitest';
import { everyPart } from '../../src/cli/commands/index.js';
import { treeBuilder } from '../../src/cli/core/program.js';
import { readTopics, topicNames } from '../../src/cli/docs/topics.js';
import { helpSheets } from '../../src/cli/docs/write-help-sheets.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { isEvery, oneIn } from '../support/every.js';
import { paycli } from '../support/runtime.js';

async function linesOf(argv: readonly string[], width: number): Promise<readonly string[]> {
  const outside = (usual: Runtime): Runtime => ({ ...usual, terminal: { ...usual.terminal, width } });
  const ran = await paycli(argv, { tty: true, outside });
  expect(ran.exit, ran.err).toBe(0);
  return ran.out.trimEnd().split('\n');
}

// A command in backticks is one word, and so is quoted text in an example.
const words = /(?:`[^`]*`|"[^"]*"|'[^']*'|\S)+/g;

/** Lines wider than the terminal that had a place to break. */
function tooWide(lines: readonly string[], width: number): readonly string[] {
  return lines.filter(
    (line) => line.length > width && (line.replace(/^ +(?:-|\d+\.) +| \\$/g, '').match(words) ?? []).length > 1,
  );
}

const paths = [...(await helpSheets(treeBuilder(nodeRuntime(), everyPart))).keys()];
const switched = ['sale', 'preauth', 'return', 'payout', 'form sale', 'sign sale', 'sign diff sale'];

describe.each(isEvery ? [40, 60, 80] : [40, 80])('on %i columns no line that could be broken is wider', (width) => {
  test('in the help of any command', async () => {
    expect(paths.length).toBeGreaterThan(150);
    const wide: string[] = [];
    for (const path of oneIn(2, [...paths, ...switched], width / 40))
      wide.push(
        ...tooWide(await linesOf([...path.split(' '), '--help'], width), width).map((line) => `${path}: ${line}`),
      );
    expect(wide).toEqual([]);
  }, 120_000);

  test('in the help of the program', async () => {
    expect(tooWide(await linesOf(['--help'], width), width)).toEqual([]);
    expect(tooWide(await linesOf(['help'], width), width)).toEqual([]);
  });

  test.each(topicNames)('in the topic %s, but for its examples', async (name) => {
    const topic = readTopics().find((each) => each.name === name);
    const examples = new Set(topic?.blocks.flatMap((block) => (block.kind === 'lines' ? block.lines : [])));
    const lines = (await linesOf(['help', name], width)).filter((line) => !examples.has(line.slice(2)));
    expect(tooWide(lines, width)).toEqual([]);
  });
});

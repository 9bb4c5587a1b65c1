import { describe, expect, test } from 'vitest';
import { everyPart } from '../../src/cli/commands/index.js';
import { wholeTree } from '../../src/cli/core/command-tree.js';
import { treeBuilder } from '../../src/cli/core/program.js';
import { readTopics, topicNames } from '../../src/cli/docs/topics.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import type { Runtime } from '../../src/runtime/ports.js';
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

// The flags of an operation are the same below each tool of `sign`.
const paths = [...(await wholeTree(treeBuilder(nodeRuntime(), everyPart))).keys()].filter(
  (path) => path !== '' && !/^sign \S+ \S/.test(path),
);

describe.each([40, 80])('on %i columns no line that could be broken is wider', (width) => {
  test('in the help of any command', async () => {
    expect(paths.length).toBeGreaterThan(100);
    const wide: string[] = [];
    for (const path of paths)
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

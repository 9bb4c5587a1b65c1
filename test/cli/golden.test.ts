import { describe, expect, test } from 'vitest';
import { topicNames } from '../../src/cli/docs/topics.js';
import { type CatalogueRow, catalogue } from '../../src/errors/index.js';
import { expectGolden, expectNoOthers } from '../support/golden.js';
import { batch } from './golden/cases/batch.js';
import { commandLine } from './golden/cases/command-line.js';
import { fields } from './golden/cases/fields.js';
import { gateway } from './golden/cases/gateway.js';
import { machine } from './golden/cases/machine.js';
import { moneySafety } from './golden/cases/money-safety.js';
import { settings } from './golden/cases/settings.js';
import { type ErrorCase, errorText } from './golden/errors.js';
import { commandTree, goldensOf, helpText } from './golden/help.js';

const tree = await commandTree();
const goldens = goldensOf([...tree.keys()]);
const widest = 80;

/** Lines that no reader should have to scroll for. */
function tooWide(text: string): string[] {
  return text.split('\n').filter((line) => line.length > widest);
}

/** Lines to be copied, which a terminal must not break. */
function setIn(description: string): string {
  return description.replace(/^\S.*$/gm, '');
}

describe('help', () => {
  test.each(goldens)('$name', async (golden) => {
    const text = await helpText(golden);
    expectGolden(`help/${golden.name}`, text);
    expect(tooWide(text)).toEqual([]);
    for (const path of golden.paths) expect(tooWide(setIn(tree.get(path)?.description() ?? ''))).toEqual([]);
  });

  test('no file is left of a command that is gone', () => {
    expectNoOthers(
      'help',
      goldens.map(({ name }) => name),
    );
  });
});

const groups: Readonly<Record<string, readonly ErrorCase[]>> = {
  batch,
  'command-line': commandLine,
  fields,
  gateway,
  machine,
  'money-safety': moneySafety,
  settings,
};

// The first: whatever could lead to it is caught before by a check with a better answer. The others are in ends.test.ts,
// callback.test.ts and certify/command.night.test.ts.
const unprovoked: readonly string[] = [
  ...['AMOUNT_INVALID', 'BATCH_LEFT', 'PROGRAM_FAILED', 'NO_CALLBACK', 'NOT_JUDGED', 'CERTIFY_STOPPED'],
];

describe('errors', () => {
  test.each(Object.entries(groups))('%s', async (name, cases) => {
    const texts = [];
    for (const one of cases) texts.push(await errorText(one));
    expectGolden(`errors/${name}.txt`, texts.join('\n'));
  });

  test('every row of the catalogue is shown', () => {
    const shown = new Set<string>([
      ...Object.values(groups).flatMap((cases) => cases.map(({ code }) => code)),
      ...unprovoked,
    ]);
    expect(Object.keys(catalogue).filter((code) => !shown.has(code))).toEqual([]);
  });

  test('every topic an error refers to is there', () => {
    const rows: readonly CatalogueRow[] = Object.values(catalogue);
    for (const { topic } of rows) if (topic !== undefined) expect(topicNames).toContain(topic);
  });

  test('no file is left of a group that is gone', () => {
    expectNoOthers(
      'errors',
      Object.keys(groups).map((name) => `${name}.txt`),
    );
  });
});

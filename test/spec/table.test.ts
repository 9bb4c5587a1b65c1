import { expect, test } from 'vitest';
import {
  allOperations,
  assumeDefaults,
  assumptionNamed,
  assumptions,
  isFixedAssumption,
  type Kind,
  type KindName,
  kinds,
  mayBe,
} from '../../src/spec/index.js';
import { processorTime } from '../support/processor-time.js';

const kindRows = Object.entries(kinds) as [KindName, Kind][];

test('ids, commands with their aliases, paths, and the fields of a row are unique', () => {
  const words = allOperations.flatMap(({ command, aliases }) => [command, ...(aliases ?? [])]);
  const wires = allOperations.map(({ fields }) => Object.values(fields).map(({ wire }) => wire));
  for (const list of [allOperations.map(({ id }) => id), words, allOperations.map(({ path }) => path), ...wires])
    expect(list.filter((entry, at) => list.indexOf(entry) !== at)).toEqual([]);
});

test('a row says how it is protected under every value of its switch, and is unsigned by default', () => {
  for (const { protection } of allOperations) {
    if (protection.scheme !== 'switched') continue;
    const assumption = assumptionNamed(protection.by);
    const values = [assumption?.default ?? '', ...(assumption?.others ?? [])];
    expect(Object.keys(protection.values).sort()).toEqual(values.sort());
    expect(protection.values[assumeDefaults[protection.by]]).toEqual({ scheme: 'none' });
  }
});

const pieces = [...'a1 .@-0\u00e9\u{1f600}', 'a.', 'a@', '1-', 'A=', '1.1,', 'https://', '1:'];
test.each(kindRows)('the pattern of %s covers the whole value, in no more time than reading it', (_, { pattern }) => {
  expect(pattern.source).toMatch(/^\^.*\$$/);
  expect(pattern.flags).toMatch(/^u?$/);
  const took = processorTime();
  for (const piece of pieces) for (const end of ['', '\u0000', ' ', '@']) pattern.test(piece.repeat(20_000) + end);
  expect(took()).toBeLessThan(500);
});

test('the register holds 23 switches, in order, and the other ids from A01 to A53 are fixed', () => {
  const ids = Array.from({ length: 55 }, (_, at) => `A${String(at).padStart(2, '0')}`);
  const switches: readonly string[] = assumptions.map(({ id }) => id);
  expect(new Set(assumptions.map((assumption) => assumption.switch)).size).toBe(23);
  expect(ids.filter((id) => switches.includes(id))).toEqual(switches);
  expect(ids.filter((id) => !isFixedAssumption(id) && !switches.includes(id))).toEqual(['A00', 'A54']);
});

test('a switch may be what it is, of its form, and nothing unheard of', () => {
  for (const assumption of assumptions) {
    expect(mayBe(assumption, assumption.default)).toBe(true);
    expect(mayBe(assumption, 'unheard of')).toBe(false);
  }
  const may = (name: string, value: string) => {
    const assumption = assumptionNamed(name);
    return assumption !== undefined && mayBe(assumption, value);
  };
  expect(['JPY=2', '4001/JPY=0', '4001/JPY=0,KWD=3'].filter((value) => !may('A04', value))).toEqual([]);
  expect(['jpy=2', 'JPY=5', 'JPY', '4001/=2', 'JPY=2,'].filter((value) => may('A04', value))).toEqual([]);
  expect(['0', '-1', '1.5', 'ever'].filter((value) => may('A23', value))).toEqual([]);
});

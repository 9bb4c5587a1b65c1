import { describe, expect, test } from 'vitest';
import {
  allOperations,
  assumeDefaults,
  assumptionNamed,
  assumptions,
  type Basis,
  type Condition,
  type Field,
  isFixedAssumption,
  type Kind,
  type KindName,
  kinds,
  mayBe,
  type Operation,
  type Rule,
} from '../../src/spec/index.js';
import { processorTime } from '../support/processor-time.js';

const rows = allOperations.map((row) => [row.id, row] as const);
const kindRows = Object.entries(kinds) as [KindName, Kind][];
const isBasis = (basis: Basis): boolean =>
  basis === 'stated' || isFixedAssumption(basis) || assumptionNamed(basis)?.id === basis;

function isCondition({ switch: name, value }: Condition): boolean {
  const assumption = assumptions.find((candidate) => candidate.switch === name);
  return assumption !== undefined && mayBe(assumption, value);
}

function keysOf(rule: Rule): string[] {
  switch (rule.rule) {
    case 'together':
    case 'atLeastOne':
    case 'forbidden':
      return [...rule.fields];
    case 'exactlyOne':
      return rule.groups.flat().map((member) => member.split('=', 1)[0] ?? '');
    case 'needs':
    case 'onlyWith':
      return [rule.field, ...rule.others];
    case 'requiredWhen':
      return [rule.field, ...rule.fields];
    case 'notAfter':
      return [rule.field, rule.other];
  }
}

/** Values a rule asks about, with the key whose values they are. */
function valuesIn(rule: Rule): (readonly [key: string, value: string])[] {
  if (rule.rule === 'requiredWhen') return rule.values.map((value) => [rule.field, value] as const);
  if (rule.rule !== 'exactlyOne') return [];
  return rule.groups.flat().flatMap((member) => {
    const cut = member.indexOf('=');
    return cut === -1 ? [] : [[member.slice(0, cut), member.slice(cut + 1)] as const];
  });
}

function takes(field: Field | undefined, value: string): boolean {
  return field !== undefined && (field.values?.includes(value) ?? kinds[field.kind].pattern.test(value));
}

describe.each(rows)('row %s', (_, row: Operation) => {
  test('is pure data', () => {
    expect(structuredClone(row)).toEqual(row);
  });

  test('spells each field once', () => {
    const wires = Object.values(row.fields).map(({ wire }) => wire);
    expect(new Set(wires).size).toBe(wires.length);
    expect(wires.filter((wire) => wire === 'control' || wire.startsWith('oauth_'))).toEqual([]);
  });

  test('has fields of known kinds, with values exactly where they are chosen', () => {
    const fields = Object.values(row.fields);
    expect(fields.filter(({ kind }) => !Object.hasOwn(kinds, kind))).toEqual([]);
    expect(
      fields.filter(({ kind, values }) => (kind === 'choice') !== (values !== undefined && values.length > 0)),
    ).toEqual([]);
  });

  test('has rules about fields and values it has', () => {
    const unknown = row.rules.flatMap(keysOf).filter((key) => !Object.hasOwn(row.fields, key));
    expect(unknown).toEqual([]);
    expect(row.rules.flatMap(valuesIn).filter(([key, value]) => !takes(row.fields[key], value))).toEqual([]);
  });

  test('has no rule about a required field being absent', () => {
    const optionalOnly = row.rules.flatMap((rule) =>
      rule.rule === 'atLeastOne' || rule.rule === 'together' || rule.rule === 'forbidden' ? rule.fields : [],
    );
    expect(optionalOnly.filter((key) => row.fields[key]?.need !== 'optional')).toEqual([]);
  });

  test('rests on assumptions that exist', () => {
    expect(
      [
        row.basis,
        ...row.rules.map(({ basis }) => basis),
        ...Object.values(row.fields).flatMap(({ basis, needBasis = basis }) => [basis, needBasis]),
      ].filter((basis) => !isBasis(basis)),
    ).toEqual([]);
  });

  test('depends on switches and values that exist', () => {
    const conditions = [...Object.values(row.fields), ...row.rules].flatMap(({ when }) =>
      when === undefined ? [] : [when],
    );
    const { protection } = row;
    const switched =
      protection.scheme === 'switched'
        ? Object.keys(protection.values).map((value) => ({ switch: protection.by, value }))
        : [];
    expect([...conditions, ...switched].filter((condition) => !isCondition(condition))).toEqual([]);
  });

  test('says how it is protected under every value of its switch', () => {
    const { protection } = row;
    if (protection.scheme !== 'switched') return;
    const assumption = assumptionNamed(protection.by);
    expect(Object.keys(protection.values).sort()).toEqual(
      [assumption?.default ?? '', ...(assumption?.others ?? [])].sort(),
    );
    expect(protection.values[assumeDefaults[protection.by]]).toEqual({ scheme: 'none' });
  });

  test('stands under /api with neither a slash at its end nor a place for the endpoint id', () => {
    expect(row.path).toMatch(/^\/api(?:\/[a-z0-9-]+)+$/);
  });
});

test('ids, commands with their aliases, and paths are unique', () => {
  const words = allOperations.flatMap(({ command, aliases }) => [command, ...(aliases ?? [])]);
  for (const list of [allOperations.map(({ id }) => id), words, allOperations.map(({ path }) => path)])
    expect(list.filter((entry, at) => list.indexOf(entry) !== at)).toEqual([]);
});

test.each(kindRows)('the pattern of %s covers the whole value and remembers nothing', (_, { pattern }) => {
  expect(pattern.source).toMatch(/^\^.*\$$/);
  expect(pattern.flags).toMatch(/^u?$/);
});

describe('patterns', () => {
  const pieces = [...'a1 .@-0\u00e9\u{1f600}', 'a.', 'a@', '1-', 'A=', '1.1,', 'https://', '1:'];
  test.each(kindRows)('of %s take no longer over a long text than reading it does', (_, { pattern }) => {
    const took = processorTime();
    for (const piece of pieces) for (const end of ['', '\u0000', ' ', '@']) pattern.test(piece.repeat(20_000) + end);
    expect(took()).toBeLessThan(500);
  });
});

test('card numbers and security codes are never open', () => {
  expect([kinds.cardNumber.secrecy, kinds.cvv.secrecy]).toEqual(['card', 'secret']);
});

test('the register holds 23 switches, in order, and the other ids from A01 to A53 are fixed', () => {
  const ids = Array.from({ length: 55 }, (_, at) => `A${String(at).padStart(2, '0')}`);
  const switches: readonly string[] = assumptions.map(({ id }) => id);
  expect(switches).toHaveLength(23);
  expect(new Set(assumptions.map((assumption) => assumption.switch)).size).toBe(23);
  expect(ids.filter((id) => switches.includes(id))).toEqual(switches);
  expect(ids.filter((id) => !isFixedAssumption(id) && !switches.includes(id))).toEqual(['A00', 'A54']);
});

test.each(assumptions.map((assumption) => [assumption.id, assumption] as const))(
  '%s may be what it is, and nothing unheard of',
  (_, assumption) => {
    expect(mayBe(assumption, assumption.default)).toBe(true);
    expect(assumption.others).not.toContain(assumption.default);
    for (const other of assumption.others) expect(mayBe(assumption, other), other).toBe(true);
    expect(mayBe(assumption, 'unheard of')).toBe(false);
    expect(mayBe(assumption, '')).toBe(false);
    expect(assumption.about).toMatch(/\.$/);
  },
);

test('switches with a free form take values of that form only', () => {
  const may = (name: string, value: string) => {
    const assumption = assumptionNamed(name);
    return assumption !== undefined && mayBe(assumption, value);
  };
  expect(['JPY=2', '4001/JPY=0', '4001/JPY=0,KWD=3'].filter((value) => !may('A04', value))).toEqual([]);
  expect(['jpy=2', 'JPY=5', 'JPY', '4001/=2', 'JPY=2,'].filter((value) => may('A04', value))).toEqual([]);
  expect(['1', '300', '999999'].filter((value) => !may('A23', value))).toEqual([]);
  expect(['0', '-1', '1.5', 'ever'].filter((value) => may('A23', value))).toEqual([]);
});

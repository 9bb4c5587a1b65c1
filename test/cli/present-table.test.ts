import { describe, expect, test } from 'vitest';
import { columns } from '../../src/cli/format/columns.js';
import { tableText } from '../../src/cli/format/table.js';
import { widthOf } from '../../src/errors/text-width.js';

const plain = (text: string) => text;
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

describe('tableText', () => {
  test('wide characters take two columns, marks none, colour none', () => {
    expect(['余额', 'é', 'e\u0301', '😀', red('ab'), ''].map(widthOf)).toEqual([4, 1, 1, 2, 2, 0]);
    const columns = [{ head: 'a' }, { head: 'b', right: true }, { head: 'c' }];
    const rows = [
      ['余额', '1', 'x'],
      [red('ab'), '22', 'y'],
      ['e\u0301', '333', 'z'],
    ];
    expect(tableText({ columns, rows }, undefined, plain)).toBe(
      `a       b  c\n余额    1  x\n${red('ab')}     22  y\ne\u0301     333  z\n`,
    );
  });

  test('breaks a text between its words, and never a word', () => {
    const columns = [{ head: 'id' }, { head: 'why', flexible: true, min: 8 }];
    const shown = (text: string, width: number) => tableText({ columns, rows: [['1', text]] }, width, plain);
    expect(shown('declined by the bank', 24)).toBe('id  why\n1   declined by the bank\n');
    expect(shown('declined by the bank', 19)).toBe('id  why\n1   declined by the\n    bank\n');
    expect(shown('no insufficientfunds', 21)).toBe('id  why\n1   no\n    insufficientfunds\n');
    expect(shown(red('declined by the bank'), 16)).toBe(`id  why\n1   ${red('declined by')}\n    ${red('the bank')}\n`);
  });

  test('what stands beside a coloured text of several lines keeps its own colour', () => {
    const columns = [{ head: 'why', flexible: true, min: 8 }, { head: 'id' }];
    const rows = [[red('declined by'), '1']];
    expect(tableText({ columns, rows }, 12, plain)).toBe(`why       id\n${red('declined')}  1\n${red('by')}\n`);
  });

  test('makes flexible columns narrower, the widest first', () => {
    const columns = [{ head: 'id' }, { head: 'what', flexible: true, min: 4 }, { head: 'why', flexible: true, min: 4 }];
    const rows = [['1', 'one two', 'abcd efgh ijkl']];
    // 2 + 7 + 14 and two gaps of 2.
    expect(tableText({ columns, rows }, 27, plain)).toBe('id  what     why\n1   one two  abcd efgh ijkl\n');
    expect(tableText({ columns, rows }, 26, plain)).toBe(
      'id  what     why\n1   one two  abcd efgh\n             ijkl\n',
    );
    expect(tableText({ columns, rows }, 14, plain)).toBe(
      'id  what  why\n1   one   abcd\n    two   efgh\n          ijkl\n',
    );
  });

  test('a table that is too wide even so is a block of names and values for each row, with its ids whole', () => {
    const columns = [{ head: 'id' }, { head: 'amount', right: true }, { head: 'reason', flexible: true }];
    const rows = [
      ['abcdefghijklmnopqrst', '1.00 EUR', 'declined by the bank'],
      ['b', '2.00 EUR', ''],
    ];
    expect(tableText({ columns, rows }, 24, plain)).toBe(
      `id\n  abcdefghijklmnopqrst\namount  1.00 EUR\nreason  declined by the\n        bank\n
id      b\namount  2.00 EUR\n`,
    );
    // An id as wide as the terminal begins at its left.
    expect(tableText({ columns, rows }, 20, plain)).toContain('id\nabcdefghijklmnopqrst\namount');
  });

  test('a column stands below its row, whole, where it does not fit beside the others', () => {
    const columns = [{ head: 'id' }, { head: 'why', below: true }, { head: 'extra', optional: true }] as const;
    const rows = [
      ['1', 'abcdefg hijklmnop abcdefg', 'abcdef'],
      ['2', '', 'x'],
    ];
    const text = (width: number | undefined) => tableText({ columns, rows }, width, plain);
    const beside =
      'id  why                        extra\n1   abcdefg hijklmnop abcdefg  abcdef\n2                              x\n';
    // 2 + 25 + 6 and two gaps of 2.
    expect(text(37)).toBe(beside);
    expect(text(undefined)).toBe(beside);
    expect(text(36)).toBe('id  extra\n1   abcdef\n  why: abcdefg hijklmnop abcdefg\n2   x\n');
    expect(text(24)).toBe('id  extra\n1   abcdef\n  why: abcdefg hijklmnop\n       abcdefg\n2   x\n');
  });

  test('a column below its rows is left out only where no row has a text, however short the texts are', () => {
    const columns = [{ head: 'id' }, { head: 'reason', below: true }] as const;
    const text = (width: number | undefined, ...reasons: readonly string[]) =>
      tableText({ columns, rows: reasons.map((reason, at) => [String(at), reason]) }, width, plain);
    for (const width of [undefined, 80]) {
      expect(text(width, 'voided', '')).toBe('id  reason\n0   voided\n1\n');
      expect(text(width, '', 'no')).toBe('id  reason\n0\n1   no\n');
      expect(text(width, '', '')).toBe('id\n0\n1\n');
    }
    expect(text(8, 'no', '')).toBe('id\n0\n  reason:\n    no\n1\n');
  });

  test('an optional column is left out where the rest would not fit', () => {
    const columns = [{ head: 'id' }, { head: 'extra', optional: true }, { head: 'why', flexible: true }];
    const rows = [['1', 'abcdef', 'abcd efgh ijkl mnop']];
    // 2 + 6 + 12 and two gaps of 2.
    expect(tableText({ columns, rows }, 24, plain)).toBe(
      'id  extra   why\n1   abcdef  abcd efgh\n            ijkl mnop\n',
    );
    const hint = 'not shown: extra; a\nwider terminal, --json\nor -o csv shows them\n';
    expect(tableText({ columns, rows }, 23, plain)).toBe(`id  why\n1   abcd efgh ijkl mnop\n${hint}`);
    // One without any text is not missed.
    const bare = [['1', '', 'abcd efgh ijkl mnop']];
    expect(tableText({ columns, rows: bare }, 22, plain)).toBe('id  why\n1   abcd efgh ijkl\n    mnop\n');
    expect(tableText({ columns, rows }, undefined, plain)).toBe('id  extra   why\n1   abcdef  abcd efgh ijkl mnop\n');
  });
});

describe('columns', () => {
  const rows = [
    ['  name', 'a text of words'],
    ['  id', 'abcdefghijklmnopqrstuvwx'],
  ];

  test('a long text goes on below where it began; a word that is too long has a line of its own', () => {
    expect(columns(rows)).toBe('  name  a text of words\n  id    abcdefghijklmnopqrstuvwx\n');
    expect(columns(rows, 32)).toBe(columns(rows));
    expect(columns(rows, 28)).toBe('  name  a text of words\n  id\n    abcdefghijklmnopqrstuvwx\n');
    expect(columns(rows, 20)).toBe('  name  a text of\n        words\n  id\nabcdefghijklmnopqrstuvwx\n');
  });

  test('of three columns all or none stand side by side', () => {
    const three = [
      ['  a', 'abcdefghijklmno', 'from here'],
      ['  b', 'c', 'from there'],
    ];
    expect(columns(three, 32)).toBe('  a  abcdefghijklmno  from here\n  b  c                from there\n');
    expect(columns(three, 28)).toBe('  a  abcdefghijklmno\n    from here\n  b  c  from there\n');
  });

  test('a command goes on after a backslash', () => {
    expect(columns([['  next', 'paycli order order-1 --profile sandbox']], 36)).toBe(
      '  next  paycli order order-1 \\\n          --profile sandbox\n',
    );
  });
});

import { describe, expect, test } from 'vitest';
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

  test('cuts a text between its words, and a word only where less than half of the room would be used', () => {
    const columns = [{ head: 'why', flexible: true }];
    const shown = (text: string, width: number) => tableText({ columns, rows: [[text]] }, width, plain).split('\n')[1];
    expect(shown('declined by the bank', 16)).toBe('declined by the…');
    expect(shown('declined by the bank', 15)).toBe('declined by…');
    expect(shown('no insufficientfunds', 12)).toBe('no insuffic…');
    expect(shown(`${red('declined')} by the bank`, 15)).toBe(`${red('declined')} by…`);
  });

  test('cuts flexible columns, the widest first, and the last resort last', () => {
    const columns = [{ head: 'id' }, { head: 'order', flexible: 'last' }, { head: 'why', flexible: true }] as const;
    const rows = [['1', '1234567890', 'abcdefghijklmnop']];
    // 2 + 10 + 16 and two gaps of 2.
    expect(tableText({ columns, rows }, 32, plain)).toBe('id  order       why\n1   1234567890  abcdefghijklmnop\n');
    expect(tableText({ columns, rows }, 28, plain)).toBe('id  order       why\n1   1234567890  abcdefghijk…\n');
    expect(tableText({ columns, rows }, 24, plain)).toBe('id  order       why\n1   1234567890  abcdefg…\n');
    expect(tableText({ columns, rows }, 22, plain)).toBe('id  order     why\n1   1234567…  abcdefg…\n');
    // Less than that nobody could read.
    expect(tableText({ columns, rows }, 5, plain)).toBe('id  order     why\n1   1234567…  abcdefg…\n');
  });

  test('a cut never halves a wide character, and colour ends where it should', () => {
    const rows = [[red('余额不足余额不足')]];
    expect(tableText({ columns: [{ head: 'x', flexible: true }], rows }, 10, plain)).toBe(`x\n${red('余额不足…')}\n`);
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
    expect(text(8, 'no', '')).toBe('id\n0\n  reason: no\n1\n');
  });

  test('an optional column is left out where the rest would not fit', () => {
    const columns = [{ head: 'id' }, { head: 'extra', optional: true }, { head: 'why', flexible: true }];
    const rows = [['1', 'abcdef', 'abcdefghijklmnop']];
    expect(tableText({ columns, rows }, 20, plain)).toBe('id  extra   why\n1   abcdef  abcdefg…\n');
    expect(tableText({ columns, rows }, 19, plain)).toBe('id  why\n1   abcdefghijklmn…\n');
    expect(tableText({ columns, rows }, undefined, plain)).toBe('id  extra   why\n1   abcdef  abcdefghijklmnop\n');
  });
});

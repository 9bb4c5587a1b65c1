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
});

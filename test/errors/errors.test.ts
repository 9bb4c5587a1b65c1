import { describe, expect, test } from 'vitest';
import { fail } from '../../src/errors/index.js';
import { wrapText } from '../../src/errors/text-width.js';

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

describe('a text on a terminal', () => {
  test.each([
    [
      'breaks between words, with the rest below the text of its label',
      'error: the journal could not be used: the disk is full',
      ['error: the journal could', '       not be used: the', '       disk is full'],
    ],
    [
      'keeps a command in one piece where a line has room for it',
      'next:  settle it with `paycli order 17`, then look',
      ['next:  settle it with', '       `paycli order 17`,', '       then look'],
    ],
    [
      'counts wide characters twice, and colours not at all',
      `${red('error:')} 余额不足余额不足 余额 余额不足`,
      [`${red('error:')} 余额不足余额不足`, '       余额 余额不足'],
    ],
    ['stays as it is where it fits', 'next:  a  b', ['next:  a  b']],
  ])('%s', (_, text, lines) => {
    expect(wrapText(text, 25)).toBe(lines.join('\n'));
  });

  test.each([undefined, 0, 19])('stays as it is at %s columns', (columns) => {
    expect(wrapText('error: one two three four five six', columns)).toBe('error: one two three four five six');
  });
});

test('a part in square brackets is left out where its fact is not known, and braces in a fact stay as they are', () => {
  expect(fail('PORT_TAKEN', { port: 1 }).message).toBe('port 1 is in use');
  expect(fail('PORT_TAKEN', { port: 1, holder: undefined }).message).toBe('port 1 is in use');
  expect(fail('PORT_TAKEN', { port: 1, holder: '[{port}]' }).message).toBe('port 1 is in use by [{port}]');
});

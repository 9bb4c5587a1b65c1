import { describe, expect, test } from 'vitest';
import { wrapText, wrapValues } from '../../src/errors/text-width.js';

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
      'breaks a command longer than a line between words, as a shell reads it',
      'next:  run `paycli journal show some-order-17` now',
      ['next:  run', '       `paycli journal \\', '         show \\', '         some-order-17`', '       now'],
    ],
    [
      'never breaks a quoted word of a command',
      "next:  `paycli void 1 --comment 'x y'`",
      ['next:  `paycli void 1 \\', "         --comment 'x y'`"],
    ],
    [
      'never begins with a line of a label alone',
      `next:  ${'x'.repeat(30)} y`,
      [`next:  ${'x'.repeat(30)}`, '       y'],
    ],
    [
      'indents what follows a line of a list, and a line without a label',
      '  --amount: must be a number with 2 digits\nthis remark is longer than a line',
      ['  --amount: must be a', '    number with 2 digits', 'this remark is longer', '  than a line'],
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

describe('a result on a terminal of 40 columns', () => {
  test.each([
    [
      'a value goes on below where it began',
      '  status  waiting for the payer: 3-D Secure challenge',
      ['  status  waiting for the payer: 3-D', '          Secure challenge'],
    ],
    [
      'behind several columns, below the last one',
      '  12:00  sending  it is being sent right now by another',
      ['  12:00  sending  it is being sent right', '                  now by another'],
    ],
    [
      'behind a heading, below what follows it',
      'order 1 / order-1  sale 1.00 USD: accepted, waiting for the payer',
      ['order 1 / order-1  sale 1.00 USD:', '                   accepted, waiting for', '                   the payer'],
    ],
    [
      'a name that takes more than half of the line is nothing to go on below',
      '  a-name-of-more-than-twenty-columns  one two three four',
      ['  a-name-of-more-than-twenty-columns', '    one two three four'],
    ],
    [
      'a command to paste goes on below where it began, after a backslash',
      '  return  paycli return 20075400 --client-order-id order-1 --all',
      ['  return  paycli return 20075400 \\', '            --client-order-id order-1 \\', '            --all'],
    ],
    [
      'a command at the end of a sentence is a line of its own where it fits one',
      '  doubt  the return is unknown; settle it first: paycli resolve 17 --profile x',
      ['  doubt  the return is unknown; settle', '         it first:', '         paycli resolve 17 --profile x'],
    ],
    [
      'a command in backticks too long for its column',
      '  callbacks  none received here; `paycli sandbox callbacks list --order 17977527` shows them',
      [
        '  callbacks  none received here;',
        '             `paycli sandbox callbacks \\',
        '               list --order 17977527`',
        '             shows them',
      ],
    ],
    [
      'an id too long for its column stands below the name',
      '  order 17  client order id shop-20300107-120000-abcdef12',
      ['  order 17  client order id', '    shop-20300107-120000-abcdef12'],
    ],
    ['a word longer than the line stays whole', `  pareq  ${'x'.repeat(60)}`, [`  pareq  ${'x'.repeat(60)}`]],
  ])('%s', (_, text, lines) => {
    expect(wrapValues(text, 40)).toBe(lines.join('\n'));
  });
});

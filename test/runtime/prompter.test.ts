import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Question } from '../../src/runtime/ports.js';
import { openPrompter } from '../../src/runtime/prompter.js';

function terminal(colour = true, rows = 24, columns = 80) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => undefined });
  const shown = { text: '' };
  const screen = { isTTY: true, columns, rows, write: (text: string) => (shown.text += text) };
  const prompter = openPrompter({ stdin, screen, colour });
  const type = async (...keys: string[]) => {
    for (const key of keys) {
      await pause(2);
      stdin.write(key);
    }
    await pause(2);
  };
  return { stdin, shown, prompter, type };
}

const [down, right, left] = ['\u001b[B', '\u001b[C', '\u001b[D'];
const keysOf = (text: string) => (text.startsWith('\u001b') ? [text] : [...text]);

const question: Question = { name: 'amount', message: 'Amount' };

async function answer(asked: Question, ...keys: string[]) {
  const { prompter, shown, type } = terminal();
  const given = prompter.ask(asked);
  await type(...keys);
  return { value: await given, shown: shown.text };
}

describe('an answer', () => {
  test('is what was typed', async () => {
    expect(await answer(question, '10.4', '2', '\r')).toMatchObject({
      value: '10.42',
      shown: expect.stringContaining('Amount'),
    });
  });

  test('is empty, or the offered one, when only Enter is pressed', async () => {
    expect((await answer(question, '\r')).value).toBe('');
    expect((await answer({ ...question, initial: '5.00' }, '\r')).value).toBe('5.00');
  });

  test.each([
    ['Ctrl-E', '\u0005', '125'],
    ['End', '\u001b[F', '125'],
    ['Ctrl-A', '\u0001', '512'],
    ['Home', '\u001b[H', '512'],
  ])('typed after %s goes where the cursor then is', async (_, key, value) => {
    expect((await answer(question, '1', '2', left ?? '', key, '5', '\r')).value).toBe(value);
  });

  test('in capitals is shown and given in capitals, whatever is typed', async () => {
    const { value, shown } = await answer({ ...question, isUpperCase: true }, 'u', 'sx', '\u007f', 'd', '\r');
    expect(value).toBe('USD');
    expect(shown).toContain('USD');
    expect(shown).not.toMatch(/us|Usd/);
  });

  test('that is hidden is not shown', async () => {
    const { value, shown } = await answer({ ...question, hidden: true }, '4444', '\r');
    expect(value).toBe('4444');
    expect(shown).not.toContain('4444');
  });

  test('stays on the screen as the question says', async () => {
    const shown = (text: string) => text.replace('4444', '••••');
    const given = await answer({ ...question, shown }, '4444', '\r');
    expect(given.value).toBe('4444');
    expect(given.shown.split('\n').find((line) => line.includes('✔'))).toContain('••••');
  });

  test('comes from a list', async () => {
    const choices = ['USD', 'EUR', 'JPY'];
    expect((await answer({ ...question, choices }, down, '\r')).value).toBe('EUR');
    expect((await answer({ ...question, choices, initial: 'JPY' }, '\r')).value).toBe('JPY');
    expect(choices).toEqual(['USD', 'EUR', 'JPY']);
  });

  test.each([
    ['y and Enter', ['y', '\r'], 'yes'],
    ['yes and Enter', ['y', 'e', 's', '\r'], 'yes'],
    ['YES and Enter', ['Y', 'E', 'S', '\r'], 'yes'],
    ['n and Enter', ['n', '\r'], 'no'],
    ['no and Enter', ['n', 'o', '\r'], 'no'],
    ['yes, Ctrl-U, no and Enter', ['y', 'e', 's', '\u0015', 'n', 'o', '\r'], 'no'],
    ['n, Backspace, y and Enter', ['n', '\u007f', 'y', '\r'], 'yes'],
    ['Enter alone', ['\r'], 'no'],
    ['an arrow key and Enter', [down, '\r'], 'no'],
  ])('to a no/yes question can be typed: %s', async (_, keys, value) => {
    const asked = { ...question, choices: ['no', 'yes'], initial: 'no' };
    const given = await answer(asked, ...keys);
    expect(given.value).toBe(value);
    expect(given.shown).toContain('[y/N]');
    expect(given.shown).not.toContain('type y or n');
    // The line that stays behind.
    expect(given.shown.slice(given.shown.lastIndexOf('Amount'))).toContain(value);
  });

  test('to a yes/no question whose first answer is yes can be typed as well', async () => {
    const asked = { ...question, choices: ['yes', 'no'], initial: 'yes' };
    expect((await answer(asked, 'n', '\r')).value).toBe('no');
    const given = await answer(asked, '\r');
    expect([given.value, given.shown]).toEqual(['yes', expect.stringContaining('[Y/n]')]);
  });

  test('from a list can be named by its first letters, also on a screen that shows only a part of the list', async () => {
    const choices = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `row${letter}`);
    expect((await answer({ ...question, choices }, 'r', 'o', 'w', 'y', '\r')).value).toBe('rowy');
    const { shown } = await answer({ ...question, choices: ['USD', 'EUR'] }, '\r');
    expect(shown).not.toMatch(/y\/n/i);
  });

  const orders = ['tm-12', 'shop.2', 'tm-1'];
  const ids = { 'tm-12': ['tm-12', '40001'], 'shop.2': ['shop.2', '40002'], 'tm-1': ['tm-1', '4'] };
  const listed: Question = { ...question, choices: [...orders, 'another order'], ids };

  test.each([
    ['its name, digits and all', ['t', 'm', '-', '1'], 'tm-1'],
    ['a name of digits in another place', ['4'], 'tm-1'],
    ['its other id', ['4', '0', '0', '0', '2'], 'shop.2'],
    ['a name with a point, corrected by Backspace', ['s', 'h', 'o', 'p', '.', '3', '\u007f', '2'], 'shop.2'],
    ['a name after Ctrl-U', ['s', 'h', 'o', 'p', '\u0015', 't', 'm', '-', '1', '2'], 'tm-12'],
    ['the arrow keys among those that contain a text', ['t', 'm', down], 'tm-1'],
    ['what is shown for every text', ['n', 'o', 'w', 'h', 'e', 'r', 'e'], 'another order'],
    ['nothing typed', [], 'tm-12'],
  ])('from a list of ids is chosen by %s', async (_, keys, value) => {
    expect((await answer(listed, ...keys, '\r')).value).toBe(value);
  });

  test.each([
    ['a part of an id', ['t', 'm', '-'], 'tm- is not the full id of any of these'],
    ['a digit at the place of an entry', ['2'], '2 is not the full id of any of these'],
    ['an id in other capitals', ['T', 'M', '-', '1'], 'TM-1 is not the full id of any of these'],
  ])('from a list of ids is asked for again after %s and Enter', async (_, keys, why) => {
    const { value, shown } = await answer(listed, ...keys, '\r', '\u0015', 's', 'h', 'o', 'p', '.', '2', '\r');
    expect(value).toBe('shop.2');
    expect(shown).toContain(why);
  });

  test('from a list of ids is asked for again after an id that two of them have', async () => {
    const asked = { ...question, choices: ['7', 'b'], ids: { 7: ['7', '8'], b: ['b', '7'] } };
    const { value, shown } = await answer(asked, '7', '\r', down, '\r');
    expect(value).toBe('b');
    expect(shown).toContain('7 matches the ids of 2 of these');
  });

  test('from any list is not chosen by a digit, nor from nothing at all', async () => {
    const choices = ['v2', 'v4', '1'];
    expect((await answer({ ...question, choices }, '4', '\r')).value).toBe('v4');
    expect((await answer({ ...question, choices }, '1', '\r')).value).toBe('1');
    expect((await answer({ ...question, choices }, '3', '\r', down, '\r', '\u007f', '\r')).value).toBe('v2');
  });

  test('comes from a list with a word about each choice, and is the choice alone', async () => {
    const choices = ['approved', 'funds'];
    const meanings = { approved: 'approved', funds: 'declined, insufficient funds' };
    const { value, shown } = await answer({ ...question, choices, meanings }, down, '\r');
    expect(value).toBe('funds');
    expect(shown).toContain('declined, insufficient funds');
  });

  test.each([
    ['Ctrl-U takes away everything before the cursor', ['USDX', '\u0015', 'EUR'], 'EUR'],
    ['and keeps what stands after it', ['USDEUR', left, left, left, '\u0015'], 'EUR'],
    ['Ctrl-W takes away the last word', ['one two', '\u0017', 'three'], 'onethree'],
    ['the arrows move within the text', ['UD', left, 'S', right, '!'], 'USD!'],
  ])('%s', async (_, keys, value) => {
    for (const hidden of [undefined, true]) {
      const asked = hidden === undefined ? question : { ...question, hidden };
      expect((await answer(asked, ...keys.flatMap(keysOf), '\r')).value).toBe(value);
    }
  });

  test.each([true, undefined])('that is wrong is asked for again with the reason (hidden: %s)', async (hidden) => {
    const check = (text: string) => (text === '12' ? undefined : `not 12: ${text.length} characters`);
    const asked = hidden === undefined ? { ...question, check } : { ...question, check, hidden };
    const { value, shown } = await answer(asked, '1', '\r', '2', '\r');
    expect(value).toBe('12');
    expect(shown).toContain('not 12: 1 characters');
  });

  test('follows another one on the same terminal', async () => {
    const { prompter, type } = terminal();
    const first = prompter.ask(question);
    await type('1', '\r');
    expect(await first).toBe('1');
    const second = prompter.ask({ ...question, choices: ['a', 'b'] });
    await type('\r');
    expect(await second).toBe('a');
  });
});

describe('on 40 columns', () => {
  async function drawn(asked: Question, ...keys: string[]) {
    const { prompter, shown, type } = terminal(false, 24, 40);
    const given = prompter.ask(asked);
    await type(...keys);
    await given;
    return shown.text;
  }

  test('a long message is broken between words, and the answer stands behind its end', async () => {
    const message = 'LIVE return of 7.00 EUR, the full remaining amount: type the merchant login';
    const text = await drawn({ name: 'login', message }, 'x', '\r');
    expect(text).toContain('? LIVE return of 7.00 EUR, the full\n  remaining amount: type the merchant\n');
    expect(text).toContain('login · x');
    expect(text.split('LIVE return').length).toBe(2);
  });
});

describe('no answer', () => {
  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['Escape', '\u001b'],
  ])('%s is an interrupt', async (_, key) => {
    const { prompter, type } = terminal();
    const given = expect(prompter.ask(question)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    // A lone escape byte is told from a sequence by waiting half a second.
    await type('12', key);
    await given;
  });

  test.each(['choices', 'hidden'] as const)('Ctrl-D is an interrupt with %s', async (kind) => {
    const { prompter, type } = terminal();
    const asked = kind === 'hidden' ? { ...question, hidden: true } : { ...question, choices: ['a'] };
    const given = expect(prompter.ask(asked)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await type('\u0004');
    await given;
  });

  test('the end of input is an interrupt', async () => {
    const { prompter, stdin } = terminal();
    const given = expect(prompter.ask(question)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await pause(20);
    stdin.end();
    await given;
  });

  test('without a terminal the question is not even drawn', async () => {
    const { stdin, prompter, shown } = terminal();
    stdin.isTTY = false;
    await expect(prompter.ask(question)).rejects.toMatchObject({ code: 'FIELD_MISSING', facts: { flags: 'amount' } });
    expect(shown.text).toBe('');
  });
});

test('colours can be left out', async () => {
  const { prompter, shown, type } = terminal(false);
  const given = prompter.ask(question);
  await type('1', '\r');
  await given;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
  expect(shown.text).not.toMatch(/\u001b\[[\d;]*m/);
});

test('choices are shown on a terminal that says it has no rows', async () => {
  const { prompter, shown, type } = terminal(false, 0);
  const given = prompter.ask({ ...question, choices: ['USD', 'EUR'] });
  await type('\r');
  await given;
  expect(shown.text).toContain('EUR');
});

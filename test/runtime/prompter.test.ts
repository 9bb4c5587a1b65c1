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
      await pause(20);
      stdin.write(key);
    }
    await pause(20);
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
    ['yes, then no and Enter', ['y', 'e', 's', 'n', 'o', '\r'], 'no'],
    ['n, then y and Enter', ['n', 'y', '\r'], 'yes'],
    ['another letter, then y and Enter', ['x', 'y', '\r'], 'yes'],
    ['Enter alone', ['\r'], 'no'],
  ])('to a no/yes question can be typed: %s', async (_, keys, value) => {
    const asked = { ...question, choices: ['no', 'yes'], initial: 'no' };
    const given = await answer(asked, ...keys);
    expect(given.value).toBe(value);
    expect(given.shown).toContain('y/n, then Enter');
  });

  test('to a yes/no question whose first answer is yes can be typed as well', async () => {
    const asked = { ...question, choices: ['yes', 'no'], initial: 'yes' };
    expect((await answer(asked, 'n', '\r')).value).toBe('no');
    expect((await answer(asked, '\r')).value).toBe('yes');
  });

  test('from a list can be named by its first letters, also on a screen that shows only a part of the list', async () => {
    const choices = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `row${letter}`);
    expect((await answer({ ...question, choices }, 'r', 'o', 'w', 'y', '\r')).value).toBe('rowy');
    const { shown } = await answer({ ...question, choices: ['USD', 'EUR'] }, '\r');
    expect(shown).not.toContain('y/n');
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

  test('a hint that has no room stands behind the message', async () => {
    const text = await drawn({ name: 'amount', message: 'the amount in major units', hint: '10.42' }, '1', '\r');
    expect(text).toContain('? the amount in major units (10.42)\n');
  });

  test('what stands beside a choice is cut between words; wide characters count twice', async () => {
    const choices = ['余额', 'b'];
    const meanings = { 余额: 'declined, transaction not permitted to cardholder', b: 'approved' };
    const text = await drawn({ name: 'card', message: 'which test card', choices, meanings }, '\r');
    expect(text).toContain('余额  declined, transaction not…\n');
    expect(text).toContain('b     approved');
  });

  test('the reason against an answer is broken between words', async () => {
    const check = (text: string) => (text === '12' ? undefined : 'use digits with an optional point, such as 12');
    const text = await drawn({ ...question, check }, '1', '\r', '2', '\r');
    expect(text).toContain('use digits with an optional point,\n  such as 12');
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

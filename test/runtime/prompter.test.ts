import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Question } from '../../src/runtime/ports.js';
import { openPrompter } from '../../src/runtime/prompter.js';

function terminal({ colour = true, rows = 24, columns = 80 } = {}) {
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

const [up, down, left] = ['\u001b[A', '\u001b[B', '\u001b[D'];
const question: Question = { name: 'amount', message: 'Amount' };

async function answer(asked: Question, keys: readonly string[], how: Parameters<typeof terminal>[0] = {}) {
  const { prompter, shown, type } = terminal(how);
  const given = prompter.ask(asked);
  await type(...keys);
  return { value: await given, shown: shown.text };
}

describe('typed text', () => {
  test('is the answer; Enter alone gives the offered one, or none', async () => {
    const { value, shown } = await answer(question, ['10.4', '2', '\r']);
    expect([value, shown]).toEqual(['10.42', expect.stringContaining('Amount')]);
    expect((await answer(question, ['\r'])).value).toBe('');
    expect((await answer({ ...question, initial: '5.00' }, ['\r'])).value).toBe('5.00');
  });

  test.each([
    ['Ctrl-A', ['1', '2', '\u0001', '5'], '512'],
    ['Ctrl-U', ['USDX', '\u0015', 'EUR'], 'EUR'],
    ['Ctrl-W', ['one two', '\u0017', 'three'], 'onethree'],
    ['an arrow', ['UD', left, 'S'], 'USD'],
  ])('after %s goes where the cursor then is, hidden or not', async (_, keys, value) => {
    for (const more of [{}, { hidden: true }])
      expect((await answer({ ...question, ...more }, [...keys.flat(), '\r'])).value).toBe(value);
  });

  test('ends at the arrow up, right or wrong, where the question can go back; elsewhere the key does nothing', async () => {
    for (const hidden of [false, true]) {
      let isBack = false;
      const goBack = () => {
        isBack = true;
      };
      const given = { ...question, hidden, check: () => 'never right' };
      await answer({ ...given, goBack }, ['10', up]);
      expect(isBack).toBe(true);
      expect((await answer({ ...question, hidden }, ['10', up, '.42', '\r'])).value).toBe('10.42');
    }
  });

  test('that is hidden is not shown; else it stays on the screen as the question says', async () => {
    const hidden = await answer({ ...question, hidden: true }, ['4444', '\r']);
    expect(hidden.value).toBe('4444');
    expect(hidden.shown).not.toContain('4444');
    const masked = await answer({ ...question, shown: (text) => text.replace('4444', '••••') }, ['4444', '\r']);
    expect(masked.value).toBe('4444');
    expect(masked.shown.split('\n').find((line) => line.includes('✔'))).toContain('••••');
  });

  test('that is wrong is asked for again with the reason', async () => {
    const check = (text: string) => (text === '12' ? undefined : `not 12: ${text.length} characters`);
    const { value, shown } = await answer({ ...question, check }, ['1', '\r', '2', '\r']);
    expect([value, shown]).toEqual(['12', expect.stringContaining('not 12: 1 characters')]);
  });
});

describe('yes or no', () => {
  const asked = { ...question, choices: ['no', 'yes'], initial: 'no' };

  test.each([
    [['y', '\r'], 'yes'],
    [['Y', 'E', 'S', '\r'], 'yes'],
    [['n', '\r'], 'no'],
    [['y', 'e', 's', '\u0015', 'n', 'o', '\r'], 'no'],
    [['\r'], 'no'],
    [[down, '\r'], 'no'],
  ])('%j gives %s', async (keys, value) => {
    const given = await answer(asked, keys);
    expect([given.value, given.shown]).toEqual([value, expect.stringContaining('(y/N)')]);
  });

  test('is never taken from a digit or another word', async () => {
    const given = await answer(asked, ['1', '\r', '\u007f', 'y', 'o', '\r', '\u007f', '\r']);
    expect([given.value, given.shown]).toEqual(['yes', expect.stringContaining('type y or n')]);
  });
});

describe('a list', () => {
  const choices = ['approved', 'funds', '3'];

  test('is answered by the arrow keys, from the offered one on', async () => {
    const meanings = { funds: 'declined, insufficient funds' };
    const { value, shown } = await answer({ ...question, choices, meanings }, [down, '\r']);
    expect([value, shown]).toEqual(['funds', expect.stringContaining('declined, insufficient funds')]);
    expect((await answer({ ...question, choices, initial: '3' }, ['\r'])).value).toBe('3');
  });

  test('takes neither digits nor letters for a choice', async () => {
    expect((await answer({ ...question, choices }, ['3', 'f', '2', '\r'])).value).toBe('approved');
  });
});

test('questions follow one another on the same terminal', async () => {
  const { prompter, type } = terminal();
  const first = prompter.ask(question);
  await type('1', '\r');
  expect(await first).toBe('1');
  const second = prompter.ask({ ...question, choices: ['a', 'b'] });
  await type('\r');
  expect(await second).toBe('a');
});

describe('no answer', () => {
  const interrupted = { code: 'INTERRUPTED' };

  test.each([
    ['Ctrl-C', '\u0003', {}],
    ['Ctrl-D', '\u0004', {}],
    ['Ctrl-D', '\u0004', { choices: ['a'] }],
    ['Ctrl-D', '\u0004', { hidden: true }],
  ])('%s is an interrupt', async (_, key, more) => {
    const { prompter, type } = terminal();
    const given = expect(prompter.ask({ ...question, ...more })).rejects.toMatchObject(interrupted);
    await type('12', key);
    await given;
  });

  test('the end of input is an interrupt', async () => {
    const { prompter, stdin } = terminal();
    const given = expect(prompter.ask(question)).rejects.toMatchObject(interrupted);
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

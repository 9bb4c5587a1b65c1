import Enquirer from 'enquirer';
import { fail, printable } from '../errors/index.js';
import { cutText, widthOf, wrapText } from '../errors/text-width.js';
import type { Prompter, Question } from './ports.js';

/** What the library's types leave out of a prompt. */
interface Prompt {
  run(): Promise<unknown>;
  cancel(): Promise<void>;
  once(event: 'start' | 'close', listener: () => void): void;
  removeListener(event: 'close', listener: () => void): void;
  readonly state: { readonly submitted?: boolean };
  /** Lets go of the terminal; there once the prompt has started. */
  readonly stop: () => void;
  format: () => unknown;
  /** The arrow up. */
  up?: () => void;
  submit(): Promise<void>;
}

type PromptClass = new (options: object) => Prompt;

const { Input, Password, Select } = Enquirer as unknown as Record<'Input' | 'Password' | 'Select', PromptClass>;

/** What is used of a terminal's input besides what the prompts themselves take from it. */
type Keys = Pick<NodeJS.ReadStream, 'isTTY'> & Pick<NodeJS.EventEmitter, 'once' | 'off'>;
type Screen = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'> & { write(text: string): unknown };

/** The library would ignore Ctrl-D, undo the last change at Ctrl-U, and has keys that need more than one line. */
const ctrl = { a: 'first', c: 'cancel', d: 'cancel', j: 'submit', u: 'reset', w: 'cutLeft' };

const colours = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** On standard error: standard output is for data. */
export function openPrompter({ stdin, screen, colour }: { stdin: Keys; screen: Screen; colour: boolean }): Prompter {
  return {
    async ask(question) {
      // Without a terminal the library draws the question and the process ends with exit code 0.
      if (!stdin.isTTY || !screen.isTTY) throw fail('FIELD_MISSING', { flags: question.name });
      // The library has no switch for colours, and shows no choices on a terminal that says it has 0 rows, as some do.
      const columns = screen.columns || 80;
      const write = (text: string) => screen.write(colour ? text : text.replace(colours, ''));
      const streams = { stdin, stdout: { isTTY: true, columns, rows: screen.rows || 24, write }, actions: { ctrl } };
      const { choices, initial } = question;
      if (choices !== undefined && String([...choices].sort()) !== 'no,yes')
        return answer(
          new Select({ ...fitted(question, streams.stdout), ...streams, ...listed(question, columns) }),
          stdin,
        );
      const asked = choices === undefined ? question : inWords(question);
      const text = await answer(textPrompt(asked, { ...fitted(asked, streams.stdout), ...streams }, columns), stdin);
      return choices === undefined ? text : (wordOf(text, initial) ?? text);
    },
  };
}

/** Answered by typing yes or no: no other key may stand for one of them, least of all a digit. */
function inWords({ initial, ...question }: Question): Question {
  const hint = initial === undefined ? 'y/n' : initial === 'yes' ? 'Y/n' : 'y/N';
  return { hint, ...question, check: (text) => (wordOf(text, initial) === undefined ? 'type y or n' : undefined) };
}

function wordOf(text: string, initial: string | undefined): string | undefined {
  const word = text.trim().toLowerCase();
  return word === '' ? initial : ['yes', 'no'].find((each) => word === each || word === each.charAt(0));
}

function textPrompt({ check, shown, hidden, initial, goBack }: Question, options: object, columns: number): Prompt {
  let isBack = false;
  const validate = (value: unknown) => {
    const reason = isBack ? undefined : check?.(String(value ?? ''));
    // The library counts the lines of a reason by its line ends.
    return reason === undefined || wrapText(printable(reason), columns - 2);
  };
  const prompt = new (hidden === true ? Password : Input)({ ...options, initial, validate });
  const up = () => {
    isBack = true;
    goBack?.();
    void prompt.submit();
  };
  if (goBack !== undefined) prompt.up = up;
  const { format } = prompt;
  prompt.format = async () => {
    const text = String((await format.call(prompt)) ?? '');
    return shown !== undefined && prompt.state.submitted === true ? shown(text) : text;
  };
  return prompt;
}

/** By the arrow keys alone: the library takes a digit for the place of an entry, and money moves on what is chosen. */
function listed({ choices = [], meanings = {}, initial }: Question, columns: number): object {
  // The mark of the chosen entry and the blanks around it take four columns.
  const messageOf = (name: string) => cutText(`${name}  ${meanings[name] ?? ''}`.trimEnd(), columns - 4);
  return { initial, choices: choices.map((name) => ({ name, message: messageOf(name) })), number: () => {} };
}

/**
 * The library draws one line properly: a message that leaves no 20 columns for an answer is written above, and the name
 * of the question asks.
 */
function fitted({ name, message, hint }: Question, { columns, write }: Pick<Screen, 'columns' | 'write'>): object {
  const line = printable(message).replaceAll('\n', ' ');
  const more = hint === undefined ? {} : { hint: `(${printable(hint)})` };
  // Two marks and the blanks between.
  const whole = ['?', line, ...Object.values(more)].join(' ');
  if (widthOf(whole) + 20 <= columns) return { name, message: line, ...more };
  write(`${wrapText(whole, columns)}\n`);
  return { name, message: name };
}

async function answer(prompt: Prompt, stdin: Keys): Promise<string> {
  // The end of input would leave the question open for ever, and the process would end with exit code 0.
  const leave = () => void prompt.cancel();
  stdin.once('close', leave);
  prompt.once('start', () => {
    const { stop } = prompt;
    prompt.removeListener('close', stop);
    // On Ctrl-C the line reader closes by itself first, and Node 24 throws when the prompt then pauses it.
    prompt.once('close', () => {
      try {
        stop();
      } catch {}
    });
  });
  try {
    return String((await prompt.run()) ?? '');
  } catch (reason) {
    // A cancelled prompt rejects with an empty string or nothing, not with an error.
    throw reason instanceof Error ? reason : fail('INTERRUPTED');
  } finally {
    stdin.off('close', leave);
  }
}

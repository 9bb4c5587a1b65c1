import Enquirer from 'enquirer';
import { fail, printable } from '../errors/index.js';
import { cutText, widthOf, wrapText } from '../errors/text-width.js';
import { hasCode } from './machine.js';
import type { Prompter, Question } from './ports.js';

/** What the library's types leave out of a prompt. */
interface Prompt {
  run(): Promise<unknown>;
  cancel(): Promise<void>;
  once(event: 'start' | 'close', listener: () => void): void;
  removeListener(event: 'close', listener: () => void): void;
  readonly state: { readonly submitted?: boolean };
  /** Lets go of the terminal; there once the prompt has started. */
  readonly stop?: () => void;
  format: () => unknown;
}

type PromptClass = new (options: object) => Prompt;

const { Input, Password, Select } = Enquirer as unknown as Record<'Input' | 'Password' | 'Select', PromptClass>;

/** What is used of a terminal's input besides what the prompts themselves take from it. */
type KeyStream = Pick<NodeJS.ReadStream, 'isTTY'> & Pick<NodeJS.EventEmitter, 'once' | 'off'>;
type ScreenStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'> & { write(text: string): unknown };

interface PrompterOptions {
  readonly stdin: KeyStream;
  /** Standard error: standard output is for data. */
  readonly screen: ScreenStream;
  readonly colour: boolean;
}

export function openPrompter({ stdin, screen, colour }: PrompterOptions): Prompter {
  return {
    async ask(question) {
      // Without a terminal the library draws the question and the process ends with exit code 0.
      if (!stdin.isTTY || !screen.isTTY) throw fail('FIELD_MISSING', { flags: question.name });
      const streams = { stdin, stdout: adapt(screen, colour), actions: { ctrl: controlKeys } };
      const { choices, initial } = question;
      if (choices === undefined) return answer(askText(question, streams), stdin);
      const isYesOrNo = choices.length === 2 && choices.includes('yes') && choices.includes('no');
      if (!isYesOrNo) return answer(askChoice(question, choices, streams), stdin);
      const typed = await answer(askText(inWords(question), streams), stdin);
      return wordOf(typed) ?? initial ?? typed;
    },
  };
}

/** The library would ignore Ctrl-D, undo the last change at Ctrl-U, and has keys that need more than one line. */
const controlKeys = { a: 'first', c: 'cancel', d: 'cancel', j: 'submit', u: 'reset', w: 'cutLeft' };

/** Answered by typing yes or no: no other key may stand for one of them, least of all a digit. */
function inWords({ initial, ...question }: Question): Question {
  const hint = initial === undefined ? 'y/n' : initial === 'yes' ? 'Y/n' : 'y/N';
  const isWord = (text: string) => wordOf(text) !== undefined || (text === '' && initial !== undefined);
  return { hint, ...question, check: (text) => (isWord(text) ? undefined : 'type y or n') };
}

function wordOf(text: string): 'yes' | 'no' | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return 'yes';
  return word === 'n' || word === 'no' ? 'no' : undefined;
}

interface Streams {
  readonly stdin: KeyStream;
  readonly stdout: ScreenStream;
  readonly actions: object;
}

function askText({ check, shown, ...question }: Question, streams: Streams): Prompt {
  const { columns } = streams.stdout;
  const validate = (value: unknown) => {
    const reason = check?.(textOf(value));
    // The library counts the lines of a reason by its line ends.
    return reason === undefined || wrapText(printable(reason), columns - 2);
  };
  const options = { ...fitted(question, streams.stdout), ...streams, initial: question.initial, validate };
  const prompt = question.hidden === true ? new Password(options) : new Input(options);
  const { format } = prompt;
  prompt.format = async () => {
    const text = textOf(await format.call(prompt));
    return shown !== undefined && prompt.state.submitted === true ? shown(text) : text;
  };
  return prompt;
}

/** By the arrow keys alone: the library takes a digit for the place of an entry, and money moves on what is chosen. */
function askChoice(question: Question, choices: readonly string[], streams: Streams): Prompt {
  const { meanings = {}, initial } = question;
  const width = Math.max(...choices.map(widthOf));
  const messageOf = (name: string) => `${name}${' '.repeat(width - widthOf(name))}  ${meanings[name] ?? ''}`.trimEnd();
  // The mark of the chosen entry and the blanks around it take four columns.
  const entry = (name: string) => ({ name, message: cutText(messageOf(name), streams.stdout.columns - 4) });
  const number = () => {};
  return new Select({
    ...fitted(question, streams.stdout),
    ...{ ...streams, initial, choices: choices.map(entry), number },
  });
}

// Columns for the answer, after the message, two marks and the blanks between.
const answerRoom = 20;

/**
 * The library draws one line properly: a message that leaves no room for an answer is written above, and the name of
 * the question asks.
 */
function fitted({ name, message, hint }: Question, { columns, write }: ScreenStream): object {
  const line = printable(message).replaceAll('\n', ' ');
  const options = hint === undefined ? { name, message: line } : { name, message: line, hint: `(${printable(hint)})` };
  const whole = Object.values({ ...options, name: '?' }).join(' ');
  if (widthOf(whole) + answerRoom <= columns) return options;
  write(`${wrapText(whole, columns)}\n`);
  return { name, message: name };
}

async function answer(prompt: Prompt, stdin: KeyStream): Promise<string> {
  // The end of input would leave the question open for ever, and the process would end with exit code 0.
  const leave = () => void prompt.cancel();
  stdin.once('end', leave);
  stdin.once('close', leave);
  prompt.once('start', () => closeReaderSafely(prompt));
  try {
    return textOf(await prompt.run());
  } catch (reason) {
    // A cancelled prompt rejects with an empty string or nothing, not with an error.
    if (reason instanceof Error) throw reason;
    throw fail('INTERRUPTED');
  } finally {
    stdin.off('end', leave);
    stdin.off('close', leave);
  }
}

/** On Ctrl-C the line reader closes by itself first, and newer lines of Node throw when the prompt then pauses it. */
function closeReaderSafely(prompt: Prompt): void {
  const { stop } = prompt;
  if (stop === undefined) return;
  prompt.removeListener('close', stop);
  prompt.once('close', () => {
    try {
      stop();
    } catch (error) {
      if (!hasCode(error, 'ERR_USE_AFTER_CLOSE')) throw error;
    }
  });
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

const paint = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** The library has no switch for colours, and shows no choices on a terminal that says it has 0 rows, as some do. */
function adapt(screen: ScreenStream, colour: boolean): ScreenStream {
  return {
    isTTY: true,
    columns: screen.columns || 80,
    rows: screen.rows || 24,
    write: (text) => screen.write(colour ? text : text.replace(paint, '')),
  };
}

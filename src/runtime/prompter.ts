import Enquirer from 'enquirer';
import { fail, printable } from '../errors/index.js';
import { widthOf, wrapText } from '../errors/text-width.js';
import { openList, type Prompt, type PromptClass } from './list-prompt.js';
import { hasCode } from './machine.js';
import type { Prompter, Question } from './ports.js';

const { Input, Password } = Enquirer as unknown as Readonly<Record<'Input' | 'Password', PromptClass<Prompt>>>;

/** The part of a terminal's input that is used here, besides what the prompts themselves take from it. */
export interface KeyStream {
  readonly isTTY?: boolean;
  once(event: 'end' | 'close', listener: () => void): unknown;
  off(event: 'end' | 'close', listener: () => void): unknown;
}

export interface ScreenStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface PrompterOptions {
  readonly stdin: KeyStream;
  /** Standard error: standard output is for data. */
  readonly screen: ScreenStream;
  readonly colour: boolean;
}

export function openPrompter({ stdin, screen, colour }: PrompterOptions): Prompter {
  return {
    async ask(question) {
      // Without a terminal the library draws the question and the process ends with exit code 0.
      if (stdin.isTTY !== true || screen.isTTY !== true) throw fail('FIELD_MISSING', { flags: question.name });
      const adapted = adapt(screen, colour);
      if (!isYesOrNo(question)) return answer(build(fitted(question, adapted), stdin, adapted), stdin);
      const { initial } = question;
      const typed = await answer(build(fitted(inWords(question), adapted), stdin, adapted), stdin);
      return wordOf(typed) ?? initial ?? typed;
    },
  };
}

function isYesOrNo({ choices = [] }: Question): boolean {
  return choices.length === 2 && choices.includes('yes') && choices.includes('no');
}

/** Answered by typing yes or no: no other key may stand for one of them, least of all a digit. */
function inWords({ choices: _, initial, ...question }: Question): Question {
  const hint = initial === undefined ? '[y/n]' : initial === 'yes' ? '[Y/n]' : '[y/N]';
  const isWord = (text: string) => wordOf(text) !== undefined || (text === '' && initial !== undefined);
  return { hint, ...question, check: (text) => (isWord(text) ? undefined : 'type y or n') };
}

function wordOf(text: string): 'yes' | 'no' | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return 'yes';
  return word === 'n' || word === 'no' ? 'no' : undefined;
}

// Columns for the answer, after the message, two marks and the blanks between.
const answerRoom = 20;

/**
 * The library draws one line properly: a message that leaves no room for an answer is written above, and the name of
 * the question asks.
 */
function fitted(question: Question, { columns, write }: Screen): Question {
  const { hint, ...rest } = question;
  const message = printable(question.message).replaceAll('\n', ' ');
  const whole = hint === undefined ? message : `${message} (${printable(hint)})`;
  if (widthOf(whole) + answerRoom <= columns) return question;
  write(`${wrapText(`? ${whole}`, columns)}\n`);
  return { ...rest, message: question.name };
}

function build(question: Question, stdin: KeyStream, stdout: Screen): Prompt {
  const { name, message, hint, initial, check, shown } = question;
  // The library counts the lines of a reason by its line ends.
  const wrapped = (reason: string) => wrapText(printable(reason), stdout.columns - 2);
  const validate = (value: unknown) => {
    const reason = check?.(textOf(value));
    return reason === undefined ? true : wrapped(reason);
  };
  const options = {
    ...{ name, message: printable(message), stdin, stdout, initial, validate },
    ...(hint === undefined ? {} : { hint: printable(hint) }),
  };
  if (question.choices !== undefined) return openList(question, question.choices, options, stdout.columns, wrapped);
  const prompt = question.hidden === true ? new Password(options) : new Input(options);
  const { format } = prompt;
  prompt.format = async () => {
    const text = textOf(await format.call(prompt));
    return shown !== undefined && prompt.state.submitted === true ? shown(text) : text;
  };
  // As in a shell: Ctrl-U deletes what is before the cursor. The library would undo the last change.
  prompt.undo = () => {
    prompt.input = prompt.input.slice(prompt.cursor);
    prompt.cursor = 0;
    return prompt.render();
  };
  const moveTo = (position: () => number) => () => {
    prompt.cursor = position();
    return prompt.render();
  };
  // The library's Ctrl-E stops before the last character, so that the next one would stand before it.
  prompt.last = moveTo(() => prompt.input.length);
  prompt.end = prompt.last;
  prompt.home = moveTo(() => 0);
  return prompt;
}

async function answer(prompt: Prompt, stdin: KeyStream): Promise<string> {
  let isLeft = false;
  const leave = () => {
    if (!isLeft) void prompt.cancel();
    isLeft = true;
  };
  // Ctrl-D and the end of input would leave the question open for ever, and the process would end with exit code 0.
  prompt.on('keypress', (_, key) => {
    if (key.ctrl === true && key.name === 'd') leave();
  });
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

type Screen = ScreenStream & { readonly columns: number };

const paint = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** The library has no switch for colours, and shows no choices on a terminal that says it has 0 rows, as some do. */
function adapt(screen: ScreenStream, colour: boolean): Screen {
  return {
    isTTY: true,
    get columns() {
      return screen.columns || 80;
    },
    get rows() {
      return screen.rows || 24;
    },
    write: (text) => screen.write(colour ? text : text.replace(paint, '')),
  };
}

import Enquirer from 'enquirer';
import { fail, printable } from '../errors/index.js';
import { widthOf, wrapText } from '../errors/text-width.js';
import { hasCode } from './files.js';
import { openList, type Prompt, type PromptClass } from './list-prompt.js';
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
    async ask(asked) {
      const question = isYesOrNo(asked) ? inWords(asked) : asked;
      // Without a terminal the library draws the question and the process ends with exit code 0.
      if (stdin.isTTY !== true || screen.isTTY !== true) throw fail('FIELD_MISSING', { flags: question.name });
      const narrow = fitted(question, screen.columns || 80);
      if (narrow.above !== '') screen.write(narrow.above);
      const prompt = build(narrow.question, stdin, adapt(screen, colour));
      if (question !== asked) showAsWord(prompt, asked.initial);
      const text = await answer(prompt, stdin);
      return question === asked ? text : (wordOf(text) ?? asked.initial ?? text);
    },
  };
}

function isYesOrNo({ choices = [] }: Question): boolean {
  return choices.length === 2 && choices.includes('yes') && choices.includes('no');
}

/** A question that is answered by typing yes or no: no other key may stand for one of them, least of all a digit. */
function inWords({ choices: _, ...question }: Question): Question {
  const { initial, hint = initial === undefined ? '[y/n]' : initial === 'yes' ? '[Y/n]' : '[y/N]' } = question;
  const { initial: __, ...rest } = question;
  const check = (text: string) => {
    const isDefault = text === '' && initial !== undefined;
    return isDefault || wordOf(text) !== undefined ? undefined : 'type y or n';
  };
  return { ...rest, hint, check };
}

/** The line that stays behind says yes or no, also after Enter alone. */
function showAsWord(prompt: Prompt, initial: string | undefined): void {
  const { submit } = prompt;
  prompt.submit = () => {
    const word = prompt.input === '' ? initial : wordOf(prompt.input);
    prompt.input = word ?? prompt.input;
    prompt.cursor = prompt.input.length;
    return submit.call(prompt);
  };
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
function fitted(question: Question, columns: number): { readonly question: Question; readonly above: string } {
  const message = printable(question.message).replaceAll('\n', ' ');
  const { hint, ...rest } = question;
  const isBracketed = hint?.startsWith('[') === true;
  const whole = hint === undefined ? message : `${message} ${isBracketed ? printable(hint) : `(${printable(hint)})`}`;
  if (widthOf(whole) + answerRoom <= columns) return { question, above: '' };
  return { question: { ...rest, message: question.name }, above: `${wrapText(`? ${whole}`, columns)}\n` };
}

/** The library counts the lines of a reason by its line ends. */
function wrapReason(reason: string | undefined, columns: number): string | undefined {
  return reason === undefined ? undefined : wrapText(printable(reason), columns - 2);
}

function build(question: Question, stdin: KeyStream, stdout: ScreenStream): Prompt {
  const { name, message, hint, initial, check, choices, shown } = question;
  const columns = stdout.columns ?? 80;
  const options = {
    ...{ name, message: printable(message), stdin, stdout, initial },
    ...(hint === undefined ? {} : { hint: printable(hint) }),
    ...(check === undefined ? {} : { validate: (value: unknown) => wrapReason(check(textOf(value)), columns) ?? true }),
  };
  if (choices !== undefined) return openList(question, choices, options, columns);
  const prompt = question.hidden === true ? new Password(options) : new Input(options);
  const { append, format } = prompt;
  if (shown !== undefined)
    prompt.format = async () => {
      const text = textOf(await format.call(prompt));
      return prompt.state.submitted === true ? shown(text) : text;
    };
  if (question.isUpperCase === true) prompt.append = (text) => append.call(prompt, text.toUpperCase());
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
  let left = false;
  const leave = () => {
    if (left) return;
    left = true;
    void prompt.cancel();
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

/** The library has no switch for colours, and shows no choices on a terminal that says it has 0 rows, as some do. */
const paint = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

function adapt(screen: ScreenStream, colour: boolean): ScreenStream {
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

import Enquirer from 'enquirer';
import { printable } from '../errors/index.js';
import { cutText, widthOf } from '../errors/text-width.js';
import type { Question } from './ports.js';

/** What the library's types leave out of a prompt. What is in the options in the place of a method takes its place. */
export interface Prompt {
  run(): Promise<unknown>;
  cancel(): Promise<void>;
  render(): unknown;
  on(event: 'keypress', listener: (text: unknown, key: { name?: string; ctrl?: boolean }) => void): void;
  once(event: 'start' | 'close', listener: () => void): void;
  removeListener(event: 'close', listener: () => void): void;
  input: string;
  cursor: number;
  readonly state: { readonly submitted?: boolean };
  /** Lets go of the terminal; there once the prompt has started. */
  readonly stop?: () => void;
  format: () => unknown;
  /** Called by Ctrl-U; and by Ctrl-E, Home and End. */
  undo: () => unknown;
  last: () => unknown;
  home: () => unknown;
  end: () => unknown;
}

export type PromptClass<Kind> = new (options: Readonly<Record<string, unknown>>) => Kind;

interface Choice {
  readonly name: string;
}

interface List extends Prompt {
  /** What is shown, and the place of the marked one in it. */
  choices: readonly Choice[];
  index: number;
  readonly state: { readonly _choices?: readonly Choice[]; limit: number | undefined; readonly submitted?: boolean };
  alert(): unknown;
  up: () => unknown;
  down: () => unknown;
}

const { Select } = Enquirer as unknown as Readonly<Record<'Select', PromptClass<List>>>;

/**
 * A list that typed text filters. The library has digits choose the entry at that place, so that typing the id of an
 * order would choose others on the way; here every character is text. Typed text chooses what it names, or the only
 * one that is left: a part of an id that others have as well chooses none.
 */
export function openList(
  { hint = 'type to filter', meanings = {} }: Question,
  choices: readonly string[],
  options: Readonly<Record<string, unknown>>,
  columns: number,
  wrapped: (reason: string) => string,
): Prompt {
  const width = Math.max(...choices.map(widthOf));
  const lines = new Map(
    choices.map((name) => [name, `${name}${' '.repeat(width - widthOf(name))}  ${meanings[name] ?? ''}`.trimEnd()]),
  );
  let typed = '';
  let isMarked = false;
  const type = (text: string) => {
    typed = text;
    isMarked = false;
    const sought = typed.trim().toLowerCase();
    const left = (prompt.state._choices ?? []).filter(({ name }) => lines.get(name)?.toLowerCase().includes(sought));
    prompt.choices = left.toSorted((one, other) => Number(isNamed(other, sought)) - Number(isNamed(one, sought)));
    prompt.state.limit = undefined;
    prompt.index = 0;
    return prompt.render();
  };
  const isClear = () =>
    isMarked || typed === '' || prompt.choices.length === 1 || isNamed(prompt.choices[0], typed.trim().toLowerCase());
  const append = (text = '') => (text === '' || /\p{Cc}/u.test(text) ? prompt.alert() : type(typed + text));
  const prompt: List = new Select({
    ...options,
    ...{ dispatch: append, number: append, space: () => append(' '), undo: () => type('') },
    hint: () => (typed === '' ? hint : ''),
    // The mark of the chosen entry and the blanks around it take four columns.
    choices: choices.map((name) => ({ name, message: printable(cutText(lines.get(name) ?? name, columns - 4)) })),
    delete: () => (typed === '' ? prompt.alert() : type([...typed].slice(0, -1).join(''))),
    validate: () =>
      isClear() || wrapped(`${typed} is in ${prompt.choices.length} of these; type all of it, or use the arrow keys`),
  });
  const { format, up, down } = prompt;
  prompt.format = () => (prompt.state.submitted === true ? format.call(prompt) : typed);
  const mark = (move: () => unknown) => () => {
    isMarked = true;
    return prompt.choices.length === 0 ? prompt.alert() : move.call(prompt);
  };
  prompt.up = mark(up);
  prompt.down = mark(down);
  return prompt;
}

function isNamed(choice: Choice | undefined, text: string): boolean {
  return choice?.name.toLowerCase() === text;
}

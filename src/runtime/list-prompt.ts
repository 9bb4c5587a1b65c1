import Enquirer from 'enquirer';
import { printable } from '../errors/index.js';
import { cutText, widthOf, wrapText } from '../errors/text-width.js';
import type { Question } from './ports.js';

/** What the library's types leave out of a prompt. What is in the options in the place of a method takes its place. */
export interface Prompt {
  run(): Promise<unknown>;
  cancel(): Promise<void>;
  render(): unknown;
  on(
    event: 'keypress',
    listener: (text: unknown, key: { readonly name?: string; readonly ctrl?: boolean }) => void,
  ): void;
  once(event: 'start' | 'close', listener: () => void): void;
  removeListener(event: 'close', listener: () => void): void;
  input: string;
  cursor: number;
  readonly state: { readonly submitted?: boolean };
  /** Lets go of the terminal; there once the prompt has started. */
  readonly stop?: () => void;
  append: (text: string) => unknown;
  format: () => unknown;
  submit: () => unknown;
  /** Called by Ctrl-U; and by Ctrl-E, Home and End. */
  undo: () => unknown;
  last: () => unknown;
  home: () => unknown;
  end: () => unknown;
}

export type PromptClass<Kind> = new (options: Readonly<Record<string, unknown>>) => Kind;
interface List extends Omit<Prompt, 'state'> {
  /** What is shown, and the place of the marked one in it. */
  choices: readonly { readonly name: string }[];
  index: number;
  readonly focused?: { readonly name: string };
  readonly state: { readonly _choices?: List['choices']; limit: number | undefined; readonly submitted?: boolean };
  alert(): unknown;
  up: () => unknown;
  down: () => unknown;
}

const { Select } = Enquirer as unknown as Readonly<Record<'Select', PromptClass<List>>>;

/**
 * A list that typed text filters. The library has digits choose the entry at that place, so that typing the id of an
 * order would choose others on the way; here every character is text.
 */
export function openList(
  question: Question,
  choices: readonly string[],
  options: Readonly<Record<string, unknown>>,
  columns: number,
): Prompt {
  const { hint = 'type to filter', ids, meanings = {} } = question;
  const width = Math.max(...choices.map(widthOf));
  // The mark of the chosen entry and the blanks around it take four columns.
  const shown = (name: string) =>
    cutText(`${name}${' '.repeat(width - widthOf(name))}  ${meanings[name] ?? ''}`.trimEnd(), columns - 4);
  let typed = '';
  let isMarked = false;
  const type = (text: string) => {
    typed = text;
    isMarked = false;
    const all = prompt.state._choices ?? [];
    prompt.choices = filtered(question, choices, typed).flatMap((name) => all.filter((each) => each.name === name));
    prompt.state.limit = undefined;
    prompt.index = 0;
    return prompt.render();
  };
  const append = (text = '') => (text === '' || /\p{Cc}/u.test(text) ? prompt.alert() : type(typed + text));
  const prompt: List = new Select({
    ...options,
    ...{ dispatch: append, number: append, space: () => append(' '), undo: () => type('') },
    hint: () => (typed === '' ? hint : ''),
    choices: choices.map((name) => ({ name, message: printable(shown(name)) })),
    delete: () => (typed === '' ? prompt.alert() : type([...typed].slice(0, -1).join(''))),
    validate: () => {
      const why = isMarked || typed === '' ? undefined : whyNotNamed(typed, prompt.focused?.name, ids);
      return why === undefined ? true : wrapText(printable(why), columns - 2);
    },
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

/** The choices that contain a text, those that it names or begins first. */
function filtered({ meanings = {}, ids }: Question, choices: readonly string[], typed: string): readonly string[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return choices;
  const rank = (choice: string) => {
    const own = ids?.[choice];
    if (ids !== undefined && own === undefined) return 4;
    const names = [choice, ...(own ?? [])].map((name) => name.toLowerCase());
    if (names.includes(text)) return 1;
    if (names.some((name) => name.startsWith(text))) return 2;
    return [...names, (meanings[choice] ?? '').toLowerCase()].some((each) => each.includes(text)) ? 3 : undefined;
  };
  return [1, 2, 3, 4].flatMap((wanted) => choices.filter((choice) => rank(choice) === wanted));
}

/** Why typed text does not choose a choice that has ids. */
function whyNotNamed(typed: string, choice: string | undefined, ids: Question['ids']): string | undefined {
  const own = choice === undefined ? undefined : ids?.[choice];
  if (ids === undefined || own === undefined) return undefined;
  const text = typed.trim();
  const named = Object.values(ids).filter((each) => each.includes(text)).length;
  if (named === 1 && own.includes(text)) return undefined;
  return named > 1
    ? `${text} matches the ids of ${named} of these; choose one with the arrow keys`
    : `${text} is not the full id of any of these; type the full id, or choose one with the arrow keys`;
}

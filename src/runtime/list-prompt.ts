import Select from 'enquirer/lib/prompts/select.js';
import { printable } from '../errors/index.js';
import { leastWidthOf, widthOf, wrapCell, wrapText } from '../errors/text-width.js';
import type { Question } from './ports.js';

/**
 * A list that typed text filters. The library has digits choose the entry at that place, so that typing the id of an
 * order would choose others on the way; here every character is text.
 */
export function listPrompt(
  question: Question,
  choices: readonly string[],
  options: EnquirerFiles.Options,
  { columns, rows: screenRows }: { readonly columns: number; readonly rows: number },
): EnquirerFiles.Prompt {
  const { ids } = question;
  const entries = entryLines(question, choices, columns);
  const most = Math.max(...entries.map((lines) => lines.length));
  // The library counts entries, and the screen has lines.
  const limit = most === 1 ? {} : { limit: Math.max(1, Math.floor((screenRows - linesBeside) / most)) };
  let typed = '';
  let isMarked = false;
  const prompt: EnquirerFiles.ListPrompt = new Select({
    ...options,
    ...limit,
    hint: () => (typed === '' ? (question.hint ?? 'type to filter') : ''),
    choices: choices.map((choice, at) => ({ name: choice, message: (entries[at] ?? []).join('\n') })),
    validate: () => {
      const why = isMarked || typed === '' ? undefined : whyNotNamed(typed, prompt.focused?.name, ids);
      return why === undefined ? true : wrapText(printable(why), columns - 2);
    },
  });
  const type = (text: string) => {
    typed = text;
    isMarked = false;
    const found = filtered(question, choices, typed);
    const all = prompt.state._choices ?? [];
    prompt.choices = found.flatMap((name) => all.filter((choice) => choice.name === name));
    prompt.state.limit = undefined;
    prompt.index = 0;
    return prompt.render();
  };
  const append = (text = '') => (text === '' || /\p{Cc}/u.test(text) ? prompt.alert() : type(typed + text));
  const { format, up, down } = prompt;
  prompt.format = () => (prompt.state.submitted === true ? format.call(prompt) : typed);
  prompt.dispatch = append;
  prompt.number = append;
  prompt.space = () => append(' ');
  prompt.delete = () => (typed === '' ? prompt.alert() : type([...typed].slice(0, -1).join('')));
  prompt.undo = () => type('');
  // Before that, the library fills the list by this method.
  prompt.once('start', () => {
    prompt.reset = prompt.undo;
  });
  const mark = (move: () => unknown) => () => {
    if (prompt.choices.length === 0) return prompt.alert();
    isMarked = true;
    return move.call(prompt);
  };
  prompt.up = mark(up);
  prompt.down = mark(down);
  return prompt;
}

// The question, and a line for an error or an answer.
const linesBeside = 4;
// The mark of the chosen entry and the blanks around it.
const markRoom = 4;
const indent = '  ';
/** Narrower than this, a meaning stands below its entry. */
const leastBeside = 20;

/** The lines of each entry: its meaning beside it, broken between words, or below it where all have too little room. */
function entryLines({ meanings = {} }: Question, choices: readonly string[], columns: number): readonly string[][] {
  const width = Math.max(...choices.map(widthOf));
  const texts = choices.map((choice) => printable(meanings[choice] ?? '').replaceAll('\n', ' '));
  const room = columns - markRoom - width - indent.length;
  const isBeside = texts.every((text) => room >= Math.min(leastBeside, widthOf(text)) && room >= leastWidthOf(text));
  return choices.map((choice, at) => {
    const [name, text = ''] = [printable(choice), texts[at]];
    if (text === '') return [name];
    if (!isBeside)
      return [name, ...wrapCell(text, columns - markRoom - indent.length).map((line) => `${indent}${indent}${line}`)];
    const [first = '', ...more] = wrapCell(text, room);
    const start = ' '.repeat(width + indent.length);
    return [
      `${name}${' '.repeat(width - widthOf(choice))}${indent}${first}`,
      ...more.map((line) => `${indent}${start}${line}`),
    ];
  });
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

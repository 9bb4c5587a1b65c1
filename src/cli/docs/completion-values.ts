import type { Command, Option } from 'commander';
import { states } from '../../journal/states.js';
import { allOperations, assumptions, isFinal, statuses, testCards } from '../../spec/index.js';
import { isCurrency } from '../../wire/amount.js';
import { pathOf } from '../usage.js';

/** What may stand after a flag or in place of an argument: what is looked up, or these words; none of them is anything. */
export type Values = 'file' | 'profiles' | readonly string[];

/** Flags whose values are known by the flag. */
const byFlag: Readonly<Record<string, () => Values>> = {
  '--profile': () => 'profiles',
  '--test-card': () => testCards.map(({ name }) => name),
  '--can': () => allOperations.filter(({ command }) => !command.includes(' ')).map(({ command }) => command),
  '--state': () => Object.keys(states),
  '--expect': () => Object.keys(statuses).filter(isFinal),
  '--assume': () => assumptions.flatMap((row) => [row.default, ...row.others].map((value) => `${row.switch}=${value}`)),
};

/** What stands between the angles of a flag, or names an argument. */
const byPlaceholder: Readonly<Record<string, () => Values>> = {
  file: () => 'file',
  folder: () => 'file',
  profile: () => 'profiles',
  USD: currencies,
};

export function flagValues({ long = '', flags, argChoices }: Option): Values {
  if (argChoices !== undefined) return argChoices;
  return byFlag[long]?.() ?? placeholderValues(/[<[](.+)[>\]]$/.exec(flags)?.[1] ?? '');
}

/** Of the argument at this position of a command. */
export async function argumentValues(command: Command, at: number): Promise<Values> {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[at] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return [];
  if (argument.argChoices !== undefined) return argument.argChoices;
  const path = pathOf(command);
  if (path === 'request') return allOperations.map((row) => row.path);
  if (path === 'assumptions') return assumptions.flatMap((row) => [row.id, row.switch]);
  if (path === 'sandbox outcomes')
    return at === 0 ? ['next'] : Object.keys((await import('../../sandbox/outcomes.js')).queueableOutcomes);
  if (path.startsWith('keys ')) return 'file';
  if (path.startsWith('profile ')) return at === 0 ? 'profiles' : [];
  return placeholderValues(argument.name());
}

/** `<Y|N|U>` lists its values; `<name=value>` and `<10.42>` show only a form. */
function placeholderValues(placeholder: string): Values {
  const words = placeholder.split('|');
  return words.length > 1 ? words : (byPlaceholder[placeholder]?.() ?? []);
}

/** Every word of three letters is asked about. */
function currencies(): readonly string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))).filter(isCurrency);
}

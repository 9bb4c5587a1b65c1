import { states } from '../../../journal/states.js';
import { allOperations, assumptions, isFinal, statuses, testCards } from '../../../spec/index.js';
import { isCurrency } from '../../../wire/amount.js';

/**
 * What may stand after a flag or in place of an argument, as the scripts read it: '' for nothing, '?' for anything,
 * '@file' for a file, '@profiles', '@orders' and '@client-order-ids' for what `paycli __complete` answers, else words
 * with blanks between.
 */
export type Value = string;

export const nothing: Value = '';
const anything: Value = '?';
const file: Value = '@file';

/** A word that means only itself in every shell, so that no script and no typed line ever needs quotes around it. */
const plainWord = /^[A-Za-z0-9_./][A-Za-z0-9_./:=@+,-]*$/;

export function wordsValue(words: readonly string[]): Value {
  const strange = words.find((word) => !plainWord.test(word));
  if (strange !== undefined) throw new Error(`not a plain word for a completion script: ${strange}`);
  return words.length === 0 ? anything : words.join(' ');
}

const switches = assumptions.flatMap((row) => [row.default, ...row.others].map((value) => `${row.switch}=${value}`));

/** Flags whose values are known by the flag. */
const byFlag: Readonly<Record<string, Value>> = {
  '--profile': '@profiles',
  '--test-card': wordsValue(testCards.map(({ name }) => name)),
  '--can': wordsValue(allOperations.filter(({ command }) => !command.includes(' ')).map(({ command }) => command)),
  '--state': wordsValue(Object.keys(states)),
  '--expect': wordsValue(Object.keys(statuses).filter(isFinal)),
  '--assume': wordsValue(switches.filter((word) => plainWord.test(word))),
};

/** Flags that name an order which is there already; in an operation that makes one they are free. */
const orderFlags: Readonly<Record<string, Value>> = {
  '--order-id': '@orders',
  '--client-order-id': '@client-order-ids',
};

/** What stands between the angles of a flag, or names an argument. */
const byPlaceholder: Readonly<Record<string, () => Value>> = {
  file: () => file,
  folder: () => file,
  order: () => '@orders',
  profile: () => '@profiles',
  USD: () => wordsValue(currencies()),
};

export function flagValue(
  flag: string,
  placeholder: string | undefined,
  choices: readonly string[] | undefined,
  follows: boolean,
): Value {
  if (placeholder === undefined) return nothing;
  if (choices !== undefined) return wordsValue(choices);
  return byFlag[flag] ?? (follows ? orderFlags[flag] : undefined) ?? placeholderValue(placeholder);
}

/** Arguments whose values are known by the command, in their order. */
const byCommand: Readonly<Record<string, readonly Value[]>> = {
  request: [wordsValue(allOperations.map(({ path }) => path))],
  'assumptions explain': [wordsValue(assumptions.flatMap((row) => [row.id, row.switch]))],
  'keys inspect': [file, file],
  'profile show': ['@profiles'],
  'profile set': ['@profiles'],
  'profile set-key': ['@profiles'],
  'profile remove': ['@profiles'],
};

export function argumentValue(path: string, at: number, name: string, choices: readonly string[] | undefined): Value {
  if (choices !== undefined) return wordsValue(choices);
  return byCommand[path]?.[at] ?? placeholderValue(name);
}

/** `<Y|N|U>` lists its values; `<name=value>` and `<10.42>` show only a form. */
function placeholderValue(placeholder: string): Value {
  const words = placeholder.split('|');
  if (words.length > 1 && words.every((word) => plainWord.test(word))) return wordsValue(words);
  return byPlaceholder[placeholder]?.() ?? anything;
}

let knownCurrencies: readonly string[] | undefined;

/** Found out once: every word of three letters is asked about. */
function currencies(): readonly string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  knownCurrencies ??= letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))).filter(isCurrency);
  return knownCurrencies;
}

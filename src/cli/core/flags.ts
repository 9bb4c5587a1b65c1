import { fail, suggest } from '../../errors/index.js';
import { type Field, kindOf, type Operation, statuses, testCards } from '../../spec/index.js';

/** The flag of a field, made from its key: `clientOrderId` → `--client-order-id`. Never read back the other way. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * A field that a row refuses in any case; it has no line in help, but its flag is known so that the reason can be
 * given.
 */
export function isForbidden(row: Operation, key: string): boolean {
  return row.rules.some((rule) => rule.rule === 'forbidden' && rule.fields.includes(key));
}

/** What stands behind a flag in help, such as `<10.42>` or `<Y|N|U>`. */
export function placeholderOf(field: Field): string {
  return `<${field.values?.join('|') ?? kindOf(field.kind).placeholder}>`;
}

/** True when a switch decides which flags there are. */
export function isSwitched(row: Operation): boolean {
  return Object.entries(row.fields).some(([key, { when }]) => when !== undefined && !isFromProfile(key));
}

/** A field the user never gives: the profile has it. */
export function isFromProfile(key: string): boolean {
  return key === 'login';
}

/** Maps every accepted spelling of a row's flags (`--client_orderid`, `--cardrefid`) to the one in help. */
export function wireSpellings(row: Operation): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>();
  for (const [key, field] of Object.entries(row.fields)) {
    if (isFromProfile(key)) continue;
    const flag = flagOf(key);
    if (`--${field.wire}` !== flag) spellings.set(`--${field.wire}`, flag);
  }
  // What is waited for, and what is expected, are the same word.
  if (row.id === 'STATUS') spellings.set('--for', '--expect');
  return spellings;
}

/** Reads a flag that holds seconds; undefined when it was not given. Throws USAGE. */
export function seconds(flag: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw fail('secondsNotWhole', { flag, most, command: '' });
  return value * 1000;
}

/**
 * Flags of sending with values of their own, and what is wrong with one, in words that fit after the flag. Fields have
 * their kinds for that.
 */
const checks: Readonly<Record<string, (text: string) => string | undefined>> = {
  '--test-card': testCard,
  '--expect': among(
    Object.entries(statuses).flatMap(([word, { final }]) => (final || word === 'processing' ? [word] : [])),
  ),
  '--timeout': wholeSeconds(300),
  '--wait-timeout': wholeSeconds(3600),
};

function testCard(text: string): string | undefined {
  const names = testCards.map(({ name }) => name);
  return names.includes(text)
    ? undefined
    : `is not a test card${suggest(text, names, `; available: ${names.join(', ')}`)}`;
}

function among(words: readonly string[]): (text: string) => string | undefined {
  return (text) => (words.includes(text) ? undefined : `must be one of ${words.join(', ')}${suggest(text, words)}`);
}

function wholeSeconds(most: number): (text: string) => string | undefined {
  return (text) =>
    /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= most
      ? undefined
      : `takes whole seconds from 1 to ${most}`;
}

/** Why a text is no value of this flag, by its whole name; undefined when it is one, or the flag is none of these. */
export function sendingFlagProblem(flag: string, text: string | undefined): string | undefined {
  const why = text === undefined ? undefined : checks[flag]?.(text);
  return why === undefined ? undefined : `${flag} ${why}`;
}

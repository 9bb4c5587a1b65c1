import { suggest } from '../errors/index.js';
import { statuses, testCards } from '../spec/index.js';

/** Flags of sending with values of their own, and what is wrong with one, in words that fit after the flag. Fields have their kinds for that. */
const checks: Readonly<Record<string, (text: string) => string | undefined>> = {
  '--test-card': testCard,
  '--expect': among(Object.entries(statuses).flatMap(([word, { final }]) => (final || word === 'processing' ? [word] : []))),
  '--timeout': wholeSeconds(300),
  '--wait-timeout': wholeSeconds(3600),
};

function testCard(text: string): string | undefined {
  const names = testCards.map(({ name }) => name);
  return names.includes(text) ? undefined : `names no test card${suggest(text, names, `; there are: ${names.join(', ')}`)}`;
}

function among(words: readonly string[]): (text: string) => string | undefined {
  return (text) => (words.includes(text) ? undefined : `must be one of ${words.join(', ')}${suggest(text, words)}`);
}

function wholeSeconds(most: number): (text: string) => string | undefined {
  return (text) =>
    /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= most ? undefined : `takes whole seconds from 1 to ${most}`;
}

/** Why a text is no value of this flag, by its whole name; undefined when it is one, or the flag is none of these. */
export function sendingFlagProblem(flag: string, text: string | undefined): string | undefined {
  const why = text === undefined ? undefined : checks[flag]?.(text);
  return why === undefined ? undefined : `${flag} ${why}`;
}

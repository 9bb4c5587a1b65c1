import { fail, type PaycliError, reasonText, suggest } from '../../errors/index.js';
import { type Field, kindOf, type Operation, statuses, statusQuery, testCards } from '../../spec/index.js';
import { durationForm, readSeconds } from '../../wire/time.js';

/** The flag of a field, made from its key: `clientOrderId` → `--client-order-id`. Never read back the other way. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * A field that the row always refuses. Help does not list it, but its flag is known so that the error can give the
 * reason.
 */
export function isForbidden(row: Operation, key: string): boolean {
  return row.rules.some((rule) => rule.rule === 'forbidden' && rule.fields.includes(key));
}

/** The placeholder after a flag in help, such as `<10.42>` or `<Y|N|U>`. */
export function placeholderOf(field: Field): string {
  return `<${field.values?.join('|') ?? kindOf(field.kind).placeholder}>`;
}

/** True when an assumption decides which flags the operation has. */
export function isSwitched(row: Operation): boolean {
  return Object.entries(row.fields).some(([key, { when }]) => when !== undefined && !isFromProfile(key));
}

/** A field that comes from the profile, never from the user. */
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
  // --for is another name of --expect.
  if (row.id === statusQuery.id) spellings.set('--for', '--expect');
  return spellings;
}

/** Of --timeout. */
export const maxTimeoutSeconds = 300;
/** Of --wait-timeout. */
export const maxWaitSeconds = 3600;

/**
 * Milliseconds of a flag that holds a duration, where a number without a unit means seconds; undefined when it was not
 * given. `max` is in seconds. Throws USAGE.
 */
export function seconds(flag: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = readSeconds(text);
  if (ms === undefined || ms > max * 1000) throw fail('USAGE', { why: `${flag}: use ${upTo(max)}`, flag, command: '' });
  return ms;
}

function upTo(max: number): string {
  return `${durationForm}, or a number of seconds; at most ${max}s`;
}

/**
 * Checks for the values of sending flags: each returns what is wrong, worded to follow the flag. Fields are checked by
 * their kind.
 */
const checks: Readonly<Record<string, (text: string) => string | undefined>> = {
  '--test-card': testCard,
  '--expect': among(
    Object.entries(statuses).flatMap(([word, { final }]) => (final || word === 'processing' ? [word] : [])),
  ),
  '--timeout': atMost(maxTimeoutSeconds),
  '--wait-timeout': atMost(maxWaitSeconds),
};

function testCard(text: string): string | undefined {
  const names = testCards.map(({ name }) => name);
  return names.includes(text)
    ? undefined
    : `use the name of a test card${suggest(text, names, `: ${names.join(', ')}`)}`;
}

function among(words: readonly string[]): (text: string) => string | undefined {
  return (text) => (words.includes(text) ? undefined : `use one of ${words.join(', ')}${suggest(text, words)}`);
}

function atMost(max: number): (text: string) => string | undefined {
  return (text) => ((readSeconds(text) ?? Number.POSITIVE_INFINITY) <= max * 1000 ? undefined : `use ${upTo(max)}`);
}

/** Why a text is not a valid value of this flag; undefined when it is valid or the flag has no check. */
export function sendingFlagProblem(flag: string, text: string | undefined): string | undefined {
  const why = text === undefined ? undefined : checks[flag]?.(text);
  return why === undefined ? undefined : reasonText(flag, why);
}

/** No order is named, and there is no terminal to ask for one. */
export function orderNotNamed(command: string): PaycliError {
  return fail('USAGE', {
    why: `no order is named; give its gateway order id or your client order id, as in \`paycli ${command} ORDER\`; \`paycli orders\` lists them`,
    command,
  });
}

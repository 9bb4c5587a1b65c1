import { fail, type PaycliError, reasonText, type ShownError, shellWord, suggest } from '../errors/index.js';
import type { PlaceFlags } from '../runtime/ports.js';
import { type Field, kindOf, type Operation, statuses, statusQuery, testCards } from '../spec/index.js';
import { durationForm, readSeconds } from '../wire/time.js';

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

/** The commands that a text may suggest and that need these flags to reach the same gateway. */
export const placedCommands: readonly string[] = ['doctor', 'status', 'order', 'resolve', 'support bundle'];

const suggested = new RegExp(`\`paycli (${placedCommands.join('|')})(?= |\`)([^\`]*)\``, 'g');

const placeNames = ['--profile', '--base-url', '--login', '--endpoint-id'];

interface Place {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly login?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly live?: boolean;
}

/** The flags that name a profile or connection, by their values, as a suggested command repeats them. */
export function placeFlags({ profile, baseUrl, login, endpointId, live }: Place): string {
  const flags = Object.entries({ profile, baseUrl, login, endpointId })
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${flagOf(key)} ${shellWord(value)}`]))
    .join('');
  return flags !== '' && live === true ? `${flags} --live` : flags;
}

/** The same of a command line that is not read yet. */
export function placeFlagsIn(argv: readonly string[]): string {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return placeFlags({
    profile: valueAfter(own, ['-p', '--profile']),
    baseUrl: valueAfter(own, ['--base-url']),
    login: valueAfter(own, ['--login']),
    endpointId: valueAfter(own, ['--endpoint-id']),
    live: own.includes('--live'),
  });
}

const suggestedSandbox = /`paycli (sandbox [^`]*)`/g;

/** A command of a sandbox that has a name, which stands before the command that `start --run` runs. */
function withName(whole: string, command: string, flag: string): string {
  if (/--name\b|--help/.test(command)) return whole;
  const [own = '', ...toRun] = command.split(/(?= -- )/);
  return `\`paycli ${own}${flag}${toRun.join('')}\``;
}

/** A text whose suggested commands name the place as well: without it they would be about the default of each. */
export function withPlace(text: string, { gateway = '', sandbox = '' }: PlaceFlags): string {
  const named =
    sandbox === ''
      ? text
      : text.replace(suggestedSandbox, (whole, command: string) => withName(whole, command, sandbox));
  if (gateway === '') return named;
  return named.replace(suggested, (whole, command: string, rest: string) =>
    placeNames.some((name) => rest.includes(`${name} `)) || rest.includes('--help')
      ? whole
      : `\`paycli ${command}${rest}${flagsFor(command, gateway)}\``,
  );
}

/** The same for everything that an error says. */
export function placedError(error: ShownError, place: PlaceFlags): ShownError {
  const { message, next, beside } = error;
  return {
    ...error,
    message: withPlace(message, place),
    next: withPlace(next, place),
    ...(beside === undefined ? {} : { beside }),
  };
}

/** What the flags of a connection can be: those that `session.flags` holds. */
const sendingFlags = ['--live'];
const connectionFlags = ['--base-url', '--login', '--endpoint-id', ...sendingFlags];

const readsJournal = ['orders', 'journal', 'callback list', 'keys generate'];
const readsPlans = ['batch report', 'batch list', 'batch show'];
const sendsNothing = [
  ...['profile show', 'support bundle', 'assumptions list', 'assumptions explain'],
  ...['3ds run', 'callback verify', 'callback send', 'batch plan', 'batch reconcile'],
  'sign verify',
];

/** For each command that takes --profile but not every flag of a connection: the flags that it does not take. */
export const untakenFlags: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...readsJournal, ...readsPlans].map((command) => [command, connectionFlags] as const),
  ...sendsNothing.map((command) => [command, sendingFlags] as const),
]);

// Only commands about batches and about orders anywhere take the flags of a batch database.
const databaseFlags = ['--engine', '--row-key-file', '--engine-password-file'];
const readsDatabase = /^(?:orders|order|resolve|batch (?!plan$|approve$|reconcile$).*)$/;

const written = / (--[a-z-]+)(?: ((?:'[^']*'|\\'|[^\s'-])(?:'[^']*'|\\'|[^\s'])*))?/g;

/** Of flags such as `session.flags`, those that a suggested command takes. */
export function flagsFor(command: string, flags: string): string {
  const untaken = [...(untakenFlags.get(command) ?? []), ...(readsDatabase.test(command) ? [] : databaseFlags)];
  return flags.replace(written, (flag, name: string) => (untaken.includes(name) ? '' : flag));
}

/** A command without an argument, with the flags of these that it takes. */
export function commandWith(command: string, flags: string): string {
  return `paycli ${command}${flagsFor(command, flags)}`;
}

/**
 * The last value of a flag, written `--flag value` or `--flag=value`, or `-fvalue` where its name is one letter. A word
 * that begins with `--` is none.
 */
export function valueAfter(argv: readonly string[], names: readonly string[]): string | undefined {
  const found = argv.flatMap((arg, at) => {
    if (names.includes(argv[at - 1] ?? '') && !arg.startsWith('--')) return [arg];
    const start = names
      .map((name) => (name.startsWith('--') ? `${name}=` : name))
      .find((each) => arg.startsWith(each) && arg !== each);
    return start === undefined ? [] : [arg.slice(start.length).replace(/^=/, '')];
  });
  return found.at(-1);
}

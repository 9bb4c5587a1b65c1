import { type ShownError, shellWord } from '../errors/index.js';
import type { PlaceFlags } from '../runtime/ports.js';
import { valueAfter } from './core/command-line.js';

/** The commands that a text may suggest and that need these flags to reach the same gateway. */
export const placedCommands: readonly string[] = ['doctor', 'status', 'order', 'resolve', 'support bundle'];

const suggested = new RegExp(`\`paycli (${placedCommands.join('|')})(?= |\`)([^\`]*)\``, 'g');

const names = {
  '--profile': ['-p', '--profile'],
  '--base-url': ['--base-url'],
  '--login': ['--login'],
  '--endpoint-id': ['--endpoint-id'],
};

/** The flags that name a profile or connection, by their values, as a suggested command repeats them. */
export function placeFlags(given: Readonly<Record<keyof typeof names, string | undefined>>): string {
  return Object.entries(given)
    .flatMap(([flag, value]) => (value === undefined ? [] : [` ${flag} ${shellWord(value)}`]))
    .join('');
}

/** The same of a command line that is not read yet. */
export function placeFlagsIn(argv: readonly string[]): string {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const flags = placeFlags({
    '--profile': valueAfter(own, names['--profile']),
    '--base-url': valueAfter(own, names['--base-url']),
    '--login': valueAfter(own, names['--login']),
    '--endpoint-id': valueAfter(own, names['--endpoint-id']),
  });
  return flags !== '' && own.includes('--live') ? `${flags} --live` : flags;
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
    Object.keys(names).some((name) => rest.includes(`${name} `)) || rest.includes('--help')
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

const readsJournal = ['orders', 'journal', 'journal', 'callback list', 'keys generate'];
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

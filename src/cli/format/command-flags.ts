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

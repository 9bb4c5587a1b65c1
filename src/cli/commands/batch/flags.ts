import { type Flag, liveFlag, timeoutFlag } from '../../core/options.js';

const flagsWith = (aboutKey: string): readonly Flag[] => [
  { heading: 'Several machines:' },
  ['--engine <address>', 'the batch database, such as postgres://user@host/database'],
  ['--row-key-file <file>', aboutKey],
  ['--engine-password-file <file>', 'file with the password of the database (mode 0600)'],
];

/** Flags of whatever sends or stops rows that several machines share. */
export const engineFlags = flagsWith('the row encryption key shared by all workers (mode 0600)');

/** The same for a look at such rows, so that one set of flags fits every command. */
export const viewFlags = flagsWith('the same as for `batch run`; accepted, but not needed here');

/** When a run stops by itself, and how long it asks about rows the gateway has accepted. */
export const endFlags: readonly Flag[] = [
  ['--max-unknown <share>', 'stop when more than this share of the last 200 outcomes is unknown (1%)'],
  ['--no-wait', 'wait only for the first row; `paycli batch resume` resolves the other accepted rows'],
  [
    '--wait-timeout <time>',
    'how long to poll the first row before sending others, and accepted rows after the last one was sent (5m; built-in sandbox: 5s)',
  ],
];

/** Flags of whatever sends rows. */
export const rowSendingFlags: readonly Flag[] = [
  timeoutFlag,
  liveFlag,
  ['--confirm-login <login>', 'confirm a live batch in a script'],
  ['--no-input', 'never prompt'],
];

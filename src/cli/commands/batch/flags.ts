import { type Flag, liveFlag, timeoutFlag } from '../../core/options.js';

/** Flags that take a batch to several machines. */
export const engineFlags: readonly Flag[] = [
  { heading: 'Several machines:' },
  ['--engine <address>', 'the database of the batch, such as postgres://user@host/database'],
  ['--row-key-file <file>', 'the key for the rows that all workers share (mode 0600)'],
  ['--engine-password-file <file>', 'file with the password of the database (mode 0600)'],
];

/** Flags for a look at a batch that runs there. */
export const viewFlags: readonly Flag[] = [
  { heading: 'Several machines:' },
  ['--engine <address>', 'the database of the batch (as the plan was run with)'],
  ['--engine-password-file <file>', 'file with the password of the database (mode 0600)'],
];

/** When a run stops by itself, and how long it asks about rows the gateway has accepted. */
export const endFlags: readonly Flag[] = [
  ['--max-unknown <share>', 'stop when more of the last 200 outcomes are unknown (1%)'],
  ['--no-wait', 'leave rows the gateway has accepted to `paycli batch resume`; the first one is waited for'],
  [
    '--wait-timeout <seconds>',
    'poll accepted rows for this long after the last one was sent, and the first row before any other (300)',
  ],
];

/** Flags of whatever sends rows. */
export const rowSendingFlags: readonly Flag[] = [
  timeoutFlag,
  liveFlag,
  ['--confirm-login <login>', 'confirm a live batch in a script'],
  ['--no-input', 'never prompt'],
];

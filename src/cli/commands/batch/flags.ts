import { type Flag, liveFlag, timeoutFlag } from '../../core/options.js';

/** Flags of whatever sends, settles or shows rows that several machines share; only what sends or stops needs the key. */
export const engineFlags: readonly Flag[] = [
  { heading: 'Several machines:' },
  ['--engine <address>', 'the batch database, such as postgres://user@host/database'],
  ['--row-key-file <file>', 'the row encryption key shared by all workers (mode 0600)'],
  ['--engine-password-file <file>', 'file with the password of the database (mode 0600)'],
];

/** When a run stops by itself, and how long it asks about rows the gateway has accepted. */
export const endFlags: readonly Flag[] = [
  ['--max-unknown <share>', 'stop when more than this share of the last 200 outcomes is unknown (1%)'],
  ['--no-wait', 'wait only for the first row; `paycli batch resume` settles the other accepted rows'],
  [
    '--wait-timeout <time>',
    'how long to poll the first row before sending others, and accepted rows after the last one was sent (5m)',
  ],
];

/** Flags of whatever sends rows. */
export const rowSendingFlags: readonly Flag[] = [
  timeoutFlag,
  liveFlag,
  ['--confirm-login <login>', 'confirm a live batch in a script'],
  ['--no-input', 'never prompt'],
];

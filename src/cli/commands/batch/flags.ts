import { type Flag, liveFlag, timeoutFlag } from '../../core/options.js';

/** When a run stops by itself, and how long it asks about rows the gateway has accepted. */
export const endFlags: readonly Flag[] = [
  ['--max-unknown <share>', 'stop when more than this share of the last 200 outcomes is unknown (1%)'],
  ['--no-wait', 'wait only for the first row; `paycli batch run` resolves the other accepted rows'],
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

import { defineCommand, on, parsed, word } from '../../command.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag, waitTimeoutFlag } from '../../flags.js';
import { wrongValue } from '../../usage.js';
import { planArgument } from './open-batch.js';
import { runBatch } from './run-batch.js';

const runExitText =
  'Exit codes: 0 every row is done; 5 all are final, some declined; 7 some are accepted but still pending; 8 the outcome of some is unknown; 12 some remain, were refused or were not sent; 10 refused locally, for example by a cap; 13 the disk failed, or another process is using it.';

export const batchRun = defineCommand({
  summary: 'Send the rows of a plan, each once',
  help: `Send the rows of a plan, each once. First a status request checks keys, address and clock, and the orders of the unsent rows are looked up: all of them where they are at most 500, else the next 20, the last and some between; then one row is sent and polled until its status is final, then at most four at once until 20 are answered, then as many as --concurrency allows. It stops automatically when 5 outcomes in a row or more than 1% of the last 200 are unknown, or the gateway answers 401, 403 or 404. Ctrl-C waits for requests in flight; the same command continues a run that ended early: rows with an open outcome are queried, never sent again, then the unsent rows are sent.\n\nTwo-step payouts: once a payout-check plan is finished, \`paycli batch plan --pay PLAN\` makes the plan that pays. Right before each payout, the status of its check is queried again; if it has changed, the run ends with exit code 10.\n\n${runExitText}`,
  args: { plan: planArgument },
  flags: {
    concurrency: parsed('<number>', 'requests in flight at once (16)', (text) => readWhole(text, 256)),
    rate: parsed('<number>', 'request rate per second, minute or hour, polls included (10/s)', readRate),
    maxRows: parsed('<number>', 'send at most this many rows in this run', (text) => readWhole(text, 999_999_999)),
    maxUnknown: parsed('<share>', 'stop when more than this share of the last 200 outcomes is unknown (1%)', readShare),
    noWait: on('wait only for the first row; the next run resolves the other accepted rows'),
    waitTimeout: waitTimeoutFlag(
      'how long to poll the first row before sending others, and accepted rows after the last one was sent (5m; built-in sandbox: 5s)',
    ),
    askAll: on(
      'the file may have been sent from elsewhere: query every row first, and send only those the gateway does not have',
    ),
    continue: on('send rows of a batch that was paused with `paycli batch pause`; a terminal asks'),
    timeout: timeoutFlag,
    live: liveFlag,
    confirmLogin: word('<login>', 'confirm a live batch in a script'),
    noInput: on('never prompt'),
    dryRun: on('prepare and sign every row, show the first, send nothing'),
    ...connectionFlags,
    ...outputFlags,
  },
  examples: [
    'batch run $PLAN --dry-run',
    'batch run $PLAN',
    'batch run $PLAN --concurrency 8 --rate 20/s --max-rows 1000',
    'batch run $PLAN --continue',
  ],
  effect: 'money',
  note: 'It sends every row once; the effect of a row is that of its operation.',
  result: ['batch-event', 'batch-run', 'batch-dry-run'],
  run: ({ args: { plan }, flags, runtime }) => runBatch(plan, flags, runtime),
});

function readWhole(text: string, max: number): number {
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max) return Number(text);
  throw wrongValue(`use a whole number from 1 to ${max}`);
}

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** Requests in a second. */
function readRate(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(text) ?? [];
  if (count === undefined) throw wrongValue('use requests per second, minute or hour, such as 10/s or 90/min');
  return Number(count) / (secondsPerUnit[unit] ?? 1);
}

function readShare(text: string): number {
  const [, share] = /^(\d{1,2}(?:\.\d)?|100)%$/.exec(text) ?? [];
  if (share === undefined) throw wrongValue('use a share such as 1%, 2.5% or 100%');
  return Number(share) / 100;
}

import { defineReasons } from './reason.js';

const restoreFile =
  'nothing was sent now; put the file back as it was, or plan it again. If rows of it were sent before, `paycli resolve --all` resolves them and `paycli batch withdraw {plan}` withdraws the others';

export const batchReasons = defineReasons(() => ({
  engineOfPlanUnreadable: {
    code: 'STORAGE',
    what: 'the plan',
    why: 'its record of the engine it runs on cannot be read',
    how: 'nothing was sent; use the version of paycli that ran it',
  },
  planUnreadable: {
    code: 'STORAGE',
    what: 'plan {plan}',
    why: 'it is damaged, or was made by another version of paycli',
    how: 'use that version of paycli; the journal still shows what was sent',
  },
  planRowUnfit: {
    code: 'BATCH_REFUSED',
    why: 'row {row}: {problem}',
    how: 'it was not sent; find out who changed the plan, or plan the file again',
  },
  cardFileChanged: {
    code: 'BATCH_REFUSED',
    why: '{file}, which holds the card numbers of plan {plan}, has changed since it was planned',
    how: restoreFile,
  },
  cardFileGone: {
    code: 'BATCH_REFUSED',
    why: '{file}, which holds the card numbers of plan {plan}, no longer exists',
    how: restoreFile,
  },
  cardFileOpenToOthers: {
    code: 'BATCH_REFUSED',
    why: '{file}, which holds the card numbers of plan {plan}, can be read by other users: run chmod 600 on it',
    how: restoreFile,
  },
  batchPaused: {
    code: 'BATCH_LEFT',
    why: 'batch {batch} was paused by {by} on {host}: {reason}',
    how: '`paycli batch continue {batchAndWay}` releases it; then `{again}`',
  },
  batchHalted: {
    code: 'BATCH_LEFT',
    why: 'batch {batch} stopped on all machines: {reason}',
    how: 'find out why and resolve the rows whose outcome is unknown; `paycli batch continue {batchAndWay}` releases it; then `{again}`',
  },
  batchWithdrawn: {
    code: 'BATCH_LEFT',
    why: 'batch {batch} was withdrawn by {by} on {host}: {reason}',
    how: '`paycli batch report {batchAndWay}` shows what was sent before; the other rows can be planned again',
  },
  batchArchived: {
    code: 'BATCH_REFUSED',
    why: 'batch {batch} was archived by {by} on {host}: every row has its final status',
    how: 'nothing was sent; `paycli batch report {batchAndWay}` shows every row; new payments need a new plan',
  },
  batchNotFinished: {
    code: 'BATCH_REFUSED',
    why: 'batch {batch} cannot be archived: it has {counts}',
    how: `nothing was changed; \`{again}\` resolves open rows and sends those left, \`paycli batch withdraw {batchAndWay} --reason TEXT\` withdraws what was never sent, and \`{resolve}\` decides a conflict`,
  },
  batchNotFetched: {
    code: 'BATCH_REFUSED',
    why: 'the outcomes of {rows} of batch {batch} are not in the journal of this machine, which planned it',
    how: 'nothing was changed; `{again}` fetches them, then archive it',
  },
  runRowsUsedUp: {
    code: 'BATCH_LEFT',
    why: 'all rows that --max-rows allows have been started, counting every machine',
    how: '`paycli batch continue {batchAndWay}` lets every machine send the others; then `{again}`',
  },
  batchTotalsDiffer: {
    code: 'INTERNAL',
    why: 'the row totals of the batch do not match its plan',
    how: 'see `paycli journal --verify`',
    sent: '`paycli journal` shows what was sent',
  },
  payoutCheckUnfinished: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} cannot be paid: row {row} {clause}',
    how: 'nothing was paid; run `paycli batch resume {plan}` first',
  },
  noPayoutValidated: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} cannot be paid: the gateway validated none of its rows',
    how: 'nothing was paid, and there is nothing to pay',
  },
  payoutChangedSinceCheck: {
    code: 'BATCH_REFUSED',
    why: 'row {row}, order {order}, is not paid: {change}',
    how: 'see `paycli status` and `paycli order ORDER`',
  },
}));

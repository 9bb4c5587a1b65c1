import { defineReasons } from './reason.js';

const fromEarlierVersion = 'plan {plan} was started by an earlier version of paycli, which did not record its engine';
const noteOrFolder = 'either that note or this state folder was restored from a backup';

/** Which engine a plan runs on, and where it moves. */
export const batchBindingReasons = defineReasons(() => ({
  otherMoveUnfinished: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} is being moved to {to}',
    how: 'nothing was sent; finish that first: `{move}`',
  },
  planOfAnotherJournal: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} ran with a different journal',
    how: 'nothing was sent; restore that journal',
  },
  planArrived: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} is already stored in {to}, but the move is not finished',
    how: 'nothing was sent; finish the move with `{move}`',
  },
  notDatabaseOfPlan: {
    code: 'BATCH_REFUSED',
    why: 'this is not the database that plan {plan} runs on ({engine})',
    how: 'nothing was sent; name its address with --engine',
  },
  rowsStillOpen: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} has open rows ({counts}); resolve them where they were sent',
    how: 'nothing was sent; see `paycli batch resume` and `paycli resolve`, then move it',
  },
  rowsNotImported: {
    code: 'BATCH_REFUSED',
    why: 'row {rows} cannot be written to this journal: another request already uses its order id',
    how: 'nothing was sent; resolve the requests that `paycli journal list` shows for its order, then run this command again',
  },
  databaseReplaced: {
    code: 'BATCH_REFUSED',
    how: 'nothing was sent; `{resume}`{where} queries the gateway about every row first',
  },
  planOnItsWay: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} is being moved from {from} to {to}',
    how: 'nothing was sent; finish the move with `{move}`',
  },
  planRunsElsewhere: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} runs on {engine}, and running it elsewhere would send its rows a second time',
    how: 'nothing was sent; continue with `{resume}`{move}',
  },
  planJustBound: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was just bound to another engine',
    how: 'nothing was sent; `paycli batch show {plan}` shows where it runs',
  },
  noteSaysOtherEngine: {
    code: 'BATCH_REFUSED',
    why: `plan {plan} runs on {engine}, as {note} says: ${noteOrFolder}`,
    how: 'nothing was sent; remove the note once you know that it is the older one',
  },
  planRunsElsewhereByNote: {
    code: 'BATCH_REFUSED',
    why: `plan {plan} runs on {engine}, as {note} says: ${noteOrFolder}`,
    how: 'nothing was sent; continue with `{resume}`, or remove the note once you know that it is the older one',
  },
  copiedDatabaseInDoubt: {
    code: 'BATCH_REFUSED',
    why: `the original of this database still exists, as {engine}, and the outcome of {open} of its rows is unknown`,
    how: 'nothing was sent; resolve them there with `{resume}`',
  },
  engineUnknown: {
    code: 'BATCH_REFUSED',
    why: fromEarlierVersion,
    how: `nothing was sent; name the database it runs on with \`{resume}\`; if it ran on this machine alone, \`{careful}\` queries the gateway about every row first`,
  },
  engineUnknownNothingSent: {
    code: 'BATCH_REFUSED',
    why: fromEarlierVersion,
    how: `nothing was sent; name the database it runs on with \`{resume}\`; if it ran on this machine alone, none of its rows was sent: plan the file again`,
  },
  movedEngineUnknown: {
    code: 'BATCH_REFUSED',
    why: fromEarlierVersion,
    how: `nothing was sent; \`{resume}\`, with --engine if it runs on a database, first determines its engine; then move it`,
  },
  planRunsNowhere: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} has not been run on any engine yet',
    how: 'nothing was sent; `{run}` sends it from this machine; to send from several, add --engine and --row-key-file',
  },
  notEngineOfPlan: {
    code: 'STORAGE',
    why: 'it is not the database that plan {plan} runs on',
    how: 'omit --engine, or name {shown}',
  },
  lookedUpDatabaseReplaced: {
    code: 'STORAGE',
    how: '`{careful}` queries the gateway about every row before it continues',
  },
}));

import type { ReasonRow } from './reason.js';

const fromEarlierVersion = 'plan {plan} was begun by an earlier version of paycli, which did not record its engine';
const noteOrFolder = 'either that note or this state folder was restored from a backup';

/** Which engine a plan runs on, and where it moves. */
export const batchBindingReasons = {
  otherMoveUnfinished: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} is being moved to {to}',
    how: 'nothing was sent; finish that first: `{move}`',
  },
  planOfAnotherJournal: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} ran with another journal than this one',
    how: 'nothing was sent; put that journal back',
  },
  planArrived: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} has already been moved to {to}',
    how: 'nothing was sent; finish the move with `{move}`',
  },
  notDatabaseOfPlan: {
    code: 'BATCH_REFUSED',
    why: 'this is not the database that plan {plan} runs on ({engine})',
    how: 'nothing was sent; name its address with --engine',
  },
  rowsStillOpen: {
    code: 'BATCH_REFUSED',
    why: 'of plan {plan} {counts}: what is open is settled where it was sent',
    how: 'nothing was sent; see `paycli batch resume` and `paycli resolve`, then move it',
  },
  rowsNotImported: {
    code: 'BATCH_REFUSED',
    why: 'row {rows} cannot be written into this journal, where another request uses its place',
    how: 'nothing was sent; settle what `paycli journal list` shows of its order, then run this command again',
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
    why: 'plan {plan} runs on {engine}, and what was sent there would be sent a second time from elsewhere',
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
    why: `the database that this one is a copy of is still there, as {engine}, and {open} of its rows are in doubt`,
    how: 'nothing was sent; settle them there with `{resume}`',
  },
  engineUnknown: {
    code: 'BATCH_REFUSED',
    why: fromEarlierVersion,
    how: `nothing was sent; name the database it runs on, \`{resume}\`; if it ran on this machine alone, \`{careful}\` \
queries the gateway about every row first`,
  },
  engineUnknownNothingSent: {
    code: 'BATCH_REFUSED',
    why: fromEarlierVersion,
    how: `nothing was sent; name the database it runs on, \`{resume}\`; if it ran on this machine alone, nothing of it \
was sent: plan the file again`,
  },
  movedEngineUnknown: {
    code: 'BATCH_REFUSED',
    why: fromEarlierVersion,
    how: `nothing was sent; \`{resume}\`, with --engine where it runs on a database, finds its engine first; then move \
it`,
  },
  planRunsNowhere: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} does not run on any engine yet',
    how: 'nothing was sent; `{run}` sends it from this machine, with --engine and --row-key-file from several',
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
} as const satisfies Record<string, ReasonRow>;

import { defineReasons } from './reason.js';

const noteOrFolder = 'either that note or this state folder was restored from a backup';

/** Which engine a plan runs on. */
export const batchBindingReasons = defineReasons(() => ({
  databaseReplaced: {
    code: 'BATCH_REFUSED',
    how: 'nothing was sent; `{resume}`{where} queries the gateway about every row first',
  },
  planRunsElsewhere: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} runs on {engine}, and running it elsewhere would send its rows a second time',
    how: 'nothing was sent; continue with `{resume}`',
  },
  planJustBound: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was just bound to another engine',
    how: 'nothing was sent; `paycli batch show {plan}` shows where it runs',
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

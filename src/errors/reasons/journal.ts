import type { ReasonRow } from './reason.js';

const verifyTells = 'nothing was sent; `paycli journal verify` says what is wrong';

const verifyAndExport =
  'nothing was sent; `paycli journal verify` says what is wrong, `paycli journal export` saves what can be read, and \
the status of each order is with the gateway';

export const journalReasons = {
  madeByAnotherVersion: {
    code: 'STORAGE',
    why: 'another version of paycli made it',
    how: 'use the paycli that made it',
  },
  journalTablesChanged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'its tables are not those of the version it names',
    how: 'nothing was sent; move the file away and keep it, and put back a copy of it that was not changed',
  },
  journalFileDamaged: { code: 'STORAGE', what: 'the journal', why: 'its file is damaged', how: verifyAndExport },
  journalFlawed: { code: 'STORAGE', what: 'the journal', why: '{flaw}', how: verifyAndExport },
  journalEndMissing: {
    code: 'STORAGE',
    what: 'the journal',
    why: '{flaw}',
    how: 'nothing was sent; bring the newest journal back, or `paycli journal adopt --after-restore` asks the gateway \
about every order that this one knows and then goes on with it',
  },
  journalHeadNotWritten: {
    code: 'STORAGE',
    why: 'it cannot be written',
    how: 'see that the disk works and has room, and that its folder is yours and writable, then repeat the command',
  },
  entryAmountDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry holds an amount that is no number',
    how: verifyTells,
  },
  entryStateDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry is in a state that there is not',
    how: verifyTells,
  },
  entryTimeDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry has a time that there is not',
    how: verifyTells,
  },
  entryReplyDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry holds a reply that cannot be read',
    how: verifyTells,
  },
  entryLost: {
    code: 'INTERNAL',
    why: 'the journal lost an entry',
    how: 'report it',
    sent: '`paycli journal verify` looks into it',
  },
  leaseLost: { code: 'INTERNAL', why: 'the journal lost a lease', how: 'report it', sent: 'nothing was sent' },
  leaseEnded: {
    code: 'LIVE_GUARD',
    why: 'lease {lease} ended before the request was sent',
    how: 'nothing was sent; repeat the command and type the login',
  },
  leaseUsedMeanwhile: {
    code: 'LIVE_GUARD',
    why: 'another command used lease {lease} in the meantime, and {left} are left of it',
    how: 'nothing was sent; repeat the command and type the login',
  },
  clockBehindJournal: {
    code: 'LIVE_GUARD',
    why: 'the clock shows {now}, but the journal has lines of {latest}, so a lease could not end in time',
    how: 'set the clock of this machine right, or type the login for each payment',
  },
  capOfDayExceeded: {
    code: 'CAP_EXCEEDED',
    why: 'max-total-per-day is {limit}, {spent} of it are sent since 00:00 UTC, and this asks for {asked}',
    how: 'nothing was sent; {rest}, and the count starts anew at {frees}',
  },
} as const satisfies Record<string, ReasonRow>;

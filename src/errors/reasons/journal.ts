import { defineReasons } from './reason.js';

const adviceVerify = 'nothing was sent; `paycli journal --verify` says what is wrong';

const adviceVerifyAndAsk =
  'nothing was sent; `paycli journal --verify` says what is wrong, and the gateway has the status of each order';

/** Of the journal, and the commands that work on it; `what` is the subject of the title, `how` the next step. */
export const journalReasons = defineReasons(() => ({
  madeByAnotherVersion: {
    code: 'STORAGE',
    why: 'it was made by another version of paycli',
    how: 'use that version of paycli',
  },
  journalTablesChanged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'its tables do not match the version it states',
    how: 'nothing was sent; move the file away but keep it, and restore an unchanged copy',
  },
  journalFileDamaged: { code: 'STORAGE', what: 'the journal', why: 'its file is damaged', how: adviceVerifyAndAsk },
  journalIncomplete: {
    code: 'STORAGE',
    what: 'the journal',
    why: '{flaw}',
    how: 'nothing was sent; restore the newest journal, or run `paycli journal --accept-restored`, which queries the gateway about every order in this one and then continues with it',
  },
  journalHeadNotWritten: {
    code: 'STORAGE',
    why: 'it cannot be written',
    how: 'check that the disk works and has free space, and that its folder is yours and writable, then repeat the command',
  },
  entryAmountDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry has an amount that is not a number',
    how: adviceVerify,
  },
  entryStateDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry has an unknown state',
    how: adviceVerify,
  },
  entryTimeDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry has an impossible time',
    how: adviceVerify,
  },
  entryReplyDamaged: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'an entry has a reply that cannot be read',
    how: adviceVerify,
  },
  entryLost: {
    code: 'INTERNAL',
    why: 'an entry of the journal is missing',
    how: 'report this',
    sent: '`paycli journal --verify` checks it',
  },
  capOfDayExceeded: {
    code: 'CAP_EXCEEDED',
    why: 'max-total-per-day is {limit}, {spent} of it has been sent since 00:00 UTC, and this request is for {asked}',
    how: 'nothing was sent; {advice}, and the count restarts at {resetsAt}',
  },
  limitOrAll: { code: 'USAGE', why: 'use either --limit or --all' },
  limitNotWhole: { code: 'USAGE', why: '--limit: use a whole number from 1 to 999999' },
  noEntryOrOrder: { code: 'USAGE', why: 'the journal has no entry or order {order}' },
  incompleteNeedsAdopt: {
    code: 'STORAGE',
    what: 'the journal',
    why: '{flaw}',
    how: `\`paycli journal --accept-restored\` queries the gateway about every order that is still known, and then continues with it`,
  },
  adoptNeedsAfterRestore: {
    code: 'USAGE',
    why: 'add --after-restore: this command is for a journal whose newest lines are lost',
  },
  // --evidence alone is not accepted while the gateway can be queried.
  ordersNotQueried: {
    code: 'STORAGE',
    what: 'the journal',
    why: 'the gateway could not be queried about {count} of its orders ({which})',
    how: 'nothing was sent or adopted; correct the cause, then repeat the command. Where the gateway can no longer be queried, give the reason with --evidence TEXT; those orders then count as unknown',
  },
  oneOrderOrAll: { code: 'USAGE', why: 'name one order or entry, or use --all' },
  entryIsNumber: { code: 'USAGE', why: '--entry: use the number of an entry; `paycli journal` shows it' },
  settleOrResend: { code: 'USAGE', why: 'use either --settle-as or --resend' },
  settleNeedsOneOrder: { code: 'USAGE', why: '--settle-as and --resend apply to one order' },
  settleNeedsEvidence: { code: 'USAGE', why: 'use --settle-as and --evidence together' },
  evidenceTooShort: {
    code: 'USAGE',
    why: 'say in --evidence how you know: at least {least} characters, and two words or a reference with a digit, such as "statement of 31 January, line 4"',
  },
  settlementDeclined: {
    code: 'CANCELLED',
    why: 'nothing was recorded',
    how: '`{show}` shows the request; --yes skips the question',
  },
  entryNotOrder: {
    code: 'USAGE',
    why: '{name} is not an order but an entry number: use --entry {name} if you mean that entry',
  },
  noSuchEntry: { code: 'USAGE', why: 'the journal has no entry {entry}; `paycli journal` shows those it has' },
  noRequestOnOrder: {
    code: 'USAGE',
    why: 'the journal has no request on order {order} for this profile, and no such entry; `{ask}` queries the gateway',
  },
  severalRequestsOpen: {
    code: 'USAGE',
    why: 'several requests on this order are open: {which}. Name one with --entry',
  },
  settledAlready: {
    code: 'USAGE',
    why: '{what} {settled}; this cannot be changed manually, and `{show}` shows why. Should a later status contradict it, the request is in conflict and can be settled again',
  },
  stillProcessing: {
    code: 'PENDING',
    why: '{what}: the gateway is processing it, so its outcome is open and nothing was settled',
    how: '`{ask}` queries again; --offline settles it anyway, for example once gateway support has confirmed the outcome in writing',
  },
  senderNotVisible: {
    code: 'INTENT_BUSY',
    what: '{intent}, in a container or on a machine that cannot be seen from here',
  },
  approveNeedsKeyFile: { code: 'USAGE', why: '--key-file is missing: the file of your own Ed25519 private key' },
  approveNeedsApprovalFile: { code: 'USAGE', why: '--approval-file is missing: where the approval is written' },
  resendNotConfirmed: {
    code: 'CONFIRMATION_NEEDED',
    why: '{what}: the gateway has no such order now, and a request on its way could still arrive: sent once more, it may be paid twice',
    how: 'nothing was changed; to allow it, repeat the command with --confirm-resend {id:word}',
  },
  resendIdDiffers: {
    code: 'CONFIRMATION_NEEDED',
    why: 'that is not the id of this order',
    how: 'nothing was changed; its id is {id}',
  },
}));

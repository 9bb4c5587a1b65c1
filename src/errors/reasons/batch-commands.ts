import { defineReasons, moneyMay } from './reason.js';

const cardFileKeyHow =
  'nothing was sent; make the file and its folder readable and writable by you. If the key is lost, plan the file again';

export const batchCommandsReasons = defineReasons(() => ({
  // What the flags say.
  withdrawalReasonMissing: { code: 'USAGE', why: '--reason is missing: state the reason for the withdrawal' },
  rateForm: {
    code: 'USAGE',
    why: '--rate: use requests per second, minute or hour, such as 10/s or 90/min',
  },
  maxUnknownForm: { code: 'USAGE', why: '--max-unknown: use a share such as 1%, 2.5% or 100%' },
  batchOperationMissing: { code: 'USAGE', why: '--operation is missing: one of {names}' },
  batchOperationNeedsCvv: {
    code: 'USAGE',
    why: `{operation} needs the security code of the card, which must not be in a file; a batch accepts {names}`,
  },
  noBatchOperation: { code: 'USAGE', why: '--operation: use one of {names}[; did you mean {meant}?]' },
  delimiterUnknown: { code: 'USAGE', why: "--delimiter: use ',', ';' or tab" },
  mapForm: { code: 'USAGE', why: '--map: use COLUMN=FIELD, such as "Order no=client_orderid"' },
  mapTwice: { code: 'USAGE', why: '--map names one column twice' },
  mapUnknownField: { code: 'USAGE', why: '--map: {operation} has no field {field}[; did you mean {meant}?]' },
  mapUnknownStatementField: { code: 'USAGE', why: '--map: use one of {fields}[; did you mean {meant}?]' },
  statementCurrency: { code: 'USAGE', why: '--currency: use an ISO 4217 code, such as EUR' },
  rowCountNotWhole: { code: 'USAGE', why: '{flag}: use a whole number of rows' },
  totalForm: { code: 'USAGE', why: '{flag}: use a currency and an amount, such as EUR=123.45' },
  totalAmountForm: { code: 'USAGE', why: '{flag}: {problem}' },
  totalTwice: { code: 'USAGE', why: '{flag} names {currency} twice' },
  expectedMissing: {
    code: 'USAGE',
    why: 'the file is valid and holds {holds}; {flags} {are} needed {where}, to confirm that with figures from an independent source',
  },
  rowKeyMissing: {
    code: 'USAGE',
    why: '--row-key-file is missing: the key that all workers share; `paycli batch work --make-row-key FILE` creates one',
  },
  engineMissing: {
    code: 'USAGE',
    why: '--engine is missing: the database of the batch, such as postgres://user@host/database',
  },
  rowKeyFileTaken: { code: 'USAGE', why: '--make-row-key: a file with that name already exists' },
  rowKeyUnwritable: { code: 'USAGE', why: '--make-row-key: the file cannot be written' },
  payNeedsCheckPlan: {
    code: 'USAGE',
    why: '--pay needs a payout-check plan, and {plan} is not one',
  },
  // Files and plans.
  inputUnreadable: { code: 'USAGE', why: '{file}: {message}' },
  batchFileInvalid: {
    code: 'BATCH_INVALID',
    how: 'nothing was done; correct the file and repeat the command[. All errors: {errorsFile}]',
  },
  cardFileExposed: {
    code: 'SECRET_UNREADABLE',
    what: 'card numbers in a file',
    why: 'other users can read {path}',
    how: 'run `chmod 600 {path:word}`, as the owner of the file',
  },
  cardFileKeyUnusable: {
    code: 'STORAGE',
    why: 'it cannot be read or written; it holds the key for files with card numbers',
    how: cardFileKeyHow,
  },
  cardFileKeyMissing: {
    code: 'STORAGE',
    why: 'it contains no key for files with card numbers',
    how: cardFileKeyHow,
  },
  noSuchPlan: { code: 'USAGE', why: 'there is no plan {plan}; `paycli batch list` shows all' },
  planOnAnotherMachine: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was made by {user} on {host}, and its file exists only there; this machine reaches its rows in {engine}',
    how: `nothing was sent from here; \`{work}\` resolves open rows and sends the rest, using only the database; limits, approvals and --after-restore need \`paycli batch resume\` on {host}`,
  },
  planNotNamed: {
    code: 'USAGE',
    why: 'no plan is named; give its id, as in `paycli {command} PLAN`; `paycli batch list` shows all',
  },
  severalPlans: { code: 'USAGE', why: 'the id matches several plans: {plans}' },
  planNeverRun: { code: 'USAGE', why: 'plan {plan} has never been run; `paycli batch run {plan}` starts it' },
  batchChangeDeclined: {
    code: 'CANCELLED',
    why: '{what} was not changed',
    how: '`paycli batch show {plan:word}` shows it; --yes skips the question',
  },
  planLocked: {
    code: 'STORAGE',
    why: '{owner} is sending it right now',
    how: 'wait until it ends, or end it with Ctrl-C; then repeat the command',
  },
  planLockUnwritable: {
    code: 'STORAGE',
    why: 'it cannot be written',
    how: 'check that the disk works and has free space, then repeat the command',
  },
  planChanged: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} cannot be run: {change}',
    how: 'nothing was sent now; plan the file again. If rows of it were sent before, `paycli resolve --all` resolves them and `paycli batch withdraw {plan}` withdraws the others',
  },
  planOfAnotherProfile: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was made for {planned}; this is {here}',
    how: 'nothing was sent; add --profile {profile}, or plan the file again',
  },
  reportUnwritable: {
    code: 'STORAGE',
    what: 'the report in {folder}',
    how: `what was sent is recorded in the journal; free some space or choose another folder with --out, then run \`paycli batch report\` again`,
  },
  storageFailedInBatch: {
    code: 'OUTCOME_UNKNOWN',
    may: moneyMay,
    why: 'storage failed while rows of the batch were in flight',
  },
  // Approvals.
  planNeedsApproval: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} needs the approval of a second person, because {needed}; {verdict}',
    how: `nothing was sent; copy {path:word} to the user account of an approver, who runs \`paycli batch approve ./{plan}.db --key-file FILE --approval-file NEW\`, then run \`paycli batch approve {plan} --approval-file NEW\` here`,
  },
  batchNeedsApproval: {
    code: 'BATCH_REFUSED',
    why: 'batch {plan} needs the approval of a second person, because {needed}; {verdict}',
    how: `nothing was sent from here; the approvers are listed in the configuration file of every machine, and \`paycli batch resume\` where it was planned uploads a new approval`,
  },
  workerCapLower: {
    code: 'CAP_EXCEEDED',
    why: 'its max-total-per-day is {cap}, that of batch {batch} is {ofBatch}, and a worker never exceeds its own cap',
    how: `nothing was sent from here; lower the cap where the batch was planned and run \`paycli batch resume\` there, or raise the cap of this machine`,
  },
  planFileMissing: { code: 'USAGE', why: 'file {file} does not exist' },
  planKeyOfNoApprover: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was not approved: this key does not belong to an approver',
    how: 'list its public key under approvers in the user file of this account and of the one that sends',
  },
  planApprovalRefused: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was not approved: {verdict}',
    how: `have someone else approve it under their own user account: they run \`paycli batch approve COPY --key-file FILE --approval-file NEW\` on a copy of the plan's file, then you run \`paycli batch approve {plan} --approval-file NEW\`; \`paycli batch approve --help\` has more`,
  },
  changedPlanNotApproved: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was not approved: {change}',
    how: 'plan the file again',
  },
  planTotalsNotTyped: {
    code: 'CONFIRMATION_NEEDED',
    why: 'plan {plan} was not approved: the total must be typed, and there is no terminal to prompt on',
    how: 'add {flags}',
  },
  planNotAsStated: {
    code: 'BATCH_REFUSED',
    why: 'plan {plan} was not approved: {differences}',
    how: 'ask which plan is meant; `paycli batch show {plan}` shows this one',
  },
  // Before the first row.
  connectionNotAnswered: {
    code: 'READ_FAILED',
    why: 'before the first row, a status request was not answered: {message}',
  },
  connectionRefused: {
    code: 'REFUSED',
    how: 'see `{explain}`; nothing of the batch was sent',
  },
  orderNotQueried: {
    code: 'READ_FAILED',
    why: 'before the first row, the status of an order could not be requested: {message}',
  },
  rowsSentBefore: {
    code: 'BATCH_REFUSED',
    why: '{rows} of plan {plan} {were} already sent, but not by this plan: {which}',
    how: 'nothing was sent; remove these rows from the file and plan it again; `paycli journal` shows how they were sent',
  },
  rowSentBefore: {
    code: 'BATCH_REFUSED',
    why: 'row {row}: {sent}',
    how: 'nothing was sent; remove it from the file and plan it again',
  },
  rowSentFromHere: {
    code: 'BATCH_REFUSED',
    why: 'row {row} of batch {plan} was already sent from this machine: {intent} {clause}',
    how: 'nothing was sent from here; stop the other workers, and make sure that the row is not paid twice',
  },
  atGatewayThoughUnknown: {
    code: 'BATCH_REFUSED',
    why: 'the gateway already has {orders}, although {they} not recorded as sent: the record was restored from a backup, or the file was sent from elsewhere as well',
    how: 'nothing was sent; --after-restore queries every row first and sends only those the gateway does not have',
  },
  returnedThoughUnsent: {
    code: 'BATCH_REFUSED',
    why: 'the gateway has returned more of {orders} than this journal knows: the file may have been sent from elsewhere',
    how: 'nothing was sent; find out who made those returns. PAYCLI_ASK_FIRST=off sends the rows all the same',
  },
  atGatewayThoughUnsent: {
    code: 'BATCH_REFUSED',
    why: 'the gateway already has {orders}, although this journal never sent {them}: the file was sent from elsewhere',
    how: 'nothing was sent; find out who sent it. --after-restore queries every row and sends only those the gateway does not have',
  },
  atGatewayThoughNotInDatabase: {
    code: 'BATCH_REFUSED',
    why: 'the gateway already has {orders}, although the database does not list {them} as sent: it was restored from a backup, or the file was sent from elsewhere as well',
    how: `nothing was sent; \`paycli batch resume {plan} --engine … --after-restore\`, on the machine that planned it, queries every row first`,
  },
  followUpsNotRecoverable: {
    code: 'BATCH_REFUSED',
    why: 'once a journal is lost, no status reply shows whether a follow-up such as this one was sent',
    how: 'nothing was sent; check each order with `paycli status`, and plan the missing rows',
  },
  journalLacksSentRows: {
    code: 'STORAGE',
    what: 'the journal',
    why: '{note} shows that it is missing entries from when this file was last sent: it was restored from a backup, or this is a different computer',
    how: 'nothing was sent; --after-restore queries the gateway about every row first and records what was sent',
  },
  noteUnreadable: {
    code: 'STORAGE',
    why: 'it cannot be read',
    how: 'remove it once you know which rows of this file were sent',
  },
}));

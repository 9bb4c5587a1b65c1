/**
 * Every way paycli can end, as one closed table.
 * `exit` is the process exit code; `title` says what happened; `next` says what to do.
 * Words in braces are filled from the error's facts and never hold a secret.
 */
export interface CatalogueRow {
  readonly exit: number;
  readonly title: string;
  readonly next: string;
  /** The help topic that explains it, where there is one. */
  readonly topic?: Topic;
}

/** Topics of `paycli help` that errors refer to. */
export type Topic =
  | 'exit-codes'
  | 'environment'
  | 'live'
  | 'money-safety'
  | 'profiles'
  | 'secrets'
  | 'signing'
  | 'states';

export const catalogue = {
  INTERNAL: {
    exit: 1,
    title: 'paycli itself failed: {why}',
    next: '{how}; {sent}',
  },
  USAGE: { exit: 2, title: '{why}', next: 'see `paycli {command} --help`' },
  FIELD_MISSING: {
    exit: 2,
    title: 'missing: {flags}',
    next: 'add the flags{card}, or run in a terminal to be asked for them; see `paycli {command} --help`',
  },
  FIELD_INVALID: { exit: 2, title: '{problems}', next: 'correct the values; see `paycli {command} --help`' },
  AMOUNT_INVALID: { exit: 2, title: 'amount: {why}', next: 'write it as {form}' },
  TEXT_INVALID: { exit: 2, title: '{field}: {why}', next: 'correct it, then run the command again' },
  URL_INVALID: { exit: 2, title: 'address {field}: {why}', next: 'use an address such as {form}' },
  CARD_ON_COMMAND_LINE: {
    exit: 2,
    title: 'card data on the command line is refused with a live profile',
    next: 'use --card-file, --card-fd or the prompt, and clear this line from the history of your shell',
    topic: 'live',
  },
  KEY_ON_COMMAND_LINE: {
    exit: 2,
    title:
      '{flag} is refused: a secret never stands on the command line, where other users and the history of the shell see it',
    next: 'use {flag}-file or {flag}-fd, or `paycli profile add` to be asked for it; clear this line from the history of your shell',
    topic: 'secrets',
  },
  ORDER_ID_NEEDED: {
    exit: 2,
    title: 'a live profile without a terminal needs an order id chosen by the caller',
    next: 'add --client-order-id ID, the same one whenever this payment is repeated',
    topic: 'live',
  },
  CONFIG_INVALID: {
    exit: 3,
    title: '{file}: {problems}',
    next: 'correct the file; `paycli doctor` reads it again',
    topic: 'profiles',
  },
  ENVIRONMENT_INVALID: {
    exit: 3,
    title: '{problems}',
    next: 'correct the variable, or unset it',
    topic: 'environment',
  },
  CONFIG_EXPOSED: { exit: 3, title: '{path} {why}, so it is not read', next: '{how}', topic: 'profiles' },
  CONFIG_UNTRUSTED: {
    exit: 3,
    title: '{file} sets {keys}, which a project file may do only when trusted',
    next: 'read the file, then run `paycli config trust {file:word}`',
    topic: 'profiles',
  },
  PROFILE_UNKNOWN: {
    exit: 3,
    title: 'there is no profile named {name}{hint}',
    next: 'profiles in {file}: {known}; `paycli profile add NAME` makes one',
    topic: 'profiles',
  },
  PROFILE_NOT_CHOSEN: {
    exit: 3,
    title: '{file} has profiles, but none is chosen',
    next: 'add --profile with one of {known}, or run `paycli profile use NAME`; --profile sandbox is the sandbox in the box',
    topic: 'profiles',
  },
  PROFILE_INCOMPLETE: { exit: 3, title: 'profile {name} lacks {lacking}', next: 'set {how}', topic: 'profiles' },
  PROFILE_CLASS_MISMATCH: {
    exit: 3,
    title: '{why}',
    next: 'use a profile whose class fits the address; `paycli profile list` shows class and address of each',
    topic: 'profiles',
  },
  SECRET_UNREADABLE: { exit: 3, title: '{what}: {why}', next: '{how}', topic: 'secrets' },
  KEY_UNUSABLE: {
    exit: 3,
    title: 'key {source}: {why}',
    next: '`paycli keys inspect FILE` tells more; `paycli keys generate --out FILE` makes a new one',
    topic: 'signing',
  },
  RUNTIME_UNTESTED: {
    exit: 3,
    title:
      '{engine} is not among the runtimes tested with paycli, and another may repeat a request by itself; nothing that moves money is sent',
    next: 'run paycli with {tested}; `paycli doctor` shows what else is amiss',
  },
  TLS_POLICY: {
    exit: 3,
    title: '{why}',
    next: 'unset NODE_TLS_REJECT_UNAUTHORIZED; use --ca-file for an own certificate authority',
  },
  CLOCK_OFF: {
    exit: 3,
    title: 'the clock of this machine was {words} when it last answered',
    next: 'nothing was sent; set the clock, then run `paycli doctor --online`, which looks again',
  },
  CERTIFICATE: {
    exit: 3,
    title: 'the certificate of {host} was not accepted: {why}',
    next: 'nothing was sent; check the address, or name the authority with --ca-file',
  },
  STATUS_UNSIGNABLE: {
    exit: 3,
    title: 'profile {name} has no control key, so it could not ask for the outcome of a payment it sent',
    next: 'set control-key-file in the profile, or say --no-status (not on live)',
    topic: 'money-safety',
  },
  REFUSED: { exit: 4, title: 'the gateway refused the request: {why}', next: '{how}' },
  NOT_SENT: {
    exit: 6,
    title: 'nothing was sent: {why}',
    next: 'check the address and the network, then repeat the same command',
    topic: 'money-safety',
  },
  PENDING: { exit: 7, title: 'still pending: {why}', next: '{how}', topic: 'states' },
  OUTCOME_UNKNOWN: {
    exit: 8,
    title: 'the outcome is unknown, money may have moved: {why}',
    next: 'do not send it again; settle it with `{how}`',
    topic: 'money-safety',
  },
  READ_FAILED: { exit: 9, title: 'the question got no answer: {why}', next: 'nothing was changed; repeat the command' },
  LIVE_GUARD: { exit: 10, title: '{why}', next: '{how}', topic: 'live' },
  CAP_EXCEEDED: {
    exit: 10,
    title: 'a cap of profile {profile} stands in the way: {why}',
    next: '{how}',
    topic: 'money-safety',
  },
  INTENT_DIFFERS: {
    exit: 2,
    title: 'the order id {order} already stands for another request: {what}',
    next: 'repeat that one exactly, or choose another --client-order-id for this one',
    topic: 'money-safety',
  },
  SAME_CONTENT_OPEN: {
    exit: 10,
    title: 'the same payment is in doubt already: order {order} is {state}',
    next: 'settle it first with `paycli resolve {order:word}`; if this is meant as a second payment, give it a --client-order-id of its own',
    topic: 'money-safety',
  },
  SAME_CONTENT_SENT: {
    exit: 10,
    title: 'the same payment was sent already: order {order} is {state}',
    next: '`paycli journal show {order:word}` shows it; if this is meant as a second payment, give it a --client-order-id of its own',
    topic: 'money-safety',
  },
  ORDER_BUSY: {
    exit: 10,
    title: 'an earlier request on this order is in doubt: {what} is {state}',
    next: 'nothing was sent; settle it first with `paycli resolve {order:word}`',
    topic: 'money-safety',
  },
  ORDER_ELSEWHERE: {
    exit: 10,
    title: 'order {order} is row {row} of plan {plan}, which runs on {engine}: {said}',
    next: 'nothing was sent; `paycli batch show {plan:word}` tells of the row where it was planned, and `paycli batch move` takes the plan elsewhere',
    topic: 'money-safety',
  },
  RESEND_REFUSED: {
    exit: 10,
    title: 'order {order} may not be sent again: {why}',
    next: '`paycli resolve {order:word}` asks the gateway once more; the support of the gateway can tell what became of it',
    topic: 'money-safety',
  },
  INTENT_BUSY: {
    exit: 13,
    title: 'another paycli (process {pid}) is sending this right now: {what}',
    next: 'nothing was sent; wait for it to end, then repeat this command to learn the outcome',
    topic: 'money-safety',
  },
  CONFIRMATION_NEEDED: { exit: 10, title: '{why}', next: '{how}' },
  BATCH_INVALID: { exit: 2, title: '{file}: {problems}', next: '{how}' },
  BATCH_REFUSED: { exit: 10, title: '{why}', next: '{how}' },
  CHECK_FAILED: { exit: 11, title: 'expected {expected}, got {got}', next: 'see the reply above', topic: 'exit-codes' },
  SECRET_FOUND: {
    exit: 11,
    title: 'nothing was written, for the search found what must not be passed on: {found}',
    next: 'look for it with `paycli journal show {order:word}` and `paycli timeline {order:word}`; the rest may be passed on by hand',
  },
  STORAGE: { exit: 13, title: '{what} could not be used: {why}', next: '{how}' },
  PORT_TAKEN: {
    exit: 13,
    title: 'port {port} is taken{holder}',
    next: 'choose another with --port, or --port 0 for any free one',
  },
  INTERRUPTED: {
    exit: 130,
    title: 'interrupted before anything was sent{also}',
    next: 'repeat the command when ready',
  },
  TERMINATED: { exit: 143, title: 'ended before anything was sent{also}', next: 'repeat the command when ready' },
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof catalogue;

/** What each exit code means; printed by `paycli help exit-codes` and in the README. */
export const exitCodes = [
  {
    exit: 0,
    meaning: 'done; with --wait the outcome is a success or the one named by --expect',
    sent: 'yes',
    repeat: '-',
  },
  { exit: 1, meaning: 'a fault in paycli', sent: 'the message says', repeat: 'no' },
  { exit: 2, meaning: 'wrong usage or input', sent: 'no', repeat: 'after fixing' },
  { exit: 3, meaning: 'configuration, key or TLS policy unusable', sent: 'no', repeat: 'after fixing' },
  {
    exit: 4,
    meaning: 'refused by the gateway: validation error, wrong control or signature',
    sent: 'yes, no effect',
    repeat: 'after fixing',
  },
  { exit: 5, meaning: 'final "no": declined, filtered or error', sent: 'yes', repeat: 'no' },
  { exit: 6, meaning: 'proven not sent', sent: 'no', repeat: 'yes' },
  { exit: 7, meaning: 'still pending when the wait ended', sent: 'yes', repeat: 'ask with `paycli status --wait`' },
  {
    exit: 8,
    meaning: 'outcome unknown: money may have moved',
    sent: 'maybe',
    repeat: 'never; settle it with `paycli resolve`',
  },
  { exit: 9, meaning: 'a read failed after retries', sent: 'no effect', repeat: 'yes' },
  {
    exit: 10,
    meaning: 'refused here: live guard, a cap, an earlier request in doubt, a confirmation missing',
    sent: 'no',
    repeat: 'after fixing',
  },
  {
    exit: 11,
    meaning: 'a check failed: another outcome than --expect named, a signature or control that does not fit',
    sent: '-',
    repeat: '-',
  },
  { exit: 12, meaning: 'a batch ended with rows left or rejected', sent: 'yes', repeat: '-' },
  {
    exit: 13,
    meaning: 'journal, disk or port failure, or another paycli is at it',
    sent: 'no',
    repeat: 'after fixing',
  },
  { exit: 130, meaning: 'interrupted before anything was sent (143 when terminated)', sent: 'no', repeat: 'yes' },
] as const;

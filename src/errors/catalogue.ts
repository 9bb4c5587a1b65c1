import { exits } from './exits.js';

/**
 * Every way paycli can end, as one closed table.
 * `exit` is the process exit code; `title` says what happened; `next` says what to do.
 * Words in braces are filled from the error's facts and never hold a secret. A part in square brackets is left out
 * where a fact that it names is not known.
 */
export interface CatalogueRow {
  readonly exit: number;
  readonly title: string;
  readonly next: string;
  /** The help topic that explains it, where there is one. */
  readonly topic?: Topic;
}

/** Topics of `paycli help` that errors refer to. */
export type Topic = 'callbacks' | 'certify' | 'money-safety' | 'output' | 'profiles' | 'signing';

export const catalogue = {
  INTERNAL: {
    exit: exits.fault,
    title: 'paycli itself failed: {why}',
    next: '{how}[; {sent}]',
  },
  USAGE: { exit: exits.usage, title: '{why}', next: 'see `paycli {command} --help`' },
  FIELD_MISSING: {
    exit: exits.usage,
    title: 'missing: {flags}',
    next: 'add the flags[ ({fillers})], or run in a terminal to be asked for them; see `paycli {command} --help`',
  },
  FIELD_INVALID: { exit: exits.usage, title: '{problems}', next: 'correct the values; see `paycli {command} --help`' },
  AMOUNT_MISSING: { exit: exits.usage, title: '{why}', next: 'nothing was sent; `{named}`' },
  AMOUNT_INVALID: { exit: exits.usage, title: 'amount: {why}', next: 'use an amount such as {form}' },
  TEXT_INVALID: { exit: exits.usage, title: '{field}: {why}', next: 'correct it, then run the command again' },
  URL_INVALID: { exit: exits.usage, title: 'address {field}: {why}', next: 'use an address such as {form}' },
  CARD_ON_COMMAND_LINE: {
    exit: exits.usage,
    title: 'card data on the command line is refused with a live profile',
    next: 'use --input with a file of mode 0600, --input - or the prompt, and remove this line from your shell history',
    topic: 'profiles',
  },
  KEY_ON_COMMAND_LINE: {
    exit: exits.usage,
    title:
      '{flag} is refused: a secret must not be on the command line, where other users and the shell history could see it',
    next: 'use {flag}-file or {flag}-fd, or `paycli init` or `paycli profile set-key` to be asked for it; remove this line from your shell history',
    topic: 'profiles',
  },
  ORDER_ID_NEEDED: {
    exit: exits.usage,
    title: 'with a live profile and no terminal, a new order needs your own client order id (idempotency key)',
    next: 'add --client-order-id ID, and use the same ID whenever you repeat this payment',
    topic: 'profiles',
  },
  CONFIG_INVALID: {
    exit: exits.configuration,
    title: '{file}: {problems}',
    next: 'correct the file; `paycli doctor` checks it again',
    topic: 'profiles',
  },
  ENVIRONMENT_INVALID: {
    exit: exits.configuration,
    title: '{problems}',
    next: '{how|correct the variable, or unset it}',
    topic: 'profiles',
  },
  CONFIG_EXPOSED: {
    exit: exits.configuration,
    title: '{path} {why}, so it is not read',
    next: '{how}',
    topic: 'profiles',
  },
  PROFILE_UNKNOWN: {
    exit: exits.configuration,
    title: 'there is no profile named {name}[ in {where}][; did you mean {meant}?]',
    next: 'profiles in {file}: {known}; `paycli init` creates one',
    topic: 'profiles',
  },
  PROFILE_NOT_CHOSEN: {
    exit: exits.configuration,
    title: '[{why}][{file} has profiles, but none is chosen]',
    next: '[{how}][add --profile with one of {known}, or run `paycli profile set NAME --default`]; --profile sandbox is the built-in sandbox',
    topic: 'profiles',
  },
  PROFILE_INCOMPLETE: {
    exit: exits.configuration,
    title: '[{why}][profile {name} lacks {lacking}]',
    next: 'set {how}',
    topic: 'profiles',
  },
  PROFILE_CLASS_MISMATCH: {
    exit: exits.configuration,
    title: '{why}',
    next: '{how}; `paycli profile show` shows the class and address of each',
    topic: 'profiles',
  },
  SECRET_UNREADABLE: { exit: exits.configuration, title: '{what}: {why}', next: '{how}', topic: 'profiles' },
  KEY_UNUSABLE: {
    exit: exits.configuration,
    title: 'key {source}: {why}',
    next: '`paycli keys inspect FILE` shows details; `paycli keys generate --out FILE` generates a new one',
    topic: 'signing',
  },
  RUNTIME_UNTESTED: {
    exit: exits.configuration,
    title:
      '{engine} is not a runtime that paycli is tested with, and it may repeat a request on its own; nothing that moves money is sent',
    next: 'run paycli with {tested}; `paycli doctor` shows what else is wrong',
  },
  TLS_POLICY: {
    exit: exits.configuration,
    title: '{why}',
    next: 'unset NODE_TLS_REJECT_UNAUTHORIZED; use --ca-file for a custom CA certificate',
  },
  CERTIFICATE: {
    exit: exits.configuration,
    title: 'no secure connection to {host}: {why}',
    next: 'nothing was sent; {check}',
  },
  STATUS_UNSIGNABLE: {
    exit: exits.configuration,
    title: 'profile {name} has no control key, so the outcome of a payment could not be checked',
    next: '`paycli profile set-key {name:word} control --file FILE` sets it',
    topic: 'money-safety',
  },
  REFUSED: { exit: exits.refused, title: 'the gateway refused the request: {why}', next: '{how}' },
  DECLINED: { exit: exits.declined, title: 'not approved: {why}', next: '{how}', topic: 'money-safety' },
  NOT_SENT: {
    exit: exits.notSent,
    title: 'nothing was sent: {why}',
    next: 'check the address and the network, then repeat the same command[ {same}][; `{offlineCommand}` shows what is known here]',
    topic: 'money-safety',
  },
  HANDLER_SILENT: {
    exit: exits.notSent,
    title: 'the handler at {url} did not answer: {why}',
    next: 'check the address and that the handler is running, then repeat the command',
    topic: 'callbacks',
  },
  CLIENT_SILENT: { exit: exits.notSent, title: 'nothing was sent: {why}', next: '{how}', topic: 'signing' },
  PENDING: { exit: exits.pending, title: 'still pending: {why}', next: '{how}', topic: 'money-safety' },
  NO_CALLBACK: { exit: exits.pending, title: '{why}', next: '{how}', topic: 'callbacks' },
  OUTCOME_UNKNOWN: {
    exit: exits.unknown,
    title: 'the outcome is unknown; {may}: {why}',
    next: 'do not send it again; [{first}, then ]resolve it with `{how}`[; {check}]',
    topic: 'money-safety',
  },
  READ_FAILED: {
    exit: exits.readFailed,
    title: 'no usable reply: {why}',
    next: 'nothing was changed; [{check}, then ]repeat the command[; `{offlineCommand}` shows what is known here]',
  },
  LIVE_GUARD: { exit: exits.refusedHere, title: '{why}', next: '{how}', topic: 'profiles' },
  CAP_EXCEEDED: {
    exit: exits.refusedHere,
    title: 'blocked by a cap of profile {profile}: {why}',
    next: '{how}',
    topic: 'money-safety',
  },
  ORDER_ID_USED: {
    exit: exits.usage,
    title: 'order id {order} is already used by another request: {what}',
    next: '[nothing was sent; resolve it first with `{resolve}`][nothing was sent; that request is not final: see `{see}`][repeat that request exactly, or choose another {flag} for this one]',
    topic: 'money-safety',
  },
  SAME_CONTENT_OPEN: {
    exit: exits.refusedHere,
    title:
      'this may be a second payment: order {order} has the same amount and the same card or account, and its state is {state}',
    next: 'nothing was sent; resolve it first with `paycli resolve {order:word}[{flags}]`[; if this is meant as a second payment, {again} sends it anyway]',
    topic: 'money-safety',
  },
  SAME_CONTENT_SENT: {
    exit: exits.refusedHere,
    title: 'the same payment was already sent: order {order} is {state}',
    next: 'nothing was sent; `paycli journal {order:word}[ --profile {profile:word}]` shows it; if this is meant as a second payment, {how|give it a different --client-order-id}',
    topic: 'money-safety',
  },
  ORDER_BUSY: {
    exit: exits.refusedHere,
    title: 'an earlier request on this order has no final outcome yet: {what} {clause}',
    next: 'nothing was sent; resolve it first with `paycli resolve {order:word}[{flags}]`',
    topic: 'money-safety',
  },
  RESEND_REFUSED: {
    exit: exits.refusedHere,
    title: 'order {order} may not be sent again: {why}',
    next: '`paycli resolve {order:word}[{flags}]` queries the gateway again; gateway support knows the outcome',
    topic: 'money-safety',
  },
  REQUEST_BUSY: {
    exit: exits.storage,
    title: 'another paycli is sending this right now, or has just changed it: {what}',
    next: 'nothing was sent; wait for it to end, then repeat this command to learn the outcome',
    topic: 'money-safety',
  },
  NOT_POSSIBLE: { exit: exits.refusedHere, title: '{why}', next: '{how}' },
  CONFIRMATION_NEEDED: { exit: exits.refusedHere, title: '{why}', next: '{how}' },
  CANCELLED: { exit: exits.refusedHere, title: 'cancelled: {why}', next: '{how}' },
  BATCH_INVALID: { exit: exits.usage, title: '{file}: {problems}', next: '{how}' },
  BATCH_LEFT: { exit: exits.batchLeft, title: 'the batch is not complete: {why}', next: '{how}' },
  BATCH_REFUSED: { exit: exits.refusedHere, title: '{why}', next: '{how}' },
  CHECK_FAILED: {
    exit: exits.checkFailed,
    title: '{why}',
    next: '{how}',
    topic: 'output',
  },
  NOT_JUDGED: {
    exit: exits.batchLeft,
    title: '{what} could not be judged: {why}',
    next: 'correct the driver, or choose others with --only',
    topic: 'certify',
  },
  CERTIFY_STOPPED: {
    exit: exits.interrupted,
    title: '{how}: {judged} of {all} scenarios were judged, the others were not run',
    next: 'the result and the reports hold what was judged; run the command again for the rest',
    topic: 'certify',
  },
  SECRET_FOUND: {
    exit: exits.checkFailed,
    title: 'nothing was written: the scan found data that must not be shared: {found}',
    next: 'look for it with `paycli journal {order:word}` and `paycli order {order:word} --timeline`; the rest can be shared manually',
  },
  STORAGE: { exit: exits.storage, title: '{what} could not be used: {why}', next: '{how}' },
  PROGRAM_FAILED: {
    exit: exits.fault,
    title: 'the program after -- ended with exit code {exit}',
    next: 'its output says why',
  },
  PORT_TAKEN: {
    exit: exits.storage,
    title: 'port {port} is in use[ by {holder}]',
    next: 'choose another with --port, or --port 0 for any free one',
  },
  INTERRUPTED: {
    exit: exits.interrupted,
    title: 'interrupted; {nothing|no payment was sent}',
    next: 'repeat the command when ready',
  },
  TERMINATED: {
    exit: exits.terminated,
    title: 'terminated; {nothing|no payment was sent}',
    next: 'repeat the command when ready',
  },
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof catalogue;

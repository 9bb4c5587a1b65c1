/** One way the process ends, as `paycli help output`, the manual and the README print it. */
interface ExitRow {
  readonly code: number;
  readonly meaning: string;
  /** Whether something was sent to the gateway. */
  readonly sent: string;
  /** Whether the command may be repeated. */
  readonly repeat: string;
}

const table = {
  ok: {
    code: 0,
    meaning: 'success; with --wait a successful outcome, or the one that --expect names',
    sent: 'yes',
    repeat: '-',
  },
  fault: { code: 1, meaning: 'internal error in paycli', sent: 'see the message', repeat: 'no' },
  usage: { code: 2, meaning: 'wrong usage or input', sent: 'no', repeat: 'after fixing' },
  configuration: { code: 3, meaning: 'configuration, key or TLS policy unusable', sent: 'no', repeat: 'after fixing' },
  refused: {
    code: 4,
    meaning: 'refused by the gateway: validation error, checksum (control) or signature that does not match',
    sent: 'yes, no effect',
    repeat: 'after fixing',
  },
  declined: { code: 5, meaning: 'not approved: declined, filtered or error', sent: 'yes', repeat: 'no' },
  notSent: { code: 6, meaning: 'confirmed not sent (reads: 9)', sent: 'no', repeat: 'yes' },
  pending: {
    code: 7,
    meaning: 'still pending when the wait ended',
    sent: 'yes',
    repeat: 'poll with `paycli status --wait`',
  },
  unknown: {
    code: 8,
    meaning: 'outcome unknown: money may have moved',
    sent: 'maybe',
    repeat: 'never; resolve it with `paycli resolve`',
  },
  readFailed: {
    code: 9,
    meaning: 'a read got no usable reply',
    sent: 'no effect',
    repeat: 'yes',
  },
  refusedHere: {
    code: 10,
    meaning:
      'refused here: live guard, a cap, an earlier request pending or unknown, a confirmation missing or declined',
    sent: 'no',
    repeat: 'after fixing',
  },
  checkFailed: {
    code: 11,
    meaning:
      'a check failed: a final outcome other than that of --expect, operation not available, checksum or signature does not match',
    sent: '-',
    repeat: '-',
  },
  batchLeft: {
    code: 12,
    meaning: 'a batch ended with rows not sent or refused; certify: some scenarios not judged',
    sent: 'yes',
    repeat: '-',
  },
  storage: {
    code: 13,
    meaning: 'journal, disk or port failed, or is in use by another paycli process',
    sent: 'no',
    repeat: 'after fixing',
  },
  interrupted: {
    code: 130,
    meaning: 'interrupted; no payment was sent (143 when terminated)',
    sent: 'no',
    repeat: 'yes',
  },
} as const satisfies Record<string, ExitRow>;

export type ExitName = keyof typeof table | 'terminated';

const codes = Object.fromEntries(Object.entries(table).map(([name, { code }]) => [name, code])) as Readonly<
  Record<keyof typeof table, number>
>;

/** Exit codes by name. 143 has no row of its own: that of 130 describes it. */
export const exits: Readonly<Record<ExitName, number>> = { ...codes, terminated: 143 };

/** What each exit code means, in the order of the codes. */
export const exitCodes: readonly ExitRow[] = Object.values(table);

/** `local` sends nothing, `read` only asks, `write` changes something, `money` moves money. */
export type Effect = 'local' | 'read' | 'write' | 'money';

const afterSending = [
  'configuration',
  'refused',
  'refusedHere',
  'declined',
  'pending',
  'unknown',
  'checkFailed',
] as const;

/** How a command may end, by its effect, besides `ok`, `fault`, `usage` and `storage`. */
export const exitsByEffect = {
  local: ['configuration'],
  read: [...afterSending, 'readFailed', 'interrupted'],
  write: [...afterSending, 'notSent', 'interrupted'],
  money: [...afterSending, 'notSent', 'interrupted'],
} as const satisfies Readonly<Record<Effect, readonly ExitName[]>>;

import { fail, isPaycliError, type PaycliError } from '../../errors/index.js';
import { type Intent, intentName, type State } from '../../journal/index.js';
import { isBeyondStatus } from '../../payments/evidence.js';
import type { PaymentRecord } from '../../payments/payment-record.js';
import { orderCommand } from '../format/meaning.js';
import { howToClose, type Tools } from '../gateway.js';
import type { Session } from '../session.js';

/** The error for a journal that failed after a request was sent: the outcome stands, but is not recorded yet. */
export function storageFaultAfter(
  { facts }: PaycliError,
  record: PaymentRecord,
  { session }: Pick<Tools, 'session'>,
): PaycliError {
  const how = `the outcome of the request is still shown; check the disk, then ${afterwards(record, session)}`;
  return fail('STORAGE', { ...facts, how });
}

const unseenByStatus: Readonly<Partial<Record<State, string>>> = {
  refused: 'the gateway refused it',
  not_sent: 'it was not sent',
};

/** A status reply shows only requests that the gateway accepted. */
function afterwards({ intent, unrecorded }: PaymentRecord, session: Pick<Session, 'flags'>): string {
  const clause = unseenByStatus[unrecorded ?? intent.state];
  if (unrecorded !== undefined && clause !== undefined)
    return `record manually that ${clause}, because no status reply will show it again: \`paycli resolve --entry ${intent.id} --settle-as not-paid --evidence '${clause}'${session.flags}\`; another request needs a new client order id`;
  if (unrecorded !== undefined && isBeyondStatus(intent.operation)) return howToClose(intent, session);
  return `\`${commandFor('resolve', intent, session.flags)}\` brings the journal up to date`;
}

/**
 * The error for output that failed after a request was sent: it must not suggest sending again. `outcome` is what would
 * have been shown. Throws any other error than STORAGE.
 */
export function faultOfOutput(error: unknown, intent: Intent, outcome: string): PaycliError {
  if (!isPaycliError(error) || error.code !== 'STORAGE') throw error;
  const how = `the request was sent; do not send it again: ${outcome}; \`${commandFor('journal', intent, '')}\` shows it`;
  return fail('STORAGE', { ...error.facts, how });
}

/** A command about the order of an entry. */
export function commandFor(command: string, intent: Intent, flags: string): string {
  return orderCommand(command, { orderId: undefined, clientOrderId: undefined, either: intentName(intent), flags });
}

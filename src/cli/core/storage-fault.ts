import { fail, isPaycliError, type PaycliError } from '../../errors/index.js';
import { type Intent, intentName, type State } from '../../journal/index.js';
import { isBeyondStatus } from '../../payments/evidence.js';
import type { PaymentRecord } from '../../payments/payment-record.js';
import { orderCommand } from '../format/meaning.js';
import type { Tools } from './gateway-context.js';
import { howToClose } from './journal-update.js';
import type { Session } from './session.js';

/** A journal that failed after something was sent does not change what came of that; it only does not know it yet. */
export function storageFaultAfter(
  { facts }: PaycliError,
  record: PaymentRecord,
  { session }: Pick<Tools, 'session'>,
): PaycliError {
  const how = `the outcome of the request is still shown; check the disk, then ${afterwards(record, session)}`;
  return fail('STORAGE', { ...facts, how });
}

const neverTold: Readonly<Partial<Record<State, string>>> = {
  refused: 'the gateway refused it',
  not_sent: 'it was not sent',
};

/** A status answer tells of what the gateway took, and of nothing else. */
function afterwards({ intent, unrecorded }: PaymentRecord, session: Pick<Session, 'flags'>): string {
  const said = neverTold[unrecorded ?? intent.state];
  if (unrecorded !== undefined && said !== undefined)
    return `record manually that ${said}, because no status reply will show it again: \`paycli resolve --entry \
${intent.id} --settle-as not-paid --evidence '${said}'${session.flags}\`; a further request needs a new client \
order id`;
  if (unrecorded !== undefined && isBeyondStatus(intent.operation)) return howToClose(intent, session);
  return `\`${commandFor('resolve', intent, session.flags)}\` brings the journal up to date`;
}

/**
 * Output that failed after something was sent: the command must not look as if it could be repeated. `outcome` is what
 * would have been shown. Throws any error that is none of the storage.
 */
export function faultOfOutput(error: unknown, intent: Intent, outcome: string): PaycliError {
  if (!isPaycliError(error) || error.code !== 'STORAGE') throw error;
  const how = `the request was sent, do not send it again: ${outcome}; \`${commandFor('journal show', intent, '')}\` \
shows it`;
  return fail('STORAGE', { ...error.facts, how });
}

/** A command about the order of an entry. */
export function commandFor(command: string, intent: Intent, flags: string): string {
  return orderCommand(command, { orderId: undefined, clientOrderId: undefined, either: intentName(intent), flags });
}

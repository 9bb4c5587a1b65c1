import { isPaycliError } from '../../errors/index.js';
import {
  describeIntent,
  externalOrderError,
  type FoundExternalOrder,
  type Intent,
  type Journal,
} from '../../journal/index.js';
import { isOrderUnknown } from '../../payments/classify.js';
import { failureFacts } from '../../payments/failure.js';
import { applyStatusToJournal, type JournalUpdate, noUpdate, orderIdsIn } from '../../payments/journal-sync.js';
import { queryStatus, type StatusQuery } from '../../payments/status-query.js';
import type { Unsigned } from '../../signing/index.js';
import { operationById, replyField } from '../../spec/index.js';
import { printable } from '../../wire/redact.js';
import type { Fields } from '../format/meaning.js';
import { type Tools, withGateway } from './gateway-context.js';
import type { Session } from './session.js';
import { isRunning, journalPath, withJournal } from './user-stores.js';

/**
 * Records what a status answer says about the requests on that order, and warns of conflicts. `endpointId` is where
 * status was asked; `journal` is the one that is open already, if any. Never fails: the answer is what was asked for.
 */
export async function updateJournal(
  tools: Tools,
  fields: Fields,
  endpointId: string,
  journal?: Journal,
): Promise<JournalUpdate> {
  const { runtime, report, session } = tools;
  if (orderIdsIn(fields).length === 0 || !runtime.files.exists(journalPath(runtime))) return noUpdate;
  const context = {
    ...{ base: session.place, endpointId, minorDigits: session.assume['minor-digits'] },
    isRunning: (sender: Intent['sender']) => isRunning(sender, runtime),
  };
  const apply = (used: Journal) => applyStatusToJournal(fields, used, context);
  try {
    const update = await (journal === undefined ? withJournal(runtime, apply) : apply(journal));
    for (const intent of update.conflicts) warnOfConflict(intent, tools);
    return update;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`the journal could not be brought up to date: ${error.message}`]);
    return noUpdate;
  }
}

/** Says that a person has to decide, and how. */
export function warnOfConflict(intent: Intent, { report, session }: Pick<Tools, 'report' | 'session'>): void {
  report.warn([`${describeIntent(intent)} is in conflict: ${intent.reason}; ${howToClose(intent, session)}`]);
}

/** The command with which a person closes a conflict or settles what status cannot tell. */
export function howToClose(intent: Intent, session: Pick<Session, 'flags'>): string {
  return `find out the actual outcome, then \`${settleManually(intent, session)}\``;
}

/** That command alone. */
export function settleManually({ id }: Intent, { flags }: Pick<Session, 'flags'>): string {
  return `paycli resolve --entry ${id} --settle-as paid|not-paid --evidence TEXT${flags}`;
}

/**
 * A request under an order that another engine may send, or has sent, is never sent from here: the gateway is asked
 * what it knows, and the error says so. Gives ORDER_ELSEWHERE.
 */
export async function refusalElsewhere(
  { values, endpointId }: Unsigned,
  found: FoundExternalOrder,
  tools: Tools,
): Promise<Error> {
  const { orderId, clientOrderId } = values;
  const said = tools.session.canAskStatus
    ? await answered({ endpointId, orderId, clientOrderId }, tools)
    : 'it was not sent from here';
  return externalOrderError({ orderId, clientOrderId }, found, said);
}

async function answered(query: StatusQuery, tools: Tools): Promise<string> {
  const classified = await withGateway(operationById('STATUS'), tools, ({ connection, watched }) =>
    queryStatus(connection, query, watched),
  );
  const word = classified.fields === undefined ? undefined : replyField(classified.fields, 'status');
  if (classified.class === 'accepted') return `the gateway has the order, with status ${printable(word ?? 'unknown')}`;
  if (isOrderUnknown(classified)) return `the gateway does not have the order yet (${classified.reason})`;
  return `the status query failed: ${failureFacts(classified).why}`;
}

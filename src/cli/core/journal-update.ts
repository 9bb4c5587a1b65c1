import { isPaycliError, type PaycliError, stopError } from '../../errors/index.js';
import {
  describeIntent,
  externalOrderError,
  type FoundExternalOrder,
  type Intent,
  type Journal,
} from '../../journal/index.js';
import { type Classified, isOrderUnknown } from '../../payments/classify.js';
import { failureFacts } from '../../payments/failure.js';
import { applyStatusToJournal, type JournalUpdate, noUpdate, orderIdsIn } from '../../payments/journal-sync.js';
import { queryStatus, type StatusQuery, statusQueryFor } from '../../payments/status-query.js';
import type { Unsigned } from '../../signing/index.js';
import { replyField } from '../../spec/index.js';
import { printable } from '../../wire/redact.js';
import { type Fields, idWord } from '../format/meaning.js';
import { type Tools, withGateway } from './gateway-context.js';
import { fetchStatus } from './order-query.js';
import type { OrderIds } from './order-requests.js';
import type { Session } from './session.js';
import { hasJournal, isRunning, withJournal } from './user-stores.js';

/**
 * Records what a status answer says about the requests on that order, and warns of conflicts. `endpointId` is where
 * status was asked; `journal` is the one that is open already, if any. Never fails: the status answer must still be
 * shown.
 */
export async function updateJournal(
  tools: Tools,
  fields: Fields,
  endpointId: string,
  journal?: Journal,
): Promise<JournalUpdate> {
  const { runtime, report, session } = tools;
  if (orderIdsIn(fields).length === 0 || !hasJournal(runtime)) return noUpdate;
  const context = {
    ...{ base: session.gatewayBase, endpointId, minorDigits: session.assume['minor-digits'] },
    isRunning: (sender: Intent['sender']) => isRunning(sender, runtime),
    ownStatus: (intent: Intent) => answerTo(statusQueryFor(intent), tools),
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

/**
 * The status of an order at an endpoint, recorded in the journal. Throws what `fetchStatus` throws, INTERRUPTED and
 * TERMINATED.
 */
export async function statusInJournal(
  ids: OrderIds,
  endpointId: string,
  tools: Tools,
  journal?: Journal,
): Promise<Fields> {
  const { session, runtime } = tools;
  const fields = await fetchStatus(ids, session, runtime, endpointId);
  const stop = new AbortController();
  const unlisten = runtime.processes.onStop((signal) => stop.abort(signal));
  try {
    await updateJournal(tools, fields, endpointId, journal);
  } finally {
    unlisten();
  }
  // Its own queries end at a signal without an error, and nothing that depends on them may be sent after that.
  if (stop.signal.aborted) throw stopError(stop.signal);
  return fields;
}

/** Whether an error of `statusInJournal` only says that the gateway did not tell the status. */
export function isUnanswered(error: unknown): error is PaycliError {
  return isPaycliError(error) && !['STORAGE', 'INTERRUPTED', 'TERMINATED'].includes(error.code);
}

/** Warns that a person has to settle a conflict, and how. */
export function warnOfConflict(intent: Intent, { report, session }: Pick<Tools, 'report' | 'session'>): void {
  report.warn([`${describeIntent(intent)} is in conflict: ${intent.reason}; ${howToClose(intent, session)}`]);
}

/** The command with which a person closes a conflict or resolves what status cannot tell. */
export function howToClose(intent: Intent, session: Pick<Session, 'flags'>): string {
  return `find out the actual outcome, then \`${settleManually(intent, session)}\``;
}

/** The commands that `howToClose` names, the first and the last without their outer backquote. */
export function settleManually(intent: Intent, { flags }: Pick<Session, 'flags'>): string {
  const { id, isShared, clientOrderId, orderId } = intent;
  const which = isShared === true ? idWord(clientOrderId ?? orderId ?? '', 'clientOrderId', 'ORDER') : `--entry ${id}`;
  return settleCommands(which, flags);
}

/** One for each outcome: a shell would act upon a bar between the two. */
export function settleCommands(which: string, flags: string): string {
  const command = (outcome: 'paid' | 'not-paid') =>
    `paycli resolve ${which} --settle-as ${outcome} --evidence TEXT${flags}`;
  return `${command('paid')}\` or \`${command('not-paid')}`;
}

/**
 * The ORDER_ELSEWHERE error for an order that another engine may send or has sent: such a request is never sent from
 * here. Says what the gateway knows of the order.
 */
export async function refusalElsewhere(
  { values, endpointId }: Unsigned,
  found: FoundExternalOrder,
  tools: Tools,
): Promise<Error> {
  const { orderId, clientOrderId } = values;
  const gatewayAnswer = tools.session.canAskStatus
    ? await describeStatus({ endpointId, orderId, clientOrderId }, tools)
    : 'it was not sent from this machine';
  return externalOrderError({ orderId, clientOrderId }, found, gatewayAnswer);
}

async function describeStatus(query: StatusQuery, tools: Tools): Promise<string> {
  const classified = await answerTo(query, tools);
  const word = classified.fields === undefined ? undefined : replyField(classified.fields, 'status');
  if (classified.class === 'accepted') return `the gateway has the order, with status ${printable(word ?? 'unknown')}`;
  if (isOrderUnknown(classified)) return `the gateway does not have the order yet (${classified.reason})`;
  return `the status query failed: ${failureFacts(classified).why}`;
}

function answerTo(query: StatusQuery, tools: Tools): Promise<Classified> {
  return withGateway(tools, ({ connection, watched }) => queryStatus(connection, query, watched));
}

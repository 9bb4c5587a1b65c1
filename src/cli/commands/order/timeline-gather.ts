import type { StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Intent, LineText, Waiting } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operations } from '../../../spec/index.js';
import {
  idsOf,
  inJournal,
  inWholeJournal,
  type NamedOrder,
  type OrderIds,
  requestsOn,
} from '../../core/order-requests.js';
import { ofOtherProfile } from '../../core/other-profiles.js';
import { callbacksPath, openCallbackHistory } from '../../core/user-stores.js';
import { waitingText } from '../../format/meaning.js';
import type { Session } from '../../session.js';
import {
  eventsOfCallback,
  eventsOfIntent,
  eventsOfSandbox,
  findInSandbox,
  inTime,
  requestWords,
  type TimelineEvent,
} from './timeline-events.js';

export interface Timeline {
  readonly order: OrderIds;
  /** Its operation and state, as far as known here. */
  readonly about: string;
  /** What it waits for the payer to do, from the journal. */
  readonly waiting?: Waiting | undefined;
  /** Oldest first. */
  readonly events: readonly TimelineEvent[];
}

interface Asked {
  readonly session: Session;
  readonly runtime: Runtime;
  /** The command to repeat with another profile, and its flags that have to be repeated, too. */
  readonly command: string;
  readonly given: readonly string[];
}

/** A request on an order with its history. */
interface KnownRequest {
  readonly intent: Intent;
  readonly moves: readonly LineText[];
  readonly waiting: Waiting | undefined;
}

/** All that this machine knows about an order of this gateway. Throws USAGE or OTHER_PROFILE when there is nothing. */
export async function gatherTimeline(named: NamedOrder, asked: Asked): Promise<Timeline> {
  const { session, runtime, command } = asked;
  const requests = await inJournal(runtime, [], (journal) =>
    requestsOn(journal, session, named, command).map(
      (intent): KnownRequest => ({ intent, moves: journal.linesAbout(intent.id), waiting: journal.waiting(intent) }),
    ),
  );
  const intents = requests.map(({ intent }) => intent);
  const ids = idsOf(intents, named);
  // Digits may be a client order id as well.
  const guess: OrderIds = { orderId: undefined, clientOrderId: named.order };
  const isGuess = intents.length === 0 && ids.orderId !== undefined && ids.clientOrderId === undefined;
  const found =
    (await receivedFor(ids, session, runtime)) ?? (isGuess ? await receivedFor(guess, session, runtime) : undefined);
  if (found === undefined && intents.length === 0) throw await nothingKnown(named, asked);
  const [first] = intents;
  const { order = ids, operation, events = [] } = found ?? {};
  const waiting = requests.map((request) => request.waiting).find((each) => each !== undefined);
  const waits = waiting === undefined ? '' : `, ${waitingText(waiting)}`;
  return {
    order,
    about: first === undefined ? (operation ?? '') : `${requestWords(first)}: ${first.state}${waits}`,
    waiting,
    events: inTime([...requests.flatMap(({ intent, moves }) => eventsOfIntent(intent, moves)), ...events]),
  };
}

interface ReceivedEvents {
  readonly order: OrderIds;
  /** The command that opened it, where a sandbox has the order. */
  readonly operation: string | undefined;
  readonly events: readonly TimelineEvent[];
}

/** What callbacks and the log of a sandbox know; undefined when they know nothing. */
async function receivedFor(ids: OrderIds, session: Session, runtime: Runtime): Promise<ReceivedEvents | undefined> {
  const sandbox = await findInSandbox(ids, session, runtime);
  const order: OrderIds = {
    orderId: ids.orderId ?? sandbox?.orderId,
    clientOrderId: ids.clientOrderId ?? sandbox?.clientOrderId,
  };
  const callbacks = await callbacksOn(order, session, runtime);
  if (sandbox === undefined && callbacks.length === 0) return undefined;
  return {
    order: {
      orderId: order.orderId ?? callbacks.find(({ orderId }) => orderId !== '')?.orderId,
      clientOrderId: order.clientOrderId ?? callbacks.find(({ clientOrderId }) => clientOrderId !== '')?.clientOrderId,
    },
    operation: operations.find(({ id }) => id === sandbox?.operation)?.command,
    events: [...callbacks.flatMap(eventsOfCallback), ...(sandbox === undefined ? [] : eventsOfSandbox(sandbox))],
  };
}

export async function callbacksOn(
  { orderId, clientOrderId }: OrderIds,
  { gatewayBase }: Session,
  runtime: Runtime,
): Promise<StoredCallback[]> {
  if (!runtime.files.exists(callbacksPath(runtime))) return [];
  const history = await openCallbackHistory(runtime);
  try {
    const found = [orderId, clientOrderId].flatMap((order) =>
      order === undefined ? [] : history.list({ order, place: gatewayBase }),
    );
    const matching = found.filter(
      (callback) => orderId === undefined || callback.orderId === '' || callback.orderId === orderId,
    );
    return [...new Map(matching.map((callback) => [callback.id, callback])).values()];
  } finally {
    history.close();
  }
}

/** The error when nothing is known here, naming other profiles that have the order. */
export async function nothingKnown(
  { order, orderId, clientOrderId }: NamedOrder,
  { command, given, session, runtime }: Asked,
): Promise<Error> {
  const name = order ?? orderId ?? clientOrderId ?? '';
  // Nothing is known of it where the journal that had it is missing.
  await inWholeJournal(runtime, undefined, () => undefined);
  const ids = { orderId: orderId ?? order, clientOrderId };
  const other = await ofOtherProfile(ids, command, session, runtime, given);
  if (other !== undefined) return fail('OTHER_PROFILE', { what: `order ${name}`, ...other });
  return fail('USAGE', {
    why: `nothing is known here about order ${name} of profile ${session.name}`,
    ...{ order: name, profile: session.name, command: 'order' },
  });
}

import type { StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Event, Request } from '../../../journal/port.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operations } from '../../../spec/index.js';
import { idsOf, inJournal, type NamedOrder, type OrderIds, requestsOn } from '../../core/order-requests.js';
import { ofOtherProfile } from '../../core/other-profiles.js';
import { callbacksPath, journalOf, openCallbackHistory } from '../../core/user-stores.js';
import { type Document, oneLine, type Sheet } from '../../format/document.js';
import { type Waiting, waitingDocument, waitingIn, waitingText } from '../../format/meaning.js';
import { tableText } from '../../format/table.js';
import type { DocumentOf } from '../../results.js';
import type { Session } from '../../session.js';
import {
  eventsOfCallback,
  eventsOfRequest,
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
  readonly command: string;
}

/** All that this machine knows about an order of this gateway. Throws USAGE or OTHER_PROFILE when there is nothing. */
export async function gatherTimeline(named: NamedOrder, asked: Asked): Promise<Timeline> {
  const { session, runtime, command } = asked;
  const histories = new Map<Request, readonly Event[]>();
  await inJournal(runtime, journalOf(session), undefined, async (journal) => {
    for (const request of await requestsOn(journal, session, named, command))
      histories.set(request, await journal.events({ request: request.id }));
  });
  const requests = [...histories.keys()];
  const ids = idsOf(requests, named);
  // Digits may be a client order id as well.
  const guess: OrderIds = { orderId: undefined, clientOrderId: named.order };
  const isGuess = requests.length === 0 && ids.orderId !== undefined && ids.clientOrderId === undefined;
  const found =
    (await receivedFor(ids, session, runtime)) ?? (isGuess ? await receivedFor(guess, session, runtime) : undefined);
  if (found === undefined && requests.length === 0) throw await nothingKnown(named, asked);
  const [first] = requests;
  const { order = ids, operation, events = [] } = found ?? {};
  const waiting = waitingIn(requests);
  const waits = waiting === undefined ? '' : `, ${waitingText(waiting)}`;
  return {
    order,
    about: first === undefined ? (operation ?? '') : `${requestWords(first)}: ${first.state}${waits}`,
    waiting,
    events: inTime([...[...histories].flatMap(([request, own]) => eventsOfRequest(request, own)), ...events]),
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

/** The error when nothing is known here, naming other profiles that have the order; STORAGE where it may be lost. */
export async function nothingKnown(
  { order, orderId, clientOrderId }: NamedOrder,
  { session, runtime }: Asked,
): Promise<Error> {
  const name = order ?? orderId ?? clientOrderId ?? '';
  if (await inJournal(runtime, journalOf(session), false, ({ restored }) => restored !== undefined))
    return fail('STORAGE', {
      what: 'the journal',
      why: `it was lost or restored, so order ${name} may be missing from it`,
      how: '`paycli journal --accept-restored` asks the gateway about what is open, and accepts it',
    });
  const ids = { orderId: orderId ?? order, clientOrderId };
  const other = await ofOtherProfile(ids, session, runtime);
  if (other !== undefined) return fail('OTHER_PROFILE', { what: `order ${name}`, ...other });
  return fail('USAGE', {
    why: `nothing is known here about order ${name} of profile ${session.name}`,
    ...{ order: name, profile: session.name, command: 'order' },
  });
}

/** A timeline for people: one event per line, with who recorded it. */
export function timelineText(timeline: Timeline, width: number | undefined, bold = (text: string) => text): string {
  const { order, about } = timeline;
  const ids = [order.orderId, order.clientOrderId].filter((id) => id !== undefined).map(oneLine);
  const head = `${bold(`order ${ids.join(' / ')}`)}  ${oneLine(about)}`.trimEnd();
  return `${head}\n${tableText(timelineSheet(timeline), width, (text) => text)}`;
}

export function timelineSheet({ events }: Timeline): Sheet {
  return {
    columns: [{ head: 'time' }, { head: 'source' }, { head: 'kind' }, { head: 'what', flexible: true }],
    rows: events.map(({ at, source, kind, title, words = title }) => [
      new Date(at).toISOString(),
      source,
      kind,
      oneLine(words),
    ]),
  };
}

/** A timeline for programs. */
export function timelineDocument(
  { order, about, waiting, events }: Timeline,
  place: { readonly profile: string; readonly gateway: string },
): DocumentOf<'timeline'> {
  return {
    schema: 'paycli.timeline/1',
    order: { orderId: order.orderId ?? null, clientOrderId: order.clientOrderId ?? null },
    about,
    waiting: waitingDocument(waiting),
    ...place,
    events: events.map(({ at, words: _, ...event }): Document => ({ at: new Date(at).toISOString(), ...event })),
  };
}

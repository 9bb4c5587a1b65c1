import { handlerFault, type StoredCallback, type Verified } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Event, Journal, Request } from '../../../journal/port.js';
import type { Runtime } from '../../../runtime/ports.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { idsOf, inJournal, type NamedOrder, type OrderIds, requestsOn } from '../../core/order-requests.js';
import { callbacksPath, journalOf, openCallbackHistory } from '../../core/user-stores.js';
import { oneLine, type Sheet } from '../../format/document.js';
import { requestDocument } from '../../format/journal-entries.js';
import { commandOf, sumOf } from '../../format/meaning.js';
import { describeEvent, eventDocument, joined } from '../../format/request-events.js';
import { tableText } from '../../format/table.js';
import type { DocumentOf } from '../../results.js';
import type { Session } from '../../session.js';

export interface TimelineEvent {
  /** On the clock of this machine, in milliseconds since 1970. */
  readonly at: number;
  /** Where it was recorded: the journal, or the callback listener. */
  readonly source: 'paycli' | 'callbacks';
  /** A status query that proved nothing: there may be many. */
  readonly isPoll?: boolean;
  /** One line. */
  readonly title: string;
}

export interface Timeline {
  readonly order: OrderIds;
  /** What the journal has of it. */
  readonly entries: readonly Entry[];
  /** Oldest first. */
  readonly events: readonly TimelineEvent[];
}

interface Asked {
  readonly session: Session;
  readonly runtime: Runtime;
}

/** All that this machine knows about an order of this gateway. Throws USAGE or STORAGE when there is nothing. */
export async function gatherTimeline(named: NamedOrder, { session, runtime }: Asked): Promise<Timeline> {
  let isRestored = false;
  const entries = await inJournal<readonly Entry[]>(runtime, journalOf(session), [], async (journal) => {
    isRestored = journal.restored !== undefined;
    return withEvents(await requestsOn(journal, session, named), journal);
  });
  const requests = entries.map(({ request }) => request);
  const name = named.order ?? named.orderId ?? named.clientOrderId;
  // An id that only callbacks have may be either one.
  const known = requests.length > 0 ? idsOf(requests, named) : undefined;
  const callbacks = await callbacksOn(known ?? { orderId: undefined, clientOrderId: name }, session, runtime);
  if (requests.length + callbacks.length === 0 && isRestored)
    throw fail('STORAGE', {
      what: 'the journal',
      why: `it was lost or restored, so order ${name} may be missing from it`,
      how: '`paycli journal --accept-restored` asks the gateway about what is open, and accepts it',
    });
  if (requests.length + callbacks.length === 0)
    throw fail('USAGE', {
      why: `nothing is known here about order ${name} of profile ${session.name}`,
    });
  const events = [...entries.flatMap(eventsOfRequest), ...callbacks.flatMap(eventsOfCallback)];
  return { order: known ?? idsIn(callbacks), entries, events: events.toSorted((one, other) => one.at - other.at) };
}

function idsIn(callbacks: readonly StoredCallback[]): OrderIds {
  return {
    orderId: callbacks.find(({ orderId }) => orderId !== '')?.orderId,
    clientOrderId: callbacks.find(({ clientOrderId }) => clientOrderId !== '')?.clientOrderId,
  };
}

/** A request with all that happened to it. */
export interface Entry {
  readonly request: Request;
  readonly events: readonly Event[];
}

/** Each of these requests with its events. */
export function withEvents(requests: readonly Request[], journal: Journal): Promise<readonly Entry[]> {
  return Promise.all(
    requests.map(async (request) => ({ request, events: await journal.events({ request: request.id }) })),
  );
}

/** An entry for programs. */
export function entryDocument({ request, events }: Entry) {
  return { ...requestDocument(request), events: events.map(eventDocument) };
}

/** Those about an order; without those that name another one by its gateway order id. */
export async function callbacksOn(
  { orderId, clientOrderId }: OrderIds,
  { gatewayBase: place }: Session,
  runtime: Runtime,
): Promise<StoredCallback[]> {
  if (!runtime.files.exists(callbacksPath(runtime))) return [];
  const history = await openCallbackHistory(runtime);
  try {
    const names = [orderId, clientOrderId].filter((name) => name !== undefined);
    const found = names.flatMap((order) => history.list({ order, place }));
    const own = found.filter((callback) => ['', orderId ?? callback.orderId].includes(callback.orderId));
    return [...new Map(own.map((callback) => [callback.id, callback])).values()];
  } finally {
    history.close();
  }
}

/** A timeline for people: one event per line, with who recorded it. */
export function timelineText(timeline: Timeline, width: number | undefined): string {
  const { orderId, clientOrderId } = timeline.order;
  const ids = [orderId, clientOrderId].filter((id) => id !== undefined).map(oneLine);
  return `order ${ids.join(' / ')}\n${tableText(timelineSheet(timeline), width, (text) => text)}`;
}

export function timelineSheet({ events }: Timeline): Sheet {
  return {
    columns: [{ head: 'time' }, { head: 'source' }, { head: 'what', flexible: true }],
    rows: events.map(({ at, source, title }) => [new Date(at).toISOString(), source, oneLine(title)]),
  };
}

/** A timeline for programs. */
export function timelineDocument(
  { order, events }: Timeline,
  place: { readonly profile: string; readonly gateway: string },
): DocumentOf<'timeline'> {
  return {
    schema: 'paycli.timeline/1',
    order: { orderId: order.orderId ?? null, clientOrderId: order.clientOrderId ?? null },
    ...place,
    events: events.map(({ at, source, title }) => ({ at: new Date(at).toISOString(), source, title })),
  };
}

/** What happened to one request. */
function eventsOfRequest({ request, events }: Entry): TimelineEvent[] {
  const what = `${commandOf(request)} ${sumOf(request)}`.trim();
  return events.map((event) => {
    const { isPoll, state, words } = describeEvent(event);
    return { at: event.at, source: 'paycli', isPoll, title: `${what}: ${joined(state, words)}` };
  });
}

const checked: Readonly<Record<Verified, string>> = {
  fits: 'the checksum matches',
  wrong: 'the checksum (control) does NOT match, so it proves nothing',
  'no-key': 'no key to check it with',
};

/** A callback, and everything done about it. */
function eventsOfCallback(callback: StoredCallback): TimelineEvent[] {
  const { at, verified, asked, conflicts, forwards, repeats } = callback;
  const what = withoutCardNumbers([callback.status, callback.type].filter((word) => word !== '').join(' '));
  const again = repeats === 0 ? '' : `received ${repeats + 1} times`;
  const event = (when: number, title: string) => ({ at: when, source: 'callbacks' as const, title });
  return [
    event(at, `callback: ${joined(what, checked[verified], again)}`),
    ...conflicts.map((conflict) => event(at, conflict)),
    ...(asked === undefined ? [] : [{ ...event(asked.at, `status queried after it: ${asked.says}`), isPoll: true }]),
    ...forwards.map((forward) =>
      event(
        forward.at,
        `forwarded to ${withoutQuery(forward.url)}${handlerFault(forward) === undefined ? '' : ', which failed'}`,
      ),
    ),
  ];
}

/** A query may hold a secret of the callback handler. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

import type { ForwardAttempt, StoredCallback, Verified } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Event, Request } from '../../../journal/port.js';
import { wasMarked } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { idsOf, inJournal, type NamedOrder, type OrderIds, requestsOn } from '../../core/order-requests.js';
import { callbacksPath, journalOf, openCallbackHistory } from '../../core/user-stores.js';
import { oneLine, type Sheet } from '../../format/document.js';
import { commandOf, sumOf, type Waiting, waitingDocument, waitingIn, waitingText } from '../../format/meaning.js';
import {
  type DescribedEvent,
  describeEvent,
  joined,
  type RequestEventKind,
  textOf,
} from '../../format/request-events.js';
import { tableText } from '../../format/table.js';
import { timeText } from '../../format/time.js';
import type { DocumentOf } from '../../results.js';
import type { Session } from '../../session.js';

/** Where an event was recorded: the journal, or the callback listener. */
type Source = 'paycli' | 'callbacks';

type Kind = RequestEventKind | 'planned' | 'callback' | 'conflict' | 'forward';

export interface TimelineEvent {
  /** On the clock of this machine, in milliseconds since 1970. */
  readonly at: number;
  readonly source: Source;
  readonly kind: Kind;
  /** One line. */
  readonly title: string;
}

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
  const known = idsOf(requests, named);
  const found = await callbacksOn(known, session, runtime);
  // Digits may be a client order id as well.
  const isGuess =
    found.length + requests.length === 0 && known.orderId !== undefined && known.clientOrderId === undefined;
  const guess = { orderId: undefined, clientOrderId: named.order };
  const [ids, callbacks] = isGuess ? [guess, await callbacksOn(guess, session, runtime)] : [known, found];
  const [first] = requests;
  if (first === undefined && callbacks.length === 0) throw await nothingKnown(named, asked);
  const waiting = waitingIn(requests);
  const waits = waiting === undefined ? '' : `, ${waitingText(waiting)}`;
  return {
    order: {
      orderId: ids.orderId ?? callbacks.find(({ orderId }) => orderId !== '')?.orderId,
      clientOrderId: ids.clientOrderId ?? callbacks.find(({ clientOrderId }) => clientOrderId !== '')?.clientOrderId,
    },
    about: first === undefined ? '' : `${requestWords(first)}: ${first.state}${waits}`,
    waiting,
    events: inTime([
      ...[...histories].flatMap(([request, own]) => eventsOfRequest(request, own)),
      ...callbacks.flatMap(eventsOfCallback),
    ]),
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

/** The error when nothing is known here; STORAGE where it may be lost. */
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
    rows: events.map(({ at, source, kind, title }) => [new Date(at).toISOString(), source, kind, oneLine(title)]),
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
    events: events.map(({ at, ...event }) => ({ at: new Date(at).toISOString(), ...event })),
  };
}

const maxCharacters = 300;

/** An event with long text truncated. */
function eventOf(source: Source, at: number, kind: Kind, title: string): TimelineEvent {
  return { at, source, kind, title: title.length > maxCharacters ? `${title.slice(0, maxCharacters)}…` : title };
}

// Within one millisecond: what was sent, then what it caused, then what was learned of it.
const sent: ReadonlySet<Kind> = new Set(['planned', 'request', 'step']);

function rankOf({ source, kind }: TimelineEvent): number {
  if (source === 'callbacks') return 1;
  return sent.has(kind) ? 0 : 2;
}

function inTime(events: readonly TimelineEvent[]): TimelineEvent[] {
  return events.toSorted((a, b) => a.at - b.at || rankOf(a) - rankOf(b));
}

/** A request in the words of the command line. */
function requestWords(request: Request): string {
  return [commandOf(request), sumOf(request)].filter((word) => word !== '').join(' ');
}

/** What happened to one request. */
function eventsOfRequest(request: Request, events: readonly Event[]): TimelineEvent[] {
  const { batch, number, createdAt } = request;
  const words = requestWords(request);
  const planned = eventOf('paycli', createdAt, 'planned', `${words} recorded; row ${number} of batch ${batch}`);
  const all = events.map((event, index) => {
    const isUnsent = events.slice(index + 1).find(({ from, to }) => from !== to)?.to === 'not_sent';
    const described = describeEvent(request, event);
    return eventOf('paycli', event.at, described.kind, titleOf(request, event, described, isUnsent, words));
  });
  return batch === undefined ? all : [planned, ...all];
}

/** `isUnsent`: the next change of state confirmed that this attempt was not sent; `words`: see `requestWords`. */
function titleOf(request: Request, event: Event, described: DescribedEvent, isUnsent: boolean, words: string): string {
  // An order has one payment, and may have several returns.
  const command = request.kind === 'follow-up' ? words : commandOf(request);
  if (described.state === undefined || wasMarked(event)) return `${command}: ${described.words}`;
  if (described.state !== 'sending') return joined(`${command}: ${described.state}`, described.words);
  const attempt = textOf(event.facts['attempt']) ?? '1';
  const sent = attempt === '1' ? `${words} sent` : `${command} sent, attempt ${attempt}`;
  return joined(isUnsent ? `${command}: attempt ${attempt}` : sent, described.words);
}

const checked: Readonly<Record<Verified, string>> = {
  fits: 'the checksum matches',
  wrong: 'the checksum (control) does NOT match, so it proves nothing',
  'no-key': 'no key to check it with',
};

/** A callback, and everything done about it. */
function eventsOfCallback(callback: StoredCallback): TimelineEvent[] {
  const { at, verified, asked, conflicts, forwards } = callback;
  const [status, type] = [callback.status, callback.type].map(withoutCardNumbers);
  const what = `${status || 'no status'}${type ? ` (${type})` : ''}`;
  const event = (when: number, kind: Kind, title: string) => eventOf('callbacks', when, kind, title);
  return [
    event(at, 'callback', joined(`callback: ${what}`, checked[verified], againWords(callback))),
    ...conflicts.map((conflict) => event(at, 'conflict', conflict)),
    ...(asked === undefined ? [] : [event(asked.at, 'poll', `status queried after it: ${asked.says}`)]),
    ...forwards.map((forward) => event(forward.at, 'forward', forwardWords(forward))),
  ];
}

function againWords({ repeats, lastAt, repeatOf }: StoredCallback): string {
  const times = repeats === 1 ? 'once more' : `${repeats} times more, the last time`;
  return joined(
    repeatOf === undefined ? undefined : `same ids as callback ${repeatOf}, with different content`,
    repeats === 0 ? undefined : `received ${times} at ${timeText(lastAt)}`,
  );
}

function forwardWords({ url, status, reason, ms }: ForwardAttempt): string {
  const received = status === undefined ? 'no answer' : `HTTP ${status} in ${ms} ms`;
  return joined(`forwarded to ${withoutQuery(url)}: ${received}`, reason);
}

/** A query may hold a secret of the callback handler. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

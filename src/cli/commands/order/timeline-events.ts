import type { ForwardAttempt, StoredCallback, Verified } from '../../../callbacks/store.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Event, Request } from '../../../journal/port.js';
import { wasMarked } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { LoggedEvent } from '../../../sandbox/log.js';
import type { OrderHistory } from '../../../sandbox/orders.js';
import { opensForm, operations, statusQuery } from '../../../spec/index.js';
import { stageText } from '../../../spec/transaction-words.js';
import { isLoopback } from '../../../wire/address.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import type { OrderIds } from '../../core/order-requests.js';
import { markWords, reasonWords } from '../../format/journal-entries.js';
import { commandOf, stepWords, sumOf } from '../../format/meaning.js';
import { timeText } from '../../format/time.js';
import { openLocalSandbox, sandboxFolder, sandboxName } from '../../sandbox-session.js';
import type { Session } from '../../session.js';

/** Where an event was recorded: the journal, the callback listener, or the log of a sandbox. */
type Source = 'paycli' | 'callbacks' | 'sandbox';

type Kind =
  | 'planned'
  | 'request'
  | 'answer'
  | 'refusal'
  | 'state'
  | 'step'
  | 'page'
  | 'callback'
  | 'conflict'
  | 'forward'
  | 'poll'
  | 'note';

export interface TimelineEvent {
  /** On the clock of this machine, in milliseconds since 1970. */
  readonly at: number;
  readonly source: Source;
  readonly kind: Kind;
  /** One line. */
  readonly title: string;
  /** The same for people, where the title has words of the gateway, such as those of order-stage. */
  readonly words?: string;
}

const maxCharacters = 300;

/** An event with long text truncated. */
function eventOf(source: Source, at: number, kind: Kind, title: string): TimelineEvent {
  return { at, source, kind, title: title.length > maxCharacters ? `${title.slice(0, maxCharacters)}…` : title };
}

/** Joins the words that are not empty with semicolons. */
function joined(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join('; ');
}

// Within one millisecond: what was sent, then what it caused, then what was learned of it.
const sent: ReadonlySet<Kind> = new Set(['planned', 'request', 'step']);

function rankOf({ source, kind }: TimelineEvent): number {
  if (source === 'paycli') return sent.has(kind) ? 0 : 4;
  if (source === 'callbacks') return 3;
  return kind === 'state' ? 2 : 1;
}

export function inTime(events: readonly TimelineEvent[]): TimelineEvent[] {
  return events.toSorted((a, b) => a.at - b.at || rankOf(a) - rankOf(b));
}

/** A request in the words of the command line. */
export function requestWords(request: Request): string {
  return [commandOf(request), sumOf(request)].filter((word) => word !== '').join(' ');
}

/** What happened to one request. */
export function eventsOfRequest(request: Request, events: readonly Event[]): TimelineEvent[] {
  const { batch, number, createdAt } = request;
  const words = requestWords(request);
  const planned = eventOf('paycli', createdAt, 'planned', `${words} recorded; row ${number} of batch ${batch}`);
  const all = events.map((event, index) => {
    const isUnsent = events.slice(index + 1).find(({ from, to }) => from !== to)?.to === 'not_sent';
    const { kind, title } = describe(request, event, { isUnsent, words });
    return eventOf('paycli', event.at, kind, title);
  });
  return batch === undefined ? all : [planned, ...all];
}

interface Described {
  readonly kind: Kind;
  readonly title: string;
}

/** `isUnsent`: the next change of state confirmed that this attempt was not sent; `words`: see `requestWords`. */
function describe(
  request: Request,
  { from, to, reason, facts }: Event,
  { isUnsent, words }: { isUnsent: boolean; words: string },
): Described {
  // An order has one payment, and may have several returns.
  const command = request.kind === 'follow-up' ? words : commandOf(request);
  if (to === undefined || from === to) return describeNote(command, reason, facts);
  if (to === 'sending') {
    const attempt = textOf(facts['attempt']) ?? '1';
    const sent = attempt === '1' ? `${words} sent` : `${command} sent, attempt ${attempt}`;
    const title = joined(isUnsent ? `${command}: attempt ${attempt}` : sent, reason);
    return { kind: isStep(request) ? 'step' : 'request', title };
  }
  if (wasMarked({ reason })) return { kind: 'state', title: `${command}: ${markWords({ state: to })}` };
  const why = to === 'declined' ? messageIn(facts) : undefined;
  const title = joined(`${command}: ${to}`, reason, why);
  if (from !== 'sending' || to === 'unknown' || to === 'not_sent') return { kind: 'state', title };
  if (to === 'refused') return { kind: 'refusal', title };
  return { kind: opensForm(request.operation) && to === 'accepted' ? 'page' : 'answer', title };
}

/** Events without a change of state: most record what a status reply proved. */
function describeNote(command: string, reason: string, facts: Event['facts']): Described {
  const step = stepWords(facts);
  if (step !== undefined) return { kind: 'step', title: `${command}: ${step}` };
  const why = textOf(facts['why']);
  const title = joined(`${command}: ${reasonWords(reason)}`, why, textOf(facts['evidence']));
  return { kind: why === undefined ? 'note' : 'poll', title };
}

/** True for the upload of a 3-D Secure result. */
function isStep({ operation }: Request): boolean {
  return operations.some(({ id, answers }) => id === operation && answers !== undefined);
}

/** The bank's reason in what was kept of the reply. */
function messageIn({ outcome }: Event['facts']): string | undefined {
  const kept = typeof outcome === 'object' && outcome !== null ? new Map(Object.entries(outcome)) : undefined;
  return textOf(kept?.get('error-message'));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

const checked: Readonly<Record<Verified, string>> = {
  fits: 'the checksum matches',
  wrong: 'the checksum (control) does NOT match, so it proves nothing',
  'no-key': 'no key to check it with',
};

/** A callback, and everything done about it. */
export function eventsOfCallback(callback: StoredCallback): TimelineEvent[] {
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

/**
 * The order in the built-in sandbox, or in a sandbox of this machine behind a loopback address; undefined when no
 * sandbox has it.
 */
export async function findInSandbox(
  ids: OrderIds,
  session: Session,
  runtime: Runtime,
): Promise<OrderHistory | undefined> {
  if (session.builtin) return historyIn(sandboxName(runtime), ids, session, runtime);
  if (!isLoopback(session.gatewayBase)) return undefined;
  for (const file of runtime.files.list(sandboxFolder(runtime)).filter((name) => name.endsWith('.db'))) {
    const found = await historyIn(file.slice(0, -'.db'.length), ids, session, runtime);
    const isOther = ids.clientOrderId !== undefined && found?.clientOrderId !== ids.clientOrderId;
    if (found !== undefined && !isOther) return found;
  }
  return undefined;
}

async function historyIn(
  name: string,
  ids: OrderIds,
  { login }: Session,
  runtime: Runtime,
): Promise<OrderHistory | undefined> {
  const { orderHistory } = await import('../../../sandbox/orders.js');
  try {
    const sandbox = await openLocalSandbox({ ...runtime, env: { ...runtime.env, PAYCLI_SANDBOX: name } });
    try {
      return orderHistory(sandbox.store, login, ids);
    } finally {
      sandbox.close();
    }
  } catch (error) {
    // A sandbox of another version or name does not have this order.
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

export function eventsOfSandbox({ events }: OrderHistory): TimelineEvent[] {
  return events.map((event) => {
    const { status = '', signature = '' } = event.detail;
    const answer = event.kind === 'refusal' ? joined(`HTTP ${status}`, signature) : undefined;
    // The sandbox records a due change at the next request, under its due time; its clock is ahead or stopped.
    const at = Math.min(event.at, event.machineAt);
    const clock = event.at - at < 1000 ? undefined : `sandbox clock ${timeText(event.at)}`;
    const logged = eventOf('sandbox', at, kindOf(event), joined(event.title, answer, clock));
    const stage = event.kind === 'stage' ? stageText(event.title) : undefined;
    return stage === undefined ? logged : { ...logged, words: joined(stage, clock) };
  });
}

const kinds: Readonly<Record<string, Kind>> = {
  request: 'request',
  refusal: 'refusal',
  stage: 'state',
  page: 'page',
  callback: 'callback',
  queue: 'note',
};

function kindOf({ kind, title, detail }: LoggedEvent): Kind {
  const operation = detail['operation'] ?? '';
  if (kind === 'request' && operation === statusQuery.id) return 'poll';
  if (kind === 'request' && operation.startsWith('TDS_UPLOAD_')) return 'step';
  // A submitted 3-D Secure result, or the stage of an order that waits for one.
  if (kind === 'stage' && (detail['said'] !== undefined || title.endsWith('_3d_validating'))) return 'step';
  return kinds[kind] ?? 'note';
}

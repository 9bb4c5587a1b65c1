import { isPaycliError } from '../errors/index.js';
import type { Clock } from '../runtime/ports.js';
import type { ControlEncoding } from '../signing/index.js';
import { type Known, withKnownIds } from './boundaries.js';
import { addressFor, forwardCallback, type Route } from './forward.js';
import { openKeyedQueue } from './keyed-queue.js';
import type { Answer } from './listener.js';
import { type ParsedCallback, parseCallback, readStored } from './parse-callback.js';
import type { Asked, CallbackStore, Forwarded, RawCallback, Saved, StoredCallback } from './store.js';
import { type CallbackKey, verifyCallback } from './verify.js';

/** What holding a callback against the journal and against status came to. */
export interface MatchResult {
  readonly asked: Asked | undefined;
  /** How many requests of the journal it settled. */
  readonly settled: number;
  /** What does not agree. */
  readonly conflicts: readonly string[];
  /** Why nobody was asked; undefined when somebody was. */
  readonly notAsked: string | undefined;
}

export interface ReceiverOptions {
  readonly store: CallbackStore;
  readonly clock: Clock;
  /** Whose callbacks these are, as in the journal. */
  readonly place: string;
  /** The profile they are taken for, and its class. */
  readonly profile: string;
  readonly class: string;
  readonly keys: readonly CallbackKey[];
  readonly encoding: ControlEncoding;
  readonly routes: readonly Route[];
  readonly forwardTo: string | undefined;
  /** The answer of the handler is given to the gateway. */
  readonly answerWithHandler: boolean;
  /** Whether the journal has an order with both ids. */
  readonly known: () => Promise<Known>;
  /** Holds a callback against the journal, and asks status where money could have moved. */
  readonly matchCallback: (callback: StoredCallback, read: ParsedCallback) => Promise<MatchResult>;
  readonly onHandled: (handled: Handled) => void;
  /** Told why one was not stored, which is answered so that it comes again. */
  readonly onNotStored: (why: string) => void;
  /** Told when what came of one could not be found out or written down. */
  readonly onFault: (fault: unknown) => void;
  readonly signal: AbortSignal;
}

/** One callback with all that came of it. */
export interface Handled {
  readonly callback: StoredCallback;
  readonly as: Saved['as'];
  readonly read: ParsedCallback;
  /** What the gateway was answered; undefined for one that an earlier listener left. */
  readonly answered: number | undefined;
  readonly finding: MatchResult | undefined;
  readonly forwarded: Forwarded | undefined;
}

export interface Receiver {
  /** Stores a callback and answers it; the rest goes on behind the answer. */
  receive(raw: RawCallback): Promise<Answer>;
  /** Forwards what an earlier listener stored and did not finish. */
  resumeForwards(): void;
  /** Settles once nothing is under way. */
  idle(): Promise<void>;
}

// Beyond this, forged ones are answered but no longer kept.
const maxWrong = 1000;

const answers = {
  taken: { status: 200, text: 'OK\n' },
  wrong: { status: 403, text: 'the control does not match\n' },
  // Not 200: nobody would know of it, and what the gateway has to say may be this one.
  over: { status: 503, text: 'too many different callbacks for this order; send it again\n' },
  notStored: { status: 500, text: 'it could not be stored; send it again\n' },
} as const satisfies Readonly<Record<string, Answer>>;

// Asking may go on for minutes; how many questions are out at once is the business of who asks.
const maxMatching = 10_000;
const maxForwards = 16;

export function openReceiver(options: ReceiverOptions): Receiver {
  const { store, onFault, onHandled } = options;
  const asking = openKeyedQueue(maxMatching);
  const forwarding = openKeyedQueue(maxForwards);
  const pending = new Set<Promise<unknown>>();
  let wrong = store.countWrong();

  /**
   * Everything behind the answer. What the journal learns does not wait for a handler, nor the handler for the journal.
   */
  const follow = (begun: AcceptedCallback): Promise<Forwarded | undefined> => {
    const { orderId } = begun.callback;
    const forwarded = forwarding.add(orderId, () => forward(begun, options));
    const all = Promise.all([asking.add(orderId, () => matchAndRecord(begun, options)), forwarded])
      .then(([finding, answer]) =>
        onHandled({ ...begun, callback: store.get(begun.callback.id) ?? begun.callback, finding, forwarded: answer }),
      )
      .catch(onFault)
      .finally(() => pending.delete(all));
    pending.add(all);
    return forwarded;
  };
  return {
    async receive(raw) {
      const read = parseCallback(raw);
      const verdict = withKnownIds(verifyCallback(read, options.keys, options.encoding), read, await options.known());
      const isWrong = verdict.verified === 'wrong';
      if (isWrong && wrong >= maxWrong) return answers.wrong;
      const saved = save(raw, read, verdict, options);
      if (saved === undefined) return answers.notStored;
      if (saved.as === 'over') return isWrong ? answers.wrong : answers.over;
      if (isWrong && saved.as !== 'repeat') wrong += 1;
      const plain = isWrong ? answers.wrong : answers.taken;
      const forwarded = follow({ ...saved, read, answered: plain.status });
      if (!options.answerWithHandler || isWrong) return plain;
      const answer = await forwarded;
      return answer === undefined ? plain : { status: answer.status ?? 502, text: '' };
    },
    resumeForwards() {
      for (const callback of store.owed(options.place).filter(({ raw }) => raw !== undefined)) {
        const read = readStored(callback);
        if (addressFor(read, options.routes, options.forwardTo) !== callback.owedTo) continue;
        void follow({ callback, as: 'new', read, answered: undefined });
      }
    },
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Undefined when it could not be stored. */
function save(
  raw: RawCallback,
  read: ParsedCallback,
  verdict: ReturnType<typeof verifyCallback>,
  options: ReceiverOptions,
): Saved | undefined {
  const { store, clock, place, profile, routes, forwardTo, onNotStored } = options;
  const { orderId, clientOrderId, status, type } = read;
  const owedTo = verdict.verified === 'wrong' ? undefined : addressFor(read, routes, forwardTo);
  try {
    const about = { place, profile, class: options.class, orderId, clientOrderId, status, type };
    const saved = store.save({ ...about, ...verdict, raw, owedTo }, clock.now());
    if (saved.as === 'over')
      onNotStored(
        `callback ${saved.callback.id} has been received with too many different contents; not all of them are stored`,
      );
    return saved;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    onNotStored(error.message);
    return undefined;
  }
}

type AcceptedCallback = Pick<Handled, 'callback' | 'as' | 'read' | 'answered'>;

async function matchAndRecord(
  { callback, as, read }: AcceptedCallback,
  { store, matchCallback }: ReceiverOptions,
): Promise<MatchResult | undefined> {
  // A repeat says nothing new, unless the first one found nobody to ask.
  if (
    as === 'repeat' &&
    (callback.verified === 'wrong' || callback.asked?.status !== undefined || callback.asked === undefined)
  )
    return undefined;
  const finding = await matchCallback(callback, read);
  if (finding.asked !== undefined) store.markAsked(callback.id, finding.asked);
  store.addConflicts(callback.id, finding.conflicts);
  return finding;
}

async function forward(
  { callback, as, read }: AcceptedCallback,
  options: ReceiverOptions,
): Promise<Forwarded | undefined> {
  const { store, clock, routes, forwardTo, answerWithHandler, signal } = options;
  const url = callback.verified === 'wrong' ? undefined : addressFor(read, routes, forwardTo);
  if (url === undefined || callback.raw === undefined || (as === 'repeat' && !answerWithHandler)) return undefined;
  const forwarded = await forwardCallback(callback.raw, url, clock, signal);
  // Cut off by our own end, it is still owed.
  if (!signal.aborted || forwarded.status !== undefined) store.markForwarded(callback.id, forwarded);
  return forwarded;
}

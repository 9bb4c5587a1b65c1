import { isPaycliError } from '../errors/index.js';
import type { Clock } from '../runtime/ports.js';
import type { ControlEncoding } from '../signing/index.js';
import { addressFor, forwardCallback, type Route } from './forward.js';
import type { Answer } from './listener.js';
import { type ParsedCallback, parseCallback, readStored } from './parse-callback.js';
import type {
  CallbackStore,
  ForwardAttempt,
  NewCallback,
  RawCallback,
  Saved,
  StatusAnswer,
  StoredCallback,
} from './store.js';
import { type CallbackKey, verifyCallback } from './verify.js';

/** The result of comparing a callback with the journal and with status. */
export interface MatchResult {
  readonly asked: StatusAnswer | undefined;
  /** How many requests of the journal it resolved. */
  readonly resolved: number;
  /** What does not agree. */
  readonly conflicts: readonly string[];
  /** Why status was not queried; undefined when it was. */
  readonly notAsked: string | undefined;
}

/** With the gateway whose callbacks these are, and the profile they are received for. */
export interface ReceiverOptions extends Pick<NewCallback, 'place' | 'profile' | 'class'> {
  readonly store: CallbackStore;
  readonly clock: Clock;
  readonly keys: readonly CallbackKey[];
  readonly encoding: ControlEncoding;
  readonly routes: readonly Route[];
  readonly forwardTo: string | undefined;
  /** The answer of the handler is sent to the gateway. */
  readonly answerWithHandler: boolean;
  /** Compares a callback with the journal, and queries status where money could have moved. */
  readonly matchCallback: (callback: StoredCallback, read: ParsedCallback) => Promise<MatchResult>;
  readonly onHandled: (handled: Handled) => void;
  /** Called with the reason why one was not stored; the answer then asks the gateway to send it again. */
  readonly onNotStored: (why: string) => void;
  /** Called when the result of one could not be found out or recorded. */
  readonly onFault: (fault: unknown) => void;
  readonly signal: AbortSignal;
}

/** One callback with the results of handling it. */
export interface Handled {
  readonly callback: StoredCallback;
  readonly as: Saved['as'];
  readonly read: ParsedCallback;
  /** HTTP status of the answer to the gateway; undefined for one that an earlier listener left unfinished. */
  readonly answered: number | undefined;
  readonly finding: MatchResult | undefined;
  readonly forwarded: ForwardAttempt | undefined;
}

export interface Receiver {
  /** Stores a callback and answers it; the rest is done after the answer. */
  receive(raw: RawCallback): Promise<Answer>;
  /** Forwards what an earlier listener stored and did not finish. */
  resumeForwards(): void;
  /** Resolves once nothing is being handled. */
  idle(): Promise<void>;
}

// Beyond this, forged ones are answered but no longer kept.
const maxWrong = 1000;

const answers = {
  taken: { status: 200, text: 'OK\n' },
  wrong: { status: 403, text: 'the checksum (control) does not match\n' },
  // Not 200: it is not stored, and it may be the genuine one.
  over: { status: 503, text: 'too many different callbacks for this order; send it again\n' },
  notStored: { status: 500, text: 'it could not be stored; send it again\n' },
} as const satisfies Readonly<Record<string, Answer>>;

export function openReceiver(options: ReceiverOptions): Receiver {
  const { store, onFault, onHandled } = options;
  const matchInTurn = takeTurns();
  const forwardInTurn = takeTurns();
  const pending = new Set<Promise<unknown>>();
  let wrong = store.countWrong();

  /** Everything after the answer. The journal does not wait for a handler, nor the handler for the journal. */
  const follow = (begun: AcceptedCallback): Promise<ForwardAttempt | undefined> => {
    const { orderId } = begun.callback;
    const forwarded = forwardInTurn(orderId, () => forward(begun, options));
    const all = Promise.all([matchInTurn(orderId, () => matchAndRecord(begun, options)), forwarded])
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
      const verdict = verifyCallback(read, options.keys, options.encoding);
      const isWrong = verdict.verified === 'wrong';
      const refusal = read.problem === undefined ? answers.wrong : { status: 400, text: `${read.problem}\n` };
      if (isWrong && wrong >= maxWrong) return refusal;
      const saved = save(raw, read, verdict, options);
      if (saved === undefined) return answers.notStored;
      if (saved.as === 'over') return isWrong ? refusal : answers.over;
      if (isWrong && saved.as !== 'repeat') wrong += 1;
      const plain = isWrong ? refusal : answers.taken;
      const forwarded = follow({ ...saved, read, answered: plain.status });
      if (!options.answerWithHandler || isWrong) return plain;
      const answer = await forwarded;
      return answer === undefined ? plain : { status: answer.status ?? 502, text: '' };
    },
    resumeForwards() {
      for (const callback of store.list({ place: options.place, isOwed: true })) {
        if (callback.raw === undefined) continue;
        const read = readStored(callback);
        if (addressFor(read, options.routes, options.forwardTo) !== callback.forwardTo) continue;
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
  const address = verdict.verified === 'wrong' ? undefined : addressFor(read, routes, forwardTo);
  try {
    const about = { place, profile, class: options.class, orderId, clientOrderId, status, type };
    const saved = store.save({ ...about, ...verdict, raw, forwardTo: address }, clock.now());
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
  // A repeat says nothing new, unless status was queried for the first one and gave no answer.
  if (
    as === 'repeat' &&
    (callback.verified === 'wrong' || callback.asked?.status !== undefined || callback.asked === undefined)
  )
    return undefined;
  const finding = await matchCallback(callback, read);
  if (finding.asked !== undefined) store.recordStatusAnswer(callback.id, finding.asked);
  store.addConflicts(callback.id, finding.conflicts);
  return finding;
}

async function forward(
  { callback, as, read }: AcceptedCallback,
  options: ReceiverOptions,
): Promise<ForwardAttempt | undefined> {
  const { store, clock, routes, forwardTo, answerWithHandler, signal } = options;
  const url = callback.verified === 'wrong' ? undefined : addressFor(read, routes, forwardTo);
  if (url === undefined || callback.raw === undefined || (as === 'repeat' && !answerWithHandler)) return undefined;
  const forwarded = await forwardCallback(callback.raw, url, clock, signal);
  // When the listener itself stopped, it is still to be forwarded.
  if (!signal.aborted || forwarded.status !== undefined) store.recordForward(callback.id, forwarded);
  return forwarded;
}

/** Runs work of one key in sequence, that of different keys in parallel. */
function takeTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const ended = result
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    return result;
  };
}

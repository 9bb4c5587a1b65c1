import { isPaycliError } from '../errors/index.js';
import type { Clock } from '../runtime/ports.js';
import type { ControlEncoding, Secret } from '../signing/index.js';
import { forwardCallback } from './forward.js';
import type { Answer } from './listener.js';
import { type ParsedCallback, parseCallback, readStored, type Verdict, verifyCallback } from './parse-callback.js';
import type {
  CallbackStore,
  ForwardAttempt,
  NewCallback,
  RawCallback,
  Saved,
  StatusAnswer,
  StoredCallback,
} from './store.js';

/** The result of comparing a callback with the journal and with status. */
export interface MatchResult {
  /** Undefined where status was not queried. */
  readonly asked: StatusAnswer | undefined;
  /** How many requests of the journal it resolved. */
  readonly resolved: number;
  /** What does not agree. */
  readonly conflicts: readonly string[];
}

/** With the gateway whose callbacks these are, and the profile they are received for. */
export interface ReceiverOptions extends Pick<NewCallback, 'place' | 'profile' | 'class' | 'forwardTo'> {
  readonly store: CallbackStore;
  readonly clock: Clock;
  /** The control key of the profile. */
  readonly key: Secret | undefined;
  readonly encoding: ControlEncoding;
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

type Begun = Pick<Handled, 'callback' | 'as' | 'answered'>;

export function openReceiver(options: ReceiverOptions): Receiver {
  const { store, key, encoding, place, forwardTo, onFault, onHandled, onNotStored } = options;
  const matchInTurn = takeTurns();
  const forwardInTurn = takeTurns();
  const pending = new Set<Promise<unknown>>();
  let wrong = store.countWrong();

  /** Everything after the answer. The journal does not wait for a handler, nor the handler for the journal. */
  const follow = (begun: Begun): void => {
    const { orderId, id } = begun.callback;
    const work = [
      // By the last digit: so that many at once lead to few queries at once.
      matchInTurn(orderId.slice(-1), () => matchAndRecord(begun, options)),
      forwardInTurn(orderId, () => forward(begun, options)),
    ] as const;
    const all = Promise.all(work)
      .then(([finding, forwarded]) =>
        onHandled({ ...begun, callback: store.get(id) ?? begun.callback, finding, forwarded }),
      )
      .catch(onFault)
      .finally(() => pending.delete(all));
    pending.add(all);
  };
  return {
    async receive(raw) {
      const read = parseCallback(raw);
      const verdict = verifyCallback(read, key, encoding);
      const isWrong = verdict.verified === 'wrong';
      const refusal = read.problem === undefined ? answers.wrong : { status: 400, text: `${read.problem}\n` };
      if (isWrong && wrong >= maxWrong) return refusal;
      const saved = save(raw, read, verdict, options);
      if (saved === undefined) return answers.notStored;
      if (saved.as === 'over') {
        onNotStored(`too many with the ids and status of callback ${saved.callback.id} came, each with other content`);
        return isWrong ? refusal : answers.over;
      }
      if (isWrong && saved.as === 'new') wrong += 1;
      const answer = isWrong ? refusal : answers.taken;
      follow({ ...saved, answered: answer.status });
      return answer;
    },
    resumeForwards() {
      for (const callback of store.list({ place, isOwed: true }))
        if (callback.raw !== undefined && callback.forwardTo === forwardTo)
          follow({ callback, as: 'new', answered: undefined });
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
  verdict: Verdict,
  { store, clock, place, profile, class: kind, forwardTo, onNotStored }: ReceiverOptions,
): Saved | undefined {
  const { orderId, clientOrderId, status, type } = read;
  const about = { place, profile, class: kind, orderId, clientOrderId, status, type };
  const owed = verdict.verified === 'wrong' ? undefined : forwardTo;
  try {
    return store.save({ ...about, ...verdict, raw, forwardTo: owed }, clock.now());
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    onNotStored(error.message);
    return undefined;
  }
}

async function matchAndRecord(
  { callback, as }: Begun,
  { store, matchCallback }: ReceiverOptions,
): Promise<MatchResult | undefined> {
  const { id, asked } = callback;
  // A repeat says nothing new, unless status was queried for the first one and gave no answer.
  if (as === 'repeat' && (asked === undefined || asked.status !== undefined)) return undefined;
  const finding = await matchCallback(callback, readStored(callback));
  if (finding.asked !== undefined) store.recordStatusAnswer(id, finding.asked);
  store.addConflicts(id, finding.conflicts);
  return finding;
}

async function forward(
  { callback, as }: Begun,
  { store, clock, forwardTo, signal }: ReceiverOptions,
): Promise<ForwardAttempt | undefined> {
  const { id, verified, raw } = callback;
  if (verified === 'wrong' || forwardTo === undefined || raw === undefined || as === 'repeat') return undefined;
  const forwarded = await forwardCallback(raw, forwardTo, clock, signal);
  // When the listener itself stopped, it is still to be forwarded.
  if (!signal.aborted || forwarded.status !== undefined) store.recordForward(id, forwarded);
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

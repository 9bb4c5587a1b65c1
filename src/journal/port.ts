/**
 * The journal as its callers see it, whichever database holds it: every request that may move money, whoever sends it.
 * What was refused is a value; only storage that fails throws (STORAGE). A change is on disk when its promise resolves.
 * Times are milliseconds since 1970, by the clock of the store.
 */
import type { Sum } from '../wire/amount.js';
import type { State } from './states.js';

export type { Sum };

type Facts = Readonly<Record<string, unknown>>;

/** A request to be sent, as far as it may be stored: no card number, no security code, no key, no checksum. */
export interface NewRequest {
  /** `payment` makes an order; a `follow-up` is about one; `other` is neither, such as a path that is not described. */
  readonly kind: 'payment' | 'follow-up' | 'other';
  /** Its id in the table, or a path. */
  readonly operation: string;
  readonly effect: 'write' | 'money';
  /** The gateway's name. */
  readonly base: string;
  readonly endpoint: string;
  readonly login: string;
  readonly profile: string;
  readonly class: string;
  readonly clientOrderId?: string | undefined;
  /** The gateway's id of the order a follow-up is about. */
  readonly orderId?: string | undefined;
  readonly sum?: Sum | undefined;
  readonly card4?: string | undefined;
  /** Keyed hash (see `Journal.hash`) of what makes it the same request whatever its client order id. */
  readonly content: string;
  /** Keyed hash of what makes it the same payment under any id: card or account, sum, direction. */
  readonly payment?: string | undefined;
}

/** What a request counts against the cap of a day (from 00:00 UTC), in ten-thousandths of the currency. */
export type Counted = { readonly day: number; readonly units: string; readonly currency: string };

export interface Request extends NewRequest {
  readonly id: number;
  readonly batch?: string | undefined;
  /** The row of the batch, from 1. */
  readonly number?: number | undefined;
  readonly state: State;
  /** Attempts so far, and the process of the newest one. */
  readonly attempt: number;
  readonly worker?: string | undefined;
  readonly createdAt: number;
  readonly begunAt?: number | undefined;
  readonly changedAt: number;
  /** A code, or the gateway's own words; never parsed. */
  readonly reason: string;
  /** Fields of the replies that may be kept, each with its newest value. */
  readonly outcome: Readonly<Record<string, string>>;
  /** The kinds of evidence that were seen to contradict it. */
  readonly raised?: readonly State[] | undefined;
  /** The outcome of the attempt before the newest was unknown when that one began. */
  readonly mayHaveArrived: boolean;
  /** The gateway has this payment, made by another machine; it counts against no cap here. */
  readonly isElsewhere: boolean;
  /** The step that a pending order expects from its payer. */
  readonly waitsFor?: string | undefined;
  readonly counted?: Counted | undefined;
}

/** A row of a batch, with what only its sending needs, which is stored encrypted. */
export type NewRow = NewRequest & { readonly number: number; readonly payload: string };

type Added = { readonly id: number } | { readonly other: Request };

export interface Begin {
  /** What is to be sent; a refused request is corrected to it. */
  readonly request: NewRequest;
  /** The recorded request it is an attempt of; left out for a new one. */
  readonly id?: number | undefined;
  /** Attempts of it that the caller knows of: one more, and another process was faster. */
  readonly attempt: number;
  readonly batch?: string | undefined;
  /** Leads out of `unknown`, on purpose. */
  readonly isResend?: boolean | undefined;
  /** What it counts against the caps; the sum of the request when left out. */
  readonly counts?: Sum | undefined;
  /** What the merchant may send from 00:00 to 24:00 UTC in this currency. */
  readonly dayCap?: Sum | undefined;
  /** It may not repeat an equal payment that is in doubt, accepted, or was approved since then. */
  readonly equalSince?: number | undefined;
  /** Attempts of all other requests on its order that the caller has looked at; one more may be this very follow-up. */
  readonly attemptsOnOrder?: number | undefined;
  readonly facts?: Facts | undefined;
}

/**
 * Why an attempt may not begin. `taken`: another process has begun or changed it. `in-batch`: it is a row of another batch.
 * `order-busy`: another request on its order is in doubt, or pending without an amount, or began since the caller looked.
 */
export type Refusal =
  | { readonly why: 'taken' | 'used-id' | 'in-batch' | 'order-busy' | 'equal'; readonly other: Request }
  | { readonly why: 'batch-held'; readonly state: string }
  | { readonly why: 'no-rows-left' }
  | { readonly why: 'over-cap'; readonly spent: Sum; readonly cap: Sum; readonly counts: Sum; readonly day: number };

export type Begun = { readonly begun: Request } | { readonly refused: Refusal };

/** What is said of a request. In `waitsFor` `nothing` says that the payer is no longer waited for. */
export interface Evidence extends Pick<Request, 'id' | 'reason' | 'orderId' | 'waitsFor'> {
  /** `result`: the reply to an attempt of this process. `elsewhere`: the gateway has it, but not from this request. */
  readonly by: 'result' | 'gateway' | 'elsewhere' | 'person';
  readonly to: Exclude<State, 'planned' | 'sending' | 'cancelled'>;
  /** The attempt it is about, and the state that was seen: where it is in another one, nothing changes. */
  readonly attempt?: number | undefined;
  readonly seen?: State | undefined;
  /** It is about this very request, and not only about its order; a result always is. */
  readonly isOwn?: boolean | undefined;
  readonly outcome?: Readonly<Record<string, string>> | undefined;
  readonly facts?: Facts | undefined;
}

/** What an event is about: a request, a batch, or neither, which is the journal itself. */
type About = Pick<Event, 'request'> & Pick<Request, 'batch'>;

export interface Event {
  readonly id: number;
  readonly request?: number | undefined;
  readonly from?: State | undefined;
  readonly to?: State | undefined;
  readonly at: number;
  readonly who: string;
  readonly reason: string;
  readonly facts: Facts;
}

type Named = 'operation' | 'base' | 'login' | 'profile' | 'batch';

/** What is left out does not restrict. */
export interface Filter extends Readonly<Partial<Record<Named, string | undefined>>> {
  readonly ids?: readonly number[] | undefined;
  readonly states?: readonly State[] | undefined;
  readonly kinds?: readonly NewRequest['kind'][] | undefined;
  readonly clientOrderIds?: readonly string[] | undefined;
  readonly orderIds?: readonly string[] | undefined;
  /** Either id of an order. */
  readonly order?: string | undefined;
  /** When it was recorded: from included, until not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** In ten-thousandths (see `toUnits`), both ends included. */
  readonly amount?: { readonly currency?: string; readonly min: string; readonly max: string } | undefined;
  /** Last digits of the card, at most four. */
  readonly card?: string | undefined;
  /** Part of an id, the reason or a kept field. */
  readonly text?: string | undefined;
  /** The first follow-up that may have reached the gateway on an order that was made elsewhere. */
  readonly isFirst?: true | undefined;
  /** One of these operations was carried out on its order. */
  readonly followedBy?: readonly string[] | undefined;
  /** Of an order made elsewhere. */
  readonly statuses?: readonly string[] | undefined;
}

/** The newest first below `before`, or the oldest first above `after`: by id, within a batch by row number. */
export interface Page {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** How many requests are in a state, and their money where they name it. */
export type Total = Pick<Request, 'state' | 'sum'> & { readonly count: number };

/** An order that was made elsewhere, as the gateway showed it. */
export interface SeenOrder
  extends Pick<NewRequest, 'base' | 'login' | 'profile' | 'class' | 'clientOrderId' | 'sum' | 'card4'> {
  /** For pages; given by the store, anew whenever the order is seen. */
  readonly id?: number;
  readonly orderId: string;
  readonly status: string;
  readonly type?: string | undefined;
  readonly at: number;
  readonly outcome: Readonly<Record<string, string>>;
}

/** `planning` until all its rows are added; only a running one sends. */
export type BatchState = 'planning' | 'running' | 'paused' | 'stopped' | 'cancelled';

export interface Batch {
  readonly id: string;
  readonly digest: string;
  readonly head: Facts;
  readonly state: BatchState;
  /** How the row that goes alone at first fares, in the words of the batch. */
  readonly canary: string;
  /** Rows that may still be sent; undefined for no limit. */
  readonly rowsLeft?: number | undefined;
  readonly createdAt: number;
}

export type Approval = Readonly<Record<'batch' | 'digest' | 'total' | 'role', string>> & { readonly at: number };

/** The store lacks events that this machine wrote, or is another one: a copy was restored, or the file was lost. */
export interface Restored {
  readonly why: 'event-missing' | 'other-store' | 'unreadable';
  /** The newest event that this machine wrote, and that the store has; undefined where it is not known. */
  readonly marked?: { readonly event: number; readonly at: number } | undefined;
  readonly newest?: { readonly event: number; readonly at: number } | undefined;
}

export interface Journal {
  /** This process, as requests name it. */
  readonly worker: string;
  /** Who the database says this user is; undefined where it knows nobody. */
  readonly role: string | undefined;
  /** Keyed hash: it can be compared, not read. */
  hash(parts: readonly string[]): string;

  /** A new batch without rows, in `planning`. */
  addBatch(batch: Pick<Batch, 'id' | 'digest' | 'head'>): Promise<void>;
  /** Adds rows to a batch in `planning`, in their order; for one whose client order id is taken, its owner. */
  addRows(batch: string, rows: readonly NewRow[]): Promise<readonly Added[]>;
  /**
   * Changes the batch where its state is one of `from`; undefined elsewhere. Cancelling cancels its unsent rows; when it
   * is set running its pending rows are due to be asked about.
   */
  changeBatch(id: string, from: readonly BatchState[], to: Partial<Batch>, facts?: Facts): Promise<Batch | undefined>;
  /** The newest first; those with this id, or all. */
  findBatches(id?: string): Promise<readonly Batch[]>;
  approve(approval: Omit<Approval, 'at'>): Promise<void>;
  approvals(batch: string): Promise<readonly Approval[]>;
  /**
   * The next rows of a batch that nobody sent, in their order. While this process runs and keeps them, nobody else gets
   * them; whether one may be sent is for `begin` to say. Until the canary has passed, a second process gets none.
   */
  takeToSend(batch: string, limit: number): Promise<readonly Request[]>;
  /** Whether another process has taken rows that it did not send yet. */
  areRowsHeld(batch: string): Promise<boolean>;
  /** Gives back those that were not sent. */
  giveBack(batch: string): Promise<void>;
  /** What the rows need for sending, by their ids; those whose payload was purged are missing. */
  readPayloads(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Removes the payloads of a batch for good; false while one of its rows may still need them. */
  purgePayloads(batch: string): Promise<boolean>;

  /** Records that attempts are about to be sent. A byte may leave only for those that have begun. */
  begin(attempts: readonly Begin[]): Promise<readonly Begun[]>;
  /** Records what is said of requests, and gives them as they are then. */
  settle(evidence: readonly Evidence[]): Promise<readonly Request[]>;
  /** Adds an event that changes no state. */
  record(about: About, reason: string, facts: Facts): Promise<void>;
  /** Says that this process still runs; at least every 30 s while it sends. */
  beat(): Promise<void>;
  /** Requests that a process left in `sending` which is gone are `unknown` from now on. */
  markGone(): Promise<readonly Request[]>;
  /** Pending rows of a batch that are due to be asked about; for a pause at least nobody else gets them. */
  takeToAsk(batch: string, limit: number, pauseMs: number): Promise<readonly Request[]>;

  find(filter: Filter, page: Page): Promise<readonly Request[]>;
  /** How many are in each state. */
  count(filter: Filter): Promise<ReadonlyMap<State, number>>;
  total(filter: Filter): Promise<readonly Total[]>;
  /** For each, the requests it would repeat (see `Begin.equalSince`), newest first, at most two; never itself. */
  findEqual(requests: readonly NewRequest[], since: number): Promise<readonly (readonly Request[])[]>;
  /** Oldest first. */
  events(about: About): Promise<readonly Event[]>;
  /** What a merchant sent on the day of this time: refusals and what was proven not sent are left out. */
  spent(merchant: Pick<NewRequest, 'base' | 'login'>, at: number): Promise<readonly Sum[]>;
  see(orders: readonly SeenOrder[]): Promise<void>;
  /** Orders of which this journal has no request, by when they were seen. */
  findSeen(filter: Filter, page: Page): Promise<readonly SeenOrder[]>;
  /** How many of them have each status. */
  countSeen(filter: Filter): Promise<ReadonlyMap<string, number>>;

  /** While it is set, `begin` throws STORAGE, as `assertNotRestored` does. */
  readonly restored: Restored | undefined;
  assertNotRestored(): void;
  /** Takes the store as it is from now on. */
  acceptRestored(facts: Facts): Promise<void>;
  /** What is wrong with the storage; empty when nothing is. */
  check(): Promise<readonly string[]>;
  /** Waits for what is being written, and writes the mark; `close` does so too. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

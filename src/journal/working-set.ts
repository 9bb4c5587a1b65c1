import type { SqlRow } from '../runtime/ports.js';
import { recount, startOfDay } from './caps.js';
import type { Change, Statement } from './dialect.js';
import type { Newest } from './mark.js';
import type { NewRequest, Request } from './port.js';
import type { State } from './states.js';
import type { Store } from './store.js';
import { contentFields, insert, movedFields, requestFrom, update, type Write } from './tables.js';
import { describeWorker } from './workers.js';

/** Something that a rule has to know: the rows of a statement about the members of a list, which the set keeps. */
interface Read {
  readonly sql: string;
  readonly list: readonly unknown[];
}

/** Decides about one change: says, step by step, what it has to know, and then changes the set. */
export type Rule<Answer> = (set: WorkingSet) => Steps<Answer>;
export type Steps<Answer> = Generator<readonly Read[], Answer, void>;

/** An event to be added; see `Event`. */
interface NewEvent {
  readonly request?: number | undefined;
  readonly from?: State | undefined;
  readonly to?: State | undefined;
  readonly reason: string;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

/** One transaction; the time of its work is that of the store. */
export async function change<Result>(store: Store, work: (set: WorkingSet) => Change<Result>): Promise<Result> {
  const { result, newest } = await store.tables.change(function* (now) {
    const set = new WorkingSet(store, now);
    const made = yield* work(set);
    return { result: made, newest: yield* set.write() };
  });
  if (newest !== undefined && store.restored === undefined) store.mark?.note(newest);
  return result;
}

/**
 * What a group of changes has to know of the store, read at once, and what they change of it, written at once. In between
 * the rules work on this alone: they are the same for every store, and a group costs as much as one change.
 */
export class WorkingSet {
  readonly now: number;
  readonly store: Store;
  #last: { request: number; event: number } | undefined;
  /** As they are stored. */
  readonly #stored = new Map<number, Request>();
  readonly #requests = new Map<number, Request>();
  readonly #batches = new Map<string, { readonly state: string; readonly rowsLeft: number | undefined }>();
  readonly #spent = new Map<string, bigint>();
  readonly #payloads: object[] = [];
  readonly #events: NewEvent[] = [];
  /** What is added to the rows that a batch has sent, and to what a merchant sent. */
  readonly #rowsSent = new Map<string, number>();
  readonly #spentMore = new Map<string, bigint>();
  readonly #corrected = new Set<number>();
  #isWorkerSeen = false;

  constructor(store: Store, now: number) {
    this.store = store;
    this.now = now;
  }

  /** Makes changes side by side: what they have to know next is read at once. */
  *make<Answer>(rules: readonly Rule<Answer>[]): Change<readonly Answer[]> {
    const made = rules.map((rule) => rule(this));
    let steps = made.map((each) => each.next());
    for (;;) {
      const reads = steps.flatMap((step) => (step.done === true ? [] : step.value));
      if (steps.every(({ done }) => done)) return steps.map(({ value }) => value as Answer);
      yield* this.read(reads);
      steps = steps.map((step, at) => (step.done === true ? step : (made[at]?.next() ?? step)));
    }
  }

  /** What is known already stays as it is. */
  *read(reads: readonly Read[]): Change<void> {
    const lists = new Map<string, unknown[]>();
    for (const { sql, list } of reads) if (list.length > 0) lists.set(sql, [...(lists.get(sql) ?? []), ...list]);
    const statements = [...lists].map(([sql, list]): Statement => ({ sql, values: [JSON.stringify(list)] }));
    if (this.#last === undefined) statements.push({ sql: lastSql, values: [] });
    if (statements.length === 0) return;
    for (const row of (yield statements).flat()) this.#take(row);
  }

  /** Its columns tell what a row is of. */
  #take(row: SqlRow): void {
    const { last_event: event, units, rows_left: left } = row;
    const id = Number(row['id']);
    if (event !== undefined) this.#last = { request: Number(row['last_request']), event: Number(event) };
    else if (units !== undefined) this.#spent.set(keyOfSpent(row), BigInt(String(units)));
    else if (left !== undefined)
      this.#batches.set(String(row['id']), {
        state: String(row['state']),
        rowsLeft: left === null ? undefined : Number(left),
      });
    else if (!this.#requests.has(id)) {
      const request = requestFrom(row);
      this.#stored.set(id, request);
      this.#requests.set(id, request);
    }
  }

  /** The request with this id. */
  readRequest(id: number | undefined): Read {
    const { among } = this.store.tables.dialect;
    return { sql: `SELECT * FROM request WHERE ${among('id', 'bigint')}`, list: listed(id) };
  }

  /** The payment under the client order id of a request. */
  readPayment(request: NewRequest | undefined): Read {
    const { rows } = this.store.tables.dialect;
    const sql = `SELECT request.* FROM ${rows('wanted', 'client_order_id text, base text, login text')}
      JOIN request ON request.client_order_id = wanted.client_order_id AND request.base = wanted.base
        AND request.login = wanted.login AND request.kind = 'payment' AND request.state <> 'cancelled'`;
    return {
      sql,
      list: listed(request).map(({ clientOrderId, base, login }) => ({ client_order_id: clientOrderId, base, login })),
    };
  }

  /** All requests on the order of one. */
  readOrder(request: NewRequest | undefined): Read {
    const { rows } = this.store.tables.dialect;
    const sql = `SELECT request.* FROM ${rows('wanted', 'order_id text, base text')}
      JOIN request ON request.order_id = wanted.order_id AND request.base = wanted.base`;
    return { sql, list: listed(request).map(({ orderId, base }) => ({ order_id: orderId, base })) };
  }

  /** The state of a batch, and how many rows it may send. */
  readBatch(id: string | undefined): Read {
    return {
      sql: `SELECT id, state, rows_left FROM batch WHERE ${this.store.tables.dialect.among('id')}`,
      list: listed(id),
    };
  }

  /** What the merchant of a request sent today. */
  readSpent(request: NewRequest | undefined): Read {
    // As text: units may be more than a number of JavaScript holds exactly.
    const sql = `SELECT DISTINCT base, login, currency, spent.day, CAST(units AS TEXT) AS units
      FROM ${this.store.tables.dialect.rows('wanted', 'base text, login text, day bigint')} JOIN spent USING (base, login, day)`;
    return { sql, list: listed(request).map(({ base, login }) => ({ base, login, day: startOfDay(this.now) })) };
  }

  /** Throws where there is none: ids come from the journal itself. */
  request(id: number): Request {
    const request = this.#requests.get(id);
    if (request === undefined) throw new Error(`the journal has no request ${id}`);
    return request;
  }

  /** The payment under the client order id of a request, at whatever endpoint. */
  payment({ base, login, clientOrderId }: NewRequest): Request | undefined {
    return [...this.#requests.values()].find(
      (other) =>
        clientOrderId !== undefined &&
        other.clientOrderId === clientOrderId &&
        other.base === base &&
        other.login === login &&
        other.kind === 'payment' &&
        other.state !== 'cancelled',
    );
  }

  onOrder({ base, orderId }: NewRequest): readonly Request[] {
    const isOnIt = (other: Request) => orderId !== undefined && other.orderId === orderId && other.base === base;
    return [...this.#requests.values()].filter(isOnIt);
  }

  batchState(id: string): string | undefined {
    return this.#batches.get(id)?.state;
  }

  /** Undefined for no limit. */
  rowsLeft(batch: string): number | undefined {
    const known = this.#batches.get(batch)?.rowsLeft;
    return known === undefined ? undefined : known - (this.#rowsSent.get(batch) ?? 0);
  }

  /** What the merchant of a request sent today. */
  spent({ base, login }: NewRequest, currency: string): bigint {
    const key = keyOfSpent({ base, login, currency, day: startOfDay(this.now) });
    return (this.#spent.get(key) ?? 0n) + (this.#spentMore.get(key) ?? 0n);
  }

  /** A new request in `planned`, perhaps as the row of a batch. */
  insert(request: NewRequest, row: Pick<Request, 'batch' | 'number'> = {}): Request {
    if (this.#last === undefined) throw new Error('nothing was read before the first change');
    this.#last.request += 1;
    const fresh: Request = {
      ...{ id: this.#last.request, ...pickContent(request), ...row, state: 'planned', attempt: 0, reason: '' },
      ...{ outcome: {}, mayHaveArrived: false, isElsewhere: false, createdAt: this.now, changedAt: this.now },
    };
    this.#requests.set(fresh.id, fresh);
    return fresh;
  }

  /** It is to be another request from now on; what it is found by stays. */
  correct(known: Request, request: NewRequest): Request {
    this.#corrected.add(known.id);
    return { ...known, ...pickContent(request) };
  }

  addPayload(request: number, encrypted: string): void {
    this.#payloads.push({ request, encrypted });
  }

  /** Moves a request, with its event and what it counts. */
  move(before: Request, after: Request, facts: NewEvent['facts'], reason = after.reason): void {
    const { id, state: from } = before;
    this.#requests.set(id, after);
    for (const { day, currency, units } of recount(before, after)) {
      const key = keyOfSpent({ base: after.base, login: after.login, currency, day });
      this.#spentMore.set(key, (this.#spentMore.get(key) ?? 0n) + BigInt(units));
    }
    this.addEvent({ request: id, from, to: after.state, reason, facts });
  }

  addEvent(event: NewEvent): void {
    this.#events.push(event);
  }

  /** Counts a row of a batch as sent, or as not sent after all. */
  countRow(batch: string, sent: 1 | -1): void {
    this.#rowsSent.set(batch, (this.#rowsSent.get(batch) ?? 0) + sent);
  }

  /** Says that this process still runs. */
  seeWorker(): void {
    this.#isWorkerSeen = true;
  }

  /** The newest event of those that it adds. */
  *write(): Change<Newest | undefined> {
    if (this.#last === undefined && this.#events.length > 0) yield* this.read([]);
    const nonce = this.store.random.letters(16);
    const writes = this.#writes(nonce).filter(({ count }) => count > 0);
    if (writes.length === 0) return undefined;
    const found = yield writes;
    if (writes.some(({ count }, at) => found[at]?.length !== count))
      throw new Error('a row changed within a transaction');
    if (this.#last === undefined || this.#events.length === 0) return undefined;
    return { event: this.#last.event + this.#events.length, nonce, at: this.now };
  }

  #writes(nonce: string): readonly Write[] {
    const { store, now } = this;
    const { dialect } = store.tables;
    const known = [...this.#requests.values()].map((after) => ({ before: this.#stored.get(after.id), after }));
    const changed = known.flatMap(({ before, after }) =>
      before === undefined || before === after ? [] : [{ before, after }],
    );
    const move = (fields: readonly string[], isCorrected: boolean) => {
      const some = changed.filter(({ after }) => this.#corrected.has(after.id) === isCorrected);
      return update(dialect, 'request', { fields, same: ['id', 'state', 'attempt'] }, some);
    };
    const events = this.#events.map((event, at) => ({
      ...{ ...event, facts: event.facts ?? {}, id: (this.#last?.event ?? 0) + 1 + at, nonce, at: now, who: store.who },
    }));
    const rowsSent = [...this.#rowsSent].map(([batch, sent]) => ({ batch, sent }));
    const spent = [...this.#spentMore].map(([key, units]) => ({ ...JSON.parse(key), units: String(units) }));
    return [
      move(movedFields, false),
      move([...movedFields, ...contentFields], true),
      insert(
        dialect,
        'request',
        known.flatMap(({ before, after }) => (before === undefined ? [after] : [])),
      ),
      insert(dialect, 'payload', this.#payloads),
      insert(dialect, 'event', events),
      {
        sql: `UPDATE batch SET rows_left = rows_left - fresh.sent FROM ${dialect.rows('fresh', 'batch text, sent bigint')}
          WHERE batch.id = fresh.batch RETURNING 1 AS done`,
        values: [JSON.stringify(rowsSent)],
        count: rowsSent.length,
      },
      insert(dialect, 'spent', spent, {
        end: 'ON CONFLICT (base, login, currency, day) DO UPDATE SET units = spent.units + excluded.units',
      }),
      insert(dialect, 'worker', this.#isWorkerSeen ? [describeWorker(store, now)] : [], {
        end: 'ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at',
      }),
    ];
  }
}

/** What a request is, whatever became of it. */
const contentNames = `kind operation effect base endpoint login profile class clientOrderId orderId sum card4 content
  payment`.split(/\s+/) as (keyof NewRequest)[];

function pickContent(request: NewRequest): NewRequest {
  return Object.fromEntries(contentNames.map((name) => [name, request[name]])) as unknown as NewRequest;
}

function listed<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}

const lastSql =
  'SELECT (SELECT max(id) FROM request) AS last_request, (SELECT coalesce(max(id), 0) FROM event) AS last_event';

function keyOfSpent({ base, login, currency, day }: SqlRow): string {
  return JSON.stringify({ base, login, currency, day });
}

import type { SqlRow } from '../runtime/ports.js';
import { startOfDay } from '../wire/time.js';
import type { Change, Statement } from './dialect.js';
import type { Newest } from './mark.js';
import type { Event, NewRequest, Request } from './port.js';
import { spentStates } from './states.js';
import { headSql, type Store } from './store.js';
import { insert, replacing, requestFrom, select } from './tables.js';

/** What has to be known: the rows of a table with these values; none where one of them is undefined. */
interface Read {
  readonly table: keyof typeof readColumns;
  readonly key: Readonly<Record<string, unknown>>;
}

/** Decides about one change by what it reads. */
export interface Rule<Answer> {
  reads?(now: number): readonly Read[];
  decide(set: WorkingSet): Answer;
}

const readColumns = {
  request: 'request.*',
  batch: 'batch.id, state, rows_left',
  // As text: units may be more than a number of JavaScript holds exactly.
  spent: 'spent.base, spent.login, currency, spent.day, CAST(units AS TEXT) AS units',
};

/** One transaction; the time of its work is that of the store. */
export async function change<Result>(store: Store, work: (set: WorkingSet) => Change<Result>): Promise<Result> {
  const { result, newest } = await store.tables.change(function* (now, isOther) {
    if (isOther) store.mark?.contradict('other-store');
    const set = new WorkingSet(store, now);
    return { result: yield* work(set), newest: yield* set.write() };
  });
  if (newest !== undefined) store.mark?.note(newest);
  return result;
}

/**
 * What a group of changes has to know of the store, read at once, and what they change of it, written at once. In between
 * the rules work on this alone: they are the same for every store, and a group costs as much as one change.
 */
export class WorkingSet {
  readonly now: number;
  readonly store: Store;
  readonly events: Omit<Event, 'id' | 'at' | 'who'>[] = [];
  /** It is to be said that this process still runs. */
  isWorkerSeen = false;
  #last: { request: number; readonly event: number } | undefined;
  readonly #requests = new Map<number, Request>();
  readonly #changed = new Set<number>();
  readonly #batches = new Map<string, SqlRow>();
  readonly #spent = new Map<string, bigint>();
  /** What is added to the rows that a batch has sent, and to what a merchant sent. */
  readonly #rowsSent = new Map<string, number>();
  readonly #spentMore = new Map<string, bigint>();
  readonly #payloads: object[] = [];

  constructor(store: Store, now: number) {
    this.store = store;
    this.now = now;
  }

  *make<Answer>(rules: readonly Rule<Answer>[]): Change<readonly Answer[]> {
    yield* this.load(rules.flatMap((rule) => rule.reads?.(this.now) ?? []));
    return rules.map((rule) => rule.decide(this));
  }

  /** Before the first change. */
  *load(reads: readonly Read[] = []): Change<void> {
    const groups = new Map<string, { readonly table: Read['table']; readonly keys: object[] }>();
    for (const { table, key } of reads) {
      if (Object.values(key).includes(undefined)) continue;
      const name = `${table} ${Object.keys(key)}`;
      groups.set(name, { table, keys: [...(groups.get(name)?.keys ?? []), key] });
    }
    const all = [...groups.values()];
    const { tables, mark } = this.store;
    const marked = mark?.newest;
    const statements = all.map(({ table, keys }) => select(tables.dialect, table, keys, readColumns[table]));
    const [[head = {}] = [], ...found] = yield [{ sql: headSql, values: [marked?.event ?? 0] }, ...statements];
    mark?.compare(marked, head);
    if (mark?.restored?.why === 'event-missing') yield* tables.disown?.() ?? [];
    this.#last = { request: Number(head['request']), event: Number(head['event']) };
    for (const [at, { table }] of all.entries()) for (const row of found[at] ?? []) this.#take(table, row);
  }

  #take(table: Read['table'], row: SqlRow): void {
    if (table === 'batch') this.#batches.set(String(row['id']), row);
    else if (table === 'spent') this.#spent.set(spentKey(row), BigInt(String(row['units'])));
    else this.#requests.set(Number(row['id']), requestFrom(row));
  }

  /** Throws where there is none: ids come from the journal itself. */
  request(id: number): Request {
    const request = this.#requests.get(id);
    if (request === undefined) throw new Error(`the journal has no request ${id}`);
    return request;
  }

  /** The payment under the client order id of a request, at whatever endpoint. */
  payment({ clientOrderId, base, login }: NewRequest): Request | undefined {
    if (clientOrderId === undefined) return undefined;
    const isIts = (other: Request) => other.clientOrderId === clientOrderId && other.base === base;
    return [...this.#requests.values()].find(
      (other) => isIts(other) && other.login === login && other.kind === 'payment' && other.state !== 'cancelled',
    );
  }

  onOrder({ orderId, base }: NewRequest): readonly Request[] {
    const isOnIt = (other: Request) => other.orderId === orderId && other.base === base;
    return orderId === undefined ? [] : [...this.#requests.values()].filter(isOnIt);
  }

  /** Of a batch: its state, and how many rows it may still send. */
  batch(id: string): { readonly state: string; readonly rowsLeft: number } {
    const { state, rows_left: left } = this.#batches.get(id) ?? {};
    const rowsLeft = Number(left ?? Number.POSITIVE_INFINITY) - (this.#rowsSent.get(id) ?? 0);
    return { state: String(state), rowsLeft };
  }

  /** What the merchant of a request sent today. */
  spent(request: NewRequest, currency: string): bigint {
    const key = spentKey({ ...request, currency, day: startOfDay(this.now) });
    return (this.#spent.get(key) ?? 0n) + (this.#spentMore.get(key) ?? 0n);
  }

  /** A new request in `planned`, perhaps as the row of a batch. */
  insert(request: NewRequest, row: Pick<Request, 'batch' | 'number'> = {}, encrypted?: string): Request {
    if (this.#last === undefined) throw new Error('nothing was read before the first change');
    this.#last.request += 1;
    const fresh: Request = {
      ...{ id: this.#last.request, ...pickContent(request), ...row, state: 'planned', attempt: 0, reason: '' },
      ...{ outcome: {}, mayHaveArrived: false, isElsewhere: false, createdAt: this.now, changedAt: this.now },
    };
    if (encrypted !== undefined) this.#payloads.push({ request: fresh.id, encrypted });
    return this.#put(fresh);
  }

  #put(request: Request): Request {
    this.#requests.set(request.id, request);
    this.#changed.add(request.id);
    return request;
  }

  /** Moves a request, with its event and what it counts: as it is now, and no more as it was. */
  move(before: Request, after: Request, facts: Event['facts'], reason = after.reason): Request {
    for (const [{ base, login, state, counted }, sign] of [[before, -1n] as const, [after, 1n] as const]) {
      if (counted === undefined || !spentStates.includes(state)) continue;
      const key = spentKey({ base, login, ...counted });
      this.#spentMore.set(key, (this.#spentMore.get(key) ?? 0n) + sign * BigInt(counted.units));
    }
    this.events.push({ request: after.id, from: before.state, to: after.state, reason, facts });
    return this.#put(after);
  }

  /** Counts a row of a batch as sent, or as not sent after all. */
  countRow(batch: string, sent: 1 | -1): void {
    this.#rowsSent.set(batch, (this.#rowsSent.get(batch) ?? 0) + sent);
  }

  /** The newest event of those that it adds. */
  *write(): Change<Newest | undefined> {
    if (this.#last === undefined && this.events.length > 0) yield* this.load();
    const last = this.#last?.event ?? 0;
    const nonce = this.store.random.letters(16);
    const writes = this.#writes(nonce, last).filter(({ values }) => values[0] !== '[]');
    if (writes.length > 0) yield writes;
    const { length } = this.events;
    return length === 0 ? undefined : { event: last + length, nonce, at: this.now };
  }

  #writes(nonce: string, last: number): readonly Statement[] {
    const { store, now } = this;
    const { dialect } = store.tables;
    const requests = [...this.#changed].map((id) => this.request(id));
    const events = this.events.map((event, at) => ({ ...event, id: last + 1 + at, nonce, at: now, who: store.who }));
    const rowsSent = [...this.#rowsSent].map(([batch, sent]) => ({ batch, sent }));
    const changed = [...this.#spentMore].filter(([, units]) => units !== 0n);
    const spent = changed.map(([key, units]) => ({ ...JSON.parse(key), units: String(units) }));
    const workers = this.isWorkerSeen ? [{ ...store.self, seenAt: now }] : [];
    const fresh = dialect.rows('fresh', 'batch text, sent bigint');
    return [
      insert(dialect, 'request', requests, `ON CONFLICT (id) ${replacing('request')}`),
      insert(dialect, 'payload', this.#payloads),
      insert(dialect, 'event', events),
      {
        sql: `UPDATE batch SET rows_left = rows_left - fresh.sent FROM ${fresh} WHERE batch.id = fresh.batch RETURNING 1 AS done`,
        values: [JSON.stringify(rowsSent)],
      },
      insert(dialect, 'spent', spent, addingUnits),
      insert(dialect, 'worker', workers, `ON CONFLICT (worker) ${replacing('worker')}`),
    ];
  }
}

const addingUnits = 'ON CONFLICT (base, login, currency, day) DO UPDATE SET units = spent.units + excluded.units';

/** A request by its id; none without one. */
export function byId(id: number | undefined): Read {
  return { table: 'request', key: { id } };
}

/** The payments under the client order id of a request, and what may be of the same name. */
export function payments({ clientOrderId, base, login }: NewRequest): Read {
  return { table: 'request', key: { clientOrderId, base, login } };
}

function spentKey({ base, login, currency, day }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ base, login, currency, day });
}

/** What a request is, whatever became of it. */
const contentNames = `kind operation effect base endpoint login profile class clientOrderId orderId sum card4 content
  payment`.split(/\s+/) as (keyof NewRequest)[];

export function pickContent(request: NewRequest): NewRequest {
  return Object.fromEntries(contentNames.map((name) => [name, request[name]])) as unknown as NewRequest;
}

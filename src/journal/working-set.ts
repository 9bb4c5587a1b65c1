import type { SqlRow } from '../runtime/ports.js';
import { recount, startOfDay } from './caps.js';
import type { Change, Statement } from './dialect.js';
import { equalStatements, repeats, type Wanted } from './equal.js';
import type { Newest } from './mark.js';
import type { Counted, NewRequest, Request } from './port.js';
import { requestFrom } from './rows.js';
import type { State } from './states.js';
import type { Store } from './store.js';
import { describeWorker } from './workers.js';
import { type Moved, type NewEvent, writeStatements } from './write.js';

/** What a piece of work has to know of the store; of what is left out it knows nothing. */
export interface Needs {
  /** Requests, by their ids. */
  readonly ids?: readonly number[];
  /** The kinds of evidence that were raised of these requests. */
  readonly raised?: readonly number[];
  readonly batches?: readonly string[];
  /** The payments under the client order ids of these. */
  readonly payments?: readonly NewRequest[];
  /** All requests on the orders of these. */
  readonly orders?: readonly NewRequest[];
  /** Those that these would repeat. */
  readonly equal?: readonly Wanted[];
  /** What the merchants of these sent today. */
  readonly spent?: readonly NewRequest[];
}

interface BatchCounter {
  readonly state: string;
  readonly rowsLeft: number | undefined;
}

type Taking = readonly [Statement, (rows: readonly SqlRow[]) => void];

/** Of two equal ones at least one is left where a whole group is changed. */
const equalLimit = 66;

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
  readonly #nonce: string;
  #last: { request: number; event: number } | undefined;
  readonly #requests = new Map<number, Request>();
  /** As they are stored. */
  readonly #stored = new Map<number, Request>();
  readonly #raised = new Set<string>();
  readonly #batches = new Map<string, BatchCounter>();
  readonly #spent = new Map<string, bigint>();
  readonly #inserted = new Set<number>();
  readonly #corrected = new Set<number>();
  readonly #moved = new Set<number>();
  readonly #payloads: { request: number; encrypted: string }[] = [];
  readonly #events: object[] = [];
  readonly #rowsSent = new Map<string, number>();
  readonly #spentMore = new Map<string, Counted & { readonly base: string; readonly login: string }>();
  #isWorkerSeen = false;

  constructor(store: Store, now: number) {
    this.store = store;
    this.now = now;
    this.#nonce = store.random.letters(16);
  }

  *read(needs: readonly Needs[]): Change<void> {
    const takings = [...this.#lastIds(), ...this.#requestsFor(needs), ...this.#countersFor(needs)];
    if (takings.length === 0) return;
    const found = yield takings.map(([statement]) => statement);
    for (const [at, [, take]] of takings.entries()) take(found[at] ?? []);
  }

  #lastIds(): readonly Taking[] {
    if (this.#last !== undefined) return [];
    const sql = 'SELECT (SELECT max(id) FROM request) AS request, (SELECT max(id) FROM event) AS event';
    const take = ([row]: readonly SqlRow[]) => {
      this.#last = { request: Number(row?.['request']), event: Number(row?.['event']) };
    };
    return [[{ sql, values: [] }, take]];
  }

  #requestsFor(needs: readonly Needs[]): readonly Taking[] {
    const { dialect } = this.store.tables;
    const take = (rows: readonly SqlRow[]) => {
      for (const request of rows.map(requestFrom)) {
        if (this.#requests.has(request.id)) continue;
        this.#requests.set(request.id, request);
        this.#stored.set(request.id, request);
      }
    };
    const payments = needs
      .flatMap((each) => each.payments ?? [])
      .map(({ clientOrderId = null, base, login }) => ({
        ...{ client_order_id: clientOrderId, base, login },
      }));
    const orders = needs
      .flatMap((each) => each.orders ?? [])
      .map(({ orderId = null, base }) => ({ order_id: orderId, base }));
    const equal = needs.flatMap((each) => each.equal ?? []);
    const statements = [
      ...listed(
        `SELECT * FROM request WHERE ${dialect.among('id', 'bigint')}`,
        needs.flatMap(({ ids = [] }) => ids),
      ),
      ...listed(
        `SELECT request.* FROM ${dialect.rows('wanted', ['client_order_id', 'base', 'login'])}
           JOIN request ON request.client_order_id = wanted.client_order_id AND request.base = wanted.base
             AND request.login = wanted.login AND request.kind = 'payment' AND request.state <> 'cancelled'`,
        payments,
      ),
      ...listed(
        `SELECT request.* FROM ${dialect.rows('wanted', ['order_id', 'base'])}
           JOIN request ON request.order_id = wanted.order_id AND request.base = wanted.base`,
        orders,
      ),
      ...(equal.length === 0 ? [] : equalStatements(dialect, equal, equalLimit)),
    ];
    return statements.map((statement) => [statement, take]);
  }

  #countersFor(needs: readonly Needs[]): readonly Taking[] {
    const { dialect } = this.store.tables;
    const raised = listed(
      `SELECT request, facts ->> 'raised' AS raised FROM event
       WHERE ${dialect.among('request', 'bigint')} AND facts ->> 'raised' IS NOT NULL`,
      needs.flatMap((each) => each.raised ?? []),
    );
    const batches = listed(
      `SELECT id, state, rows_left FROM batch WHERE ${dialect.among('id')}`,
      needs.flatMap((each) => each.batches ?? []),
    );
    const merchants = needs
      .flatMap((each) => each.spent ?? [])
      .map(({ base, login }) => ({ base, login, day: this.#day }));
    const spent = listed(
      // As text: units may be more than a number of JavaScript holds exactly.
      `SELECT DISTINCT base, login, currency, spent.day, CAST(units AS TEXT) AS units
       FROM ${dialect.rows('wanted', ['base', 'login', 'day'])} JOIN spent USING (base, login, day)`,
      merchants,
    );
    return [
      ...raised.map((statement): Taking => [statement, (rows) => this.#takeRaised(rows)]),
      ...batches.map((statement): Taking => [statement, (rows) => this.#takeBatches(rows)]),
      ...spent.map((statement): Taking => [statement, (rows) => this.#takeSpent(rows)]),
    ];
  }

  get #day(): number {
    return startOfDay(this.now);
  }

  #takeRaised(rows: readonly SqlRow[]): void {
    for (const { request, raised } of rows) this.#raised.add(`${request} ${raised}`);
  }

  #takeBatches(rows: readonly SqlRow[]): void {
    for (const { id, state, rows_left: left } of rows)
      this.#batches.set(String(id), { state: String(state), rowsLeft: left === null ? undefined : Number(left) });
  }

  #takeSpent(rows: readonly SqlRow[]): void {
    for (const { base, login, day, currency, units } of rows)
      this.#spent.set(JSON.stringify([base, login, day, currency]), BigInt(String(units)));
  }

  /** Throws where there is none: ids come from the journal itself. */
  request(id: number): Request {
    const request = this.#requests.get(id);
    if (request === undefined) throw new Error(`the journal has no request ${id}`);
    return request;
  }

  /** The payment under the client order id of a request, at whatever endpoint. */
  payment({ base, login, clientOrderId }: NewRequest): Request | undefined {
    if (clientOrderId === undefined) return undefined;
    return this.#find(
      (other) =>
        other.clientOrderId === clientOrderId &&
        other.base === base &&
        other.login === login &&
        other.kind === 'payment' &&
        other.state !== 'cancelled',
    )[0];
  }

  onOrder({ base, orderId }: NewRequest): readonly Request[] {
    return orderId === undefined ? [] : this.#find((other) => other.orderId === orderId && other.base === base);
  }

  /** The newest that a request would repeat. */
  equal(wanted: Wanted): Request | undefined {
    const found = this.#find((other) => repeats(wanted, other));
    return found.reduce<Request | undefined>(
      (newest, each) => (each.id > (newest?.id ?? 0) ? each : newest),
      undefined,
    );
  }

  #find(isFound: (request: Request) => boolean): readonly Request[] {
    return [...this.#requests.values()].filter(isFound);
  }

  batch(id: string): BatchCounter | undefined {
    return this.#batches.get(id);
  }

  /** What the merchant of a request sent today. */
  spent({ base, login }: NewRequest, currency: string): bigint {
    return this.#spent.get(JSON.stringify([base, login, this.#day, currency])) ?? 0n;
  }

  wasRaised(id: number, to: State): boolean {
    return this.#raised.has(`${id} ${to}`);
  }

  /** A new request in `planned`, perhaps as the row of a batch. */
  insert(request: NewRequest, row: Pick<Request, 'batch' | 'number'> = {}): Request {
    const last = this.#lastKnown();
    last.request += 1;
    const fresh: Request = {
      ...{ id: last.request, ...pickContent(request), ...row, state: 'planned', attempt: 0, reason: '', outcome: {} },
      ...{ mayHaveArrived: false, isElsewhere: false, createdAt: this.now, changedAt: this.now },
    };
    this.#requests.set(fresh.id, fresh);
    this.#inserted.add(fresh.id);
    return fresh;
  }

  addPayload(request: number, encrypted: string): void {
    this.#payloads.push({ request, encrypted });
  }

  /** It is to be another request from now on; what it is found by stays. */
  correct(known: Request, request: NewRequest): Request {
    const corrected: Request = { ...known, ...pickContent(request) };
    this.#requests.set(known.id, corrected);
    this.#corrected.add(known.id);
    return corrected;
  }

  /** Moves a request, with its event and what it counts. */
  move(before: Request, after: Request, facts: NewEvent['facts']): void {
    const { id, state: from } = before;
    this.#requests.set(id, after);
    if (!this.#inserted.has(id)) this.#moved.add(id);
    for (const counted of recount(before, after)) this.#addSpent(after, counted);
    this.addEvent({ request: id, from, to: after.state, reason: after.reason, facts });
  }

  #addSpent({ base, login }: Request, counted: Counted): void {
    const { day, currency } = counted;
    const key = JSON.stringify([base, login, day, currency]);
    const add = (units = 0n) => units + BigInt(counted.units);
    this.#spent.set(key, add(this.#spent.get(key)));
    const more = this.#spentMore.get(key);
    this.#spentMore.set(key, { ...{ base, login, day, currency }, units: String(add(BigInt(more?.units ?? 0))) });
  }

  addEvent({ request, from, to, reason, facts = {} }: NewEvent): void {
    const last = this.#lastKnown();
    last.event += 1;
    if (request !== undefined && 'raised' in facts) this.#raised.add(`${request} ${facts['raised']}`);
    const [id, nonce, at, { who }] = [last.event, this.#nonce, this.now, this.store];
    this.#events.push({ id, nonce, request, fromState: from, toState: to, at, who, reason, facts });
  }

  /** Counts a row of a batch as sent, or as not sent after all, where the batch may send only so many. */
  countRows(batch: string, difference: 1 | -1): void {
    this.#rowsSent.set(batch, (this.#rowsSent.get(batch) ?? 0) + difference);
    const known = this.#batches.get(batch);
    if (known?.rowsLeft !== undefined) this.#batches.set(batch, { ...known, rowsLeft: known.rowsLeft + difference });
  }

  /** Says that this process still runs. */
  seeWorker(): void {
    this.#isWorkerSeen = true;
  }

  /** The newest event of those that it adds. */
  *write(): Change<Newest | undefined> {
    const changed = [...this.#moved].map((id): Moved => {
      const { state: wasState = 'planned', attempt: wasAttempt = 0 } = this.#stored.get(id) ?? {};
      return { ...this.request(id), wasState, wasAttempt };
    });
    const [corrected, moved] = [true, false].map((is) => changed.filter(({ id }) => this.#corrected.has(id) === is));
    const statements = writeStatements(this.store.tables.dialect, {
      ...{
        moved: moved ?? [],
        corrected: corrected ?? [],
        payloads: this.#payloads,
        events: this.#events,
        spent: [...this.#spentMore.values()],
      },
      inserted: [...this.#inserted].map((id) => this.request(id)),
      rowsSent: [...this.#rowsSent].map(([batch, difference]) => ({ batch, difference })),
      workers: this.#isWorkerSeen ? [describeWorker(this.store, this.now)] : [],
    });
    if (statements.length === 0) return undefined;
    const found = yield statements;
    const updates = [moved, corrected].filter((some) => some !== undefined && some.length > 0).length;
    const rows = found.slice(0, updates).reduce((sum, { length }) => sum + length, 0);
    if (rows !== changed.length) throw new Error('a request changed within a transaction');
    if (this.#events.length === 0) return undefined;
    return { event: this.#lastKnown().event, nonce: this.#nonce, at: this.now };
  }

  #lastKnown(): { request: number; event: number } {
    if (this.#last === undefined) throw new Error('nothing was read before the first change');
    return this.#last;
  }
}

const contentNames = `kind operation effect base endpoint login profile class clientOrderId orderId sum card4 content
  payment`.split(/\s+/) as (keyof NewRequest)[];

function pickContent(request: NewRequest): NewRequest {
  return Object.fromEntries(contentNames.map((name) => [name, request[name]])) as unknown as NewRequest;
}

/** No statement for an empty list. */
function listed(sql: string, values: readonly unknown[]): readonly Statement[] {
  return values.length === 0 ? [] : [{ sql, values: [JSON.stringify(values)] }];
}

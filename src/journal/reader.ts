import type { Database } from '../runtime/ports.js';
import { type Waiting, waitingOf } from './attempt.js';
import { type ChainHead, type ChainLine, factsIn, headOf, lineCount, linePages, linesAbout } from './chain.js';
import { type CheckpointPorts, readCheckpoint, type StoredCheckpoint } from './checkpoint.js';
import { equalOfPayer, equalPayments, repeatedPayment, sentToAnotherEndpoint } from './equal-payments.js';
import {
  contentHash,
  contentKey,
  type Intent,
  intentColumns,
  intentFrom,
  intentsWithChainState,
  type NewIntent,
  stateFrom,
} from './intent.js';
import { earlierEqual, requestsOn } from './plan.js';
import {
  type Filter,
  filterSql,
  type IntentPlace,
  isWithin,
  openingsUnder,
  orderStateSql,
  withGatewayName,
} from './query.js';
import { spentSince, unitsOf } from './spending.js';
import { pageSize, pagesOf, rowsOf } from './sql-pages.js';
import { isState, type State } from './states.js';
import { endFlaw, type Flaw, flawsOf } from './verify.js';

export interface ReaderPorts extends CheckpointPorts {
  readonly database: Database;
}

/** Reads the journal; changes nothing. */
export class JournalReader {
  readonly #ports: ReaderPorts;
  readonly #database: Database;
  /** See `contentKey`; it never changes. */
  #key: string | undefined;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
    this.#database = ports.database;
  }

  /** The intent that this one repeats; undefined when it is new, or its key belongs to another content. */
  find(wanted: NewIntent): Intent | undefined {
    return earlierEqual(this.#database, withGatewayName(wanted));
  }

  /** The payment at the same gateway that this one would repeat under another id (see `repeatedPayment`). */
  repeatedPayment(wanted: NewIntent, since: number | undefined): Intent | undefined {
    return repeatedPayment(this.#database, withGatewayName(wanted), since);
  }

  /** A payment of the same amount by the same payer, at the same gateway, with no final outcome yet. */
  equalOfPayer(wanted: NewIntent): Intent | undefined {
    return equalOfPayer(this.#database, withGatewayName(wanted));
  }

  get(id: number): Intent | undefined {
    const row = this.#database.get(`${intentsWithChainState} WHERE id = ?`, id);
    return row === undefined ? undefined : intentFrom(row);
  }

  /** The plan whose lock the newest attempt was made under; undefined for one of a single command. */
  planOf(id: number): string | undefined {
    return this.#textOfAttempt(id, 'plan');
  }

  #textOfAttempt(id: number, name: string): string | undefined {
    const begun = this.linesAbout(id).findLast(({ from, to }) => to === 'sending' && from !== to);
    const text = begun === undefined ? undefined : factsIn(begun.facts)[name];
    return typeof text === 'string' ? text : undefined;
  }

  /** State of an existing intent, by its last line. */
  stateOf(id: number): State {
    const sql = 'SELECT to_state FROM moves WHERE intent_id = ? ORDER BY id DESC LIMIT 1';
    return stateFrom(String(this.#database.get(sql, id)?.['to_state'] ?? 'unknown'));
  }

  /** Oldest first. */
  list(filter: Filter = {}): Intent[] {
    const { where, values } = filterSql(this.#database, filter);
    const limit = filter.max === undefined ? '' : ` LIMIT ${filter.max}`;
    const rows = this.#database.all(`SELECT * FROM intents WHERE ${where} ORDER BY id${limit}`, ...values);
    return rows.map(intentFrom).filter((intent) => isWithin(intent, filter.sum));
  }

  /**
   * The same without `max`, read a page at a time: there may be more than memory holds. Each intent is as it was when
   * its page was read.
   */
  *each(filter: Filter = {}): Generator<Intent> {
    const database = this.#database;
    const { where, values } = filterSql(database, filter);
    const query = `SELECT * FROM intents WHERE ${where} AND id > ? ORDER BY id LIMIT ?`;
    for (const rows of pagesOf((after, max) => rowsOf(database, intentColumns, query, ...values, after, max)))
      yield* rows.map(intentFrom).filter((intent) => isWithin(intent, filter.sum));
  }

  /** The newest `limit` intents, oldest first. */
  newest(filter: Filter, limit: number): Intent[] {
    const found: Intent[] = [];
    for (const intent of this.eachFromNewest(filter, Math.max(limit, 100))) {
      if (found.length >= limit) break;
      found.push(intent);
    }
    return found.reverse();
  }

  /** As `each`, newest first; `perPage` of them are read at a time. */
  *eachFromNewest(filter: Filter, perPage = pageSize): Generator<Intent> {
    const { where, values } = filterSql(this.#database, filter);
    const query = `SELECT * FROM intents WHERE ${where} AND id < ? ORDER BY id DESC LIMIT ?`;
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const page = this.#database.all(query, ...values, before, perPage);
      yield* page.map(intentFrom).filter((intent) => isWithin(intent, filter.sum));
      if (page.length < perPage) return;
      before = Number(page.at(-1)?.['id']);
    }
  }

  /** State of the order that an opening made: a payout that was only checked is pending until its payment is made. */
  orderState({ id, state }: Intent): State {
    const found = this.#database.get(`SELECT ${orderStateSql} AS state FROM intents WHERE id = ?`, id)?.['state'];
    return typeof found === 'string' && isState(found) ? found : state;
  }

  /** How many orders that match have each state, as `orderState` tells it; '' for one that was made elsewhere. */
  countOrderStates(filter: Filter): ReadonlyMap<string, number> {
    const { where, values } = filterSql(this.#database, filter);
    if (filter.sum === undefined) {
      const sql = `SELECT coalesce(${orderStateSql}, '') AS state, count(*) AS count FROM intents WHERE ${where} GROUP BY 1`;
      return new Map(
        this.#database.all(sql, ...values).map(({ state, count }) => [String(state), Number(count)] as const),
      );
    }
    const counts = new Map<string, number>();
    for (const intent of this.each(filter)) {
      const state = this.orderState(intent);
      counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    return counts;
  }

  /** How many match a filter. */
  count(filter: Filter = {}): number {
    const { where, values } = filterSql(this.#database, filter);
    if (filter.sum === undefined)
      return Number(this.#database.get(`SELECT count(*) AS count FROM intents WHERE ${where}`, ...values)?.['count']);
    let count = 0;
    for (const _ of this.each(filter)) count += 1;
    return count;
  }

  /**
   * Intents that a new request may repeat: those under its key, or those of its kind on the same order. Oldest first.
   */
  before(place: IntentPlace): Intent[] {
    const wanted = withGatewayName(place);
    if (wanted.kind === 'opening')
      return openingsUnder(this.#database, wanted).toSorted((one, other) => one.id - other.id);
    return requestsOn(this.#database, wanted).filter(({ kind }) => kind === wanted.kind);
  }

  /** The same payment as a request that makes an order, under the same id at another endpoint, sent or in doubt. */
  atAnotherEndpoint(wanted: NewIntent): Intent | undefined {
    return wanted.kind === 'opening' ? sentToAnotherEndpoint(this.#database, withGatewayName(wanted)) : undefined;
  }

  /** Payments equal to these of one gateway since then that moved money or may have, by `payment` and by `content`. */
  equalPayments(wanted: readonly NewIntent[], since: number): ReturnType<typeof equalPayments> {
    return equalPayments(this.#database, wanted.map(withGatewayName), since);
  }

  /** Which of these ids the journal has, at any gateway: only those can be repeated. */
  used(clientOrderIds: readonly string[]): ReadonlySet<string> {
    const query =
      'SELECT DISTINCT client_order_id AS id FROM intents WHERE client_order_id IN (SELECT value FROM json_each(?))';
    return new Set(this.#database.all(query, JSON.stringify(clientOrderIds)).map(({ id }) => String(id)));
  }

  /** The lines of an intent, or those about none. */
  linesAbout(id: number | undefined): ChainLine[] {
    return linesAbout(this.#database, id);
  }

  /**
   * The step expected from its payer, by the last reply that named one; undefined when there is none or none is known.
   */
  waiting({ id, state }: Pick<Intent, 'id' | 'state'>): Waiting | undefined {
    return state === 'accepted' ? waitingOf(this.#database, id) : undefined;
  }

  /** All lines, oldest first, read as they are asked for. */
  *chain(): Generator<ChainLine> {
    for (const page of linePages(this.#database)) yield* page;
  }

  /** How many lines it has. */
  lineCount(): number {
    return lineCount(this.#database);
  }

  /** Its last line. */
  head(): ChainHead {
    return headOf(this.#database);
  }

  /** Whether it has this line; an older copy of the journal has not. */
  holds({ count, hash }: ChainHead): boolean {
    return count === 0 || this.#database.get('SELECT hash FROM moves WHERE id = ?', count)?.['hash'] === hash;
  }

  /** Everything that is wrong with it; empty when nothing is. */
  flaws(): Flaw[] {
    return flawsOf(this.#database, readCheckpoint(this.#ports));
  }

  /** The checkpoint of its end, and how the end contradicts it. */
  end(): { readonly noted: StoredCheckpoint; readonly flaw: Flaw | undefined } {
    const noted = readCheckpoint(this.#ports);
    return { noted, flaw: endFlaw(this.#database, noted) };
  }

  /** Keyed hash of the content of a request: it can be compared, not read. */
  hash(parts: readonly string[]): string {
    this.#key ??= contentKey(this.#database);
    return contentHash(this.#key, parts);
  }

  /**
   * What a profile sent from a day on, in minor units of ISO 4217, rounded up; refusals and what was proven not sent
   * left out.
   */
  spentSince(profile: string, since: number, currency: string): bigint {
    const unit = unitsOf({ minor: '1', currency });
    return (spentSince(this.#database, profile, currency, since) + unit - 1n) / unit;
  }
}

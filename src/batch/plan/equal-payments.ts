import { type EqualPayment, type Journal, type State, spentStates, unsentStates } from '../../journal/index.js';
import type { Database, SqlRow } from '../../runtime/ports.js';
import { type Operation, operationById } from '../../spec/index.js';
import { intentForRow, orderPlaceOf } from '../connection.js';
import type { CheckedRow } from '../input/check-row.js';
import { linesText, type OtherPlan, pageOfRows } from './duplicates.js';
import { parseTexts, payeeSql } from './plan-draft.js';

/** How many days back a new plan is compared with payments that were made or planned. */
export const equalPaymentDays = 7;
/** From this share of its rows on, a file that equals them is planned only when the user asked for it. */
const equalShare = 0.1;

/** What became of an equal payment, in the words of the field. */
export type EqualOutcome = 'approved' | 'pending' | 'unknown' | 'not sent yet';

/** Rows whose content equals that of payments in one place: one plan, or all single commands. */
export interface EqualRows {
  /** Undefined for single commands, and for plans of other machines. */
  readonly plan: string | undefined;
  /** When the newest of them was recorded or planned, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  readonly outcomes: Readonly<Partial<Record<EqualOutcome, number>>>;
  /** The first lines of the new file. */
  readonly lines: readonly number[];
}

const maxLines = 100;

interface Group {
  at: number;
  count: number;
  readonly outcomes: Partial<Record<EqualOutcome, number>>;
  readonly lines: number[];
}

interface Row {
  readonly number: number;
  readonly line: number;
  readonly checked: Pick<CheckedRow, 'values' | 'endpointId'>;
}

interface Place {
  readonly connection: Omit<Parameters<typeof intentForRow>[0], 'hash'>;
  readonly journal: Journal;
  /** Now, in milliseconds since 1970. */
  readonly now: number;
}

/** Finds rows that pay, under other ids, what was paid or planned in the last days. */
export class EqualPayments {
  readonly #place: Place;
  readonly #since: number;
  readonly #isMoney: boolean;
  readonly #groups = new Map<string, Group>();
  readonly #found = new Set<number>();
  #page: Row[] = [];

  constructor(place: Place) {
    this.#place = place;
    this.#since = place.now - equalPaymentDays * 24 * 3_600_000;
    // A follow-up that equals an earlier one on its order is found by that order.
    this.#isMoney = place.connection.row.opens && place.connection.row.effect !== 'read';
  }

  /** How many rows equal another payment. */
  get count(): number {
    return this.#found.size;
  }

  /** The newest first. */
  groups(): readonly EqualRows[] {
    return [...this.#groups]
      .map(([plan, group]) => ({ plan: plan === '' ? undefined : plan, ...group }))
      .sort((one, other) => other.at - one.at);
  }

  /** A valid row of the file. */
  add(row: Row): void {
    if (this.#isMoney) this.#page.push(row);
  }

  /** Compares the rows that were added with the journal. */
  searchJournal(): void {
    const { connection, journal } = this.#place;
    const hash = (parts: readonly string[]) => journal.hash(parts);
    const page = this.#page.map((row) => ({ ...row, intent: intentForRow({ ...connection, hash }, row.checked) }));
    this.#page = [];
    const paid = journal.equalPayments(
      page.map(({ intent }) => intent),
      this.#since,
    );
    for (const { number, line, intent } of page) {
      const isOther = ({ clientOrderId }: EqualPayment) => clientOrderId !== intent.clientOrderId;
      const { content, payment = content } = intent;
      const equal = [payment, content].flatMap((hash) => paid.get(hash) ?? []).find(isOther);
      if (equal === undefined) continue;
      this.#add({ number, line }, journal.planOf(equal.id) ?? '', equal.madeAt, outcomeOf(equal.state));
    }
  }

  /** Compares the other rows of a finished draft with other plans for its gateway. */
  searchPlans(draft: Database, others: readonly OtherPlan[]): void {
    if (!this.#isMoney) return;
    const { row } = this.#place.connection;
    for (const other of others) {
      if (!mayPayTheSame(row, operationById(other.head.operation)) || other.head.madeAt < this.#since) continue;
      draft.exec(`CREATE INDEX IF NOT EXISTS rows_by_payment ON rows (minor, currency, ${payeeSql()})`);
      draft.run('ATTACH DATABASE ? AS other', other.path);
      try {
        this.#searchPlan(other, draft);
      } finally {
        draft.exec('DETACH DATABASE other');
      }
    }
    draft.exec('DROP INDEX IF EXISTS rows_by_payment');
  }

  #searchPlan({ head, cancelled }: OtherPlan, draft: Database): void {
    const { row } = this.#place.connection;
    // A second row finds those that the first leaves out because of its id; more of them find nothing more.
    const seen = new Map<string, number>();
    for (const theirs of theirRows(draft)) {
      const times = seen.get(theirs.key) ?? 0;
      if (times >= 2 || cancelled.has(theirs.number)) continue;
      const states = this.#statesOf(row, theirs.row, head.base);
      if (!mayBePaid(states)) continue;
      seen.set(theirs.key, times + 1);
      const reached = states.find((state) => spentStates.includes(state));
      const outcome = reached === undefined ? 'not sent yet' : outcomeOf(reached);
      for (const own of ownRows(draft, theirs))
        if (!this.#found.has(own.number)) this.#add(own, head.id, head.madeAt, outcome);
    }
  }

  #statesOf(row: Operation, theirs: TheirRow['row'], base: string): readonly State[] {
    return this.#place.journal.before(orderPlaceOf(row, theirs, base)).map(({ state }) => state);
  }

  #add({ number, line }: Pick<Row, 'number' | 'line'>, plan: string, at: number, outcome: EqualOutcome): void {
    this.#found.add(number);
    const group = this.#groups.get(plan) ?? { at, count: 0, outcomes: {}, lines: [] };
    this.#groups.set(plan, group);
    group.at = Math.max(group.at, at);
    group.count += 1;
    group.outcomes[outcome] = (group.outcomes[outcome] ?? 0) + 1;
    if (group.lines.length < maxLines) group.lines.push(line);
  }
}

/** Rows of one operation, or of two that both take or both pay money. */
function mayPayTheSame(row: Operation, other: Operation): boolean {
  if (other.id === row.id) return true;
  const isPayment = ({ opens, effect }: Operation) => opens && effect === 'money';
  return isPayment(row) && isPayment(other) && (row.destination === undefined) === (other.destination === undefined);
}

/** One that was declined, refused or cancelled paid nothing; one that was never sent still may. */
function mayBePaid(states: readonly State[]): boolean {
  const sent = states.filter((state) => !unsentStates.includes(state));
  return sent.length === 0 || sent.some((state) => spentStates.includes(state));
}

function outcomeOf(state: State): EqualOutcome {
  if (state === 'done') return 'approved';
  return state === 'accepted' ? 'pending' : 'unknown';
}

/** A row of another plan that pays what rows of this draft pay. */
interface TheirRow {
  readonly number: number;
  /** Equal for rows with the same amount and destination. */
  readonly key: string;
  readonly same: string;
  readonly row: Pick<CheckedRow, 'values' | 'endpointId'>;
}

const keySql = (table: string) => `json_array(${table}.minor, ${table}.currency, ${payeeSql(`${table}.`)})`;

const isEqualSql = `mine.minor = theirs.minor AND mine.currency = theirs.currency
  AND ${payeeSql('mine.')} = ${payeeSql('theirs.')}`;

/** Rows of another plan with the amount and the destination of rows of a draft, but under another id. */
function* theirRows(database: Database): Generator<TheirRow> {
  const sql = `SELECT number, content, endpoint_id, same, ${keySql('theirs')} AS key FROM other.rows AS theirs
    WHERE number > ? AND destination <> '' AND EXISTS (
      SELECT 1 FROM main.rows AS mine WHERE ${isEqualSql} AND mine.same <> theirs.same)
    ORDER BY number LIMIT ?`;
  for (const row of byNumber((after) => database.all(sql, after, pageOfRows)))
    yield {
      ...{ number: Number(row['number']), key: String(row['key']), same: String(row['same']) },
      row: { values: parseTexts(String(row['content'])), endpointId: String(row['endpoint_id']) },
    };
}

/** The rows of a draft that equal one of another plan. */
function* ownRows(database: Database, { number }: TheirRow): Generator<Pick<Row, 'number' | 'line'>> {
  const sql = `SELECT mine.number, mine.line FROM other.rows AS theirs JOIN main.rows AS mine ON ${isEqualSql}
    WHERE theirs.number = ? AND mine.same <> theirs.same AND mine.number > ? ORDER BY mine.number LIMIT ?`;
  for (const row of byNumber((after) => database.all(sql, number, after, pageOfRows)))
    yield { number: Number(row['number']), line: Number(row['line']) };
}

/** Rows in the order of their numbers, read a page at a time. */
function* byNumber(pageAfter: (number: number) => readonly SqlRow[]): Generator<SqlRow> {
  for (let after = 0; ; ) {
    const rows = pageAfter(after);
    yield* rows;
    if (rows.length < pageOfRows) return;
    after = Number(rows.at(-1)?.['number']);
  }
}

/** Such as `plan b-20261126-abcdef of 2026-11-26: 37 rows (37 approved), lines 2, 3, 4, 5, 6 and more`. */
export function equalRowsText({ plan, at, count, outcomes, lines }: EqualRows): string {
  const day = new Date(at).toISOString().slice(0, 10);
  const where = plan === undefined ? `single payments, the last of ${day}` : `plan ${plan} of ${day}`;
  const states = Object.entries(outcomes).map(([outcome, many]) => `${many} ${outcome}`);
  return `${where}: ${count} ${count === 1 ? 'row' : 'rows'} (${states.join(', ')}), ${linesText(lines)}`;
}

/** Whether so many rows equal other payments that the file may be one that was paid. */
export function mayRepeatFile(equal: number, count: number): boolean {
  return equal > 0 && equal >= count * equalShare;
}

/** Such as `37 of 40 rows equal payments of the last 7 days`. */
export function equalCountText(equal: number, count: number): string {
  return `${equal} of ${count} rows ${equal === 1 ? 'matches a payment' : 'match payments'} of the last ${equalPaymentDays} days, with the same amount and destination`;
}

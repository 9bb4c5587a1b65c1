import { factsIn, type Sum } from '../../journal/index.js';
import { accountKeys } from '../../payments/same-payment.js';
import type { Database, SqlValue } from '../../runtime/ports.js';
import type { SourceRange } from '../input/source.js';
import type { BatchRow, PlanHead } from '../plan.js';
import { type PlanDigest, serializeValues } from './digest.js';

export const planVersion = 2;

const planTables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE rows (
    number INTEGER PRIMARY KEY, line INTEGER NOT NULL, endpoint_id TEXT NOT NULL, minor TEXT, currency TEXT, destination TEXT NOT NULL,
    content TEXT NOT NULL, same TEXT NOT NULL, start INTEGER NOT NULL, bytes INTEGER NOT NULL, seal TEXT
  );
  CREATE TABLE notes (number INTEGER PRIMARY KEY, state TEXT NOT NULL);
  CREATE TABLE events (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL, facts TEXT NOT NULL);
`;

/** A row to be added to a draft. */
interface DraftRow extends BatchRow {
  /** Equal for rows that are one and the same payment. */
  readonly same: string;
  readonly range: SourceRange;
}

/** Two rows of a draft that are the same. */
interface DuplicateRow {
  readonly number: number;
  readonly line: number;
  readonly firstLine: number;
  /** False where their ids differ only in spelling. */
  readonly isExact: boolean;
  readonly values: Readonly<Record<string, string>>;
}

/** Rows with the same amount and the same destination, under ids of their own. */
export interface RepeatedRows {
  readonly count: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly sum: Sum;
  readonly destination: string;
}

const insertRow = 'INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** A plan while it is being made, in a file under another name that no other process opens. */
export class PlanDraft {
  readonly database: Database;
  readonly #digest: PlanDigest;
  readonly #keys: readonly string[];

  constructor(database: Database, digest: PlanDigest, keys: readonly string[]) {
    this.database = database;
    this.#digest = digest;
    this.#keys = keys;
    // An unfinished draft is deleted as a whole, so no journal file is needed: what is committed is in this file,
    // flushed.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN');
    database.exec(planTables);
  }

  add(row: DraftRow): void {
    const { number, line, endpointId, sum, destination, same, range, source } = row;
    const content = serializeValues(row.values, this.#keys);
    this.#digest.add(row, content);
    this.database.run(
      insertRow,
      ...[number, line, endpointId, sum?.minor ?? null, sum?.currency ?? null, destination, content, same],
      ...[range.from, range.bytes, source?.seal ?? null],
    );
  }

  /** To be called after the last row: from here on equal rows are found by an index. */
  sort(): void {
    this.database.exec('CREATE INDEX rows_same ON rows (same)');
  }

  /** To be called after the last change before `finish`. */
  commit(): void {
    this.database.exec('COMMIT');
  }

  /** Rows that repeat an earlier one, after the row number `number`. */
  duplicatesAfter(number: number, max: number): readonly DuplicateRow[] {
    const first = '(SELECT min(other.number) FROM rows AS other WHERE other.same = rows.same)';
    return this.database
      .all(
        `SELECT later.number, later.line, later.content, first.line AS first_line, first.content AS first_content
         FROM (SELECT *, ${first} AS first FROM rows WHERE number > ?) AS later JOIN rows AS first ON first.number = later.first
         WHERE later.first < later.number ORDER BY later.number LIMIT ?`,
        ...[number, max],
      )
      .map((row) => ({
        number: Number(row['number']),
        line: Number(row['line']),
        firstLine: Number(row['first_line']),
        isExact: idIn(row['content']) === idIn(row['first_content']),
        values: parseTexts(String(row['content'])),
      }));
  }

  /** Rows of one amount to one destination where there are several, most first. Of cards, which are not kept, none. */
  repeats(min: number, max: number): readonly RepeatedRows[] {
    const account = accountSql();
    return this.database
      .all(
        `SELECT count(*) AS count, min(line) AS first_line, max(line) AS last_line, minor, currency, destination
         FROM rows WHERE minor IS NOT NULL AND ${account} IS NOT NULL
         GROUP BY endpoint_id, minor, currency, ${account} HAVING count(*) >= ?
         ORDER BY count DESC, first_line LIMIT ?`,
        ...[min, max],
      )
      .map((row) => ({
        count: Number(row['count']),
        firstLine: Number(row['first_line']),
        lastLine: Number(row['last_line']),
        sum: { minor: String(row['minor']), currency: String(row['currency']) },
        destination: String(row['destination']),
      }));
  }

  /** Completes it, flushed. */
  finish(head: PlanHead): void {
    this.database.transaction(() => {
      this.database.run('INSERT INTO meta VALUES (?, ?)', 'head', JSON.stringify(head));
      this.database.exec(`PRAGMA user_version = ${planVersion}`);
    });
  }
}

function idIn(content: SqlValue | undefined): string | undefined {
  return parseTexts(String(content))['clientOrderId'];
}

/** Values by field key, as they are kept. */
export function parseTexts(json: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(factsIn(json)).map(([key, value]) => [key, String(value)]));
}

/**
 * Who is paid, or whose card is charged, by a row of a plan: its account without what does not distinguish one (case,
 * blanks, punctuation, and zeros in front), as the journal compares it; NULL for a card, which is not stored.
 */
function accountSql(prefix = ''): string {
  const comparable = (key: string) =>
    [' ', '-', '.', '/', '+', '(', ')', '\u00A0'].reduce(
      (sql, mark) => `replace(${sql}, '${mark}', '')`,
      `json_extract(${prefix}content, '$.${key}')`,
    );
  return `coalesce(${accountKeys.map((key) => `ltrim(upper(${comparable(key)}), '0')`).join(', ')})`;
}

/** The same, and for a card its last four digits; the prefix names a table, which an index may not. */
export function payeeSql(prefix = ''): string {
  return `coalesce(${accountSql(prefix)}, ${prefix}destination)`;
}

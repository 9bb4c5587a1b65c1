import type { Sum } from '../journal/port.js';
import type { Database, SqlRow } from '../runtime/ports.js';

/** What is compared of the rows of a file: hashes, and what may be shown. */
interface DraftRow {
  readonly number: number;
  readonly line: number;
  /** Equal for rows that are one and the same request. */
  readonly same: string;
  /** Equal for rows that pay the same under any id; undefined where that cannot be told. */
  readonly payment: string | undefined;
  readonly sum: Sum | undefined;
  /** Empty where many share it, such as the last digits of a card. */
  readonly destination: string;
  readonly clientOrderId: string | undefined;
  readonly orderId: string | undefined;
}

/** A row that repeats an earlier one. */
interface DuplicateRow {
  readonly number: number;
  readonly line: number;
  readonly firstLine: number;
  /** False where their ids differ only in spelling. */
  readonly isExact: boolean;
  readonly clientOrderId?: string;
  readonly orderId?: string;
}

/** Rows with the same amount and the same destination, under ids of their own. */
export interface RepeatedRows {
  readonly count: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly sum: Sum;
  readonly destination: string;
}

const columns = 'number, line, same, payment, minor, currency, digits, destination, client_id, order_id';

/** Compares the rows of a file with one another, in a database of its own that is gone afterwards. */
export class Draft {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    database.exec('PRAGMA synchronous = OFF');
    database.exec(`CREATE TABLE draft (number INTEGER PRIMARY KEY, line, same, payment, minor, currency, digits,
      destination, client_id, order_id)`);
  }

  add(rows: readonly DraftRow[]): void {
    const sql = `INSERT INTO draft (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    this.#database.transaction(() => {
      for (const { number, line, same, payment, sum, destination, clientOrderId, orderId } of rows)
        this.#database.run(
          sql,
          ...[number, line, same, payment ?? null, sum?.minor ?? null, sum?.currency ?? null, sum?.digits ?? null],
          ...[destination, clientOrderId ?? null, orderId ?? null],
        );
    });
  }

  /** To be called after the last row: from here on equal rows are found by an index. */
  sort(): void {
    this.#database.exec('CREATE INDEX by_same ON draft (same)');
    this.#database.exec('CREATE INDEX by_payment ON draft (payment) WHERE payment IS NOT NULL');
  }

  /** Rows that repeat an earlier one, after the row number `number`. */
  duplicatesAfter(number: number, max: number): readonly DuplicateRow[] {
    const rows = this.#database.all(
      `SELECT later.*, first.line AS first_line, first.client_id IS later.client_id AS is_exact
       FROM draft AS later
       JOIN draft AS first ON first.number = (SELECT min(other.number) FROM draft AS other WHERE other.same = later.same)
       WHERE later.number > ? AND first.number < later.number ORDER BY later.number LIMIT ?`,
      ...[number, max],
    );
    return rows.map((row) => ({
      ...{ number: Number(row['number']), line: Number(row['line']), firstLine: Number(row['first_line']) },
      isExact: row['is_exact'] === 1,
      ...idIn(row, 'clientOrderId', 'client_id'),
      ...idIn(row, 'orderId', 'order_id'),
    }));
  }

  /** Rows of one amount to one destination where there are several, most first. */
  repeats(min: number, max: number): readonly RepeatedRows[] {
    const rows = this.#database.all(
      `SELECT count(*) AS count, min(line) AS first_line, max(line) AS last_line, minor, currency, digits, destination
       FROM draft WHERE payment IS NOT NULL AND destination <> ''
       GROUP BY payment HAVING count(*) >= ? ORDER BY count DESC, first_line LIMIT ?`,
      ...[min, max],
    );
    return rows.map((row) => ({
      ...{ count: Number(row['count']), firstLine: Number(row['first_line']), lastLine: Number(row['last_line']) },
      sum: { minor: String(row['minor']), currency: String(row['currency']), digits: Number(row['digits']) },
      destination: String(row['destination']),
    }));
  }

  /** Rows that pay the same as a request with another client order id. */
  payingAs(payment: string, clientOrderId: string | undefined): readonly Pick<DraftRow, 'number' | 'line'>[] {
    const sql = 'SELECT number, line FROM draft WHERE payment = ? AND client_id IS NOT ? ORDER BY number';
    const rows = this.#database.all(sql, payment, clientOrderId ?? null);
    return rows.map(({ number, line }) => ({ number: Number(number), line: Number(line) }));
  }
}

function idIn<Name extends string>(row: SqlRow, name: Name, column: string): { readonly [Key in Name]?: string } {
  const id = row[column];
  return (typeof id === 'string' ? { [name]: id } : {}) as { readonly [Key in Name]?: string };
}

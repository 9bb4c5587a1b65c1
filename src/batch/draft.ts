import type { Sum } from '../journal/port.js';
import { sumText } from '../payments/words.js';
import type { Database } from '../runtime/ports.js';

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
}

/** Rows with the same amount and the same destination, under ids of their own. */
export interface RepeatedRows {
  readonly count: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly sum: Sum;
  readonly destination: string;
}

export function repeatedText({ count, firstLine, lastLine, destination, sum }: RepeatedRows): string {
  return `${count} rows (between lines ${firstLine} and ${lastLine}) have the same amount and destination, ${sumText(sum)} to ${destination}: check that this is intended`;
}

/** Compares the rows of a file with one another, in a database of its own that is gone afterwards. */
export class Draft {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    database.exec('PRAGMA synchronous = OFF');
    database.exec(`CREATE TABLE draft (number INTEGER PRIMARY KEY, line, same UNIQUE, payment, minor, currency, digits,
      destination, client_id)`);
    database.exec('CREATE INDEX by_payment ON draft (payment) WHERE payment IS NOT NULL');
  }

  /** Adds a row; one that is the same as an earlier row is left out, and that row is given. */
  add(row: DraftRow): Pick<DraftRow, 'line' | 'clientOrderId'> | undefined {
    const { number, line, same, payment, sum, destination, clientOrderId } = row;
    const first = this.#database.get('SELECT line, client_id FROM draft WHERE same = ?', same);
    if (first !== undefined) {
      const { line: firstLine, client_id: id } = first;
      return { line: Number(firstLine), clientOrderId: typeof id === 'string' ? id : undefined };
    }
    this.#database.run(
      'INSERT INTO draft VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[number, line, same, payment ?? null, sum?.minor ?? null, sum?.currency ?? null, sum?.digits ?? null],
      ...[destination, clientOrderId ?? null],
    );
    return undefined;
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

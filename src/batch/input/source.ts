import type { Database, Files } from '../../runtime/ports.js';

/** One thing wrong with a file, in words that never repeat its content, except an amount as it has to be written. */
export interface Fault {
  /** From 1. */
  readonly line: number;
  /** The order ids of its row, where they can be read. */
  readonly clientOrderId?: string;
  readonly orderId?: string;
  /** The column or name, where it is about one. */
  readonly field?: string;
  /** The value of the field, where that may be shown. */
  readonly value?: string;
  /** A whole clause. */
  readonly why: string;
}

/** The records in one piece of a file. Nothing follows something `broken`: the rest cannot be split into records. */
export interface ParsedChunk<T> {
  readonly records: readonly T[];
  readonly broken?: Fault;
}

/** Where a record is in its file. */
export interface SourceRange {
  readonly line: number;
  /** Offset of its first byte, and how many there are. */
  readonly from: number;
  readonly bytes: number;
}

export const maxRecordBytes = 65_536;

/** The line of a row and its order id, for messages. */
export function placeText({ line, clientOrderId, orderId }: Pick<Fault, 'line' | 'clientOrderId' | 'orderId'>): string {
  const id = clientOrderId ?? (orderId === undefined ? undefined : `order ${orderId}`);
  return `line ${line}${id === undefined ? '' : ` (${id})`}`;
}

/** A fault as text. */
export function faultText({ field, value, why, ...place }: Fault): string {
  const isAfterField =
    field !== undefined && value !== undefined && /^:? /.test(why.slice(field.length)) && why.startsWith(field);
  return `${placeText(place)}: ${isAfterField ? `${field} "${value}"${why.slice(field.length)}` : why}`;
}

const maxShown = 100;
const pageOfFaults = 1000;

const faultTable =
  'CREATE TABLE faults (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, fault TEXT NOT NULL); CREATE INDEX faults_by_line ON faults (line, id)';

/**
 * Everything wrong with a file, by line: the first hundred to be shown, all of them in a file of their own. They are
 * collected in a database, for there may be as many as rows; its table is made with the first of them.
 */
export class FaultLog {
  readonly path: string;
  count = 0;
  readonly #files: Pick<Files, 'stage'>;
  readonly #database: Pick<Database, 'exec' | 'run' | 'all'>;

  constructor(path: string, files: Pick<Files, 'stage'>, database: Pick<Database, 'exec' | 'run' | 'all'>) {
    this.path = path;
    this.#files = files;
    this.#database = database;
  }

  add(faults: readonly Fault[]): void {
    for (const fault of faults) {
      if (this.count === 0) this.#database.exec(faultTable);
      this.count += 1;
      this.#database.run('INSERT INTO faults (line, fault) VALUES (?, ?)', fault.line, JSON.stringify(fault));
    }
  }

  /** Writes them all to its path; the first ones. */
  keep(): readonly Fault[] {
    const staged = this.#files.stage(this.path);
    const first: Fault[] = [];
    try {
      for (const faults of this.#pages()) {
        first.push(...faults.slice(0, maxShown - first.length));
        staged.write(faults.map((fault) => `${JSON.stringify(documentOf(fault))}\n`).join(''));
      }
      staged.keep();
    } finally {
      staged.drop();
    }
    return first;
  }

  *#pages(): Generator<readonly Fault[]> {
    for (let last = [0, 0]; ; ) {
      const rows = this.#database.all(
        'SELECT id, line, fault FROM faults WHERE (line, id) > (?, ?) ORDER BY line, id LIMIT ?',
        ...[...last, pageOfFaults],
      );
      const end = rows.at(-1);
      if (end === undefined) return;
      // As `add` wrote them.
      yield rows.map(({ fault }): Fault => JSON.parse(String(fault)));
      last = [Number(end['line']), Number(end['id'])];
    }
  }
}

function documentOf({ line, clientOrderId, orderId, field, value, why }: Fault): Readonly<Record<string, unknown>> {
  const ids = { clientOrderId: clientOrderId ?? null, orderId: orderId ?? null };
  return { line, ...ids, field: field ?? null, value: value ?? null, why };
}

const newline = 10;

/** Finds the line of the first byte that is no UTF-8. */
export class Utf8Check {
  readonly #decoder = strict();
  #line = 1;

  /** The line of the fault, in a piece or at the end of the file; undefined where there is none. */
  faultIn(piece: Uint8Array | undefined): number | undefined {
    try {
      this.#decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      return this.#line + (piece === undefined ? 0 : linesBeforeFault(piece));
    }
    if (piece !== undefined) this.#line += linesIn(piece);
    return undefined;
  }
}

/**
 * No character but the newline itself has its byte, so each line of a piece can be read alone; the first may begin
 * inside a character.
 */
function linesBeforeFault(piece: Uint8Array): number {
  for (let from = 0, lines = 0; ; lines += 1) {
    const end = piece.indexOf(newline, from);
    // The last line may end inside a character, so it is the one that is left.
    if (end === -1) return lines;
    if (!isUtf8(piece.subarray(from === 0 ? continuedIn(piece) : from, end))) return lines;
    from = end + 1;
  }
}

/** Bytes at the beginning that belong to the last character of the piece before. */
function continuedIn(piece: Uint8Array): number {
  const first = piece.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, Math.min(first, 3));
}

function linesIn(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(newline); at !== -1; at = piece.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict().decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function strict() {
  return new TextDecoder('utf-8', { fatal: true });
}

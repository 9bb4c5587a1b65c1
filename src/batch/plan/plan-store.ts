import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fail, isPaycliError } from '../../errors/index.js';
import { factsIn, isState, type State } from '../../journal/index.js';
import type { Clock, Database, DatabaseOpener, Files, SqlRow } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { storableKeys } from '../input/check-row.js';
import { readCsvRecord } from '../input/csv.js';
import { readNdjsonRecord } from '../input/ndjson.js';
import type { BatchEvent, BatchFile, BatchRow, PlanHead, PlanStore, RowSource } from '../plan.js';
import { parseTexts, planVersion } from './plan-draft.js';
import { isPlanHead } from './plan-head.js';

/** What opening a plan needs. */
export interface PlanPorts {
  readonly database: DatabaseOpener;
  readonly files: Pick<Files, 'facts' | 'pieces'>;
  readonly clock: Clock;
  /**
   * The keyed hash of files with card numbers, whose key is stored apart from plans and journal; left out for a copy on
   * another account, whose rows lack the card data.
   */
  readonly cardFileHash?: Hash | undefined;
}

type Hash = (parts: readonly string[]) => string;

/** Opens the file of a plan, an SQLite database. Throws STORAGE where it is none, or was made by another version. */
export function openPlan(path: string, ports: PlanPorts): PlanStore {
  const database = ports.database.open(path);
  try {
    const version = Number(database.get('PRAGMA user_version')?.['user_version']);
    if (version !== planVersion) throw unreadablePlan(path);
    return new StoredPlan(database, headIn(database, path), ports);
  } catch (error) {
    database.close();
    throw isPaycliError(error) ? error : unreadablePlan(path, error);
  }
}

function unreadablePlan(path: string, cause?: unknown): Error {
  return fail(
    'STORAGE',
    {
      what: `plan ${basename(path)}`,
      why: 'it is damaged, or was made by another version of paycli',
      how: 'use that version of paycli; the journal still shows what was sent',
      plan: basename(path),
    },
    { cause },
  );
}

function headIn(database: Database, path: string): PlanHead {
  const head: unknown = JSON.parse(String(database.get("SELECT value FROM meta WHERE name = 'head'")?.['value']));
  if (!isPlanHead(head)) throw unreadablePlan(path);
  return head;
}

/**
 * A plan in its file. The rows of a plan with card numbers hold no card data: it is read from the file that was
 * planned, at the position of the row, and has to be the same bytes (the seal is their keyed hash).
 */
class StoredPlan implements PlanStore {
  readonly head: PlanHead;
  readonly #database: Database;
  readonly #ports: PlanPorts;
  /** The keys of values that the plan itself may hold. */
  readonly #storableKeys: ReadonlySet<string>;
  #isFileChecked = false;

  constructor(database: Database, head: PlanHead, ports: PlanPorts) {
    this.head = head;
    this.#database = database;
    this.#ports = ports;
    this.#storableKeys = new Set(storableKeys(operationById(head.operation)));
  }

  rows(from: number, max: number): readonly BatchRow[] {
    const sql = 'SELECT * FROM rows WHERE number >= ? AND number <= ? ORDER BY number LIMIT ?';
    return this.#database.all(sql, from, this.head.count, max).map((row) => this.#rowFrom(row));
  }

  row(number: number): BatchRow | undefined {
    return this.rows(number, 1).find((row) => row.number === number);
  }

  noted(): ReadonlyMap<number, State> {
    const states = new Map<number, State>();
    for (const { number, state } of this.#database.all('SELECT number, state FROM notes ORDER BY number'))
      states.set(Number(number), stateFrom(String(state)));
    return states;
  }

  note(states: ReadonlyMap<number, State>): void {
    this.#database.transaction(() => {
      for (const [number, state] of states)
        this.#database.run('INSERT OR REPLACE INTO notes VALUES (?, ?)', number, state);
    });
  }

  events(): readonly BatchEvent[] {
    return this.#database.all('SELECT at, what, facts FROM events ORDER BY id').map(eventFrom);
  }

  addEvent(what: string, facts: Readonly<Record<string, unknown>>): void {
    this.#database.run(
      'INSERT INTO events (at, what, facts) VALUES (?, ?, ?)',
      ...[this.#ports.clock.now(), what, JSON.stringify(facts)],
    );
  }

  sentBy(): string | undefined {
    const found = this.#database.get("SELECT value FROM meta WHERE name = 'journal'")?.['value'];
    return found === undefined ? undefined : String(found);
  }

  noteSentBy(journal: string): void {
    this.#database.run("INSERT OR REPLACE INTO meta VALUES ('journal', ?)", journal);
  }

  close(): void {
    this.#database.close();
  }

  #rowFrom(row: SqlRow): BatchRow {
    const [minor, currency] = [row['minor'], row['currency']];
    const values = parseTexts(String(row['content']));
    const source = this.head.hasCards ? sourceOf(row) : undefined;
    const isWithCards = source !== undefined && this.#ports.cardFileHash !== undefined;
    return {
      number: Number(row['number']),
      line: Number(row['line']),
      values: isWithCards ? { ...values, ...this.#cardData(row, source) } : values,
      source,
      endpointId: String(row['endpoint_id']),
      sum: typeof minor === 'string' && typeof currency === 'string' ? { minor, currency } : undefined,
      destination: String(row['destination']),
    };
  }

  /** The card data of a row, from the bytes of the planned file that the row was made from. */
  #cardData({ number }: SqlRow, { from, bytes: length, seal }: RowSource): Readonly<Record<string, string>> {
    this.#checkFile();
    const bytes = this.#slice(from, length);
    if (!this.#isOwnHash(seal, (hash) => rowSeal(Number(number), bytes, hash))) throw fileChanged(this.head);
    return Object.fromEntries(valuesIn(bytes, this.head.file).filter(([key]) => !this.#storableKeys.has(key)));
  }

  /** Once for each opened plan: the file is there, readable by its owner alone, and has not changed. */
  #checkFile(): void {
    if (this.#isFileChecked) return;
    const { path, sha256 } = this.head.file;
    const facts = this.#ports.files.facts(path);
    if (facts === undefined) throw fileChanged(this.head, 'no longer exists');
    if ((facts.mode & 0o077) !== 0 || !facts.ownedByUser)
      throw fileChanged(this.head, 'can be read by other users: run chmod 600 on it');
    const hash = createHash('sha256');
    for (const piece of this.#ports.files.pieces(path)) hash.update(piece);
    const digest = hash.digest('hex');
    if (!this.#isOwnHash(sha256, (own) => sealedDigest(digest, own))) throw fileChanged(this.head);
    this.#isFileChecked = true;
  }

  /** Whether a stored hash is that of `by`. */
  #isOwnHash(seal: unknown, by: (hash: Hash) => string): boolean {
    const { cardFileHash } = this.#ports;
    return cardFileHash !== undefined && by(cardFileHash) === seal;
  }

  #slice(from: number, length: number): Buffer {
    const parts: Uint8Array[] = [];
    let left = length;
    for (const piece of this.#ports.files.pieces(this.head.file.path, from)) {
      parts.push(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) break;
    }
    return Buffer.concat(parts);
  }
}

function sourceOf({ start, bytes, seal }: SqlRow): RowSource | undefined {
  return seal === null || seal === undefined
    ? undefined
    : { from: Number(start), bytes: Number(bytes), seal: String(seal) };
}

function valuesIn(
  bytes: Uint8Array,
  { format, layout }: BatchFile,
): readonly (readonly [key: string, value: string])[] {
  const named =
    format === 'csv'
      ? readCsvRecord(bytes, layout.delimiter).map((cell, at) => [layout.columns[at], cell] as const)
      : readNdjsonRecord(bytes).map(([name, text]) => [layout.map[name], text] as const);
  return named.flatMap(([key, value]) => (key === undefined || value === '' ? [] : [[key, value] as const]));
}

/** The keyed hash of the bytes a row was planned from. */
export function rowSeal(number: number, bytes: Buffer, hash: Hash): string {
  return hash(['row', String(number), bytes.toString('latin1')]);
}

/** The digest of a file with card numbers, keyed so that the numbers cannot be guessed from it. */
export function sealedDigest(sha256: string, hash: Hash): string {
  return hash(['file', sha256]);
}

function fileChanged({ file, id }: PlanHead, change = 'has changed since it was planned'): Error {
  return fail('BATCH_REFUSED', {
    why: `${file.path}, which holds the card numbers of plan ${id}, ${change}`,
    how: `nothing was sent now; put the file back as it was, or plan it again. If rows of it were sent before, \`paycli resolve --all\` resolves them and \`paycli batch cancel ${id}\` cancels the others`,
    file: file.path,
    plan: id,
  });
}

function stateFrom(word: string): State {
  if (isState(word)) return word;
  throw new Error('the plan holds an unknown state');
}

function eventFrom({ at, what, facts }: SqlRow): BatchEvent {
  return { at: Number(at), what: String(what), facts: factsIn(String(facts)) };
}

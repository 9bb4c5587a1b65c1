import type { Batch, Sum } from '../journal/port.js';
import type { Target } from '../payments/compose.js';
import type { RequestPlace } from '../payments/request.js';
import { moneyDocument, sumText } from '../payments/words.js';
import type { Operation, OperationId } from '../spec/index.js';

export interface Total extends Sum {
  readonly count: number;
}

export interface BatchFile {
  readonly path: string;
  readonly bytes: number;
  /** Hex; keyed with the journal's key where the file holds card numbers, which could be guessed from it otherwise. */
  readonly sha256: string;
  readonly format: 'csv' | 'ndjson';
  /** How its rows are read again. */
  readonly layout: FileLayout;
}

export interface FileLayout {
  readonly delimiter: string;
  /** The field key of each column, in their order; none for NDJSON. */
  readonly columns: readonly string[];
  /** The field key of each name in NDJSON. */
  readonly map: Readonly<Record<string, string>>;
}

/** What a batch is, from when it was planned; it never changes. */
export interface PlanHead {
  readonly id: string;
  readonly operation: OperationId;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly planner: Planner;
  readonly version: string;
  readonly profile: string;
  readonly class: string;
  /** Name of the gateway in the journal. */
  readonly base: string;
  readonly login: string;
  readonly file: BatchFile;
  readonly count: number;
  /** Of the rows that name an amount. */
  readonly totals: readonly Total[];
  /** True where rows hold card numbers, which stay in the file. */
  readonly hasCards: boolean;
  /** The plan of checks whose validated payouts it pays. */
  readonly pays?: string | undefined;
  /** SHA-256 in hex over everything above that decides what is paid, and over every row. */
  readonly digest: string;
}

/** Where all rows of a batch go, as far as their requests can be laid out. */
export interface BatchPlace {
  readonly row: Operation;
  readonly place: RequestPlace;
  target(endpointId: string): Target;
}

/** Who made a plan, as the system reports it. */
export interface Planner {
  readonly user: string;
  readonly host: string;
  /** The user id, or what the system has in its place. */
  readonly id: string;
}

/** The head as the journal keeps it. */
export function headOf({ id, digest, head }: Batch): PlanHead {
  // As `recordBatch` wrote it.
  return { ...(head as unknown as Omit<PlanHead, 'id' | 'digest'>), id, digest };
}

/** What a plan holds, for programs. */
export function headDocument(head: PlanHead): Record<string, unknown> {
  const { id, digest, operation, profile, login, base, madeAt, planner, version, file, count, totals, hasCards } = head;
  return {
    ...{ plan: id, digest, operation, profile, class: head.class, login, gateway: base, count },
    totals: totals.map((total) => ({ count: total.count, ...moneyDocument(total) })),
    file: { path: file.path, bytes: file.bytes, sha256: hasCards ? null : file.sha256, format: file.format },
    ...{ cards: hasCards, madeAt: new Date(madeAt).toISOString(), planner, version },
  };
}

/** `35.50 EUR, 1200 JPY`; empty where no row names an amount. */
export function totalsText(totals: readonly Sum[]): string {
  return totals.map(sumText).join(', ');
}

export function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

const maxNamed = 5;

/** Such as `lines 2, 3, 4, 5, 6 and more`. */
export function linesText(lines: readonly number[]): string {
  const named = lines.slice(0, maxNamed).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${named}${lines.length > maxNamed ? ' and more' : ''}`;
}

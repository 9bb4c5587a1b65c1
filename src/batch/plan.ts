import type { State, Sum } from '../journal/index.js';
import type { Clock } from '../runtime/ports.js';
import type { OperationId } from '../spec/index.js';
import { decimalText } from '../wire/amount.js';

/** One line of a batch file, checked. */
export interface BatchRow {
  /** From 1, in the order of the file. */
  readonly number: number;
  /** Line of the file it begins on. */
  readonly line: number;
  /** By field key, with defaults of the profile; read anew from the file where they hold a card number. */
  readonly values: Readonly<Record<string, string>>;
  readonly endpointId: string;
  readonly sum: Sum | undefined;
  /** Who gets the money or what it is about, masked. */
  readonly destination: string;
  /** Where the file has the values that the plan does not store; undefined where the plan stores all. */
  readonly source?: RowSource | undefined;
}

/** The bytes of its file that a row with card data is read from. */
export interface RowSource {
  readonly from: number;
  readonly bytes: number;
  /** Keyed hash of these bytes. */
  readonly seal: string;
}

export interface Total {
  readonly currency: string;
  readonly count: number;
  readonly minor: string;
  /** Fraction digits, as assumed for the endpoint of the rows. */
  readonly digits: number;
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

/** The part of a plan that is frozen when the batch is planned; it never changes. */
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
  /** SHA-256 in hex over everything above that decides what is paid, and over every row. */
  readonly digest: string;
}

/** Who made a plan, as the system reports it. */
export interface Planner {
  readonly user: string;
  readonly host: string;
  /** The user id, or what the system has in its place. */
  readonly id: string;
}

/** Something that happened to a batch besides its rows: an approval, the beginning and end of a run. */
export interface BatchEvent {
  readonly at: number;
  readonly what: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A frozen plan and the records made while it is carried out. */
export interface PlanStore {
  readonly head: PlanHead;
  /** Rows from this number on, in order. Throws where the file they are read from is no longer the planned one. */
  rows(from: number, max: number): readonly BatchRow[];
  row(number: number): BatchRow | undefined;
  /**
   * States of rows as last recorded here: a cache of the journal, never authoritative. Rows without a record are not
   * listed.
   */
  noted(): ReadonlyMap<number, State>;
  note(states: ReadonlyMap<number, State>): void;
  events(): readonly BatchEvent[];
  addEvent(what: string, facts: Readonly<Record<string, unknown>>): void;
  /** The journal that rows were sent by (see `journalName`); undefined as long as none may have been sent. */
  sentBy(): string | undefined;
  /** Flushed when it returns. */
  noteSentBy(journal: string): void;
  close(): void;
}

export const pageSize = 500;

type RowsOfPlan = Pick<PlanStore, 'head' | 'rows'>;

/** The rows of a plan in their order, a page in memory at a time. */
export function* planPages(plan: RowsOfPlan): Generator<readonly BatchRow[]> {
  for (let from = 1; from <= plan.head.count; from += pageSize) yield plan.rows(from, pageSize);
}

/** Row by row. */
export function* rowsOfPlan(plan: RowsOfPlan): Generator<BatchRow> {
  for (const page of planPages(plan)) yield* page;
}

/** Row by row; other work runs in between. */
export async function* planRows(plan: RowsOfPlan, clock: Pick<Clock, 'sleep'>): AsyncGenerator<BatchRow> {
  for (const page of planPages(plan)) {
    yield* page;
    if (page.length === pageSize) await clock.sleep(0);
  }
}

/** Fraction digits of the currencies of a plan. */
export function digitsIn({ totals }: Pick<PlanHead, 'totals'>): (currency: string) => number {
  const known = new Map(totals.map(({ currency, digits }) => [currency, digits]));
  return (currency) => known.get(currency) ?? 0;
}

type Money = Pick<Total, 'minor' | 'digits' | 'currency'>;

/** `35.50 EUR`, in the digits in force where the rows go. */
export function moneyText({ minor, digits, currency }: Money): string {
  return `${decimalText(BigInt(minor), digits)} ${currency}`;
}

/** Money for programs. */
export function moneyDocument({ minor, digits, currency }: Money) {
  return { minor, digits, currency, text: decimalText(BigInt(minor), digits) };
}

/** Rows that were cancelled, as the plan itself has it noted. */
export function notedCancelled(plan: Pick<PlanStore, 'noted'>): ReadonlySet<number> {
  return new Set([...plan.noted()].flatMap(([number, state]) => (state === 'cancelled' ? [number] : [])));
}

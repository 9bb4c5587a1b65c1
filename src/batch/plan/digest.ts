import { createHash, type Hash } from 'node:crypto';
import { isPaycliError } from '../../errors/index.js';
import { operationById } from '../../spec/index.js';
import { storableKeys } from '../input/check-row.js';
import { type BatchRow, type PlanHead, type PlanStore, rowsOfPlan, type Total } from '../plan.js';

/** A row as the summary shows it. */
export interface LargeRow {
  readonly number: number;
  readonly line: number;
  readonly minor: bigint;
  readonly currency: string;
  readonly digits: number;
  readonly destination: string;
}

const maxLargest = 5;

interface CurrencySum {
  count: number;
  minor: bigint;
  readonly digits: number;
  readonly largest: LargeRow[];
}

/**
 * Adds up rows by currency and remembers the largest of each. A plan sends one currency to one endpoint, so its digits
 * are the same.
 */
export class CurrencyTotals {
  readonly #sums = new Map<string, CurrencySum>();

  add(row: LargeRow): void {
    const { currency, minor, digits } = row;
    const sums = this.#sums.get(currency) ?? { count: 0, minor: 0n, digits, largest: [] };
    sums.count += 1;
    sums.minor += minor;
    this.#sums.set(currency, sums);
    const { largest } = sums;
    if (largest.length === maxLargest && minor <= (largest.at(-1)?.minor ?? 0n)) return;
    const at = largest.findIndex((other) => other.minor < minor);
    largest.splice(at === -1 ? largest.length : at, 0, row);
    largest.splice(maxLargest);
  }

  /** By currency. */
  totals(): Total[] {
    return [...this.#sums]
      .map(([currency, { count, minor, digits }]) => ({ currency, count, minor: String(minor), digits }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1));
  }

  /** The largest rows of each currency, largest first. */
  largest(): LargeRow[] {
    return [...this.#sums.keys()].sort().flatMap((currency) => this.#sums.get(currency)?.largest ?? []);
  }
}

const maxBuffered = 65_536;

type HeadWithoutDigest = Omit<PlanHead, 'digest'>;

/**
 * SHA-256 over every row, in order, and then over the head: over all that decides what is paid, by whom it was planned,
 * and when.
 */
export class PlanDigest {
  readonly #hash: Hash = createHash('sha256');
  #waiting = '';

  /** `content` is the row's values as `contentText` writes them. */
  add({ number, line, endpointId, sum, destination, source }: Omit<BatchRow, 'values'>, content: string): void {
    const facts = [
      ...[number, line, endpointId, sum?.minor ?? null, sum?.currency ?? null, destination, content],
      ...[source?.from ?? null, source?.bytes ?? null, source?.seal ?? null],
    ];
    this.#waiting += `${JSON.stringify(facts)}\n`;
    if (this.#waiting.length > maxBuffered) this.#update();
  }

  /** Hex. */
  ofHead(head: HeadWithoutDigest): string {
    this.#update();
    return this.#hash.update(`${headText(head)}\n`, 'utf8').digest('hex');
  }

  #update(): void {
    this.#hash.update(this.#waiting, 'utf8');
    this.#waiting = '';
  }
}

/**
 * Values as a plan stores them, always in the same order; those of cards, which stay in their file, are covered by the
 * row's seal.
 */
export function serializeValues(values: Readonly<Record<string, string>>, keys: readonly string[]): string {
  let text = '';
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined && value !== '') text += `${text === '' ? '' : ','}"${key}":${JSON.stringify(value)}`;
  }
  return `{${text}}`;
}

function headText(head: HeadWithoutDigest): string {
  const { id, operation, madeAt, planner, version, profile, base, login, file, count, totals, hasCards } = head;
  const { path, bytes, sha256, format, layout } = file;
  return JSON.stringify([
    ...[id, operation, madeAt, planner.id, planner.user, planner.host, version, profile, head.class, base, login],
    ...[path, bytes, sha256, format, layout.delimiter, layout.columns, Object.entries(layout.map)],
    ...[count, totals.map(({ currency, count: rows, minor, digits }) => [currency, rows, minor, digits]), hasCards],
  ]);
}

/** The digest of a plan as it is now; if it differs from that of its head, the plan was changed. */
export function computeDigest(store: Pick<PlanStore, 'head' | 'rows'>): string {
  const digest = new PlanDigest();
  const keys = storableKeys(operationById(store.head.operation));
  for (const row of rowsOfPlan(store)) digest.add(row, serializeValues(row.values, keys));
  return digest.ofHead(store.head);
}

/** What no longer is as it was planned, as a whole clause; undefined when all is. */
export function planChangeReason(store: Pick<PlanStore, 'head' | 'rows'>): string | undefined {
  try {
    return computeDigest(store) === store.head.digest ? undefined : 'the plan was changed after it was created';
  } catch (error) {
    if (isPaycliError(error)) return error.message;
    throw error;
  }
}

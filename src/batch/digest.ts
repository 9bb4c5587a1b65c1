import { createHash, type Hash } from 'node:crypto';
import { fail, isPaycliError } from '../errors/index.js';
import { operationById } from '../spec/index.js';
import { keptKeys } from './check-row.js';
import type { BatchRow, PlanHead, PlanStore } from './plan.js';
import { Totals } from './totals.js';

const mostWaiting = 65_536;

type Undigested = Omit<PlanHead, 'digest'>;

/** The version that plans are made with; plans of version 1 are still judged by it. */
export const digestVersion = 2;

/**
 * SHA-256 over every row, in order, and then over the head: over all that decides what is paid, by whom it was planned, and when. Since
 * version 2 also over where a row's card data stands and the keyed hash of it, and over the number of the planner's user.
 */
export class PlanDigest {
  readonly #hash: Hash = createHash('sha256');
  readonly #version: number;
  #waiting = '';

  /** Throws BATCH_REFUSED for a version that nobody here knows. */
  constructor(version: number = digestVersion) {
    if (version !== 1 && version !== digestVersion)
      throw fail('BATCH_REFUSED', {
        why: `its digest is of version ${version}, which this paycli does not know`,
        how: 'nothing was sent; use the paycli that made the plan, or plan the file again',
      });
    this.#version = version;
  }

  /** `content` is the row's values as `contentText` writes them. */
  add({ number, line, endpointId, sum, destination, source }: Omit<BatchRow, 'values'>, content: string): void {
    const facts = [number, line, endpointId, sum?.minor ?? null, sum?.currency ?? null, destination, content];
    if (this.#version > 1) facts.push(source?.from ?? null, source?.bytes ?? null, source?.seal ?? null);
    this.#waiting += `${JSON.stringify(facts)}\n`;
    if (this.#waiting.length > mostWaiting) this.#update();
  }

  /** Hex. */
  ofHead(head: Undigested): string {
    this.#update();
    return this.#hash.update(`${headText(head, this.#version)}\n`, 'utf8').digest('hex');
  }

  #update(): void {
    this.#hash.update(this.#waiting, 'utf8');
    this.#waiting = '';
  }
}

/** Values as a plan keeps them, always in the same order; those of cards, which stay in their file, are vouched for by its seal. */
export function contentText(values: Readonly<Record<string, string>>, keys: readonly string[]): string {
  let text = '';
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined && value !== '') text += `${text === '' ? '' : ','}"${key}":${JSON.stringify(value)}`;
  }
  return `{${text}}`;
}

function headText(head: Undigested, digest: number): string {
  const { id, operation, madeAt, planner, version, profile, base, login, file, count, totals, hasCards } = head;
  const { path, bytes, sha256, format, layout } = file;
  return JSON.stringify([
    ...(digest > 1 ? [`plan digest ${digest}`, planner.id ?? null] : []),
    ...[id, operation, madeAt, planner.user, planner.host, version, profile, head.class, base, login],
    ...[path, bytes, sha256, format, layout.delimiter, layout.columns, Object.entries(layout.map)],
    ...[count, totals.map(({ currency, count: rows, minor, digits }) => [currency, rows, minor, digits]), hasCards],
  ]);
}

const pageOfRows = 1000;

/** The digest of a plan as it is now; another than that of its head means that somebody changed it. */
export function digestOf(store: Pick<PlanStore, 'head' | 'rows'>): string {
  return examined(store, () => {});
}

/** What no longer is as it was planned, as a whole clause; undefined when all is. */
export function changeOf(store: Pick<PlanStore, 'head' | 'rows'>): string | undefined {
  const { head } = store;
  const totals = new Totals();
  const digits = new Map(head.totals.map((total) => [total.currency, total.digits]));
  try {
    const digest = examined(store, ({ number, line, destination, sum }) => {
      if (sum === undefined) return;
      totals.add({ number, line, destination, minor: BigInt(sum.minor), currency: sum.currency, digits: digits.get(sum.currency) ?? 0 });
    });
    if (digest !== head.digest) return 'the plan was changed after it was made';
  } catch (error) {
    if (isPaycliError(error)) return error.message;
    throw error;
  }
  const isSame = JSON.stringify(totals.totals().map(sumText)) === JSON.stringify(head.totals.map(sumText));
  return isSame ? undefined : 'its rows do not come to its totals';
}

function sumText({ currency, count, minor }: PlanHead['totals'][number]): string {
  return `${count} ${minor} ${currency}`;
}

function examined(store: Pick<PlanStore, 'head' | 'rows'>, see: (row: BatchRow) => void): string {
  const { head } = store;
  const digest = new PlanDigest(head.digestVersion ?? 1);
  const keys = keptKeys(operationById(head.operation));
  for (let from = 1; from <= head.count; from += pageOfRows)
    for (const row of store.rows(from, pageOfRows)) {
      digest.add(row, contentText(row.values, keys));
      see(row);
    }
  return digest.ofHead(head);
}

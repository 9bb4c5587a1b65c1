import { createHash, type Hash } from 'node:crypto';
import { operationById } from '../spec/index.js';
import { keptKeys } from './check-row.js';
import type { BatchRow, PlanHead, PlanStore } from './plan.js';

const mostWaiting = 65_536;

type Undigested = Omit<PlanHead, 'digest'>;

/** SHA-256 over every row, in order, and then over the head: over all that decides what is paid, by whom it was planned, and when. */
export class PlanDigest {
  readonly #hash: Hash = createHash('sha256');
  #waiting = '';

  /** `content` is the row's values as `contentText` writes them. */
  add({ number, line, endpointId, sum, destination }: Omit<BatchRow, 'values'>, content: string): void {
    const facts = [number, line, endpointId, sum?.minor ?? null, sum?.currency ?? null, destination, content];
    this.#waiting += `${JSON.stringify(facts)}\n`;
    if (this.#waiting.length > mostWaiting) this.#update();
  }

  /** Hex. */
  ofHead(head: Undigested): string {
    this.#update();
    return this.#hash.update(`${headText(head)}\n`, 'utf8').digest('hex');
  }

  #update(): void {
    this.#hash.update(this.#waiting, 'utf8');
    this.#waiting = '';
  }
}

/** Values as a plan keeps them, always in the same order; those of cards, which stay in their file, are vouched for by its own digest. */
export function contentText(values: Readonly<Record<string, string>>, keys: readonly string[]): string {
  let text = '';
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined && value !== '') text += `${text === '' ? '' : ','}"${key}":${JSON.stringify(value)}`;
  }
  return `{${text}}`;
}

function headText(head: Undigested): string {
  const { id, operation, madeAt, planner, version, profile, base, login, file, count, totals, hasCards } = head;
  const { path, bytes, sha256, format, layout } = file;
  return JSON.stringify([
    ...[id, operation, madeAt, planner.user, planner.host, version, profile, head.class, base, login],
    ...[path, bytes, sha256, format, layout.delimiter, layout.columns, Object.entries(layout.map)],
    ...[count, totals.map(({ currency, count: rows, minor, digits }) => [currency, rows, minor, digits]), hasCards],
  ]);
}

const pageOfRows = 1000;

/** The digest of a plan as it is now; another than that of its head means that somebody changed it. */
export function digestOf(store: Pick<PlanStore, 'head' | 'rows'>): string {
  const { head } = store;
  const digest = new PlanDigest();
  const keys = keptKeys(operationById(head.operation));
  for (let from = 1; from <= head.count; from += pageOfRows)
    for (const row of store.rows(from, pageOfRows)) digest.add(row, contentText(row.values, keys));
  return digest.ofHead(head);
}

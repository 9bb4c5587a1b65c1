import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Begin, Begun, Evidence, Journal, NewRequest, Refusal, Request } from '../../src/journal/port.js';
import { openFiles } from '../../src/runtime/files.js';

type Awaitable<Value> = Value | Promise<Value>;

/** Whatever the store, one of these opens a journal in a place; the same place opens the same journal. */
export interface Place {
  open(options?: OpenOptions): Awaitable<Journal>;
  /** Takes a copy of the store, without the mark; `restore` puts it back in place of what is there. */
  copy(): Awaitable<() => Awaitable<void>>;
  /** Removes the store, but not the mark. */
  remove(): Awaitable<void>;
}

export interface OpenOptions {
  readonly clock?: StoreClock;
  readonly key?: string;
  /** The process it stands for; a dead one has ended. */
  readonly pid?: number;
  readonly isDead?: (pid: number) => boolean;
  readonly boot?: string;
  /** Without a mark, as a sandbox has it. */
  readonly isSandbox?: true;
}

export class StoreClock {
  time = Date.UTC(2030, 0, 7, 12);
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  async sleep(): Promise<void> {}
}

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let count = 0;
const letters = (length: number): string => {
  count += 1;
  return `${count}`.padStart(length, 'r');
};

/** What a journal needs besides its database; its mark is in this folder. */
export function portsIn(folder: string, { clock = new StoreClock(), pid = 1, isDead, ...options }: OpenOptions = {}) {
  return {
    files: openFiles({}, { home: folder, working: folder }),
    clock,
    random: { letters },
    process: {
      ...{ pid, host: 'here', place: options.boot ?? 'b' },
      isAlive: (other: number) => isDead?.(other) !== true,
    },
    markPath: options.isSandbox === true ? undefined : join(folder, 'config', 'marks.json'),
    key: options.key ?? 'the key of this installation',
    who: 'tester',
  };
}

export const usd = (minor: string) => ({ minor, currency: 'USD', digits: 2 });

export const sale: NewRequest = {
  kind: 'payment',
  operation: 'SALE',
  effect: 'money',
  base: 'https://gate.example/pay',
  endpoint: '4001',
  login: 'shop',
  profile: 'shop-test',
  class: 'test',
  clientOrderId: 'order-1',
  sum: usd('1042'),
  card4: '1111',
  content: 'content-1',
  payment: 'payment-1',
};

export const refund: NewRequest = {
  ...{ ...sale, kind: 'follow-up', operation: 'RETURN', orderId: '900', card4: undefined, payment: undefined },
  ...{ sum: usd('500'), content: 'content-r' },
};

/** Another payment under another id. */
export const saleOf = (id: string, more: Partial<NewRequest> = {}): NewRequest => ({
  ...{ ...sale, clientOrderId: id, content: `content of ${id}`, payment: `payment of ${id}` },
  ...more,
});

export async function tryBegin(journal: Journal, attempt: Partial<Begin>): Promise<Begun> {
  const request = attempt.request ?? (await read(journal, { id: attempt.id ?? 0 }));
  const [begun] = await journal.begin([{ attempt: 0, ...attempt, request }]);
  if (begun === undefined) throw new Error('no answer');
  return begun;
}

export async function begin(journal: Journal, request: NewRequest, more: Partial<Begin> = {}): Promise<Request> {
  const answer = await tryBegin(journal, { request, ...more });
  if ('refused' in answer) throw new Error(`refused: ${answer.refused.why}`);
  return answer.begun;
}

/** Why it may not begin; undefined where it has begun. */
export async function refusal(journal: Journal, attempt: Partial<Begin>): Promise<Refusal['why'] | undefined> {
  const answer = await tryBegin(journal, attempt);
  return 'refused' in answer ? answer.refused.why : undefined;
}

export function end(
  journal: Journal,
  { id, attempt }: Request,
  to: Evidence['to'],
  more: Partial<Evidence> = {},
): Promise<Request> {
  return settle(journal, { id }, to, { by: 'result', attempt, reason: to, ...more });
}

export async function settle(
  journal: Journal,
  { id }: Pick<Request, 'id'>,
  to: Evidence['to'],
  more: Partial<Evidence> = {},
): Promise<Request> {
  const [settled] = await journal.settle([{ id, to, by: 'gateway', reason: `status ${to}`, ...more }]);
  if (settled === undefined) throw new Error('no answer');
  return settled;
}

export async function read(journal: Journal, { id }: { readonly id: number }): Promise<Request> {
  const [request] = await journal.find({ ids: [id] }, { limit: 1 });
  if (request === undefined) throw new Error(`no request ${id}`);
  return request;
}

/** A batch whose rows are planned, and running. */
export async function addBatch(
  journal: Journal,
  rows: readonly NewRequest[],
  rowsLeft?: number,
): Promise<readonly Request[]> {
  await journal.addBatch({ id: 'b1', digest: 'd', head: {} });
  await journal.addRows(
    'b1',
    rows.map((row, at) => ({ ...row, number: at + 1, payload: `{"row":${at + 1}}` })),
  );
  await journal.changeBatch('b1', ['planning'], { state: 'running', rowsLeft });
  return journal.find({ batch: 'b1' }, { after: 0, limit: 1000 });
}

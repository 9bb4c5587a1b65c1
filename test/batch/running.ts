import { storableKeys } from '../../src/batch/input/check-row.js';
import { headOf, type PlanHead } from '../../src/batch/plan.js';
import { type BatchConnection, layOut, RowReader, writePayload } from '../../src/batch/rows.js';
import { BatchRun } from '../../src/batch/run.js';
import type { RunEnd, RunEvent, RunOptions } from '../../src/batch/run-ports.js';
import { inProcessTransport } from '../../src/cli/sandbox-session.js';
import type { Begin, Journal, Request } from '../../src/journal/port.js';
import { openSqliteJournal } from '../../src/journal/sqlite.js';
import type { State } from '../../src/journal/states.js';
import { compose } from '../../src/payments/compose.js';
import { newNonceAndTimestamp, usualReplyMs } from '../../src/payments/exchange.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import type { Delivery, HttpRequest, Transport } from '../../src/runtime/ports.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { openSandboxState } from '../../src/sandbox/state.js';
import { requestSigning, Secret } from '../../src/signing/index.js';
import { assumeDefaults, type OperationId, operationById, type SwitchName } from '../../src/spec/index.js';
import { newFolder } from '../journal/support.js';
import { CountingRandom, TestClock } from '../support/runtime.js';

interface FixtureOptions {
  readonly count?: number;
  readonly operation?: OperationId;
  /** Switches of the sandbox. */
  readonly assume?: Partial<Record<SwitchName, string>>;
  /** By field key, one for each row. */
  readonly rows?: (endpointId: string) => readonly Readonly<Record<string, string>>[];
  readonly class?: string;
}

/** Instead of what the sandbox would answer; `next` lets it answer. */
export type Between = (
  request: HttpRequest,
  next: () => Promise<Delivery>,
  at: number,
  replyMs: number,
) => Delivery | Promise<Delivery>;

export interface RunWishes extends Partial<RunOptions> {
  readonly between?: Between;
  readonly limits?: Pick<Begin, 'counts' | 'dayCap'>;
  readonly maxRows?: number;
  readonly stop?: AbortController;
  readonly abort?: AbortController;
  readonly clock?: Pick<TestClock, 'now' | 'monotonic' | 'sleep'>;
  readonly onSigned?: () => void;
}

export interface Ran {
  readonly end: RunEnd;
  readonly events: readonly RunEvent[];
  /** Rows by state. */
  readonly states: Partial<Record<State, number>>;
}

const batch = 'batch-1';

/** A journal with a batch, and a sandbox, all real but for the socket. */
export async function openFixture(options: FixtureOptions = {}) {
  const folder = newFolder();
  const clock = new TestClock();
  const random = new CountingRandom();
  const sandboxState = openSandboxState({ database: sqlite.open(':memory:'), clock, random });
  const { login, endpointId, controlKey } = sandboxState.identity();
  const assume = { ...assumeDefaults, ...options.assume };
  const sandbox = inProcessTransport(createSandbox(sandboxState, { assume, pagesBase: 'http://127.0.0.1:8484' }));
  const operation = operationById(options.operation ?? 'PAYOUT');
  const place = { base: 'the sandbox', login, profile: 'shop', class: options.class ?? 'sandbox' };
  const target = (id: string) => ({
    ...{ baseUrl: 'http://127.0.0.1:8484/gateway', endpointId: id, login, assume: assumeDefaults },
  });
  const files = openFiles({ PAYCLI_STATE_DIR: folder }, { home: folder, working: folder });
  const requests: HttpRequest[] = [];
  let pid = 0;

  /** That of a process of its own; those before it have ended. */
  function openJournal(): Journal {
    pid += 1;
    const own = pid;
    return openSqliteJournal({
      ...{ databases: sqlite, files, clock, random, path: `${folder}/requests.db`, key: 'k'.repeat(43), who: 'ada' },
      process: { pid: own, host: 'test', place: 'b n', isAlive: (id) => id === own },
    });
  }

  const wanted = options.rows?.(endpointId) ?? payoutRows(options.count ?? 10);
  const head = headFor(wanted, options.operation ?? 'PAYOUT', place);
  await planRows();

  async function planRows(): Promise<void> {
    const journal = openJournal();
    await journal.addBatch({ id: batch, digest: head.digest, head: { ...head } });
    const rows = wanted.map((values, at) => {
      const laidOut = layOut({ values, endpointId }, { row: operation, place, target }, journal).wanted;
      const range = { from: 0, bytes: 0 };
      const payload = writePayload({ line: at + 2, destination: `…${at + 1}`, values, range }, storableKeys(operation));
      return { ...laidOut, number: at + 1, payload };
    });
    await journal.addRows(batch, rows);
    await journal.changeBatch(batch, ['planning'], { state: 'stopped' });
    await journal.close();
  }

  /** The way to the gateway, for who asks or sends past a run. */
  function connectionWith({ between = (_, next) => next(), clock: other = clock, onSigned }: RunWishes) {
    const transport: Transport = {
      async post(request, replyMs, signal) {
        requests.push(request);
        return between(request, () => sandbox.post(request, replyMs, signal), requests.length, replyMs);
      },
      close: async () => undefined,
    };
    const connection: BatchConnection = {
      ...{ row: operation, place, target },
      ...{ assume: assumeDefaults, replyMs: usualReplyMs, ports: { transport, clock: other, random } },
      credentials: async () => ({ login, controlKey: new Secret(controlKey) }),
      watch: { sent: () => onSigned?.(), received: () => undefined },
    };
    return connection;
  }

  async function run(wishes: RunWishes = {}): Promise<Ran> {
    const { stop = new AbortController(), abort = new AbortController(), limits = {} } = wishes;
    const journal = openJournal();
    const rowsLeft = wishes.maxRows;
    await journal.changeBatch(batch, ['stopped', 'running', 'paused'], { state: 'running', rowsLeft });
    const events: RunEvent[] = [];
    const usual: RunOptions = { concurrency: 4, rate: 1000, maxUnknown: 0.01, waitMs: 60_000, pauseMs: 50 };
    const work = new BatchRun({
      ...{ batch, journal, connection: connectionWith(wishes), stop: stop.signal, abort: abort.signal },
      rows: new RowReader(head, { journal, files }),
      options: { ...usual, ...wishes },
      limitsOf: async () => limits,
      onEvent: (event) => events.push(event),
    });
    try {
      const end = await work.toEnd();
      return { end, events, states: await statesIn(journal) };
    } finally {
      await journal.close();
    }
  }

  /** What the journal has of the rows now. */
  async function recorded(states?: readonly State[]): Promise<readonly Request[]> {
    const journal = openJournal();
    const rows = await journal.find({ batch, states }, { after: 0, limit: 1000 });
    await journal.close();
    return rows;
  }

  /** The request of the row at this place, signed, for who sends it past the program. */
  async function signedRow(at: number): Promise<HttpRequest> {
    const values = wanted[at] ?? {};
    const unsigned = compose(operation, values, [], target(endpointId));
    const keys = { login, controlKey: new Secret(controlKey) };
    return requestSigning.signAsync(unsigned, keys, assumeDefaults, newNonceAndTimestamp({ clock, random }));
  }

  return { clock, sandboxState, sandbox, run, recorded, openJournal, signedRow, connectionWith, requests, endpointId };
}

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

async function statesIn(journal: Journal): Promise<Partial<Record<State, number>>> {
  const states: Partial<Record<State, number>> = {};
  for (const { state, count } of await journal.total({ batch })) states[state] = (states[state] ?? 0) + count;
  return states;
}

export function payoutRows(count: number): readonly Readonly<Record<string, string>>[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ clientOrderId: `row-${at + 1}`, amount: '10.42', currency: 'EUR' },
    ...{ accountNumber: `DE8937040044053201${at + 1}`, bankName: 'Bank', bankBranch: 'Main' },
  }));
}

function headFor(
  rows: readonly Readonly<Record<string, string>>[],
  operation: OperationId,
  place: Pick<PlanHead, 'profile' | 'class' | 'base' | 'login'>,
): PlanHead {
  const layout = { delimiter: ',', columns: [], map: {} };
  const file = { path: '/rows.csv', bytes: 1, sha256: '00', format: 'csv', layout } as const;
  const planner = { user: 'ada', host: 'laptop', id: '1' };
  const facts = { madeAt: 0, planner, version: 'test', file, count: rows.length, totals: [], hasCards: false };
  return headOf({
    ...{ id: batch, digest: 'd', state: 'running', canary: '', createdAt: 0 },
    head: { operation, ...place, ...facts },
  });
}

/** Payouts by their order ids, as the sandbox itself counts them. */
export function ledger(fixture: Fixture): Record<string, number> {
  const rows = fixture.sandboxState.store.database.all(
    "SELECT client_order_id AS id, count(*) AS n FROM transactions WHERE kind = 'payout' GROUP BY 1",
  );
  return Object.fromEntries(rows.map((row) => [String(row['id']), Number(row['n'])]));
}

export const isStatus = (request: HttpRequest): boolean => request.url.includes('/status/');
export const lost: Delivery = { kind: 'lost', reason: 'no complete reply within 90 s' };
export const idIn = (request: HttpRequest): string => new URLSearchParams(request.body).get('client_orderid') ?? '';

import { type BatchConnection, intentForRow } from '../../src/batch/connection.js';
import type { BatchEvent, BatchRow, PlanHead, PlanStore } from '../../src/batch/plan.js';
import { BatchRun } from '../../src/batch/run/batch-run.js';
import { BatchEngine, type OpenRow } from '../../src/batch/run/engine.js';
import type { RunEnd, RunEvent, RunOptions } from '../../src/batch/run/run-ports.js';
import { inProcessTransport } from '../../src/cli/sandbox-session.js';
import { type Journal, openJournal, type SendLimits, type State } from '../../src/journal/index.js';
import { defaultLimits } from '../../src/payments/exchange.js';
import { takeApproval } from '../../src/payments/resend.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import type { Delivery, HttpRequest, Limits, Transport } from '../../src/runtime/ports.js';
import { createSandbox } from '../../src/sandbox/server/sandbox.js';
import { openSandboxState } from '../../src/sandbox/server/state.js';
import { Secret } from '../../src/signing/index.js';
import { assumeDefaults, type OperationId, operationById, type SwitchName } from '../../src/spec/index.js';
import { newFolder } from '../journal/support.js';
import { CountingRandom, TestClock } from '../support/runtime.js';

export interface FixtureOptions {
  readonly count?: number;
  readonly operation?: OperationId;
  /** Switches of the sandbox. */
  readonly assume?: Partial<Record<SwitchName, string>>;
  readonly rows?: readonly BatchRow[];
  readonly class?: string;
}

/** Instead of what the sandbox would answer; `next` lets it answer. */
export type Between = (
  request: HttpRequest,
  next: () => Promise<Delivery>,
  at: number,
  limits: Limits,
) => Delivery | Promise<Delivery>;

/** A plan, a journal and a sandbox, all real but for the socket. */
export function openFixture(options: FixtureOptions = {}) {
  const folder = newFolder();
  const clock = new TestClock();
  const random = new CountingRandom();
  const sandboxState = openSandboxState({ database: sqlite.open(':memory:'), clock, random });
  const { login, endpointId, controlKey } = sandboxState.identity();
  const assume = { ...assumeDefaults, ...options.assume };
  const sandbox = inProcessTransport(createSandbox(sandboxState, { assume, pagesBase: 'http://127.0.0.1:8484' }));
  const operation = options.operation ?? 'PAYOUT';
  const head: PlanHead = {
    ...{
      id: 'batch-1',
      operation,
      madeAt: clock.now(),
      planner: { user: 'ada', host: 'laptop', id: '1' },
      version: 'test',
    },
    ...{ profile: 'shop', class: options.class ?? 'sandbox', base: 'the sandbox', login, hasCards: false, digest: 'd' },
    count: options.rows?.length ?? options.count ?? 10,
    totals: [],
    file: {
      path: '/rows.csv',
      bytes: 1,
      sha256: '00',
      format: 'csv',
      layout: { delimiter: ',', columns: [], map: {} },
    },
  };
  const rows = options.rows ?? Array.from({ length: head.count }, (_, at) => payoutRow(at + 1, endpointId));
  const plan = memoryPlan(head, rows, clock);
  const requests: HttpRequest[] = [];
  let pid = 0;

  /** A process of its own over the same journal. */
  function worker(between: Between = (_, next) => next(), limitsOf: (row: BatchRow) => SendLimits = () => ({})) {
    pid += 1;
    const sender = { host: 'test', pid, version: 'test' };
    const database = sqlite.open(`${folder}/journal.db`);
    const files = openFiles({ PAYCLI_STATE_DIR: folder }, { home: folder, working: folder });
    const journal = openJournal({ database, files, clock, random, sender, checkpointPath: `${folder}/tail.json` });
    const transport: Transport = {
      async post(request, limits, signal) {
        requests.push(request);
        return between(request, () => sandbox.post(request, limits, signal), requests.length, limits);
      },
      close: async () => undefined,
    };
    const connection: BatchConnection = {
      row: operationById(operation),
      place: { base: head.base, login, profile: head.profile, class: head.class },
      ...{ assume: assumeDefaults, limits: defaultLimits, ports: { transport, clock, random } },
      target: (id) => ({ baseUrl: 'http://127.0.0.1:8484/gateway', endpointId: id, login, assume: assumeDefaults }),
      credentials: async () => ({ login, controlKey: new Secret(controlKey) }),
      hash: (parts) => journal.hash(parts),
    };
    const engine = new BatchEngine({
      ...{ journal, plan, clock, limitsOf, rate: 1000, isAlive: () => false },
      intentOf: (row) => intentForRow(connection, row),
      isApproved: (intent) => takeApproval(journal, intent, clock.now()),
    });
    return { journal, engine, connection };
  }

  async function run(
    given: Partial<RunOptions> & {
      between?: Between;
      termsOf?: (row: BatchRow) => SendLimits;
      stop?: AbortController;
      abort?: AbortController;
    } = {},
  ): Promise<Ran> {
    const { between, termsOf, stop = new AbortController(), abort = new AbortController(), ...wanted } = given;
    const { engine, connection, journal } = worker(between, termsOf);
    const events: RunEvent[] = [];
    const usual = { concurrency: 4, maxRows: Number.POSITIVE_INFINITY, maxUnknown: 0.01, waitMs: 60_000, pauses: [50] };
    const work = new BatchRun({
      ...{ plan, engine, connection, stop: stop.signal, abort: abort.signal },
      options: { ...usual, ...wanted },
      onEvent: (event) => events.push(event),
    });
    try {
      const end = await work.toEnd();
      return { end, events, engine, journal, states: await statesOf(engine), work };
    } finally {
      await engine.close();
    }
  }

  return { folder, clock, sandboxState, plan, run, worker, requests, login, endpointId, sandbox };
}

export interface Ran {
  readonly end: RunEnd;
  readonly events: readonly RunEvent[];
  readonly engine: BatchEngine;
  readonly journal: Journal;
  readonly work: BatchRun;
  /** Rows by state. */
  readonly states: Partial<Record<State, number>>;
}

export async function statesOf(engine: BatchEngine): Promise<Partial<Record<State, number>>> {
  const states: Partial<Record<State, number>> = {};
  for (const { state, count } of await engine.tally()) states[state] = (states[state] ?? 0) + count;
  return states;
}

export function payoutRow(number: number, endpointId: string, more: Readonly<Record<string, string>> = {}): BatchRow {
  const values = {
    ...{
      clientOrderId: `row-${number}`,
      amount: '10.42',
      currency: 'EUR',
      accountNumber: `DE8937040044053201${number}`,
    },
    ...{ bankName: 'Bank', bankBranch: 'Main' },
    ...more,
  };
  const minor = values.amount.replace('.', '');
  return {
    number,
    line: number + 1,
    values,
    endpointId,
    sum: { minor, currency: values.currency },
    destination: `…${number}`,
  };
}

export function memoryPlan(head: PlanHead, rows: readonly BatchRow[], clock: { now(): number }): PlanStore {
  const noted = new Map<number, State>();
  const events: BatchEvent[] = [];
  let sentBy: string | undefined;
  return {
    head,
    rows: (from, max) => rows.slice(from - 1, from - 1 + max),
    row: (number) => rows[number - 1],
    noted: () => new Map(noted),
    note: (states) => {
      for (const [number, state] of states) noted.set(number, state);
    },
    events: () => events,
    addEvent: (what, facts) => void events.push({ at: clock.now(), what, facts }),
    sentBy: () => sentBy,
    noteSentBy: (journal) => {
      sentBy = journal;
    },
    close: () => undefined,
  };
}

/** Rows whose outcome is open, all of them. */
export async function openOf(engine: BatchEngine): Promise<OpenRow[]> {
  const open: OpenRow[] = [];
  for await (const each of engine.open()) open.push(each);
  return open;
}

/** Payouts by their order ids, as the sandbox itself counts them. */
export function ledger(fixture: ReturnType<typeof openFixture>): Record<string, number> {
  const rows = fixture.sandboxState.store.database.all(
    "SELECT client_order_id AS id, count(*) AS n FROM transactions WHERE kind = 'payout' GROUP BY 1",
  );
  return Object.fromEntries(rows.map((row) => [String(row['id']), Number(row['n'])]));
}

export const isStatus = (request: HttpRequest): boolean => request.url.includes('/status/');
export const lost: Delivery = { kind: 'lost', reason: 'no complete reply within 90 s' };
export const idIn = (request: HttpRequest): string => new URLSearchParams(request.body).get('client_orderid') ?? '';

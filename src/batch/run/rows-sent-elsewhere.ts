import { type AttemptResult, type Intent, reachedStates, type State, unsentStates } from '../../journal/index.js';
import { type Classified, isOrderUnknown } from '../../payments/classify.js';
import { failureFacts } from '../../payments/failure.js';
import { amountIn, unitsWith } from '../../payments/status-amounts.js';
import { applyStatus, queryStatus } from '../../payments/status-query.js';
import type { Clock } from '../../runtime/ports.js';
import { movesOf } from '../../spec/index.js';
import { type BatchConnection, intentForRow } from '../connection.js';
import { type BatchRow, type PlanStore, pageSize, planRows } from '../plan.js';
import type { BatchEngine } from './engine.js';

export interface ProbePorts {
  readonly plan: PlanStore;
  readonly engine: BatchEngine;
  readonly connection: BatchConnection;
  readonly stop: AbortSignal;
}

/** What the gateway says of a row nobody is known to have sent. */
type OrderPresence = 'none' | 'there' | 'no-answer' | 'stopped';

interface ProbeResult {
  /** Orders that are there already. */
  readonly found: readonly number[];
  /** Why the gateway could not be asked; undefined when it could. */
  readonly why: string | undefined;
}

/** All of a small batch; of a large one so many of the first rows, and of the others. */
const maxAll = 500;
const sample = { first: 10, others: 10 };
/** Of rows met by chance many may have been sent. */
const drawsPerRow = 4;

/** Whether a row was sent, by what the gateway answered about its order. */
type IsSent = (row: BatchRow, answer: Classified) => boolean;

/**
 * Asks for a few orders that nobody is known to have sent, before the first of them is: the same file may have been
 * sent from another computer, or what knew of it was restored from a backup. Rows that make no order are about one that
 * has to be there, so it says nothing of them.
 */
export async function probeUnsentRows(ports: ProbePorts): Promise<ProbeResult> {
  if (!ports.connection.row.opens) return { found: [], why: undefined };
  return probe(ports, (_, { class: kind }) => kind === 'accepted');
}

/**
 * The same of returns, whose orders are there in any case: the gateway may have returned more of one than the requests
 * `known` on it moved.
 */
export async function probeUnsentReturns(
  ports: ProbePorts,
  known: (orderId: string) => readonly Intent[],
): Promise<ProbeResult> {
  const minorDigits = ports.connection.assume['minor-digits'];
  const isSent: IsSent = (row, { fields = new Map() }) => {
    const { orderId = '' } = row.values;
    const returns = known(orderId).filter(
      ({ operation, state }) =>
        movesOf(operation) === 'returns' && reachedStates.includes(state) && state !== 'declined',
    );
    const sums = returns.map(unitsWith(minorDigits));
    const { returned } = amountIn(fields, row, { minorDigits });
    // A return of all that was left explains any total.
    if (returned === undefined || sums.includes(undefined)) return false;
    return returned > sums.reduce<bigint>((total, sum) => total + (sum ?? 0n), 0n);
  };
  return probe(ports, isSent);
}

/** Asks about a sample of the unsent rows, and finds those that `isSent` says were sent. */
async function probe(ports: ProbePorts, isSent: IsSent): Promise<ProbeResult> {
  const found: number[] = [];
  for (const row of await sampleUnsentRows(ports)) {
    const [answer, classified] = await queryOrder(row, ports);
    if (answer === 'stopped') break;
    if (answer === 'no-answer') return { found, why: failureFacts(classified).why };
    if (isSent(row, classified)) found.push(row.number);
  }
  return { found, why: undefined };
}

async function sampleUnsentRows({ plan, engine, connection }: ProbePorts): Promise<readonly BatchRow[]> {
  const { count } = plan.head;
  const max = count > maxAll ? sample : { first: maxAll, others: 0 };
  const noted = plan.noted();
  const rowsAt = async (from: number, size: number) =>
    unsent(
      plan.rows(from, size).filter(({ number }) => unsentStates.includes(noted.get(number) ?? 'planned')),
      engine,
    );
  const chosen = new Map<number, BatchRow>();
  let from = 1;
  for (; from <= count && chosen.size < max.first; from += pageSize)
    for (const row of (await rowsAt(from, pageSize)).slice(0, max.first - chosen.size)) chosen.set(row.number, row);
  const last = Math.max(0, ...chosen.keys());
  for (
    let draws = max.others * drawsPerRow;
    draws > 0 && last < count && chosen.size < max.first + max.others;
    draws -= 1
  )
    for (const row of await rowsAt(last + 1 + connection.ports.random.below(count - last), 1))
      chosen.set(row.number, row);
  return [...chosen.values()];
}

/** Those that nobody is known to have sent. */
async function unsent(rows: readonly BatchRow[], engine: Pick<BatchEngine, 'find'>): Promise<readonly BatchRow[]> {
  const found = await engine.find(rows);
  return rows.filter(({ number }) => unsentStates.includes(found.get(number)?.state ?? 'planned'));
}

async function queryOrder(
  row: BatchRow,
  { engine, connection, stop }: Omit<ProbePorts, 'plan'>,
): Promise<readonly [OrderPresence, Classified]> {
  await engine.pace(stop);
  const { orderId, clientOrderId } = row.values;
  const about = { endpointId: row.endpointId, orderId: connection.row.opens ? undefined : orderId, clientOrderId };
  const classified = await queryStatus(connection, about, { signal: stop });
  if (stop.aborted) return ['stopped', classified];
  if (classified.class === 'accepted') return ['there', classified];
  return [isOrderUnknown(classified) ? 'none' : 'no-answer', classified];
}

interface RecoveryResult {
  /** Rows that were sent, by a journal that is gone; they are in this one now. */
  readonly count: number;
  readonly why: string | undefined;
}

/** After a restored backup: asks for every row nobody knows of, and writes down those the gateway has as sent. */
export async function recoverSentRows(
  ports: ProbePorts,
  clock: Pick<Clock, 'sleep'>,
  tell: (asked: number) => void,
): Promise<RecoveryResult> {
  const { plan, engine } = ports;
  let [asked, count] = [0, 0];
  for await (const row of planRows(plan, clock)) {
    if ((await unsent([row], engine)).length === 0) continue;
    const [answer, classified] = await queryOrder(row, ports);
    asked += 1;
    tell(asked);
    if (answer === 'stopped') return { count, why: 'it was stopped' };
    if (answer === 'no-answer') return { count, why: failureFacts(classified).why };
    if (answer === 'none' || classified.fields === undefined) continue;
    if (await recordAsSent(row, classified.fields, ports)) count += 1;
  }
  return { count, why: undefined };
}

/**
 * Begun and recorded with its result without being sent: this row never leaves from here. False where another process
 * recorded it.
 */
async function recordAsSent(
  row: BatchRow,
  fields: ReadonlyMap<string, string>,
  { engine, connection }: ProbePorts,
): Promise<boolean> {
  const [gated] = await engine.begin([{ row, intent: intentForRow(connection, row) }]);
  if (gated?.do !== 'send') return false;
  const unknown = await engine.recordResult(gated.intent, 'unknown', {
    reason: 'found at the gateway after the journal was restored',
  });
  const store = {
    recordResult: (intent: Intent, to: State, result: AttemptResult) => engine.recordResult(intent, to, result),
  };
  await applyStatus(unknown, fields, store, connection.assume['minor-digits']);
  return true;
}

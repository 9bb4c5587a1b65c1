import { type Classified, isOrderUnknown } from '../gateway/classify.js';
import { failureFacts } from '../gateway/failure.js';
import { evidenceIn, moveBy } from '../gateway/moves.js';
import type { Clock, Random } from '../runtime/ports.js';
import { askStatus, type Connection, intentOfRow } from './connection.js';
import type { Engine } from './engine.js';
import { pagesOf } from './pages.js';
import type { BatchRow, PlanStore } from './plan.js';

export interface ProbePorts {
  readonly plan: PlanStore;
  readonly engine: Engine;
  readonly connection: Connection;
  readonly stop: AbortSignal;
}

/** What the gateway says of a row nobody is known to have sent. */
type Found = 'none' | 'there' | 'no-answer' | 'stopped';

export interface Probed {
  /** Orders that are there already. */
  readonly found: readonly number[];
  /** Why the gateway could not be asked; undefined when it could. */
  readonly why: string | undefined;
}

const firstRows = 10;
const randomRows = 10;

/**
 * Asks for a few orders before the first one is sent: the same file may have been sent from another computer. Rows that make no
 * order are about one that has to be there, so it says nothing of them.
 */
export async function probe(ports: ProbePorts): Promise<Probed> {
  const { plan, connection } = ports;
  const found: number[] = [];
  if (!connection.row.opens) return { found, why: undefined };
  for (const number of sample(plan.head.count, connection.ports.random)) {
    const row = plan.row(number);
    if (row === undefined) continue;
    const [answer, classified] = await lookFor(row, ports);
    if (answer === 'there') found.push(number);
    if (answer === 'stopped') break;
    if (answer === 'no-answer') return { found, why: failureFacts(classified).why };
  }
  return { found, why: undefined };
}

function sample(count: number, random: Pick<Random, 'below'>): readonly number[] {
  const first = Array.from({ length: Math.min(firstRows, count) }, (_, at) => at + 1);
  const rest = count - first.length;
  const others = Array.from({ length: Math.min(randomRows, rest) }, () => first.length + 1 + random.below(rest));
  return [...new Set([...first, ...others])];
}

async function lookFor(row: BatchRow, { engine, connection, stop }: ProbePorts): Promise<readonly [Found, Classified]> {
  await engine.pace(stop);
  const about = { endpointId: row.endpointId, orderId: undefined, clientOrderId: row.values['clientOrderId'] };
  const classified = await askStatus(connection, about, { signal: stop, came: () => undefined });
  if (stop.aborted) return ['stopped', classified];
  if (classified.class === 'accepted') return ['there', classified];
  return [isOrderUnknown(classified) ? 'none' : 'no-answer', classified];
}

export interface TakenOver {
  /** Rows that were sent, by a journal that is gone; they are in this one now. */
  readonly count: number;
  readonly why: string | undefined;
}

/** After a restored backup: asks for every row nobody knows of, and writes down those the gateway has as sent. */
export async function takeOver(ports: ProbePorts, clock: Pick<Clock, 'sleep'>, tell: (asked: number) => void): Promise<TakenOver> {
  const { plan, engine } = ports;
  let [asked, count] = [0, 0];
  for await (const row of pagesOf(plan, clock)) {
    const known = (await engine.find?.([row]))?.get(row.number);
    if (known !== undefined && known.state !== 'planned' && known.state !== 'not_sent') continue;
    const [answer, classified] = await lookFor(row, ports);
    asked += 1;
    tell(asked);
    if (answer === 'stopped') return { count, why: 'it was stopped' };
    if (answer === 'no-answer') return { count, why: failureFacts(classified).why };
    if (answer === 'none' || classified.fields === undefined) continue;
    await adopt(row, classified.fields, ports);
    count += 1;
  }
  return { count, why: undefined };
}

/** Begun and settled without being sent: this row never leaves from here. */
async function adopt(row: BatchRow, fields: ReadonlyMap<string, string>, { engine, connection }: ProbePorts): Promise<void> {
  const [gated] = await engine.begin([{ row, intent: intentOfRow(connection, row) }]);
  if (gated?.do !== 'send') return;
  const unknown = await engine.settle(gated.intent, 'unknown', { reason: 'found at the gateway after a restored journal' });
  const move = moveBy(unknown, evidenceIn(unknown, fields, [], connection.assume['minor-digits']), fields);
  if (move !== undefined) await engine.settle(unknown, move.to, move.result);
}

import { fail, type PaycliError, stopError } from '../errors/index.js';
import { findAll } from '../journal/find.js';
import type { Journal, Request } from '../journal/port.js';
import { spentStates, unsentStates } from '../journal/states.js';
import type { Classified } from '../payments/classify.js';
import { amountsIn, isMadeElsewhere, samePayment, unitsOf } from '../payments/evidence.js';
import { queryStatus } from '../payments/exchange.js';
import { failureFacts } from '../payments/failure.js';
import { isPaymentInStatus, madeElsewhere, onOrder, showsNoOrder } from '../payments/settle.js';
import { orderWords } from '../payments/words.js';
import { movesOf } from '../spec/index.js';
import { RateLimiter } from './pace.js';
import type { BatchConnection } from './rows.js';

interface ProbePorts {
  readonly batch: string;
  readonly journal: Journal;
  readonly connection: BatchConnection;
  /** Queries in a second. */
  readonly rate: number;
  readonly stop: AbortSignal;
}

/** All of so many rows; of more the next ones, which a lost part of a journal has sent, the last one and some between. */
const maxAll = 500;
const sample = { next: 20, others: 10 };
const one = { limit: 1 };

/**
 * Asks about rows that this journal has never sent, before any of them is: the same file may have been sent from another
 * machine, or with a copy of the journal. Of returns, whose orders are there in any case, the returned total tells.
 * Throws BATCH_REFUSED where the gateway knows more of one than the journal, and READ_FAILED without an answer.
 */
export async function assertSentNowhere(ports: ProbePorts): Promise<void> {
  const { row } = ports.connection;
  const isReturn = movesOf(row.id) === 'returns';
  const isOther = !isReturn && !isPaymentInStatus(row);
  if (isOther && (row.effect !== 'money' || row.follows === undefined)) return;
  const found: number[] = [];
  for await (const [request, answer] of answersAbout(await chooseRows(ports), ports)) {
    const isFollowUp = isReturn ? isReturnedElsewhere : isOther ? isDoneElsewhere : undefined;
    const isThere = await (isFollowUp?.(request, answer, ports) ?? !showsNoOrder(answer));
    if (isThere) found.push(request.number ?? 0);
  }
  if (found.length === 0) return;
  const orders = `${found.length === 1 ? 'the order' : 'the orders'} of row ${found.join(', ')}`;
  if (isReturn || isOther)
    throw fail('BATCH_REFUSED', {
      why: `the gateway has made more on ${orders} than this journal knows: the file may have been sent from elsewhere`,
      how: 'nothing was sent; find out who made it. PAYCLI_ASK_FIRST=off sends the rows all the same',
      orders,
    });
  throw fail('BATCH_REFUSED', {
    why: `the gateway already has ${orders}, although this journal never sent ${found.length === 1 ? 'it' : 'them'}: the file was sent from elsewhere`,
    how: 'nothing was sent; find out who sent it. --ask-all queries every row, records those the gateway has, and sends the others',
    orders,
  });
}

/**
 * Asks about every row that this journal has never sent, and records those that the gateway has: they are not sent. Gives
 * their number. Throws BATCH_REFUSED where an order is another payment, and READ_FAILED without an answer.
 */
export async function recordSentElsewhere(ports: ProbePorts, tell: (asked: number) => void): Promise<number> {
  const { journal, connection, batch } = ports;
  if (!isPaymentInStatus(connection.row))
    throw fail('BATCH_REFUSED', {
      why: `no status reply shows whether a ${connection.row.command} was sent from elsewhere`,
      how: 'nothing was sent; check each order with `paycli status`, and plan the missing rows',
    });
  let [asked, count] = [0, 0];
  for await (const [request, answer] of answersAbout(findAll(journal, { batch, states: unsentStates }), ports)) {
    asked += 1;
    tell(asked);
    if (showsNoOrder(answer)) continue;
    const proof = samePayment(request, answer.fields ?? new Map(), connection.assume['minor-digits']);
    if (proof === undefined) throw otherOrder(request, answer);
    await journal.settle([madeElsewhere(request, answer, proof)]);
    count += 1;
  }
  return count;
}

function otherOrder({ number = 0, clientOrderId = '' }: Request, { fields = new Map() }: Classified): PaycliError {
  return fail('BATCH_REFUSED', {
    why: `the gateway already has an order ${clientOrderId}, which is not known to be the payment of row ${number}: ${orderWords(fields)}`,
    how: `nothing was sent; \`paycli status ${clientOrderId}\` shows it`,
    row: number,
    order: clientOrderId,
  });
}

/** All of a small batch, a sample of a large one. */
async function chooseRows({ journal, batch, connection }: ProbePorts): Promise<readonly Request[]> {
  const filter = { batch, states: unsentStates };
  const all = await journal.find(filter, { after: 0, limit: maxAll + 1 });
  if (all.length <= maxAll) return all;
  const last = await journal.find(filter, one);
  const chosen = new Map([...all.slice(0, sample.next), ...last].map((request) => [request.id, request]));
  const { number: from = 1 } = all[sample.next] ?? {};
  const { number: to = from } = last[0] ?? {};
  for (let draw = 1; draw < sample.others; draw += 1) {
    const after = from + connection.ports.random.below(to - from);
    for (const request of await journal.find(filter, { after, limit: 1 })) chosen.set(request.id, request);
  }
  return [...chosen.values()];
}

/** What status says of their orders. Throws READ_FAILED, and what stopped it. */
async function* answersAbout(
  requests: Iterable<Request> | AsyncIterable<Request>,
  { journal, connection, rate, stop }: ProbePorts,
): AsyncGenerator<readonly [Request, Classified]> {
  const pacer = new RateLimiter(connection.ports.clock, rate);
  for await (const request of requests) {
    await pacer.pace(stop);
    const { orderId, clientOrderId, endpoint: endpointId } = request;
    const answer = await queryStatus(connection, { endpointId, orderId, clientOrderId }, { signal: stop });
    if (stop.aborted) throw stopError(stop);
    const isReadable = showsNoOrder(answer) || (answer.class === 'accepted' && answer.fields !== undefined);
    if (!isReadable)
      throw fail('READ_FAILED', {
        why: `before the first row, the status of an order could not be requested: ${failureFacts(answer).why}`,
      });
    // What the gateway has may be what another run of this batch sent meanwhile.
    const isUnsent = showsNoOrder(answer) || (await journal.find({ ids: [request.id], states: unsentStates }, one))[0];
    if (isUnsent) yield [request, answer];
  }
}

async function isDoneElsewhere(
  request: Request,
  { fields = new Map() }: Classified,
  { journal, connection }: ProbePorts,
): Promise<boolean> {
  const own = await onOrder(journal, { base: request.base, orderIds: [request.orderId ?? ''] });
  return isMadeElsewhere(request, fields, own, connection.assume['minor-digits']);
}

/** A return of all that was left explains any total. */
async function isReturnedElsewhere(
  request: Request,
  { fields = new Map() }: Classified,
  { journal, connection }: ProbePorts,
): Promise<boolean> {
  const { returned = 0n } = amountsIn(fields, request, connection.assume['minor-digits']);
  const { base, orderId = '' } = request;
  const all = await onOrder(journal, { base, orderIds: [orderId] });
  const own = all.filter((each) => movesOf(each.operation) === 'returns' && spentStates.includes(each.state));
  const units = own.map(unitsOf);
  return !units.includes(undefined) && returned > units.reduce<bigint>((sum, each) => sum + (each ?? 0n), 0n);
}

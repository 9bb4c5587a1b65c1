import { fail, isPaycliError, type PaycliError } from '../errors/index.js';
import type { Begin, Journal, NewRequest, Refusal, Request, Result } from '../journal/port.js';
import type { Clock, Delivery, Transport } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import {
  type Assume,
  isRegistration,
  type Operation,
  opensForm,
  payerStepIn,
  replyField,
  statusOf,
} from '../spec/index.js';
import type { Classified } from './classify.js';
import { isEqual, type SendDecision } from './decide.js';
import {
  amountsIn,
  approvedOtherwise,
  type Fields,
  followUpNamed,
  isAboutOperation,
  isOtherCurrency,
  type Proof,
  prove,
  unitsOf,
} from './evidence.js';
import { exchange, type GatewayConnection, queryStatus, signRequest, statusRequest, type Watched } from './exchange.js';
import { failureFacts, isLastingFailure, refusalCause } from './failure.js';
import { overDay } from './limits.js';
import { isPaymentInStatus, queryOutcome, showsNoOrder, toldBy } from './settle.js';
import { batchHeld, describe, equalPayment, idUsed, orderBusy, orderWords, rowOfBatch } from './words.js';

/** A request that may be sent, and on which conditions. */
export interface ToSend {
  readonly unsigned: Unsigned;
  readonly wanted: NewRequest;
  readonly decision: SendDecision;
  /** Given where the gateway is asked first whether it has a payment with this client order id. */
  readonly first: AskFirst | undefined;
  /** What the store checks in the transaction in which it begins. */
  readonly limits: Pick<Begin, 'counts' | 'dayCap' | 'equalSince' | 'facts' | 'batch'>;
}

/** What is said where that answer lets nothing be sent. */
export interface AskFirst {
  /** The gateway refused the question, or its certificate is none that is trusted. */
  failure(answer: Classified, question: Unsigned): Error;
  /** The command that shows the order with this id. */
  statusCommand(clientOrderId: string): string;
}

/** What became of a request that was to be sent. */
export interface Sent {
  /** As it is recorded. */
  readonly request: Request;
  readonly classified: Classified;
  /** False where nothing was sent, as the gateway had this very payment already. */
  readonly wasSent: boolean;
  /** What proved that this very payment was made elsewhere; then nothing was sent, or it was refused. */
  readonly elsewhere?: Proof;
  /** Storage that failed after something was sent: the outcome must still be shown. */
  readonly fault?: PaycliError;
}

/**
 * The longest time in milliseconds from the record to the sending. A process may be suspended in between: another one
 * may have marked the request as unknown by then.
 */
const maxDelayMs = 30_000;

/**
 * Sends one request: keys and signature first, then the record that it may be sent, then the request, then its result.
 * Throws what the keys and the signature throw, what `refusalError` says, NOT_SENT where the gateway had to be asked and
 * did not answer, and CONFIRMATION_NEEDED where it has another order under this id; nothing was sent then.
 */
export async function send(
  toSend: ToSend,
  journal: Journal,
  connection: GatewayConnection,
  watched: Watched & { readonly begun?: () => void },
): Promise<Sent> {
  const { unsigned } = toSend;
  const { ports, assume } = connection;
  // Whatever can fail before sending fails before it is recorded that the request may be sent.
  const signed = await signRequest(unsigned, connection);
  const { first } = toSend;
  const found = first === undefined ? undefined : await askFirst(first, unsigned, connection, watched);
  watched.signal?.throwIfAborted();
  const age = ageFrom(ports.clock);
  const request = await begin(toSend, journal);
  watched.begun?.();
  if (found !== undefined && first !== undefined) {
    const elsewhere = samePayment(request, found.fields, assume);
    if (elsewhere === undefined) throw await otherOrder(request, found, journal, first);
    return {
      ...(await record(request, { classified: found, elsewhere }, unsigned.row, journal, connection)),
      wasSent: false,
    };
  }
  const transport = transportUnless(() => age() > maxDelayMs, ports.transport);
  const earlierAttempt = request.mayHaveArrived;
  const timely = { ...connection, ports: { ...ports, transport } };
  const classified = await exchange(unsigned, timely, { ...watched, earlierAttempt, signed });
  const isAsked = classified.class === 'refused' && request.kind === 'payment';
  const outcome = isAsked
    ? await askAfterRefusal(classified, request, unsigned.row, connection, watched)
    : { classified };
  return { ...(await record(request, outcome, unsigned.row, journal, connection)), wasSent: true };
}

async function begin({ wanted, decision, limits }: ToSend, journal: Journal): Promise<Request> {
  const { earlier, attemptsOnOrder, isResend } = decision;
  const known = { id: earlier?.id, attempt: earlier?.attempt ?? 0, attemptsOnOrder, isResend };
  // A row of a batch is sent as it was recorded.
  const isCorrected = isResend !== true && limits.batch === undefined;
  const attempt = { ...known, request: isCorrected ? wanted : undefined, ...limits };
  const [result] = await journal.begin([attempt]);
  if (result === undefined) throw new Error('the journal did not answer');
  if ('begun' in result) return result.begun;
  const { refused } = result;
  const isFaster = refused.why === 'used-id' && refused.other.batch === undefined && isEqual(refused.other, wanted);
  // Another process sends this very payment: repeated, the command learns its outcome.
  if (isFaster && refused.other.endpoint === wanted.endpoint)
    throw fail('REQUEST_BUSY', { what: describe(refused.other) });
  throw refusalError(refused, wanted, limits.batch);
}

/** Why the store did not let a request begin, as an error. */
export function refusalError(refused: Refusal, { profile }: Pick<NewRequest, 'profile'>, batch = ''): PaycliError {
  switch (refused.why) {
    case 'used-id':
      if (refused.other.batch !== undefined) return rowOfBatch(refused.other);
      return idUsed(refused.other);
    case 'in-batch':
      return rowOfBatch(refused.other);
    case 'equal':
      return equalPayment(refused.other);
    case 'taken':
      return fail('REQUEST_BUSY', { what: describe(refused.other) });
    case 'in-doubt':
    case 'pending':
    case 'newer':
      return orderBusy(refused.other);
    case 'over-cap':
      return overDay(profile, refused) ?? fail('CAP_EXCEEDED', { profile });
    case 'batch-held':
      return batchHeld(batch, refused.state);
    case 'no-rows-left':
      return fail('BATCH_LEFT', { why: 'it may send no more rows', how: 'run it again for the others', rowsLeft: 0 });
  }
}

/** Undefined where the gateway has no payment with this client order id. */
async function askFirst(
  first: AskFirst,
  unsigned: Unsigned,
  connection: GatewayConnection,
  watched: Watched,
): Promise<Classified | undefined> {
  const { clientOrderId = '' } = unsigned.values;
  const query = { endpointId: unsigned.endpointId, orderId: undefined, clientOrderId };
  const answer = await queryStatus(connection, query, watched);
  if (showsNoOrder(answer)) return undefined;
  if (answer.class === 'accepted' && answer.fields !== undefined) return answer;
  if (answer.class === 'refused' || answer.class === 'certificate')
    throw first.failure(answer, statusRequest(query, connection.target));
  throw fail('NOT_SENT', {
    why: `whether the gateway has order ${clientOrderId} already is not known: ${failureFacts(answer).why}`,
    order: clientOrderId,
  });
}

/** Another order has this client order id. What began is taken back: nothing was sent. */
async function otherOrder(
  request: Request,
  { fields = new Map() }: Classified,
  journal: Journal,
  { statusCommand }: AskFirst,
): Promise<PaycliError> {
  const { id, attempt, clientOrderId = '' } = request;
  await journal.end([{ id, attempt, to: 'not_sent', reason: 'another order has its id' }]);
  return fail('CONFIRMATION_NEEDED', {
    why: `the gateway already has an order ${clientOrderId}, which is not known to be this payment: ${orderWords(fields)}`,
    how: `nothing was sent; \`${statusCommand(clientOrderId)}\` shows it; only if that is another payment, give this one another --client-order-id`,
    order: clientOrderId,
  });
}

/**
 * What an order proves that the gateway has under the client order id of a payment: undefined unless it is that payment,
 * by operation (or a follow-up on it), currency, endpoint, card and its amount at first.
 */
export function samePayment(
  request: Request,
  fields: Fields = new Map(),
  { 'minor-digits': minorDigits }: Assume,
): Proof | undefined {
  const { operation, endpoint, card4 } = request;
  const isAbout = isAboutOperation(operation, fields);
  const { own, ofOrder } = amountsIn(fields, request, minorDigits);
  const opened = ofOrder ?? (isAbout ? own : undefined);
  const shownCard = /\d{4}$/.exec(fields.get('last-four-digits') ?? '')?.[0];
  const isSame =
    (replyField(fields, 'endpointId') ?? endpoint) === endpoint &&
    !isOtherCurrency(request, fields) &&
    opened !== undefined &&
    opened === unitsOf(request) &&
    (shownCard === undefined || card4 === undefined || shownCard === card4) &&
    (isAbout || followUpNamed(operation, fields) !== undefined);
  const proof = isSame ? prove(request, fields, [], minorDigits) : undefined;
  return proof === undefined || proof.proves === 'nothing' ? undefined : proof;
}

interface Outcome {
  readonly classified: Classified;
  readonly elsewhere?: Proof;
}

/**
 * Asks once about a payment that was refused, as its id may have been used already, whatever the words; of an operation
 * that status does not find only the words tell.
 */
async function askAfterRefusal(
  refusal: Classified,
  request: Request,
  row: Operation,
  connection: GatewayConnection,
  watched: Watched,
): Promise<Outcome> {
  const cause = refusalCause(refusal);
  if (cause === 'signature' || cause === 'endpoint') return { classified: refusal };
  const inDoubt = (why: string): Outcome => ({
    classified: { ...refusal, class: 'unknown', reason: `${refusal.reason}; ${why}` },
  });
  const byWords = cause === 'used-id' ? inDoubt('its id was used already') : { classified: refusal };
  if (!isPaymentInStatus(row)) return byWords;
  const answer = await queryOutcome(connection, request, watched).catch((error: unknown) => {
    // Without a key it cannot be signed.
    if (isPaycliError(error)) return undefined;
    throw error;
  });
  if (answer === undefined || showsNoOrder(answer) || isLastingFailure(answer)) return byWords;
  if (answer.class !== 'accepted' || answer.fields === undefined)
    return inDoubt(`whether the gateway has its order is not known: ${answer.reason}`);
  const elsewhere = samePayment(request, answer.fields, connection.assume);
  const other = `the gateway has another order than this ${describe(request)}: ${orderWords(answer.fields)}`;
  return elsewhere === undefined ? inDoubt(other) : { classified: answer, elsewhere };
}

/** Records the outcome of an attempt. A disk that fails now does not hide it. */
async function record(
  request: Request,
  { classified, elsewhere }: Outcome,
  row: Operation,
  journal: Journal,
  { assume }: GatewayConnection,
): Promise<Omit<Sent, 'wasSent'>> {
  let recorded = request;
  try {
    const settled = await (elsewhere === undefined
      ? journal.end([resultOf(request, classified, row, assume['minor-digits'])])
      : journal.settle([madeElsewhere(request, classified, elsewhere)]));
    recorded = settled[0]?.request ?? request;
    if (row.answers !== undefined && classified.class === 'accepted') await answerPayerStep(recorded, journal);
    return { request: recorded, classified, ...(elsewhere && { elsewhere }) };
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return { request: recorded, classified, fault: error, ...(elsewhere && { elsewhere }) };
  }
}

/** The evidence of it: see `Sent.elsewhere`. */
export function madeElsewhere({ id }: Request, { fields }: Pick<Classified, 'fields'>, { proves, reason }: Proof) {
  const to = proves === 'pending' || proves === 'nothing' ? 'accepted' : proves;
  return { id, by: 'elsewhere', to, ...toldBy(fields, `made elsewhere; ${reason}`), isOwn: true } as const;
}

function resultOf(request: Request, classified: Classified, row: Operation, minorDigits: string): Result {
  const { id, attempt } = request;
  const { fields } = classified;
  const to = stateAfter(classified, row);
  const otherwise = to === 'done' ? approvedOtherwise(request, fields ?? new Map(), minorDigits) : undefined;
  const facts = { gatewayAt: classified.at };
  const told = { ...toldBy(fields, otherwise ?? classified.reason), facts };
  if (otherwise !== undefined) return { id, attempt, to: 'conflict', ...told };
  const waitsFor =
    to === 'accepted' && row.opens && fields !== undefined ? payerStepIn(fields, opensForm(row.id)) : undefined;
  return { id, attempt, to, ...told, waitsFor };
}

/** The payer's step was uploaded, so the order no longer waits for it; status shows the next one. */
async function answerPayerStep({ base, orderId }: Request, journal: Journal): Promise<void> {
  if (orderId === undefined) return;
  const filter = { base, orderIds: [orderId], kinds: ['payment'], states: ['accepted'] } as const;
  const waiting = await journal.find(filter, { limit: 10 });
  await journal.settle(
    waiting.map(({ id }) => ({ id, by: 'gateway', to: 'accepted', reason: '', waitsFor: 'nothing' }) as const),
  );
}

function stateAfter({ class: kind, fields }: Classified, row: Operation): Result['to'] {
  switch (kind) {
    case 'accepted':
      return isFinalWhenAccepted(row) ? 'done' : acceptedState(fields ?? new Map());
    case 'refused':
      return 'refused';
    case 'not-sent':
    case 'certificate':
      return 'not_sent';
    default:
      return 'unknown';
  }
}

/** A card reference, a recurring payment and an upload are final once accepted; no status follows. */
function isFinalWhenAccepted({ effect, opens, records }: Operation): boolean {
  return (effect === 'write' && !opens) || isRegistration({ records });
}

function acceptedState(fields: Fields): 'done' | 'declined' | 'accepted' {
  const facts = statusOf(replyField(fields, 'status') ?? '');
  return facts?.final === true ? (facts.success ? 'done' : 'declined') : 'accepted';
}

/**
 * Milliseconds since now: the steady clock counts, and the clock of the day where it counts more, for the steady one
 * may stand still while a machine sleeps.
 */
function ageFrom(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  const [steady, day] = [clock.monotonic(), clock.now()];
  return () => Math.max(clock.monotonic() - steady, clock.now() - day);
}

function transportUnless(isLate: () => boolean, transport: Transport): Transport {
  const late: Delivery = { kind: 'never-sent', reason: `more than ${maxDelayMs / 1000} s passed since it was started` };
  return {
    post: async (request, limits, signal) => (isLate() ? late : transport.post(request, limits, signal)),
    close: () => transport.close(),
  };
}

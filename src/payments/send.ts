import { fail, isPaycliError, type PaycliError, stopError } from '../errors/index.js';
import type { Begin, Evidence, Journal, NewRequest, Refusal, Request } from '../journal/port.js';
import type { Delivery, Transport } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { isRegistration, type Operation, opensForm, payerStepIn } from '../spec/index.js';
import type { Classified } from './classify.js';
import { isEqual, type SendDecision } from './decide.js';
import { approvedOtherwise, byStatusWord, type Proof, samePayment } from './evidence.js';
import { exchange, type GatewayConnection, queryStatus, signRequest, statusRequest, type Watched } from './exchange.js';
import { failureFacts, isLastingFailure, refusalCause } from './failure.js';
import { overDay } from './limits.js';
import { isPaymentInStatus, madeElsewhere, queryOutcome, showsNoOrder, toldBy } from './settle.js';
import { batchHeld, describe, equalPayment, idUsed, orderBusy, orderWords, rowOfBatch } from './words.js';

export interface ToSend {
  readonly unsigned: Unsigned;
  readonly wanted: NewRequest;
  readonly decision: SendDecision;
  /** Given where the gateway is asked first whether it has a payment with this client order id. */
  readonly first: AskFirst | undefined;
  /** What the store checks in the transaction in which it begins. */
  readonly limits: Pick<Begin, 'counts' | 'dayCap' | 'equalSince' | 'batch'>;
}

/** What is said where that answer lets nothing be sent. */
export interface AskFirst {
  /** The gateway refused the question, or its certificate is none that is trusted. */
  failure(answer: Classified, question: Unsigned): Error;
  /** The command that shows the order with this id. */
  statusCommand(clientOrderId: string): string;
}

export interface Sent extends Outcome {
  readonly request: Request;
  /** False where nothing was sent, as the gateway had this very payment already. */
  readonly wasSent: boolean;
  /** Storage that failed after something was sent: the outcome must still be shown. */
  readonly fault?: PaycliError;
}

interface Outcome {
  readonly classified: Classified;
  /** What proved that this very payment was made elsewhere; then nothing was sent, or it was refused. */
  readonly elsewhere?: Proof;
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
  const { row } = unsigned;
  const { ports } = connection;
  // Whatever can fail before sending fails before it is recorded that the request may be sent.
  const signed = await signRequest(unsigned, connection);
  const found = await askFirst(toSend, connection, watched);
  if (watched.signal.aborted) throw stopError(watched.signal);
  // The steady clock may stand still while a machine sleeps.
  const [steady, day] = [ports.clock.monotonic(), ports.clock.now()];
  const isLate = () => Math.max(ports.clock.monotonic() - steady, ports.clock.now() - day) > maxDelayMs;
  const request = await begin(toSend, journal);
  watched.begun?.();
  if (found !== undefined) return record(request, { ...found, wasSent: false }, row, journal, connection);
  const late: Delivery = { kind: 'never-sent', reason: `more than ${maxDelayMs / 1000} s passed since it was started` };
  const post: Transport['post'] = async (sent, ...rest) =>
    isLate() ? late : ports.transport.post({ ...sent, isLate }, ...rest);
  const timely = { ...connection, ports: { ...ports, transport: { post } } };
  const earlierAttempt = request.mayHaveArrived;
  const classified = keepDoubt(
    await exchange(unsigned, timely, { ...watched, earlierAttempt, signed }),
    earlierAttempt,
  );
  const isAsked = classified.class === 'refused' && request.kind === 'payment';
  const outcome = isAsked ? await askAfterRefusal(classified, request, row, connection, watched) : { classified };
  return record(request, { ...outcome, wasSent: true }, row, journal, connection);
}

/** That this attempt did not leave says nothing of the one before it, whose outcome is unknown. */
function keepDoubt(classified: Classified, earlierAttempt: boolean): Classified {
  const isUnsent = classified.class === 'not-sent' || classified.class === 'certificate';
  if (!isUnsent || !earlierAttempt) return classified;
  return { ...classified, class: 'unknown', reason: `${classified.reason}; the attempt before may have arrived` };
}

async function begin({ wanted, decision, limits }: ToSend, journal: Journal): Promise<Request> {
  const { earlier, attemptsOnOrder, isResend } = decision;
  const known = { id: earlier?.id, attempt: earlier?.attempt ?? 0, attemptsOnOrder, isResend };
  const [result] = await journal.begin([{ ...known, request: wanted, ...limits }]);
  if (result === undefined) throw new Error('the journal did not answer');
  if ('begun' in result) return result.begun;
  throw refusalError(result.refused, wanted, limits.batch);
}

/** Why the store did not let a request begin, as an error. */
function refusalError(refused: Refusal, wanted: NewRequest, batch = ''): PaycliError {
  const { profile } = wanted;
  switch (refused.why) {
    case 'used-id':
      if (refused.other.batch !== undefined) return rowOfBatch(refused.other);
      // Another process sends this very payment: repeated, the command learns its outcome.
      return isEqual(refused.other, wanted) && refused.other.endpoint === wanted.endpoint
        ? fail('REQUEST_BUSY', { what: describe(refused.other) })
        : idUsed(refused.other);
    case 'in-batch':
      return rowOfBatch(refused.other);
    case 'equal':
      return equalPayment(refused.other);
    case 'taken':
      return fail('REQUEST_BUSY', { what: describe(refused.other) });
    case 'order-busy':
      return orderBusy(refused.other);
    case 'over-cap':
      return overDay(profile, refused) ?? fail('CAP_EXCEEDED', { profile });
    case 'batch-held':
      return batchHeld(batch, refused.state);
    case 'no-rows-left':
      return fail('BATCH_LEFT', { why: 'it may send no more rows', how: 'run it again for the others', rowsLeft: 0 });
  }
}

/** Undefined where the gateway has no payment with this client order id, or is not asked. */
async function askFirst(
  { unsigned, wanted, first }: ToSend,
  connection: GatewayConnection,
  watched: Watched,
): Promise<Outcome | undefined> {
  if (first === undefined) return undefined;
  const { clientOrderId = '' } = unsigned.values;
  const query = { endpointId: unsigned.endpointId, orderId: undefined, clientOrderId };
  const answer = await queryStatus(connection, query, watched);
  if (showsNoOrder(answer)) return undefined;
  if (answer.class === 'refused' || answer.class === 'certificate')
    throw first.failure(answer, statusRequest(query, connection.target));
  const { fields } = answer;
  if (answer.class !== 'accepted' || fields === undefined)
    throw fail('NOT_SENT', {
      why: `whether the gateway has order ${clientOrderId} already is not known: ${failureFacts(answer).why}`,
      order: clientOrderId,
    });
  const elsewhere = samePayment(wanted, fields, connection.assume['minor-digits']);
  if (elsewhere !== undefined) return { classified: answer, elsewhere };
  throw fail('CONFIRMATION_NEEDED', {
    why: `the gateway already has an order ${clientOrderId}, which is not known to be this payment: ${orderWords(fields)}`,
    how: `nothing was sent; \`${first.statusCommand(clientOrderId)}\` shows it; only if that is another payment, give this one another --client-order-id`,
    order: clientOrderId,
  });
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
  // A status query that the gateway itself refuses, as it may for this merchant, tells nothing either way.
  const isRefused = answer?.class === 'refused' && isLastingFailure(answer);
  if (answer === undefined || showsNoOrder(answer) || isRefused) return byWords;
  if (answer.class !== 'accepted' || answer.fields === undefined)
    return inDoubt(`whether the gateway has its order is not known: ${answer.reason}`);
  const elsewhere = samePayment(request, answer.fields, connection.assume['minor-digits']);
  const other = `the gateway has another order than this ${describe(request)}: ${orderWords(answer.fields)}`;
  return elsewhere === undefined ? inDoubt(other) : { classified: answer, elsewhere };
}

/** It may have been booked and refused: it counts as sent from here. */
function madeAllTheSame(request: Request, { fields }: Classified, proof: Proof): Evidence {
  const told = toldBy(fields, `refused, but the gateway has it; ${proof.reason}`);
  return { ...madeElsewhere(request, {}, proof), ...told, by: 'gateway' };
}

/** Records the outcome of an attempt. A disk that fails now does not hide it. */
async function record(
  request: Request,
  outcome: Outcome & Pick<Sent, 'wasSent'>,
  row: Operation,
  journal: Journal,
  { assume }: GatewayConnection,
): Promise<Sent> {
  const { classified, elsewhere, wasSent } = outcome;
  let recorded = request;
  try {
    const evidence =
      elsewhere === undefined
        ? resultOf(request, classified, row, assume['minor-digits'])
        : (wasSent ? madeAllTheSame : madeElsewhere)(request, classified, elsewhere);
    recorded = (await journal.settle([evidence]))[0] ?? request;
    if (row.answers !== undefined && classified.class === 'accepted') await answerPayerStep(recorded, journal);
    return { ...outcome, request: recorded };
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return { ...outcome, request: recorded, fault: error };
  }
}

function resultOf(request: Request, classified: Classified, row: Operation, minorDigits: string): Evidence {
  const { id, attempt } = request;
  const { fields = new Map<string, string>() } = classified;
  const to = stateAfter(classified, row);
  const otherwise = to === 'done' ? approvedOtherwise(request, fields, minorDigits) : undefined;
  const told = toldBy(classified.fields, otherwise ?? classified.reason);
  const waitsFor = to === 'accepted' && row.opens ? payerStepIn(fields, opensForm(row.id)) : undefined;
  const facts = { gatewayAt: classified.at };
  return { id, by: 'result', attempt, to: otherwise === undefined ? to : 'conflict', ...told, waitsFor, facts };
}

/** The payer's step was uploaded, so the order no longer waits for it; status shows the next one. */
async function answerPayerStep({ base, orderId }: Request, journal: Journal): Promise<void> {
  if (orderId === undefined) return;
  const filter = { base, orderIds: [orderId], kinds: ['payment'], states: ['accepted'] } as const;
  const waiting = await journal.find(filter, { limit: 10 });
  const answered = { by: 'gateway', to: 'accepted', reason: '', waitsFor: 'nothing' } as const;
  await journal.settle(waiting.map(({ id }) => ({ id, ...answered })));
}

function stateAfter({ class: kind, fields = new Map() }: Classified, row: Operation): Evidence['to'] {
  if (kind === 'not-sent' || kind === 'certificate') return 'not_sent';
  if (kind !== 'accepted') return kind === 'refused' ? kind : 'unknown';
  // A card reference, a recurring payment and an upload are final once accepted; no status follows.
  if ((row.effect === 'write' && !row.opens) || isRegistration(row)) return 'done';
  const { proves } = byStatusWord(fields);
  return proves === 'done' || proves === 'declined' ? proves : 'accepted';
}

import type { Evidence, Filter, Journal, Request, Restored } from '../journal/port.js';
import { pendingStates, type State, sendableStates, wasMarked } from '../journal/states.js';
import { type Operation, opensForm, payerStepIn, replyField, replyNames } from '../spec/index.js';
import { type Classified, isOrderUnknown } from './classify.js';
import { type Fields, isBeyondStatus, needsOwnStatus, nothing, type Proof, prove, samePayment } from './evidence.js';
import { type GatewayConnection, queryStatus, type StatusQuery, type Watched } from './exchange.js';
import { isLastingFailure, unansweredWords } from './failure.js';
import { storableFields } from './request.js';

/** What is recorded of an answer that knows no such order; a resend counts them. */
export const noSuchOrder = 'no-such-order';
/** And of a status that does not settle a request. */
export const provesNothing = 'status-proves-nothing';

/**
 * An order that may not exist is queried by its ids alone. Anything else is queried by the serial number of its own
 * reply, if there was one: otherwise status describes the newest transaction of the order (A42).
 */
export function queryFor({ kind, state, endpoint, orderId, clientOrderId, outcome }: Request): StatusQuery {
  const bySerial = kind === 'payment' && state !== 'accepted' ? undefined : outcome['serial-number'];
  return { endpointId: endpoint, orderId, clientOrderId, bySerial };
}

/** Queries the outcome of a request; without the serial number as well where status does not know it, as of an error. */
export async function queryOutcome(
  connection: GatewayConnection,
  request: Request,
  watched: Watched,
): Promise<Classified> {
  const query = queryFor(request);
  const answer = await queryStatus(connection, query, watched);
  const isNumberRefused = answer.class === 'refused' && query.bySerial !== undefined;
  return isNumberRefused ? queryStatus(connection, { ...query, bySerial: undefined }, watched) : answer;
}

export interface Answered {
  readonly request: Request;
  readonly proof: Proof;
  /** The fields of the answer, where it was a status of the order. */
  readonly fields?: Fields;
  /** The answer, where it was no status of the order. */
  readonly failure?: Classified;
}

/** Records what an answer to `queryOutcome` proves. Throws STORAGE. */
export async function recordAnswer(
  request: Request,
  answer: Classified,
  journal: Journal,
  minorDigits: string,
): Promise<Answered> {
  const { fields } = answer;
  if (answer.class === 'accepted' && fields !== undefined)
    return { ...(await settleByStatus(request, fields, journal, minorDigits)), fields };
  // Another refusal, of the signature for example, says nothing about the order.
  if (isOrderUnknown(answer))
    await journal.record({ request: request.id }, noSuchOrder, { why: answer.reason, gatewayAt: answer.at });
  return { request, proof: nothing(unansweredWords(answer)), failure: answer };
}

/** Records what a status of its order proves about one request. Throws STORAGE. */
export async function settleByStatus(
  request: Request,
  fields: Fields,
  journal: Journal,
  minorDigits: string,
): Promise<Pick<Answered, 'request' | 'proof'>> {
  const proof = await proveOnOrder(request, fields, journal, minorDigits);
  if (proof.proves === 'nothing') await journal.record({ request: request.id }, provesNothing, { why: proof.reason });
  const settled = await journal.settle(evidenceFrom(request, proof, fields));
  return { request: settled.at(-1) ?? request, proof };
}

/** What a status of its order proves about one request, with nothing recorded. */
export async function proveOnOrder(
  request: Request,
  fields: Fields,
  journal: Journal,
  minorDigits: string,
): Promise<Proof> {
  const orderId = request.orderId ?? replyField(fields, 'orderId');
  const others = orderId === undefined ? [] : await onOrder(journal, { base: request.base, orderIds: [orderId] });
  return prove(request, fields, others, minorDigits);
}

/** Everything recorded on an order: never so much that a page would end before it. */
export function onOrder(journal: Journal, filter: Filter): Promise<readonly Request[]> {
  return journal.find(filter, { after: 0, limit: 1000 });
}

/** An order whose outcome the gateway does not know becomes accepted first, which records its ids, then unknown. */
function evidenceFrom(request: Request, proof: Proof, fields: Fields): readonly Evidence[] {
  const { id, kind, operation, state, reason, outcome, attempt } = request;
  const { proves, unknownStatus, isOfLater, isMatched, isOwn } = proof;
  if (proves === 'nothing') return [];
  const dropped = isOfLater === true ? [...ofQuery, ...ofTransaction] : ofQuery;
  const told = toldBy(new Map([...fields].filter(([name]) => !dropped.includes(name))), proof.reason);
  const waitsFor = proves === 'pending' && kind === 'payment' ? payerStepIn(fields, opensForm(operation)) : undefined;
  const facts = isMatched === true ? { matched: 'amount' } : undefined;
  const evidence = { id, by: 'gateway', ...told, waitsFor, facts, isOwn, attempt } as const;
  const accepted = { ...evidence, to: stateProven(proof) };
  if (unknownStatus === undefined) return [accepted];
  // Whoever marked it knew this answer: it is no later evidence.
  const isMarked = wasMarked(request) && outcome['status'] === unknownStatus;
  return isMarked || (state === 'unknown' && reason === proof.reason) ? [] : [accepted, { ...evidence, to: 'unknown' }];
}

function stateProven({ proves }: Proof): Evidence['to'] {
  return proves === 'pending' || proves === 'nothing' ? 'accepted' : proves;
}

/** The evidence that the gateway has a payment which was not made by this request. */
export function madeElsewhere({ id }: Request, { fields }: Pick<Classified, 'fields'>, proof: Proof): Evidence {
  const told = toldBy(fields, `made elsewhere; ${proof.reason}`);
  return { id, by: 'elsewhere', to: stateProven(proof), ...told, isOwn: true };
}

/** What of a reply may be kept. */
export function toldBy(fields: Fields | undefined, reason: string) {
  if (fields === undefined) return { reason };
  return { reason, orderId: replyField(fields, 'orderId'), outcome: storableFields(fields) };
}

// The serial number of a status answer is that of the query; the one of the request itself has to stay.
const ofQuery = replyNames('serial');
// Of a later transaction its type stays: it says whether the order is a hold.
const ofTransaction = [
  ...replyNames('status', 'errorMessage', 'errorCode', 'stage', 'amount'),
  ...replyNames('approvalCode', 'processorId', 'processedAt'),
];

interface OrderContext {
  readonly base: string;
  readonly endpoint: string;
  /** The value of A04. */
  readonly minorDigits: string;
  /** The request whose outcome was recorded from this answer already. */
  readonly settled?: number | undefined;
  ownStatus(request: Request): Promise<Classified>;
}

/**
 * Records what a status answer says about every request on its order: those whose outcome is open, and final ones that
 * it contradicts. Gives all of them as they are now. Throws STORAGE.
 */
export async function settleOrder(
  fields: Fields,
  journal: Journal,
  context: OrderContext,
): Promise<readonly Request[]> {
  await journal.markGone();
  const requests: Request[] = [];
  // Whoever sends it records its outcome.
  for (const request of await requestsIn(fields, journal, context)) {
    const settle = request.state === 'planned' ? settlePlanned : settleOne;
    requests.push(request.state === 'sending' ? request : await settle(request, fields, journal, context));
  }
  return requests;
}

/**
 * Those on the order of a status answer. Open ones first: their outcome may prove that of the others. The gateway gives
 * its id once, but the client order id of the answer may be that of another order at another endpoint.
 */
async function requestsIn(fields: Fields, journal: Journal, { base, endpoint, settled }: OrderContext) {
  const orderId = replyField(fields, 'orderId');
  const found = await Promise.all(orderIdsIn(fields).map((order) => onOrder(journal, { base, order })));
  const all = [...new Map(found.flat().map((request) => [request.id, request])).values()];
  const isOnIt = (request: Request) =>
    request.orderId === undefined ? request.endpoint === endpoint : request.orderId === (orderId ?? request.orderId);
  const own = all.filter((request) => request.id !== settled && isOnIt(request));
  const isOpen = ({ state }: Request) => pendingStates.includes(state);
  return [...own.filter(isOpen), ...own.filter((request) => !isOpen(request))];
}

/** A row that was not sent from here, and that the gateway has: it is not sent any more. */
async function settlePlanned(
  request: Request,
  fields: Fields,
  journal: Journal,
  { minorDigits }: OrderContext,
): Promise<Request> {
  const proof = request.kind === 'payment' ? samePayment(request, fields, minorDigits) : undefined;
  if (proof === undefined) return request;
  return (await journal.settle([madeElsewhere(request, { fields }, proof)]))[0] ?? request;
}

async function settleOne(
  request: Request,
  fields: Fields,
  journal: Journal,
  { minorDigits, ownStatus }: OrderContext,
): Promise<Request> {
  const proof = await proveOnOrder(request, fields, journal, minorDigits);
  const own = needsOwnStatus(request, proof, fields) ? await ownStatus(request) : undefined;
  // A gateway may not know serial numbers; without an answer nothing is recorded, and the next query settles it.
  const isAnswer = own === undefined ? proof.proves !== 'nothing' : ['accepted', 'refused'].includes(own.class);
  if (!isAnswer) return request;
  const best = own?.class === 'accepted' ? (own.fields ?? fields) : fields;
  return (await settleByStatus(request, best, journal, minorDigits)).request;
}

/** Whether an operation makes, registers or opens a page for a payment that status finds by its client order id. */
export function isPaymentInStatus({ opens, fields, namedByStatus }: Operation): boolean {
  return opens && 'amount' in fields && namedByStatus !== undefined;
}

/** Whether the answer about an id that nothing is known to have been sent with says that there is no such order. */
export function showsNoOrder(answer: Classified): boolean {
  const { class: kind, status, fields } = answer;
  if (fields === undefined || replyField(fields, 'orderId') !== undefined) return false;
  return kind === 'refused' ? !isLastingFailure(answer) : status === 200;
}

/** The ids of the order that a status answer is about. */
export function orderIdsIn(fields: Fields): readonly string[] {
  return [replyField(fields, 'orderId'), replyField(fields, 'clientOrderId')].filter((id) => id !== undefined);
}

/**
 * States whose requests the gateway is asked about before a restored journal is used. What took no effect by it may have
 * been sent by what is lost of it.
 */
export const statesToAsk: readonly State[] = [...sendableStates, ...pendingStates];

/** What is recorded of a request that the gateway was asked about. */
const asked = 'asked-after-restore';

/** Tells the restore of now from others, of which the journal may have records as well. */
function keyOf({ why, marked }: Restored): string {
  return `${why} ${marked?.event ?? ''} ${marked?.at ?? ''}`;
}

/** The requests that were asked about since this restore. */
export async function wasAsked(journal: Journal, request: Request, restored: Restored): Promise<boolean> {
  const accepted = (await journal.events({})).findLast(({ reason }) => reason === 'restored-accepted')?.id ?? 0;
  const events = await journal.events({ request: request.id });
  return events.some(({ id, reason, facts }) => id > accepted && reason === asked && facts['of'] === keyOf(restored));
}

/**
 * Asks the gateway about a request of a restored journal and records the answer. Gives why it could not be asked, if so.
 * What the gateway has is settled by it, or unknown where that is not this very request. Throws STORAGE.
 */
export async function askRestored(
  request: Request,
  journal: Journal,
  restored: Restored,
  connection: GatewayConnection,
  watched: Watched,
): Promise<string | undefined> {
  const isUnsent = sendableStates.includes(request.state);
  if (isBeyondStatus(request.operation)) {
    if (isUnsent && request.effect === 'money') await markUnknown(request, journal, 'no status reply can show it');
    return undefined;
  }
  const answer = await queryOutcome(connection, request, watched);
  const { class: kind, fields } = answer;
  const isFound = kind === 'accepted' && fields !== undefined && replyField(fields, 'orderId') !== undefined;
  if (!isFound && !isOrderUnknown(answer)) return unansweredWords(answer);
  const minorDigits = connection.assume['minor-digits'];
  if (!isUnsent) await recordAnswer(request, answer, journal, minorDigits);
  else if (isFound) await settleFound(request, fields, journal, minorDigits);
  await journal.record({ request: request.id }, asked, { of: keyOf(restored) });
  return undefined;
}

/** The gateway has an order under the id of a request that this journal has not sent. */
async function settleFound(request: Request, fields: Fields, journal: Journal, minorDigits: string): Promise<void> {
  const isPayment = request.kind === 'payment';
  const proof = isPayment
    ? samePayment(request, fields, minorDigits)
    : await proveOnOrder(request, fields, journal, minorDigits);
  if (proof === undefined || proof.proves === 'nothing' || proof.proves === 'conflict')
    return markUnknown(request, journal, 'the gateway has the order, and does not show what became of this request');
  await journal.settle([madeElsewhere(request, { fields }, proof)]);
}

/** Nothing is sent again under a request that may have been sent by what is lost of the journal. */
export async function markUnknown(request: Request, journal: Journal, why: string): Promise<void> {
  if (!sendableStates.includes(request.state)) return;
  const reason = `it may have been sent by what the journal lost: ${why}`;
  await journal.settle([{ id: request.id, to: 'unknown', reason, by: 'elsewhere', isOwn: true }]);
}

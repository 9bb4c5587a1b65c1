import { type AttemptResult, type Intent, type State, wasSettledManually } from '../journal/index.js';
import type { Unsigned } from '../signing/index.js';
import { statusQuery } from '../spec/index.js';
import { type Classified, isOrderUnknown } from './classify.js';
import { compose, type Target } from './compose.js';
import type { Evidence } from './evidence.js';
import { exchange } from './exchange.js';
import { unansweredWords } from './failure.js';
import { exchangeOptions, type GatewayConnection, type Watched } from './gateway-connection.js';
import { evidenceOf, orderIdIn, type Transition, transitionByStatus } from './transitions.js';

type Fields = ReadonlyMap<string, string>;

export interface StatusQuery {
  readonly endpointId: string;
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  /** Asks about the one request whose reply had this serial number (A42). */
  readonly bySerial?: string | undefined;
}

export function statusRequest({ endpointId, ...ids }: StatusQuery, target: (endpointId: string) => Target): Unsigned {
  const given = Object.entries(ids).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return compose(statusQuery, Object.fromEntries(given), [], target(endpointId));
}

/**
 * An order that may not exist is queried by its ids alone. Anything else is queried by the serial number of its own
 * reply, if there was one: otherwise status describes the newest transaction of the order (A42).
 */
export function statusQueryFor({ kind, state, endpointId, orderId, clientOrderId, outcome }: Intent): StatusQuery {
  const bySerial = kind === 'opening' && state !== 'accepted' ? undefined : outcome['serial-number'];
  return { endpointId, orderId, clientOrderId, bySerial };
}

/** Queries status once. */
export async function queryStatus(
  connection: GatewayConnection,
  query: StatusQuery,
  watched: Watched,
): Promise<Classified> {
  const request = statusRequest(query, (endpointId) => connection.target(endpointId));
  const credentials = await connection.credentials(request.protection);
  return exchange(request, credentials, connection.ports, exchangeOptions(connection, watched));
}

/**
 * Queries the outcome of a request that was sent; a second time where the first query named a serial number and was
 * refused.
 */
export async function queryOutcome(
  connection: GatewayConnection,
  intent: Intent,
  watched: Watched,
  query: StatusQuery = statusQueryFor(intent),
): Promise<Classified> {
  const answer = await queryStatus(connection, query, watched);
  // Status may not know the serial number of an error record.
  const isNumberRefused = answer.class === 'refused' && query.bySerial !== undefined;
  return isNumberRefused ? queryStatus(connection, { ...query, bySerial: undefined }, watched) : answer;
}

type Awaitable<T> = T | Promise<T>;

/** Where requests and their outcomes are recorded: the journal of this user, or the engine of a batch. */
export interface OutcomeStore {
  /** Records the result of a request; returns the request as it is then. */
  recordResult(intent: Intent, to: State, result: AttemptResult): Awaitable<Intent>;
  /** Records something about a request without a change of state. */
  remark?(intent: Intent, what: string, why: string): Awaitable<void>;
  /** Every request known on an order, which decides what a status answer proves; undefined where the storage failed. */
  onOrder?(intent: Intent, orderId: string): Awaitable<readonly Intent[] | undefined>;
}

/** The result of a status query. */
export interface StatusResult {
  /** The request as it is now. */
  readonly intent: Intent;
  readonly evidence: Evidence;
  /** The fields of the answer, where it was a status of the order. */
  readonly fields?: Fields | undefined;
  /** The answer, where it was no status of the order. */
  readonly failure?: Classified | undefined;
}

/** Records what an answer to `queryOutcome` proves. Throws what the store throws. */
export async function recordAnswer(
  intent: Intent,
  answer: Classified,
  store: OutcomeStore,
  minorDigits: string,
): Promise<StatusResult> {
  const { fields } = answer;
  if (answer.class === 'accepted' && fields !== undefined)
    return { ...(await applyStatus(intent, fields, store, minorDigits)), fields };
  // Another refusal, of the signature for example, says nothing about the order.
  if (isOrderUnknown(answer)) await store.remark?.(intent, unknownOrderRemark, answer.reason);
  return { intent, evidence: { proves: 'nothing', reason: unansweredWords(answer) }, failure: answer };
}

/** What is recorded of an answer that knows no such order; a resend counts them. */
export const unknownOrderRemark = 'no record';

/** What is recorded of a status that does not resolve a request. */
const unprovenRemark = 'status proves nothing';

/** What a line of the journal without a change of state says, in the words of people. */
export function remarkText(reason: string): string {
  if (reason === unprovenRemark) return 'its status does not show the outcome';
  return reason === unknownOrderRemark ? 'the gateway has no such order' : reason;
}

/** Records what a status of the order proves about one request on it. */
export async function applyStatus(
  intent: Intent,
  fields: Fields,
  store: OutcomeStore,
  minorDigits: string,
): Promise<Pick<StatusResult, 'intent' | 'evidence'>> {
  const evidence = await evidenceFrom(intent, fields, store, minorDigits);
  const transition = transitionByStatus(intent, evidence, fields);
  if (transition !== undefined)
    return { intent: await recordTransition(intent, transition, evidence, store), evidence };
  await store.remark?.(intent, unprovenRemark, evidence.reason);
  return { intent, evidence };
}

/** An order whose outcome the gateway does not know becomes accepted first, which records its ids, then unknown. */
async function recordTransition(
  intent: Intent,
  { to, result }: Transition,
  { unknownStatus }: Evidence,
  store: OutcomeStore,
): Promise<Intent> {
  if (unknownStatus === undefined) return store.recordResult(intent, to, result);
  if (intent.state === 'unknown' && intent.reason === result.reason) return intent;
  // Whoever settled it manually knew this answer: it is no later evidence.
  if (wasSettledManually(intent.reason) && intent.outcome['status'] === unknownStatus) return intent;
  const accepted = await store.recordResult(intent, to, result);
  return store.recordResult(accepted, 'unknown', { ...result, isUnknownAtGateway: true });
}

/** What a status of the order proves about one request on it, with nothing recorded. */
export async function evidenceFrom(
  intent: Intent,
  fields: Fields,
  store: OutcomeStore,
  minorDigits: string,
): Promise<Evidence> {
  const orderId = orderIdIn(intent, fields);
  const others = orderId === undefined || store.onOrder === undefined ? [] : await store.onOrder(intent, orderId);
  if (others === undefined) return { proves: 'nothing', reason: 'the journal cannot be read' };
  return evidenceOf(intent, fields, others, minorDigits);
}

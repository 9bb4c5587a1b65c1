import { isPaycliError } from '../errors/index.js';
import { describeIntent, type Intent } from '../journal/index.js';
import type { Clock, Delivery, Transport } from '../runtime/ports.js';
import { requestSigning, type Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';
import type { Classified } from './classify.js';
import type { Evidence } from './evidence.js';
import { exchange } from './exchange.js';
import { isLastingFailure, refusalCause } from './failure.js';
import { exchangeOptions, type GatewayConnection, type Watched } from './gateway-connection.js';
import { newNonceAndTimestamp } from './nonce.js';
import { approvedOtherwise, compareOrder, isPaymentInStatus, orderWords, showsNoOrder } from './same-order.js';
import { queryOutcome } from './status-query.js';
import { evidenceOf, type Transition, transitionAfter, transitionByStatus } from './transitions.js';

/** Whether a request may be sent; it is on disk by then. */
interface Leave {
  readonly maySend: boolean;
  /** An earlier attempt of the same request may have arrived: then a refusal may mean "duplicate". */
  readonly earlierAttempt: boolean;
  /** As it is recorded; undefined for what is not. */
  readonly intent?: Intent | undefined;
}

/** A request that was sent, or is proven not to have been. */
export interface Sent {
  readonly classified: Classified;
  /** What has to be recorded of it. */
  readonly transition: Transition;
  /** Where this very payment was made elsewhere. */
  readonly evidence?: Evidence;
}

/**
 * The longest time in milliseconds from the call of `begin` to the sending. A process may be suspended: another one may
 * have marked the request as abandoned by then.
 */
const maxDelayMs = 30_000;

/**
 * Sends one request: keys and signature first, then `begin`, which records that the request may be sent, then the
 * request. `sent` is undefined where `begin` does not allow it. Throws what the keys, the signature and `begin` throw;
 * nothing was sent then.
 */
export async function submit<T extends Leave>(
  unsigned: Unsigned,
  connection: GatewayConnection,
  begin: () => Promise<T> | T,
  watched: Watched,
): Promise<{ readonly leave: T; readonly sent: Sent | undefined }> {
  // Whatever can fail before sending fails before it is recorded that the request may be sent.
  const credentials = await connection.credentials(unsigned.protection);
  const { ports, assume } = connection;
  const signed = await requestSigning.signAsync(unsigned, credentials, assume, newNonceAndTimestamp(ports));
  const age = ageFrom(ports.clock);
  const leave = await begin();
  if (!leave.maySend) return { leave, sent: undefined };
  const transport = transportUnless(() => age() > maxDelayMs, ports.transport);
  const { earlierAttempt } = leave;
  const options = { ...exchangeOptions(connection, watched), earlierAttempt, signed };
  const classified = await exchange(unsigned, credentials, { ...ports, transport }, options);
  const { intent } = leave;
  const sent: Sent = { classified, transition: transitionAfter(classified, unsigned.row) };
  if (intent === undefined) return { leave, sent };
  if (classified.class === 'refused' && unsigned.row.effect !== 'read' && intent.kind !== 'follow-up')
    return { leave, sent: (await askAfterRefusal(classified, unsigned.row, intent, connection, watched)) ?? sent };
  const reason = approvedOtherwise(intent, assume['minor-digits'], classified.fields);
  if (reason === undefined || sent.transition.to !== 'done') return { leave, sent };
  const result = { ...sent.transition.result, reason, isNamed: true };
  return { leave, sent: { classified, transition: { to: 'conflict', result } } };
}

/**
 * Asks once about a payment that was refused, as its id may have been used already, whatever the words; of an operation
 * that status does not find only the words tell. Undefined where the refusal stands.
 */
async function askAfterRefusal(
  refusal: Classified,
  row: Operation,
  intent: Intent,
  connection: GatewayConnection,
  watched: Watched,
): Promise<Sent | undefined> {
  const cause = refusalCause(refusal);
  if (cause === 'signature' || cause === 'endpoint') return undefined;
  const inDoubt = (why: string): Sent => {
    const reason = `${refusal.reason}; ${why}`;
    return { classified: { ...refusal, class: 'unknown', reason }, transition: { to: 'unknown', result: { reason } } };
  };
  if (!isPaymentInStatus(row)) return cause === 'used-id' ? inDoubt('its id was used already') : undefined;
  const answer = await queryOutcome(connection, intent, watched).catch((error: unknown) => {
    // Without a key it cannot be signed.
    if (isPaycliError(error)) return undefined;
    throw error;
  });
  if (answer === undefined || showsNoOrder(answer) || isLastingFailure(answer))
    return cause === 'used-id' ? inDoubt('its id was used already') : undefined;
  if (answer.class !== 'accepted' || answer.fields === undefined)
    return inDoubt(`whether the gateway has its order is not known: ${answer.reason}`);
  const other = `the gateway has another order than this ${describeIntent(intent)}: ${orderWords(answer.fields)}`;
  return foundElsewhere(intent, answer, connection) ?? inDoubt(other);
}

/** What is recorded of a payment of which the gateway has the order, made elsewhere; undefined for another order. */
export function foundElsewhere(
  intent: Intent,
  classified: Classified,
  { assume }: Pick<GatewayConnection, 'assume'>,
): Sent | undefined {
  const { fields = new Map() } = classified;
  const evidence = evidenceOf(intent, fields, [], assume['minor-digits']);
  const { to, result } = transitionByStatus(intent, evidence, fields) ?? {};
  if (to === undefined || compareOrder(intent, fields, assume['minor-digits']) !== 'same') return undefined;
  const reason = `made elsewhere; ${evidence.reason}`;
  return { classified, transition: { to, result: { ...result, reason, isElsewhere: true } }, evidence };
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

import type { Intent } from '../journal/index.js';
import type { Clock, Delivery, Transport } from '../runtime/ports.js';
import { requestSigning, type Unsigned } from '../signing/index.js';
import { exchange } from './exchange.js';
import { exchangeOptions, type GatewayConnection, type Watched } from './gateway-connection.js';
import { newNonceAndTimestamp } from './nonce.js';
import { type AfterRefusal, askAfterRefusal } from './refused-payment.js';
import { transitionAfter } from './transitions.js';

/** Whether a request may be sent; it is on disk by then. */
interface Leave {
  readonly maySend: boolean;
  /** An earlier attempt of the same request may have arrived: then a refusal may mean "duplicate". */
  readonly earlierAttempt: boolean;
  /** As it is recorded; undefined for what is not. */
  readonly intent?: Intent | undefined;
}

/** A request that was sent, or is proven not to have been, and what has to be recorded of it. */
type Sent = AfterRefusal;

/**
 * The longest time in milliseconds from the call of `begin`, or its last call of `asked`, to the sending. Its answer
 * may be held back, and a process may be suspended: another one may have marked the request as abandoned by then.
 */
export const maxDelayMs = 30_000;

/**
 * Sends one request: keys and signature first, then `begin`, which records that the request may be sent, then the
 * request. `sent` is undefined where `begin` does not allow it. Throws what the keys, the signature and `begin` throw;
 * nothing was sent then.
 */
export async function submit<T extends Leave>(
  unsigned: Unsigned,
  connection: GatewayConnection,
  begin: (asked: () => void) => Promise<T> | T,
  watched: Watched,
): Promise<{ readonly leave: T; readonly sent: Sent | undefined }> {
  // Whatever can fail before sending fails before it is recorded that the request may be sent.
  const credentials = await connection.credentials(unsigned.protection);
  const { ports, assume } = connection;
  const signed = await requestSigning.signAsync(unsigned, credentials, assume, newNonceAndTimestamp(ports));
  let age = ageFrom(ports.clock);
  const leave = await begin(() => {
    age = ageFrom(ports.clock);
  });
  if (!leave.maySend) return { leave, sent: undefined };
  const transport = transportUnless(() => age() > maxDelayMs, ports.transport);
  const { earlierAttempt } = leave;
  const options = { ...exchangeOptions(connection, watched), earlierAttempt, signed };
  const classified = await exchange(unsigned, credentials, { ...ports, transport }, options);
  const { intent } = leave;
  const asked = intent && (await askAfterRefusal(classified, unsigned, intent, connection, watched));
  return { leave, sent: asked ?? { classified, transition: transitionAfter(classified, unsigned.row) } };
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

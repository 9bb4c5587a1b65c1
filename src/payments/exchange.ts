import type { Clock, Delivery, Random, Transport } from '../runtime/ports.js';
import {
  type Credentials,
  type NonceAndTimestamp,
  requestSigning,
  type SignedRequest,
  type Unsigned,
} from '../signing/index.js';
import { type Assume, type Operation, type PlainProtection, statusQuery } from '../spec/index.js';
import { type Classified, classify } from './classify.js';
import { compose, type Target } from './compose.js';
import { createReplyRedactor, type EchoGuard } from './reply-redaction.js';

/** What is needed to send to one gateway: its endpoints, the keys, the limits, and an observer. */
export interface GatewayConnection {
  readonly assume: Assume;
  /** Until a reply must be complete. */
  readonly replyMs: number;
  readonly ports: { readonly transport: Pick<Transport, 'post'>; readonly clock: Clock; readonly random: Random };
  target(endpointId: string): Target;
  /** Reads the keys when they are first needed. */
  credentials(protection: PlainProtection): Promise<Credentials>;
  readonly watch?: ExchangeWatch | undefined;
}

/** Called for every request before it is sent, and for what became of it; not for a repeated lack of connection. */
export interface ExchangeWatch {
  sent(request: SignedRequest, row: Operation): void;
  received(delivery: Delivery, masks: EchoGuard): void;
}

/** How one request is aborted, and who else gets its delivery. */
export interface Watched {
  readonly signal: AbortSignal;
  /** Monotonic; a read that has no answer by then is given up. What moves money is never cut off by it. */
  readonly until?: number | undefined;
  /** The request whose outcome this one queries, where it is known: a reply may repeat its card and security code. */
  readonly earlier?: Unsigned | undefined;
  readonly received?: ((delivery: Delivery) => void) | undefined;
}

/** A request as it was signed for its first attempt, and what `ClassifyContext` says of those before. */
interface Attempt {
  readonly earlierAttempt?: boolean;
  readonly signed?: Awaited<ReturnType<typeof signRequest>>;
}

export const usualReplyMs = 60_000;

const maxAttempts = 3;
const firstPauseMs = 500;

/**
 * Sends one request and classifies its reply. Three attempts at most, each signed anew: one that got no connection is
 * repeated, and a read without a usable answer. Waiting does not mend a certificate, and everything else may have
 * reached the gateway.
 */
export async function exchange(
  unsigned: Unsigned,
  connection: GatewayConnection,
  watched: Watched & Attempt,
): Promise<Classified> {
  const { row, values } = unsigned;
  const { assume, ports, watch } = connection;
  const { until = Number.POSITIVE_INFINITY } = row.effect === 'read' ? watched : {};
  const msLeft = () => Math.max(0, until - ports.clock.monotonic());
  let signed = watched.signed ?? (await signRequest(unsigned, connection));
  for (let attempt = 1; ; attempt += 1) {
    const { request, keys } = signed;
    watch?.sent(request, row);
    const { url, headers, body } = request;
    const replyMs = Math.min(connection.replyMs, Math.max(minQueryMs, Math.ceil(msLeft() / 100) * 100));
    const delivery = await ports.transport.post({ url, headers, body }, replyMs, watched.signal);
    const isLast = attempt === maxAttempts || watched.signal.aborted || msLeft() <= 0;
    const isUnconnected = delivery.kind === 'never-sent' && !isLast;
    const guard = createReplyRedactor(unsigned, keys, signaturesOf(request), watched.earlier);
    if (!isUnconnected) {
      watch?.received(delivery, guard);
      watched.received?.(delivery);
    }
    const { fields, ...known } = classify(delivery, {
      effect: row.effect,
      reply: row.records.reply,
      clientOrderId: values['clientOrderId'],
      orderId: values['orderId'],
      format: assume['reply-format'] === 'form' ? 'form' : 'json',
      earlierAttempt: watched.earlierAttempt === true,
    });
    const clock = clockDifference(delivery, ports.clock.now());
    const classified: Classified = { ...known, ...(clock && { clock }), at: gatewayTime(delivery) };
    if (!isUnconnected && (classified.class !== 'read-retry' || isLast))
      return fields === undefined ? classified : { ...classified, fields: guard.fields(fields) };
    // Jittered, so that many that fail at once are not repeated at once.
    const ms = firstPauseMs * 2 ** (attempt - 1);
    await ports.clock.sleep(Math.min(msLeft(), ms + ports.random.below(ms / 2)));
    signed = await signRequest(unsigned, connection, keys);
  }
}

/** Signs a request, with keys that were read before or with those of the connection. */
export async function signRequest(
  unsigned: Unsigned,
  { assume, ports, credentials }: GatewayConnection,
  known?: Credentials,
): Promise<{ readonly keys: Credentials; readonly request: SignedRequest }> {
  const keys = known ?? (await credentials(unsigned.protection));
  return { keys, request: await requestSigning.signAsync(unsigned, keys, assume, newNonceAndTimestamp(ports)) };
}

/** A new nonce and the time, in seconds since 1970. */
export function newNonceAndTimestamp(ports: {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'letters'>;
}): NonceAndTimestamp {
  return { nonce: ports.random.letters(32), timestamp: String(Math.floor(ports.clock.now() / 1000)) };
}

/** The time of the gateway: the reply's Date header, which has whole seconds. */
function gatewayTime(delivery: Delivery): number | undefined {
  const text = delivery.kind === 'reply' ? delivery.reply.headers['date'] : undefined;
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Milliseconds that `now` is ahead of the gateway's time; undefined without one. */
export function aheadOf(delivery: Delivery, now: number): number | undefined {
  const off = now - (gatewayTime(delivery) ?? Number.NaN);
  return Number.isNaN(off) ? undefined : Math.sign(off) * Math.max(0, Math.abs(off) - 1000);
}

/** How far the clock of this machine is from the gateway's, where that is worth a warning: more than a minute. */
export function clockDifference(delivery: Delivery, now: number): string | undefined {
  const ahead = aheadOf(delivery, now);
  if (ahead === undefined || Math.abs(ahead) <= 60_000) return undefined;
  return `${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the gateway's`;
}

/** The control value, or the OAuth signature as it is before it is encoded. */
function signaturesOf({ pairs, headers }: SignedRequest): string[] {
  const control = pairs.flatMap(([name, value]) => (name === 'control' ? [value] : []));
  const [, signature] = /oauth_signature="([^"]+)"/.exec(headers['Authorization'] ?? '') ?? [];
  return signature === undefined ? control : [...control, decodeURIComponent(signature)];
}

/** The last query is asked at the end of a wait, and needs some time for its answer. */
const minQueryMs = 1000;

export interface StatusQuery {
  readonly endpointId: string;
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  /** Asks about the one request whose reply had this serial number (A42). */
  readonly bySerial?: string | undefined;
}

export function statusRequest({ endpointId, ...ids }: StatusQuery, target: GatewayConnection['target']): Unsigned {
  const given = Object.entries(ids).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return compose(statusQuery, Object.fromEntries(given), [], target(endpointId));
}

export function queryStatus(connection: GatewayConnection, query: StatusQuery, watched: Watched): Promise<Classified> {
  return exchange(statusRequest(query, connection.target), connection, watched);
}

import type { Clock, Delivery, HttpRequest, Limits, Random, Transport } from '../runtime/ports.js';
import { type Credentials, requestSigning, type SignedRequest, type Unsigned } from '../signing/index.js';
import type { Assume, Operation } from '../spec/index.js';
import { type Classified, classify } from './classify.js';
import { aheadOf, clockDifference } from './clock-skew.js';
import { newNonceAndTimestamp } from './nonce.js';
import { createReplyRedactor, type EchoGuard } from './reply-redaction.js';

export interface ExchangePorts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ExchangeOptions {
  readonly assume: Assume;
  readonly limits: Limits;
  readonly signal?: AbortSignal | undefined;
  /** Monotonic; a read that has no answer by then is given up. What moves money is never cut off by it. */
  readonly until?: number | undefined;
  /** True when an earlier attempt of the same request may have arrived: then a refusal may mean "duplicate". */
  readonly earlierAttempt?: boolean | undefined;
  /** The request as it was signed for its first attempt. */
  readonly signed?: SignedRequest | undefined;
  /** The request whose outcome this one queries, where it is known: a reply may repeat its card and security code. */
  readonly earlier?: Unsigned | undefined;
  /** Called for every attempt, before it is made and after. */
  readonly watch?: ExchangeWatch | undefined;
}

export interface ExchangeWatch {
  sent(request: SignedRequest, row: Operation): void;
  received(delivery: Delivery, masks: EchoGuard): void;
}

const readAttempts = 3;
const readPauseMs = 250;

/**
 * Sends one request and classifies its reply. A read without a usable answer is repeated, three attempts at most;
 * everything else is sent once, unless it is proven that no byte of it was sent.
 */
export async function exchange(
  unsigned: Unsigned,
  credentials: Credentials,
  ports: ExchangePorts,
  options: ExchangeOptions,
): Promise<Classified> {
  const until = unsigned.row.effect === 'read' ? options.until : undefined;
  let first = options.signed;
  for (let attempt = 1; ; attempt += 1) {
    const signatures: string[] = [];
    const request = async () => {
      const signed =
        first ?? (await requestSigning.signAsync(unsigned, credentials, options.assume, newNonceAndTimestamp(ports)));
      first = undefined;
      signatures.push(...signaturesOf(signed));
      options.watch?.sent(signed, unsigned.row);
      return { url: signed.url, headers: signed.headers, body: signed.body };
    };
    const delivery = await send(request, ports, { ...options, until });
    const guard = createReplyRedactor(unsigned, credentials, signatures, options.earlier);
    options.watch?.received(delivery, guard);
    const clock = clockDifference(delivery, ports.clock.now());
    const aheadMs = aheadOf(delivery, ports.clock.now());
    const { fields, ...known } = classify(delivery, {
      effect: unsigned.row.effect,
      reply: unsigned.row.records.reply,
      clientOrderId: unsigned.values['clientOrderId'],
      orderId: unsigned.values['orderId'],
      format: options.assume['reply-format'] === 'form' ? 'form' : 'json',
      earlierAttempt: options.earlierAttempt === true,
    });
    const classified: Classified = { ...known, ...(clock && { clock }), aheadMs };
    if (classified.class !== 'read-retry' || attempt === readAttempts || isOver({ ...options, until }, ports.clock))
      return fields === undefined ? classified : { ...classified, fields: guard.fields(fields) };
    await pauseFor(readPauseMs * 2 ** attempt + ports.random.below(readPauseMs), until, ports.clock);
  }
}

/** The control value, or the OAuth signature as it is before it is encoded. */
function signaturesOf({ pairs, headers }: SignedRequest): string[] {
  const control = pairs.flatMap(([name, value]) => (name === 'control' ? [value] : []));
  const [, signature] = /oauth_signature="([^"]+)"/.exec(headers['Authorization'] ?? '') ?? [];
  return signature === undefined ? control : [...control, decodeURIComponent(signature)];
}

export const defaultLimits: Limits = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  gapMs: 15_000,
  totalMs: 90_000,
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
};

type SendOptions = Pick<ExchangeOptions, 'limits' | 'signal' | 'until'>;

type SentDelivery = Delivery & { readonly attempts: number };

const maxAttempts = 3;
const firstPauseMs = 500;
const maxPauseMs = 8000;

/**
 * Sends one request, signed anew for each attempt. Only an attempt that never got a connection is repeated: waiting
 * does not mend a certificate, and everything else may have reached the gateway.
 */
export async function send(
  sign: () => HttpRequest | Promise<HttpRequest>,
  ports: ExchangePorts,
  options: SendOptions,
): Promise<SentDelivery> {
  for (let attempts = 1; ; attempts += 1) {
    const limits = limitsUntil(options, ports.clock);
    const delivery = await ports.transport.post(await sign(), limits, options.signal);
    if (delivery.kind !== 'never-sent' || attempts === maxAttempts || isOver(options, ports.clock))
      return { ...delivery, attempts };
    await pauseFor(ports.random.below(pauseCeiling(attempts)), options.until, ports.clock);
    if (isStopped(options)) return { kind: 'never-sent', reason: 'interrupted', attempts };
  }
}

/** The last query is asked at the end of a wait, and needs some time for its answer. */
const minQueryMs = 1000;

function msLeft(until: number | undefined, clock: Pick<Clock, 'monotonic'>): number {
  return until === undefined ? Number.POSITIVE_INFINITY : until - clock.monotonic();
}

function limitsUntil({ limits, until }: SendOptions, clock: Pick<Clock, 'monotonic'>): Limits {
  const maxMs = Math.max(minQueryMs, Math.ceil(msLeft(until, clock) / 100) * 100);
  const { connectMs, firstByteMs, gapMs, totalMs, ...others } = limits;
  const atMost = (ms: number) => Math.min(ms, maxMs);
  return {
    ...others,
    ...{ connectMs: atMost(connectMs), firstByteMs: atMost(firstByteMs) },
    ...{ gapMs: atMost(gapMs), totalMs: atMost(totalMs) },
  };
}

function isOver(options: SendOptions, clock: Pick<Clock, 'monotonic'>): boolean {
  return isStopped(options) || msLeft(options.until, clock) <= 0;
}

function pauseFor(ms: number, until: number | undefined, clock: Pick<Clock, 'monotonic' | 'sleep'>): Promise<void> {
  return clock.sleep(Math.min(ms, Math.max(0, msLeft(until, clock))));
}

function isStopped(options: SendOptions): boolean {
  return options.signal?.aborted === true;
}

function pauseCeiling(attempts: number): number {
  return Math.min(maxPauseMs, firstPauseMs * 2 ** (attempts - 1));
}

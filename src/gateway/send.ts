import type { Clock, Delivery, HttpRequest, Limits, Random, Transport } from '../runtime/ports.js';

export const defaultLimits: Limits = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  gapMs: 15_000,
  totalMs: 90_000,
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
};

export interface SendPorts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
}

export interface SendOptions {
  readonly limits: Limits;
  readonly signal?: AbortSignal | undefined;
  /** Called before each attempt with its number, from 1. */
  readonly onAttempt?: (attempt: number) => void;
}

export type Sent = Delivery & { readonly attempts: number };

const mostAttempts = 3;
const firstPauseMs = 500;
const longestPauseMs = 8000;

/**
 * Sends one request, signed anew for each attempt. Only an attempt that never got a connection is made again;
 * a certificate does not get better by waiting, and everything else may have reached the gateway.
 */
export async function send(sign: () => HttpRequest | Promise<HttpRequest>, ports: SendPorts, options: SendOptions): Promise<Sent> {
  for (let attempts = 1; ; attempts += 1) {
    options.onAttempt?.(attempts);
    const delivery = await ports.transport.post(await sign(), options.limits, options.signal);
    if (delivery.kind !== 'never-sent' || attempts === mostAttempts || isStopped(options)) return { ...delivery, attempts };
    await ports.clock.sleep(ports.random.below(pauseCeiling(attempts)));
    if (isStopped(options)) return { kind: 'never-sent', reason: 'interrupted', attempts };
  }
}

function isStopped(options: SendOptions): boolean {
  return options.signal?.aborted === true;
}

function pauseCeiling(attempts: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
}

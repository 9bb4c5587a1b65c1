import { fail } from '../errors/index.js';
import type { Clock, Random } from '../runtime/ports.js';
import type { NonceAndTimestamp } from '../signing/index.js';

/** A new nonce and the time, in seconds since 1970. */
export function newNonceAndTimestamp(ports: {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}): NonceAndTimestamp {
  return { nonce: ports.random.letters(32), timestamp: String(Math.floor(ports.clock.now() / 1000)) };
}

/** Throws INTERNAL when the random source repeats a nonce: the gateway would take one request for a copy of another. */
export function assertRandomSource(random: Random): void {
  const [one, other] = [random.letters(32), random.letters(32)];
  if (one === other)
    throw fail('INTERNAL', {
      why: 'its random source gave the same nonce twice',
      how: 'restart this machine or container, then repeat the command',
      sent: 'nothing was sent',
    });
}

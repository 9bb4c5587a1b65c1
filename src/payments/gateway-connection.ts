import type { Delivery, Limits } from '../runtime/ports.js';
import type { Credentials, Unsigned } from '../signing/index.js';
import type { Assume, PlainProtection } from '../spec/index.js';
import type { Target } from './compose.js';
import type { ExchangeOptions, ExchangePorts, ExchangeWatch } from './exchange.js';

/** What is needed to send to one gateway: its endpoints, the keys, the limits, and an observer. */
export interface GatewayConnection {
  readonly assume: Assume;
  readonly limits: Limits;
  readonly ports: ExchangePorts;
  target(endpointId: string): Target;
  /** Reads the keys when they are first needed. */
  credentials(protection: PlainProtection): Promise<Credentials>;
  /** Called for every attempt, before it is made and after. */
  readonly watch?: ExchangeWatch | undefined;
}

/** How one request is aborted, and who else gets its delivery. */
export interface Watched {
  readonly signal: AbortSignal;
  /** Monotonic; a status query that has no answer by then is given up. */
  readonly until?: number | undefined;
  /** The request whose outcome this one queries, where it is known: a reply may repeat its card and security code. */
  readonly earlier?: Unsigned | undefined;
  readonly received?: ((delivery: Delivery) => void) | undefined;
}

/** The options of an exchange over a connection. */
export function exchangeOptions(
  { assume, limits, watch }: GatewayConnection,
  { signal, until, earlier, received }: Watched,
): ExchangeOptions {
  return {
    assume,
    limits,
    signal,
    until,
    earlier,
    watch: {
      sent: (request, row) => watch?.sent(request, row),
      received(delivery, masks) {
        watch?.received(delivery, masks);
        received?.(delivery);
      },
    },
  };
}

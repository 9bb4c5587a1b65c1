import type { Classified } from '../gateway/classify.js';
import { compose, type Target } from '../gateway/compose.js';
import { type ExchangeOptions, type ExchangePorts, exchange } from '../gateway/exchange.js';
import { type IntentPlace, intentOf } from '../gateway/intents.js';
import { type StatusOf, statusQuestion } from '../gateway/moves.js';
import type { Intent, NewIntent } from '../journal/index.js';
import type { Delivery, Limits, Transport } from '../runtime/ports.js';
import type { Credentials, SignedRequest, Unsigned } from '../signing/index.js';
import type { Assume, Operation, PlainProtection } from '../spec/index.js';
import type { BatchRow } from './plan.js';

/** All that the rows of a batch have in common. */
export interface Connection {
  readonly row: Operation;
  readonly place: IntentPlace;
  readonly assume: Assume;
  readonly limits: Limits;
  readonly ports: ExchangePorts;
  target(endpointId: string): Target;
  credentials(protection: PlainProtection): Promise<Credentials>;
  /** The keyed hash of the journal, or of the gate. */
  hash(parts: readonly string[]): string;
  /** Told of every attempt. */
  readonly watch?: { sent(request: SignedRequest): void; came(delivery: Delivery): void } | undefined;
}

export function unsignedOf({ row: operation, target }: Pick<Connection, 'row' | 'target'>, row: BatchRow): Unsigned {
  return compose(operation, row.values, [], target(row.endpointId));
}

/** What the journal keeps of a row. */
export function intentOfRow(connection: Pick<Connection, 'row' | 'target' | 'place' | 'hash'>, row: BatchRow): NewIntent {
  const intent = intentOf(unsignedOf(connection, row), connection.place, connection.hash);
  if (intent === undefined) throw new Error('a read is not written down');
  return intent;
}

/** How a request of a batch is watched and ended. */
export interface Watched {
  readonly signal: AbortSignal;
  came(delivery: Delivery): void;
}

export interface Attempt extends Watched {
  readonly unsigned: Unsigned;
  readonly credentials: Credentials;
  readonly intent: Intent;
  /** Monotonic; when its beginning was on the disk. */
  readonly begunAt: number;
}

/** The longest time from the note that a row may leave to its leaving. Who sleeps longer may not know what others did meanwhile. */
export const mostDelayMs = 30_000;

export function sendRow(connection: Connection, { unsigned, credentials, intent, begunAt, ...watched }: Attempt): Promise<Classified> {
  const { ports } = connection;
  const isLate = () => ports.clock.monotonic() - begunAt > mostDelayMs;
  const inTime = { ...ports, transport: unless(isLate, ports.transport) };
  return exchange(unsigned, credentials, inTime, { ...optionsOf(connection, watched), earlierAttempt: intent.mayHaveArrived });
}

function unless(isLate: () => boolean, transport: Transport): Transport {
  const late: Delivery = { kind: 'never-sent', reason: `more than ${mostDelayMs / 1000} s passed after it was begun` };
  return {
    post: async (request, limits, signal) => (isLate() ? late : transport.post(request, limits, signal)),
    close: () => transport.close(),
  };
}

export async function askStatus(connection: Connection, about: StatusOf, watched: Watched): Promise<Classified> {
  const question = statusQuestion(about, (endpointId) => connection.target(endpointId));
  return exchange(question, await connection.credentials(question.protection), connection.ports, optionsOf(connection, watched));
}

function optionsOf({ assume, limits, watch }: Connection, { signal, came }: Watched): ExchangeOptions {
  return {
    assume,
    limits,
    signal,
    watch: {
      sent: (request) => watch?.sent(request),
      came(delivery) {
        watch?.came(delivery);
        came(delivery);
      },
    },
  };
}

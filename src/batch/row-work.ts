import { type Classified, isOrderUnknown } from '../gateway/classify.js';
import { unansweredWords } from '../gateway/failure.js';
import { abandoned, evidenceIn, type Move, moveAfter, moveBy, orderIn, questionAbout, type StatusOf } from '../gateway/moves.js';
import type { Intent } from '../journal/index.js';
import type { Delivery } from '../runtime/ports.js';
import { checkAgain } from './check-again.js';
import { askStatus, type Connection, intentOfRow, sendRow, unsignedOf } from './connection.js';
import type { Engine } from './engine.js';
import type { BatchRow } from './plan.js';

export interface WorkPorts {
  readonly engine: Engine;
  readonly connection: Connection;
  /** Ends questions. */
  readonly stop: AbortSignal;
  /** Ends what is on its way. */
  readonly abort: AbortSignal;
  /** Told right before a row may leave. */
  leaving(): void;
  /** Told of each reply or loss. */
  came(delivery: Delivery): void;
}

/** What the gate made of a row. */
export type Sent =
  /** It left, or it is proven that it did not. */
  | { readonly kind: 'sent'; readonly intent: Intent; readonly classified: Classified }
  /** It was sent before: its end is known, or has to be asked for. */
  | { readonly kind: 'known'; readonly intent: Intent }
  /** Somebody else has it. */
  | { readonly kind: 'taken' };

/** Notes that a row may leave, sends it, and notes what came of it. Throws what the gate throws. */
export async function sendOnce(row: BatchRow, { engine, connection, abort, leaving, came }: WorkPorts): Promise<Sent> {
  checkAgain(row, connection);
  const unsigned = unsignedOf(connection, row);
  // Whatever can fail before the request may leave does so before it is noted that it may.
  const credentials = await connection.credentials(unsigned.protection);
  const [gated] = await engine.begin([{ row, intent: intentOfRow(connection, row) }]);
  if (gated === undefined) return { kind: 'taken' };
  if (gated.do !== 'send') return { kind: 'known', intent: await withoutSender(gated.intent, engine) };
  const begunAt = connection.ports.clock.monotonic();
  leaving();
  const classified = await sendRow(connection, { unsigned, credentials, intent: gated.intent, begunAt, signal: abort, came });
  const { to, result } = moveAfter(classified, connection.row);
  return { kind: 'sent', intent: await engine.settle(gated.intent, to, result), classified };
}

/** An intent whose sender is gone may have arrived. */
export async function withoutSender(intent: Intent, engine: Engine): Promise<Intent> {
  return intent.state === 'sending' ? engine.settle(intent, abandoned.to, abandoned.result) : intent;
}

export interface Asked {
  readonly intent: Intent;
  readonly classified: Classified;
  /** Why the answer moved nothing; undefined when it did, or agrees with what is known. */
  readonly doubt: string | undefined;
}

/** Asks for the outcome of a row once, and notes what the answer proves. */
export async function askOnce(intent: Intent, ports: WorkPorts, about: StatusOf = questionAbout(intent)): Promise<Asked> {
  const { engine, connection } = ports;
  const classified = await askStatus(connection, about, { signal: ports.stop, came: ports.came });
  if (classified.class === 'accepted' && classified.fields !== undefined) return learn(intent, classified, classified.fields, ports);
  // The serial number of an error record may be one that status knows nothing of.
  if (classified.class === 'refused' && about.bySerial !== undefined) return askOnce(intent, ports, { ...about, bySerial: undefined });
  // Another refusal, of the signature for example, says nothing about the order.
  if (isOrderUnknown(classified)) await engine.remark?.(intent, 'no record', classified.reason);
  return { intent, classified, doubt: unansweredWords(classified) };
}

type Fields = ReadonlyMap<string, string>;

async function learn(intent: Intent, classified: Classified, fields: Fields, { engine, connection }: WorkPorts): Promise<Asked> {
  const order = orderIn(intent, fields);
  const others = order === undefined ? [] : ((await engine.onOrder?.(intent, order)) ?? []);
  const evidence = evidenceIn(intent, fields, others, connection.assume['minor-digits']);
  const move: Move | undefined = moveBy(intent, evidence, fields);
  if (move === undefined) {
    await engine.remark?.(intent, 'status proves nothing', evidence.reason);
    return { intent, classified, doubt: evidence.reason };
  }
  // The journal notes what the payer has to do, and nothing else of an answer that moves nothing.
  const isWaiting = move.result.waitsFor !== undefined && move.result.waitsFor !== 'nothing';
  if (move.to === intent.state && !isWaiting) return { intent, classified, doubt: undefined };
  return { intent: await engine.settle(intent, move.to, move.result), classified, doubt: undefined };
}

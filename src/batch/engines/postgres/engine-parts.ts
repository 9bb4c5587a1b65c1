import type { Sender } from '../../../journal/index.js';
import type { Clock } from '../../../runtime/ports.js';
import type { BatchRecord } from './batch-record.js';
import type { ChunkQueue } from './chunk-queue.js';
import type { PostgresDatabase } from './database.js';
import type { RowCipher } from './row-encryption.js';
import type { WorkerLimits } from './shared-limits.js';

export interface EngineOptions {
  readonly clock: Clock;
  readonly sender: Sender;
  /** Requests per second of all workers together; as somebody said before when left out. */
  readonly rate: number | undefined;
  /** Ends waiting for rows that others hold. */
  readonly stop: AbortSignal;
  /** The caps of this machine; without them nothing is counted. */
  readonly worker?: WorkerLimits;
  /** The share of unknown outcomes among the last 200, of all workers, that is borne; nothing is looked at without. */
  readonly maxUnknown?: number;
}

export interface EngineParts {
  readonly database: PostgresDatabase;
  readonly known: BatchRecord;
  readonly cipher: RowCipher;
  readonly queue: ChunkQueue;
  /** Whoever has the plan tries the first row; the others begin once a row has its final status. */
  readonly isStarter: boolean;
  /** Every row is to be asked about first: until then nothing is sent, and what is found there is written down. */
  readonly isRecovering: boolean;
}

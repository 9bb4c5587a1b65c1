import type { Clock, Files, Processes, Random, SqlRow } from '../runtime/ports.js';
import type { Change, Dialect, Statement } from './dialect.js';
import type { Mark } from './mark.js';
import type { Restored } from './port.js';
import type { Secrets } from './secrets.js';

/** This process, as far as others need to tell whether it still runs. */
export type Process = Pick<Processes, 'pid' | 'host' | 'identity' | 'isAlive' | 'startOf'>;

/** What a journal needs besides its database, whichever that is. */
export interface JournalPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly random: Pick<Random, 'letters'>;
  readonly process: Process;
  /** The file of the marks; left out for the journal of a sandbox. */
  readonly markPath?: string | undefined;
  /** The key of the installation, or of the team. */
  readonly key: string;
  /** Who runs this, for the events. */
  readonly who: string;
}

/** A database that holds a journal. */
export interface Tables {
  readonly dialect: Dialect;
  /**
   * One transaction, beside which no other one writes; on disk when it resolves. `work` gets the time of the store, and
   * may be begun anew where it failed without a trace.
   */
  change<Result>(work: (now: number) => Change<Result>): Promise<Result>;
  read(statement: Statement): Promise<readonly SqlRow[]>;
  now(): Promise<number>;
  /** Takes the place where it is for its own from now on. */
  accept(): Change<void>;
  /** What is wrong with it; empty when nothing is. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A journal in its database, with what is known of it besides. */
export interface Store {
  readonly tables: Tables;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly random: Pick<Random, 'letters'>;
  readonly secrets: Secrets;
  /** Undefined for a journal of a sandbox, where no money moves. */
  readonly mark: Mark | undefined;
  readonly process: Process;
  /** Who runs this, for the events. */
  readonly who: string;
  /** This process, as requests name it. */
  readonly worker: string;
  readonly role: string | undefined;
  restored: Restored | undefined;
}

export function read({ tables }: Store, sql: string, ...values: Statement['values']): Promise<readonly SqlRow[]> {
  return tables.read({ sql, values });
}

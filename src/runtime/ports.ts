/** The outside world. What is used of it is in the files of this folder; tests bring their own. */

import type { sqlite } from './database.js';
import type { openFiles } from './files.js';
import type { openKeyring } from './keyring.js';
import type { Env, systemClock, systemRandom } from './machine.js';
import type { openPostgres, PostgresAddress } from './postgres.js';
import type { systemProcesses } from './processes.js';
import type { openTerminal } from './terminal.js';

export type { SqlRow, SqlValue } from './database.js';
export type { Env } from './machine.js';
export type { PostgresAddress, PostgresFault } from './postgres.js';
export type { Paint, Progress } from './terminal.js';

export type Clock = typeof systemClock;
export type Database = ReturnType<DatabaseOpener['open']>;
export type DatabaseOpener = typeof sqlite;
export type Files = ReturnType<typeof openFiles>;
export type Keyring = ReturnType<typeof openKeyring>;
export type PostgresConnection = Awaited<ReturnType<PostgresPool['connect']>>;
export type PostgresPool = NonNullable<Awaited<ReturnType<typeof openPostgres>>>;
export type Processes = typeof systemProcesses;
export type Random = typeof systemRandom;
export type Staged = ReturnType<Files['stage']>;
export type Terminal = ReturnType<typeof openTerminal>;

export interface Question {
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
  readonly hidden?: boolean;
  /** A list for the arrow keys; `yes` and `no` are typed. */
  readonly choices?: readonly string[];
  readonly meanings?: Readonly<Record<string, string>>;
  readonly initial?: string;
  /** Why a value is not acceptable. */
  readonly check?: (text: string) => string | undefined;
  /** How typed text stays on the screen once it is the answer; as it was typed when left out. */
  readonly shown?: (text: string) => string;
  /** Called when the user goes back from a typed answer with the arrow up; the answer counts for nothing then. */
  readonly goBack?: () => void;
}

export interface Prompter {
  /** Throws INTERRUPTED when the user cancels. */
  ask(question: Question): Promise<string>;
}

export interface HttpRequest {
  readonly url: string;
  /** For pages only; every operation is a POST. */
  readonly method?: 'GET' | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Asked at the last moment before a byte is sent; true, and none is. */
  readonly isLate?: () => boolean;
}

export interface HttpReply {
  readonly status: number;
  /** Names in lower case; a repeated header keeps all its values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/** No byte of the request was sent; `certificate` because of the peer's certificate or protocol version. */
export type NotSent =
  | { readonly kind: 'never-sent'; readonly reason: string }
  | { readonly kind: 'certificate'; readonly reason: string; readonly remedy: string };

/** The result of one attempt; after `lost` the request may have arrived. */
export type Delivery =
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | { readonly kind: 'lost'; readonly reason: string }
  | NotSent;

export interface Transport {
  /**
   * One request, one attempt: no redirect followed, nothing decoded, nothing repeated. Never rejects. The reply has to be
   * complete within `replyMs`.
   */
  post(request: HttpRequest, replyMs: number, signal?: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** PEM text of authorities trusted besides the usual roots. */
  readonly ca?: string;
  /** Keeps a connection for the next request to the same place, for a second at most. */
  readonly keep?: boolean;
  /** Where requests will go. Throws ENVIRONMENT_INVALID at once where the proxy on the way there cannot be used. */
  readonly target?: string;
}

export interface Runtime {
  readonly env: Env;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly processes: Processes;
  prompter(colour?: boolean): Promise<Prompter>;
  transport(options: TransportOptions): Promise<Transport>;
  database(): Promise<DatabaseOpener>;
  /** Undefined where its package is not installed. */
  postgres?(address: PostgresAddress): Promise<PostgresPool | undefined>;
  keyring(): Promise<Keyring>;
}

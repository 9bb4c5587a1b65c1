/** The outside world as interfaces. Real implementations are in this folder; tests bring their own. */

import type { KeyPairKeyObjectResult } from 'node:crypto';
import type { PaycliError } from '../errors/index.js';

export type RsaPair = KeyPairKeyObjectResult;

/** Painters for one stream; each returns its text unchanged when the stream has no colour. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'good' | 'bad' | 'warn' | 'name', (text: string) => string>>;

/** The text of a progress line; a function is called each time the line is drawn. */
export type Progress = string | (() => string);

export interface Terminal {
  readonly isOutTty: boolean;
  readonly isErrTty: boolean;
  /** Standard input and standard error are both terminals. */
  readonly canPrompt: boolean;
  /** 80 when standard output is no terminal. */
  readonly width: number;
  readonly errWidth: number | undefined;
  /** A closed pipe is not an error. */
  out(text: string): void;
  err(text: string): void;
  /** One animated line at the end of standard error while something takes long; undefined removes it. */
  progress(text: Progress | undefined): void;
  /** `colour` is the user's --color / --no-color, if any. */
  paint(stream: 'out' | 'err', colour?: boolean): Paint;
  /** All of standard input as UTF-8 text; at most 1 MiB. */
  readStdin(): Promise<string>;
  readStdinBytes(): Promise<Uint8Array>;
}

/** What one run has printed so far, from which the error text is made where it ends with another code than 0. */
export interface Printed {
  form?: string;
  /** The result was printed on a terminal, complete and in words. */
  isOnScreen?: boolean;
  meaning?: string;
  next?: string;
  /** HTTP status of the last reply of the gateway; undefined where the last request got none. */
  httpStatus?: number | undefined;
  /** The error that is still to be printed, as the one error of this run. */
  error?: PaycliError;
  hasPrintedError?: boolean;
  /** The exit code is that of another program, which was given after `--`. */
  isOfProgram?: boolean;
}

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

export interface Limits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  /** Between two pieces of the body. */
  readonly gapMs: number;
  readonly totalMs: number;
  readonly maxBodyBytes: number;
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
  /** One request, one attempt: no redirect followed, nothing decoded, nothing repeated. Never rejects. */
  post(request: HttpRequest, limits: Limits, signal?: AbortSignal): Promise<Delivery>;
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

export interface Clock {
  now(): number;
  monotonic(): number;
  /** 0 waits until what is already due was done. */
  sleep(ms: number): Promise<void>;
}

export interface Random {
  /** Letters and digits. */
  letters(length: number): string;
  uuid(): string;
  /** A whole number from 0 to below `bound`. */
  below(bound: number): number;
  /** A new RSA key pair of 2048 bits as PEM: SPKI and PKCS #8. */
  rsaPem(): { readonly publicKey: string; readonly privateKey: string };
}

export interface FileFacts {
  readonly mode: number;
  readonly ownedByUser: boolean;
  readonly ownedByRoot: boolean;
  readonly isWritableByOthers: boolean;
  readonly isFile: boolean;
  readonly size: number;
}

/** A file being written under another name. */
export interface Staged {
  write(content: string | Uint8Array): void;
  /** Gives it its name; an older file of that name is replaced in one step. */
  keep(): void;
  drop(): void;
}

/** New folders have mode 0700, new files 0600 unless given. What is written is flushed. */
export interface Files {
  exists(path: string): boolean;
  /** Follows links. Undefined where there is nothing. */
  facts(path: string): FileFacts | undefined;
  /**
   * UTF-8 text of a plain file, without a byte order mark, at most `maxBytes` (1 MiB when left out). Throws an Error
   * with a code such as ENOENT, EFBIG or EILSEQ (not UTF-8).
   */
  readText(path: string, maxBytes?: number): string;
  readBytes(path: string, maxBytes?: number): Uint8Array;
  /** The bytes of a plain file from offset `from` on. Throws as readText does, before the first piece. */
  pieces(path: string, from?: number): Iterable<Uint8Array>;
  readDescriptor(descriptor: number): Uint8Array;
  /** Atomic: a reader sees the old text or the new one, never a part, whenever the machine stops. */
  writeText(path: string, text: string, mode?: number): void;
  stage(path: string, mode?: number): Staged;
  /** Throws an Error with the code EEXIST when the name is taken. */
  createText(path: string, text: string, mode?: number): void;
  remove(path: string): void;
  /** A new folder for temporary files. */
  scratch(): { readonly path: string; remove(): void };
  /** Sorted names; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** Resolved by the XDG rules and PAYCLI_CONFIG_DIR / PAYCLI_STATE_DIR. */
  readonly folders: Readonly<Record<'config' | 'state' | 'data' | 'working' | 'home', string>>;
}

export type Env = Readonly<Record<string, string | undefined>>;

export interface Captured {
  readonly exit: number;
  readonly out: Uint8Array;
  readonly err: Uint8Array;
}

export interface CaptureOptions {
  readonly env: Env;
  readonly folder: string;
  readonly input?: string;
  /** Ends the program, and those that it started, at once. */
  readonly signal: AbortSignal;
}

export interface Processes {
  readonly pid: number;
  /** As the system reports it, not the environment; the name in lower case where it has no number. */
  readonly user: { readonly name: string; readonly id: string };
  /** Within which pids are unique: a boot of the machine, and in it a container. Undefined but on Linux. */
  readonly place: string | undefined;
  readonly host: string;
  readonly nodeVersion: string;
  readonly platform: string;
  isAlive(pid: number): boolean;
  /** When a process began, which tells it from a later one with its pid; undefined when none runs, or but on Linux. */
  startOf(pid: number): string | undefined;
  end(pid: number): void;
  /**
   * Starts a program with the streams of this one and further variables; with `err` its output goes to standard error.
   * Its exit code is 128 and the number of the signal that ended it. Throws USAGE when it cannot be started.
   */
  start(
    command: readonly string[],
    env: Env,
    output?: 'err',
  ): Promise<{ readonly exit: Promise<number>; signal(name: 'SIGINT' | 'SIGTERM'): void }>;
  /** Runs a program to its end. Rejects when it cannot be started or prints more than 1 MiB (EFBIG). */
  capture(command: readonly string[], options: CaptureOptions): Promise<Captured>;
  /** Shows a web address in the user's browser. False when there is none to start. */
  browse(url: string): Promise<boolean>;
  /** Returns how to stop it. */
  every(ms: number, work: () => void): () => void;
  /** Calls back on SIGINT or SIGTERM, which a closed terminal counts as; returns how to stop listening. */
  onStop(callback: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
}

/** The key store of the user's system. Rejects, with the reason in words, when it cannot be used or at the signal. */
export interface Keyring {
  read(account: string, signal: AbortSignal): Promise<string | undefined>;
  write(account: string, secret: string, signal: AbortSignal): Promise<void>;
  remove(account: string, signal: AbortSignal): Promise<boolean>;
}

export type SqlValue = string | number | bigint | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Database {
  exec(sql: string): void;
  /** `lastId` is the row id of the newest insert on this connection. */
  run(sql: string, ...values: SqlValue[]): { readonly changes: number; readonly lastId: number };
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined;
  all(sql: string, ...values: SqlValue[]): SqlRow[];
  /** Runs `work` inside one immediate transaction; rolled back when it throws. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export interface DatabaseOpener {
  /** Opens or creates a file (mode 0600) in WAL mode with full flushes; `:memory:` for none. */
  open(path: string): Database;
}

export interface PostgresAddress {
  /** Or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `none` is for this machine only. */
  readonly tls: 'none' | 'full';
  /** PEM text of the authorities to trust instead of the usual ones. */
  readonly ca?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * `lost`: the connection is gone, or cannot be made for now; what was not committed did not happen. `disturbed`: another
 * transaction was in the way, and nothing happened. `rule`: a row breaks a rule of its table.
 */
export interface PostgresFault extends Error {
  readonly fault: 'lost' | 'disturbed' | 'rule' | 'other';
  /** Without the text of the server, which may repeat what a row holds. */
  readonly why: string;
}

/** Throws a `PostgresFault`. */
export interface PostgresConnection {
  /** Without values it may be several statements; the rows are those of the last one. Whole numbers are numbers. */
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  release(isBroken: boolean): void;
}

export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
  end(): Promise<void>;
}

export interface Runtime {
  readonly env: Env;
  /** Each run begins with its own. */
  readonly printed?: Printed;
  /** What is to be done once the command has ended; its faults are not told any more. */
  readonly atEnd?: (() => Promise<unknown>)[];
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
  /** Large ones take seconds, off the main thread. */
  rsaPair(bits: number): Promise<RsaPair>;
}

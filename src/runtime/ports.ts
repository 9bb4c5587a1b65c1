/** The outside world as interfaces. Real implementations are in this folder; tests bring their own. */

import type { KeyPairKeyObjectResult } from 'node:crypto';
import type { PaycliError } from '../errors/index.js';
import type { DatabaseOpener, PostgresAddress, PostgresPool } from './databases.js';

export type * from './databases.js';
export type RsaPair = KeyPairKeyObjectResult;

/** Painters for one stream; each returns its text unchanged when the stream has no colour. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'good' | 'bad' | 'warn' | 'name', (text: string) => string>>;

export interface Terminal {
  readonly isOutTty: boolean;
  readonly isErrTty: boolean;
  /** True when standard input and standard error are both terminals. */
  readonly canPrompt: boolean;
  /** 80 when standard output is no terminal. */
  readonly width: number;
  /** Undefined when standard error is no terminal. */
  readonly errWidth: number | undefined;
  /** A closed pipe is not an error. */
  out(text: string): void;
  err(text: string): void;
  /** One animated line at the end of standard error while something takes long; undefined removes it. */
  progress(text: Progress | undefined): void;
  /** Painters, per stream. `colour` is the user's --color / --no-color, if any. */
  paint(stream: 'out' | 'err', colour?: boolean): Paint;
  /** All of standard input as text; at most 1 MiB. */
  readStdin(options?: { readonly withMark?: boolean }): Promise<string>;
  /** The same as bytes. */
  readStdinBytes(): Promise<Uint8Array>;
}

/** The text of a progress line; a function is called each time the line is drawn. */
export type Progress = string | (() => string);

/** What one run has printed so far, from which the error text is made where it ends with another code than 0. */
export interface Printed {
  /** The form of its results, once that is known. */
  form?: string;
  /** The result was printed on a terminal, complete and in words. */
  isOnScreen?: boolean;
  /** The meaning of the result, as printed. */
  meaning?: string;
  /** The next command, as printed with the result. */
  next?: string;
  /** HTTP status of the last reply of the gateway; undefined where the last request got none. */
  httpStatus?: number | undefined;
  /** The error that is still to be printed, as the one error of this run. */
  error?: PaycliError;
  /** An error is on standard error already. */
  hasPrintedError?: boolean;
  /** The exit code is that of another program, which was given after `--`. */
  isOfProgram?: boolean;
}

export interface Question {
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
  /** Typed text is not shown. */
  readonly hidden?: boolean;
  /** A list for the arrow keys; `yes` and `no` are typed. */
  readonly choices?: readonly string[];
  /** The text beside a choice, by choice. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly initial?: string;
  /** The reason a value is not acceptable, or undefined. */
  readonly check?: (text: string) => string | undefined;
  /** How typed text stays on the screen once it is the answer; as it was typed when left out. */
  readonly shown?: (text: string) => string;
}

export interface Prompter {
  /** Asks one question. Throws INTERRUPTED when the user cancels. */
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

/** In milliseconds, but for the last. */
export interface Limits {
  /** For DNS, TCP and TLS together. */
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

/**
 * The result of one attempt.
 * `never-sent`: the connection was never established, so no byte of the request was sent.
 * `certificate`: the same, because of the peer's certificate or protocol version.
 * `lost`: anything else; the request may have arrived.
 */
export type Delivery =
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | NotSent
  | { readonly kind: 'lost'; readonly reason: string };

export type NotSent =
  | { readonly kind: 'never-sent'; readonly reason: string }
  | { readonly kind: 'certificate'; readonly reason: string; readonly remedy: string };

export interface Transport {
  /** One request, one attempt: no redirect followed, nothing decoded, nothing repeated. Never rejects. */
  post(request: HttpRequest, limits: Limits, signal?: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** PEM text of authorities trusted besides the usual roots. */
  readonly ca?: string;
  /** Keeps a connection for the next request to the same place, for two seconds at most. */
  readonly keep?: boolean;
  /** Where requests will go. Throws ENVIRONMENT_INVALID at once where the proxy on the way there cannot be used. */
  readonly target?: string;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only grow. */
  monotonic(): number;
  /** 0 waits until what is already due was done. */
  sleep(ms: number): Promise<void>;
}

export interface Random {
  /** Letters and digits from a cryptographic source. */
  letters(length: number): string;
  uuid(): string;
  /** A whole number from 0 to below `bound`. */
  below(bound: number): number;
}

/** A random source that makes keys as well. */
export interface KeyRandom extends Random {
  /** A new RSA key pair of 2048 bits as PEM: SPKI and PKCS #8. */
  rsaPem(): { readonly publicKey: string; readonly privateKey: string };
}

export interface FileFacts {
  /** Permission bits, such as 0o600. */
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
  /** Flushes it and gives it its name; an older file of that name is replaced in one step. */
  keep(): void;
  drop(): void;
}

/** New folders have mode 0700, new files 0600 unless given. What is written is flushed. */
export interface Files {
  exists(path: string): boolean;
  /** Follows links. Undefined when the path does not exist. */
  facts(path: string): FileFacts | undefined;
  /**
   * UTF-8 text of a plain file, without a byte order mark, at most `maxBytes` (1 MiB when left out). Throws an Error
   * with a code such as ENOENT, EFBIG or EILSEQ (not UTF-8).
   */
  readText(path: string, maxBytes?: number): string;
  readBytes(path: string, maxBytes?: number): Uint8Array;
  /** The bytes of a plain file from offset `from` on. Throws as readText does, before the first piece. */
  pieces(path: string, from?: number): Iterable<Uint8Array>;
  /** All that an open descriptor has; a byte order mark in front stays. */
  readDescriptor(descriptor: number): string;
  /** Atomic: a reader sees the old text or the new one, never a part, whenever the machine stops. */
  writeText(path: string, text: string, mode?: number): void;
  /** A file that takes its name only once all of it is written. */
  stage(path: string, mode?: number): Staged;
  /** Throws an Error with the code EEXIST when the name is taken. */
  createText(path: string, text: string, mode?: number): void;
  remove(path: string): void;
  /** A new folder for temporary files; `remove` deletes it with all that is in it. */
  scratch(): { readonly path: string; remove(): void };
  /** Names in a folder, sorted; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** Undefined when the system does not say. */
  freeBytes(path: string): number | undefined;
  /** Of a file that need not exist yet; false where it cannot be told. */
  isOnNetwork(path: string): boolean;
  /** Folders, resolved by the XDG rules and PAYCLI_CONFIG_DIR / PAYCLI_STATE_DIR. */
  readonly folders: Readonly<Record<'config' | 'state' | 'data' | 'working' | 'home', string>>;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** A program this one started. */
export interface Child {
  /** 128 and the number of the signal when a signal ended it. */
  readonly exit: Promise<number>;
  signal(name: 'SIGINT' | 'SIGTERM'): void;
}

export interface Captured {
  readonly exit: number;
  readonly out: Uint8Array;
  readonly err: Uint8Array;
}

export interface CaptureOptions {
  /** All the variables it gets. */
  readonly env: Env;
  readonly folder: string;
  /** The text of its standard input. */
  readonly input?: string;
  /** Ends the program, and those that it started, at once. */
  readonly signal: AbortSignal;
}

/** The user this process runs as; where a system has no number of it, the name in lower case. */
export interface SystemUser {
  readonly name: string;
  readonly id: string;
}

export interface Processes {
  readonly pid: number;
  /** As the system reports it, not the environment. */
  readonly user: SystemUser;
  /**
   * Boot id of the machine, namespace of its pids and start in ticks since boot, which tell this process from a later
   * one with the same pid. Linux reports all of it; macOS and Windows nothing.
   */
  readonly identity: Readonly<Partial<Record<'boot' | 'namespace' | 'started', string | undefined>>>;
  /** Name of this machine. */
  readonly host: string;
  /** Bun and Deno pass for Node in most other ways. */
  readonly engine: 'Node' | 'Bun' | 'Deno';
  /** Such as 20.20.2. */
  readonly nodeVersion: string;
  /** System and processor, such as linux x64. */
  readonly platform: string;
  isAlive(pid: number): boolean;
  /** When the process of this id began, as in `identity`; undefined when none runs, or the system does not say. */
  startOf(pid: number): string | undefined;
  /** Asks a process to end (SIGTERM). */
  end(pid: number): void;
  /**
   * Starts a program with the streams of this one and further variables; with `err` its output goes to standard error.
   * Throws USAGE when it cannot be started.
   */
  start(command: readonly string[], env: Env, output?: 'err'): Promise<Child>;
  /**
   * Runs a program without a shell, to its end. Rejects when it cannot be started or prints more than 1 MiB (EFBIG).
   */
  capture(command: readonly string[], options: CaptureOptions): Promise<Captured>;
  /** Shows a web address in the user's browser. False when there is none to start. */
  browse(url: string): Promise<boolean>;
  /** Does some work every so many milliseconds while the process runs; returns how to stop it. */
  every(ms: number, work: () => void): () => void;
  /** Calls back on SIGINT or SIGTERM, which a closed terminal counts as; returns how to stop listening. */
  onStop(callback: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
}

/** The key store of the user's system. Rejects, with the reason in words, when it cannot be used or at the signal. */
export interface Keyring {
  /** Undefined when there is no such entry. */
  read(account: string, signal: AbortSignal): Promise<string | undefined>;
  write(account: string, secret: string, signal: AbortSignal): Promise<void>;
  /** False when there was no such entry. */
  remove(account: string, signal: AbortSignal): Promise<boolean>;
}

export interface Runtime {
  readonly env: Env;
  /** Each run begins with its own. */
  readonly printed?: Printed;
  /** What is to be done once the command has ended; its faults are not told any more. */
  readonly atEnd?: (() => Promise<unknown>)[];
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: KeyRandom;
  readonly files: Files;
  readonly processes: Processes;
  /** `colour` is the user's --color / --no-color, if any. */
  prompter(colour?: boolean): Promise<Prompter>;
  transport(options: TransportOptions): Promise<Transport>;
  database(): Promise<DatabaseOpener>;
  /** Undefined where its package is not installed. */
  postgres?(address: PostgresAddress): Promise<PostgresPool | undefined>;
  keyring(): Promise<Keyring>;
  /** Makes an RSA key pair. Large ones take seconds, off the main thread. */
  rsaPair(bits: number): Promise<RsaPair>;
}

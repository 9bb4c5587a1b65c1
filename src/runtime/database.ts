import { closeSync, constants, fchmodSync, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type * as Sqlite from '@photostructure/sqlite';
import { fail, isOutOfFiles, shellWord, tooManyFilesOpen } from '../errors/index.js';
import { monotonicMs } from './clock.js';
import { isOwnedByUser, isWritableByOthers } from './file-permissions.js';
import { flushFolder, hasCode, makeFolder, sleepSync } from './files.js';
import type { Database, DatabaseOpener, Lock, SqlRow, SqlValue } from './ports.js';

// By require: in the one file of the program an import would load it for every command.
const { DatabaseSync }: typeof Sqlite = createRequire(import.meta.url)('@photostructure/sqlite');

type Statement = ReturnType<InstanceType<typeof DatabaseSync>['prepare']>;

const waitMs = 5000;

export const sqlite: DatabaseOpener = {
  open(path) {
    if (path !== ':memory:') prepareFile(path);
    return guarded(path, () => connect(path));
  },
  lock(path) {
    prepareFile(path);
    return guarded(path, () => hold(path));
  },
};

/** A lock of the kernel: unlike a lock file, it cannot outlive its process. */
function hold(path: string): Lock | undefined {
  const handle = new DatabaseSync(path, { timeout: 0 });
  try {
    handle.exec('BEGIN EXCLUSIVE');
    return { release: () => handle.close() };
  } catch (error) {
    handle.close();
    if (primaryCode(error) === 5) return undefined;
    throw error;
  }
}

function connect(path: string): Database {
  const handle = new DatabaseSync(path, { timeout: waitMs, enableForeignKeyConstraints: true });
  try {
    if (path !== ':memory:') turnToWal(handle, path);
    // With less, a committed row may be gone after a power cut, and with it the proof that a payment was tried.
    handle.exec('PRAGMA synchronous = FULL');
    // Checkpoints four times less often, as the same pages change repeatedly.
    handle.exec('PRAGMA wal_autocheckpoint = 4000');
    return wrap(handle, path);
  } catch (error) {
    // While its files are open, it can still be seen whether there were too many of them.
    const translated = translate(error, path, primaryCode(error));
    handle.close();
    throw translated;
  }
}

/** SQLite gives its companion files the mode of the main one, so that one is made first, whatever the umask. */
function prepareFile(path: string): void {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) makeFile(path);
    else checkFile(path, found);
    checkFolder(path);
  } catch (error) {
    throw translate(error, path, fileCode(error));
  }
}

function checkFile(path: string, found: Stats): void {
  if (!found.isFile()) throw fail('STORAGE', { what: path, why: 'it is not a regular file', how: `move ${path} away` });
  if (!isOwnedByUser(found))
    throw fail('STORAGE', {
      what: path,
      why: 'it belongs to another user',
      how: `make it yours: chown it, or move ${path} away`,
    });
  if (process.getuid !== undefined && (found.mode & 0o077) !== 0)
    throw fail('STORAGE', {
      what: path,
      why: 'other users can open it',
      how: `run \`chmod 600 ${shellWord(path, 'WHAT')}\``,
    });
}

/** Whoever owns or may write the folder can replace this file. */
function checkFolder(path: string): void {
  const folder = dirname(path);
  const found = statSync(folder);
  if (!isOwnedByUser(found) && found.uid !== 0)
    throw fail('STORAGE', {
      what: path,
      why: 'its folder belongs to another user',
      how: `make ${folder} yours: chown it, or set PAYCLI_STATE_DIR to a folder of your own`,
      folder,
    });
  if (isWritableByOthers(found))
    throw fail('STORAGE', {
      what: path,
      why: 'other users can write to its folder',
      how: `run \`chmod go-w ${shellWord(folder, 'FOLDER')}\``,
      folder,
    });
}

function makeFile(path: string): void {
  makeFolder(dirname(path));
  // Not O_EXCL: two processes may start at the same moment.
  const descriptor = openSync(path, constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
  flushFolder(dirname(path));
}

/** Switching to WAL ignores the busy timeout, so two first runs at the same moment would collide. */
function turnToWal(handle: InstanceType<typeof DatabaseSync>, path: string): void {
  const until = monotonicMs() + waitMs;
  for (;;) {
    try {
      const row: SqlRow = handle.prepare('PRAGMA journal_mode = WAL').get();
      if (row['journal_mode'] === 'wal') return;
      throw fail('STORAGE', {
        what: path,
        why: 'this file system cannot hold it safely',
        how: 'set PAYCLI_STATE_DIR to a folder on a local disk',
      });
    } catch (error) {
      if (primaryCode(error) !== 5 || monotonicMs() > until) throw error;
      sleepSync();
    }
  }
}

function wrap(handle: InstanceType<typeof DatabaseSync>, path: string): Database {
  const cache = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    const known = cache.get(sql) ?? handle.prepare(sql);
    cache.set(sql, known);
    return known;
  };
  return {
    exec: (sql) => guarded(path, () => handle.exec(sql)),
    run: (sql, ...values) =>
      guarded(path, () => {
        const { changes, lastInsertRowid } = prepared(sql).run(...values);
        return { changes, lastId: Number(lastInsertRowid) };
      }),
    get: (sql, ...values) => guarded(path, (): SqlRow | undefined => prepared(sql).get(...values)),
    all: (sql, ...values: SqlValue[]) => guarded(path, (): SqlRow[] => prepared(sql).all(...values)),
    transaction: (work) => guarded(path, () => inTransaction(handle, prepared, work)),
    close: () => {
      cache.clear();
      foldIn(handle);
      guarded(path, () => handle.close());
    },
  };
}

/**
 * Brings the main file up to date, so that a copy of it alone lacks nothing, and empties the WAL file, which the next
 * process would have to read as a whole. SQLite would do it at close, but prepared statements hold the file open until
 * they are collected. Does not wait: while another process reads, and when it fails, the WAL file still has every
 * row.
 */
function foldIn(handle: InstanceType<typeof DatabaseSync>): void {
  try {
    handle.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {}
}

function inTransaction<T>(
  handle: InstanceType<typeof DatabaseSync>,
  prepared: (sql: string) => Statement,
  work: () => T,
): T {
  // A plain begin fails under contention when it turns into a write.
  prepared('BEGIN IMMEDIATE').run();
  try {
    const result = work();
    prepared('COMMIT').run();
    return result;
  } catch (error) {
    // SQLite has already rolled back by itself after a full disk, for example.
    if (handle.isTransaction) handle.exec('ROLLBACK');
    throw error;
  }
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error, path, primaryCode(error));
  }
}

const keepFile = 'move the file away and keep it; `paycli status` still answers for each order';
const inUse = ['another paycli is using it', 'wait for the other command to end, then repeat this one'] as const;

/** Why, and what to do, by SQLite's primary code. */
const faults: Readonly<Record<number, readonly [why: string, how: string]>> = {
  0: ['it cannot be read', keepFile],
  5: inUse,
  6: inUse,
  8: ['it is read-only', 'make the file and its folder writable by you'],
  10: ['the disk reports an error', 'check the disk before you send anything else'],
  11: ['it is damaged', keepFile],
  13: ['the disk is full', 'free some space on the disk, then repeat the command'],
  14: ['it cannot be opened', 'check that the file and its folder are yours and writable'],
  26: ['it is not a database', keepFile],
};

/** Constraint violations and wrong SQL pass through: they are faults of the caller, not of the disk. */
function translate(error: unknown, path: string, code = codeInWords(error)): unknown {
  if (isOutOfFiles(error) || (code === 14 && isAnyFileTooMany())) return tooManyFilesOpen(path, { cause: error });
  const [why, how] = faults[code] ?? [];
  return why === undefined ? error : fail('STORAGE', { what: path, why, how }, { cause: error });
}

/** What SQLite says of these, where a statement gives rows. */
const words: readonly (readonly [text: string, code: number])[] = [
  ['constraint failed', 19],
  ['is locked', 5],
  ['readonly', 8],
  ['disk I/O error', 10],
  ['malformed', 11],
  ['is full', 13],
];

/** A statement that gives rows has no code when it fails on the way. */
function codeInWords(error: unknown): number {
  if (!(error instanceof Error) || !hasCode(error, 'ERR_SQLITE_ERROR')) return -1;
  return words.find(([text]) => error.message.includes(text))?.[1] ?? 0;
}

/** SQLite does not say why it could not open a file. */
function isAnyFileTooMany(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'));
    return false;
  } catch (error) {
    return isOutOfFiles(error);
  }
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** The SQLite code for a failure to create the file or its folder. */
function fileCode(error: unknown): number | undefined {
  if (hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT')) return 13;
  if (hasCode(error, 'EROFS')) return 8;
  return ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EEXIST', 'EISDIR'].some((code) => hasCode(error, code))
    ? 14
    : undefined;
}

import { closeSync, constants, fchmodSync, lstatSync, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type * as Sqlite from '@photostructure/sqlite';
import { fail, shellWord } from '../errors/index.js';
import { flushFolder, isOwnedByUser, isWritableByOthers, makeFolder } from './files.js';
import { hasCode, sleepSync, systemClock } from './machine.js';
import type { Database, DatabaseOpener, SqlRow, SqlValue } from './ports.js';

// By require: in the one file of the program an import would load it for every command.
const { DatabaseSync }: typeof Sqlite = createRequire(import.meta.url)('@photostructure/sqlite');

type Handle = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Handle['prepare']>;

const waitMs = 5000;

export const sqlite: DatabaseOpener = {
  open(path) {
    if (path !== ':memory:') guarded(path, () => prepareFile(path), fileCode);
    return guarded(path, () => {
      const handle = new DatabaseSync(path, { timeout: waitMs, enableForeignKeyConstraints: true });
      try {
        if (path !== ':memory:') turnToWal(handle, path);
        // With less, a committed row may be gone after a power cut, and with it the proof that a payment was tried.
        handle.exec('PRAGMA synchronous = FULL');
        // Checkpoints four times less often, as the same pages change repeatedly.
        handle.exec('PRAGMA wal_autocheckpoint = 4000');
      } catch (error) {
        handle.close();
        throw error;
      }
      return wrap(handle, path);
    });
  },
};

/** SQLite gives its companion files the mode of the main one, so that one is made first, whatever the umask. */
function prepareFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isClosed = process.getuid === undefined || ((found?.mode ?? 0) & 0o077) === 0;
  if (found === undefined) makeFile(path);
  else if (!found.isFile() || !isOwnedByUser(found) || !isClosed)
    throw fail('STORAGE', {
      what: path,
      why: 'it is not a file of yours that other users cannot open',
      how: `run \`chmod 600 ${shellWord(path, 'WHAT')}\`, or move it away`,
    });
  const folder = dirname(path);
  const above = statSync(folder);
  // Who owns or may write the folder can replace this file.
  if ((!isOwnedByUser(above) && above.uid !== 0) || isWritableByOthers(above))
    throw fail('STORAGE', {
      what: path,
      why: 'other users can write to its folder',
      how: `make the folder yours, and run \`chmod go-w ${shellWord(folder, 'FOLDER')}\``,
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
function turnToWal(handle: Handle, path: string): void {
  const until = systemClock.monotonic() + waitMs;
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
      if (primaryCode(error) !== busy || systemClock.monotonic() > until) throw error;
      sleepSync();
    }
  }
}

function wrap(handle: Handle, path: string): Database {
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
    transaction: (work) =>
      guarded(path, () => {
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
      }),
    close() {
      cache.clear();
      foldIn(handle);
      guarded(path, () => handle.close());
    },
  };
}

/**
 * Brings the main file up to date, so that a copy of it alone lacks nothing. SQLite would do it at close, but prepared
 * statements hold the file open until they are collected. Does not wait: while another process reads, and when it
 * fails, the WAL file still has every row.
 */
function foldIn(handle: Handle): void {
  try {
    handle.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {}
}

const busy = 5;
const keepFile = 'move the file away and keep it; `paycli status` still answers for each order';
const unreadable = ['it is damaged, or no database', keepFile] as const;

/** Why, and what to do, by SQLite's primary code. */
const faults: Readonly<Record<number, readonly [why: string, how: string]>> = {
  [busy]: ['another paycli is using it', 'wait for the other command to end, then repeat this one'],
  8: ['it is read-only', 'make the file and its folder writable by you'],
  10: ['the disk reports an error', 'check the disk before you send anything else'],
  11: unreadable,
  13: ['the disk is full', 'free some space on the disk, then repeat the command'],
  14: ['it cannot be opened', 'check that the file and its folder are yours and writable'],
  26: unreadable,
};

/** Constraint violations and wrong SQL pass through: they are faults of the caller, not of the disk. */
function guarded<T>(path: string, work: () => T, codeOf = primaryCode): T {
  try {
    return work();
  } catch (error) {
    const [why, how] = faults[codeOf(error) ?? -1] ?? [];
    throw why === undefined ? error : fail('STORAGE', { what: path, why, how }, { cause: error });
  }
}

/** What SQLite says of these, where it gives no code: in a statement that gives rows. */
const words: readonly (readonly [text: string, code: number])[] = [
  ['constraint failed', 19],
  ['is locked', busy],
  ['readonly', 8],
  ['disk I/O error', 10],
  ['is full', 13],
  ['', 11],
];

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !hasCode(error, 'ERR_SQLITE_ERROR')) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return words.find(([text]) => error.message.includes(text))?.[1];
}

/** The same for a failure to make the file or its folder. */
function fileCode(error: unknown): number | undefined {
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return 13;
  if (hasCode(error, 'EROFS')) return 8;
  return hasCode(error, 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EEXIST', 'EISDIR') ? 14 : undefined;
}

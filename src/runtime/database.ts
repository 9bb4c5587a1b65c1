import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { fail, isPaycliError, shellWord } from '../errors/index.js';
import { createText, facts } from './files.js';
import { hasCode, sleepSync } from './machine.js';

export type SqlValue = string | number | bigint | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

type Handle = InstanceType<typeof DatabaseSync>;

/** Opens or creates a file (mode 0600) in WAL mode with full flushes; `:memory:` for none. */
export const sqlite = {
  open: (path: string) =>
    guarded(path, () => {
      if (path !== ':memory:') prepareFile(path);
      const handle = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
      turnToWal(handle);
      // With less, a committed row may be gone after a power cut, and with it the proof that a payment was tried.
      handle.exec('PRAGMA synchronous = FULL');
      return wrap(handle, path);
    }),
};

/** SQLite gives its companion files the mode of the main one, so that one is made first, whatever the umask. */
function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    createText(path, '');
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  const found = facts(path);
  const isOwn = !lstatSync(path).isSymbolicLink() && found?.isFile === true && found.isPrivate;
  // Who owns or may write the folder can replace the file.
  if (isOwn && facts(folder)?.isTrusted === true) return;
  throw fail('STORAGE', {
    what: path,
    why: 'it is not a file that only you can open, in a folder that only you can change',
    how: `make both yours, then run \`chmod 600 ${shellWord(path, 'FILE')}\` and \`chmod go-w ${shellWord(folder, 'FOLDER')}\``,
  });
}

/** Switching to WAL ignores the busy timeout, so two first runs at the same moment would collide. */
function turnToWal(handle: Handle): void {
  for (let tries = 1; ; tries += 1) {
    try {
      handle.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!(error instanceof Error && error.message.endsWith('is locked')) || tries === 500) throw error;
      sleepSync();
    }
  }
}

function wrap(handle: Handle, path: string) {
  const cache = new Map<string, ReturnType<Handle['prepare']>>();
  const prepared = (sql: string) => {
    const known = cache.get(sql);
    if (known !== undefined) return known;
    const made = handle.prepare(sql);
    cache.set(sql, made);
    return made;
  };
  /** `lastId` is the row id of the newest insert on this connection. */
  const run = (sql: string, ...values: SqlValue[]) =>
    guarded(path, () => {
      const { changes, lastInsertRowid } = prepared(sql).run(...values);
      return { changes: Number(changes), lastId: Number(lastInsertRowid) };
    });
  return {
    exec: (sql: string): void => guarded(path, () => handle.exec(sql)),
    run,
    get: (sql: string, ...values: SqlValue[]) => guarded(path, (): SqlRow | undefined => prepared(sql).get(...values)),
    all: (sql: string, ...values: SqlValue[]) => guarded(path, (): SqlRow[] => prepared(sql).all(...values)),
    /** One immediate transaction; rolled back when the work throws. */
    transaction<T>(work: () => T): T {
      // A plain begin fails under contention when it turns into a write.
      run('BEGIN IMMEDIATE');
      try {
        const result = work();
        run('COMMIT');
        return result;
      } catch (error) {
        // SQLite has already rolled back by itself after a full disk, for example.
        if (handle.isTransaction) handle.exec('ROLLBACK');
        throw error;
      }
    },
    close() {
      // So that a copy of the main file alone lacks nothing. SQLite would do it at close, but prepared statements hold
      // the file open until they are collected. While another process reads the WAL file keeps every row.
      try {
        handle.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {}
      guarded(path, () => handle.close());
    },
  };
}

/** Why, by what SQLite or the system says. */
const faults: readonly (readonly [says: RegExp, why: string])[] = [
  [/is locked$/, 'another paycli is using it'],
  [/readonly database$|^EROFS/, 'it is read-only'],
  [/^disk I\/O error/, 'the disk reports an error'],
  [/disk is full$|^ENOSPC|^EDQUOT/, 'the disk is full'],
  [/^unable to open|^E[A-Z]+:/, 'it cannot be opened'],
  [/malformed|not a database$/, 'it is damaged, or no database'],
];

const how =
  'check the disk, and that the file and its folder are yours and writable, then repeat the command; move a damaged file away and keep it: `paycli status` still answers for each order';

/** Constraint violations and wrong SQL pass through: they are faults of the caller, not of the disk. */
function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || isPaycliError(error)) throw error;
    const [, why] = faults.find(([says]) => says.test(error.message)) ?? [];
    throw why === undefined ? error : fail('STORAGE', { what: path, why, how }, { cause: error });
  }
}

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import type { Database } from '../../src/runtime/ports.js';

let folder = '';
let path = '';
const opened: Database[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paycli-db-'));
  path = join(folder, 'state', 'journal.db');
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(place = path): Database {
  const database = sqlite.open(place);
  opened.push(database);
  return database;
}

const storage = (why: string) => expect.objectContaining({ code: 'STORAGE', facts: expect.objectContaining({ why }) });
const modeOf = (file: string) => statSync(file).mode & 0o777;
const count = (database: Database) => database.get('SELECT count(*) AS n FROM t')?.['n'];

describe('the file', () => {
  test('and its companions are 0600 in a 0700 folder, whatever the umask', () => {
    const before = process.umask(0);
    const database = open();
    database.exec('CREATE TABLE t (a TEXT)');
    process.umask(before);
    expect([join(folder, 'state'), path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual([
      0o700, 0o600, 0o600, 0o600,
    ]);
  });

  test('is written with full flushes, in WAL mode, with foreign keys', () => {
    const database = open();
    expect(database.get('PRAGMA journal_mode')).toMatchObject({ journal_mode: 'wal' });
    expect(database.get('PRAGMA synchronous')).toMatchObject({ synchronous: 2 });
    expect(database.get('PRAGMA foreign_keys')).toMatchObject({ foreign_keys: 1 });
    expect(database.get('PRAGMA busy_timeout')).toMatchObject({ timeout: 5000 });
  });

  test('holds everything alone once it is closed, and leaves an empty WAL file to read', () => {
    const database = sqlite.open(path);
    database.exec('CREATE TABLE t (a)');
    for (let at = 0; at < 500; at += 1) database.run('INSERT INTO t VALUES (?)', 'x'.repeat(100));
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(50_000);
    database.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    const copy = join(folder, 'state', 'copy.db');
    writeFileSync(copy, readFileSync(path), { mode: 0o600 });
    expect(count(open(copy))).toBe(500);
  });

  test('is closed without a wait while another connection reads what was before', () => {
    const database = sqlite.open(path);
    database.exec('CREATE TABLE t (a)');
    const other = open();
    other.exec('BEGIN');
    expect(count(other)).toBe(0);
    database.run('INSERT INTO t VALUES (1)');
    const startedAt = performance.now();
    database.close();
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(count(other)).toBe(0);
    other.exec('COMMIT');
    expect(count(other)).toBe(1);
  });

  test('is refused when it is readable for others, a link, a folder or no database', () => {
    open().close();
    opened.pop();
    chmodSync(path, 0o644);
    expect(() => open()).toThrow(
      storage('it is not a file that only you can open, in a folder that only you can change'),
    );
    chmodSync(path, 0o600);
    symlinkSync(path, join(folder, 'link'));
    expect(() => open(join(folder, 'link'))).toThrow(
      storage('it is not a file that only you can open, in a folder that only you can change'),
    );
    mkdirSync(join(folder, 'dir'));
    expect(() => open(join(folder, 'dir'))).toThrow(
      storage('it is not a file that only you can open, in a folder that only you can change'),
    );
    writeFileSync(join(folder, 'text'), 'not a database, but longer than its header is'.repeat(100), { mode: 0o600 });
    expect(() => open(join(folder, 'text'))).toThrow(storage('it is damaged, or no database'));
    writeFileSync(join(folder, 'file'), '');
    expect(() => open(join(folder, 'file', 'journal.db'))).toThrow(storage('it cannot be opened'));
  });

  test('that is damaged is told apart', () => {
    const database = open();
    database.exec('CREATE TABLE t (a TEXT)');
    database.transaction(() => {
      for (let at = 0; at < 500; at += 1) database.run('INSERT INTO t VALUES (?)', 'x'.repeat(200));
    });
    database.close();
    opened.pop();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096, 3 * 4096);
    writeFileSync(path, bytes);
    expect(() => open().get('SELECT * FROM t')).toThrow(storage('it is damaged, or no database'));
    expect(() => open().all('SELECT * FROM t')).toThrow(storage('it is damaged, or no database'));
  });
});

describe('statements', () => {
  test('refuse an integer that a number cannot hold rather than change it', () => {
    const database = open();
    database.exec('CREATE TABLE t (a INTEGER)');
    database.run('INSERT INTO t VALUES (?)', 9_007_199_254_740_993n);
    expect(() => database.get('SELECT a FROM t')).toThrow('too large');
  });

  test('let a violated constraint and wrong SQL pass as what they are', () => {
    const database = open();
    database.exec('CREATE TABLE t (a TEXT PRIMARY KEY)');
    database.run('INSERT INTO t VALUES (?)', 'a');
    expect(() => database.run('INSERT INTO t VALUES (?)', 'a')).toThrow(expect.objectContaining({ errcode: 1555 }));
    expect(() => database.run('INSERT INTO nowhere VALUES (?)', 'a')).toThrow(expect.objectContaining({ errcode: 1 }));
  });
});

describe('a transaction', () => {
  test('gives the result, or leaves no trace when it throws', () => {
    const database = open();
    database.exec('CREATE TABLE t (a TEXT)');
    const result = database.transaction(() => {
      database.run('INSERT INTO t VALUES (?)', 'a');
      return 'done';
    });
    expect(result).toBe('done');
    const failure = new Error('no');
    expect(() =>
      database.transaction(() => {
        database.run('INSERT INTO t VALUES (?)', 'b');
        throw failure;
      }),
    ).toThrow(failure);
    expect(count(database)).toBe(1);
    expect(database.transaction(() => count(database))).toBe(1);
  });

  test('of another connection makes it wait, then fail as busy', { timeout: 15_000 }, () => {
    const first = open();
    const second = open();
    first.exec('CREATE TABLE t (a TEXT)');
    second.exec('PRAGMA busy_timeout = 50');
    first.transaction(() => {
      expect(() => second.transaction(() => undefined)).toThrow(storage('another paycli is using it'));
    });
    expect(second.transaction(() => 'free')).toBe('free');
  });

  test('on a full disk fails and leaves the rows as they were', () => {
    const database = open();
    database.exec('CREATE TABLE t (a TEXT)');
    database.run('INSERT INTO t VALUES (?)', 'a');
    database.exec('PRAGMA max_page_count = 10');
    const fill = () => database.transaction(() => database.run('INSERT INTO t VALUES (?)', 'x'.repeat(200_000)));
    expect(fill).toThrow(storage('the disk is full'));
    expect(count(database)).toBe(1);
  });
});

test('eight processes that start on a new file at the same moment all succeed', { timeout: 30_000 }, async () => {
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  const esbuild: typeof import('esbuild') = createRequire(import.meta.url)('esbuild');
  const script = join(import.meta.dirname, '..', '..', 'node_modules', `.paycli-db-${process.pid}.mjs`);
  const source = `import { sqlite } from './src/runtime/database.js';
    const db = sqlite.open(process.argv[2]);
    db.exec('CREATE TABLE IF NOT EXISTS t (a TEXT)');
    for (let i = 0; i < 20; i += 1) db.transaction(() => db.run('INSERT INTO t VALUES (?)', 'a'));`;
  await esbuild.build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, '..', '..') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@photostructure/sqlite'],
    outfile: script,
  });
  try {
    const codes = await Promise.all(
      Array.from(
        { length: 8 },
        () => new Promise((done) => spawn(process.execPath, [script, path], { stdio: 'inherit' }).once('exit', done)),
      ),
    );
    expect(codes).toEqual(Array(8).fill(0));
    expect(count(open())).toBe(160);
  } finally {
    rmSync(script, { force: true });
  }
});

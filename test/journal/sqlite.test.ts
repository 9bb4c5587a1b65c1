import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Journal, NewRequest, Sum } from '../../src/journal/port.js';
import { openSqliteJournal, type SqlitePorts } from '../../src/journal/sqlite.js';
import { sqlite } from '../../src/runtime/database.js';
import { systemClock } from '../../src/runtime/machine.js';
import type { Database } from '../../src/runtime/ports.js';
import { systemProcesses } from '../../src/runtime/processes.js';
import { describeJournal } from './behaviour.js';
import { begin, end, newFolder, type OpenOptions, type Place, portsIn, sale, saleOf } from './support.js';

const sqlitePortsIn = (folder: string, options?: OpenOptions): SqlitePorts => ({
  ...portsIn(folder, options),
  databases: sqlite,
  path: join(folder, 'state', 'requests.db'),
});

function placeIn(folder = newFolder()): Place {
  const state = join(folder, 'state');
  const all = ['requests.db', 'requests.db-wal', 'requests.db-shm'].map((name) => join(state, name));
  const remove = () => {
    for (const path of all) rmSync(path, { force: true });
  };
  return {
    open: (options) => openSqliteJournal(sqlitePortsIn(folder, options)),
    copy() {
      const kept = join(folder, 'copy.db');
      copyFileSync(join(state, 'requests.db'), kept);
      return () => {
        remove();
        copyFileSync(kept, join(state, 'requests.db'));
      };
    },
    remove,
  };
}

describeJournal('SQLite', placeIn);

const open = (ports: SqlitePorts): Journal => openSqliteJournal(ports);

describe('the file', () => {
  test('is for its owner alone, and with full flushes', () => {
    const ports = sqlitePortsIn(newFolder());
    let database: Database | undefined;
    const databases = { open: (path: string) => (database = sqlite.open(path)) };
    open({ ...ports, databases });
    expect(statSync(ports.path).mode & 0o777).toBe(0o600);
    expect(database?.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(database?.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
  });

  test('of another format, or readable by others, or damaged, is refused with 13', () => {
    const ports = sqlitePortsIn(newFolder());
    const other = sqlite.open(ports.path);
    other.exec('CREATE TABLE intents (id INTEGER)');
    other.close();
    const refused = expect.objectContaining({ code: 'STORAGE', exit: 13 });
    expect(() => open(ports)).toThrow(refused);
    const shared = sqlitePortsIn(newFolder());
    mkdirSync(join(shared.path, '..'), { recursive: true });
    writeFileSync(shared.path, '');
    chmodSync(shared.path, 0o644);
    expect(() => open(shared)).toThrow(refused);
    const damaged = sqlitePortsIn(newFolder());
    mkdirSync(join(damaged.path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(damaged.path, 'no database, '.repeat(999), { mode: 0o600 });
    expect(() => open(damaged)).toThrow(refused);
  });

  test('on a network file system is refused before it is made', () => {
    const ports = sqlitePortsIn(newFolder());
    expect(() => open({ ...ports, files: { ...ports.files, isOnNetwork: () => true } })).toThrow(
      expect.objectContaining({ exit: 13 }),
    );
    expect(existsSync(ports.path)).toBe(false);
    expect(ports.files.isOnNetwork(ports.path)).toBe(false);
  });

  test('that may not grow: the attempt is refused with 13, then every other, and nothing half is in it', async () => {
    const ports = sqlitePortsIn(newFolder());
    const limited = (path: string) => {
      const database = sqlite.open(path);
      const transaction = <T>(work: () => T): T => {
        limit(database);
        return database.transaction(work);
      };
      return { ...database, transaction };
    };
    let isFull = false;
    const limit = (database: Database) => {
      const pages = Number(database.get('PRAGMA page_count')?.['page_count']);
      database.exec(`PRAGMA max_page_count = ${isFull ? pages : 1_000_000}`);
    };
    const journal = open({ ...ports, databases: { open: limited } });
    const first = await begin(journal, sale);
    isFull = true;
    const ids = Array.from({ length: 200 }, (_, at) => `full-${at}`);
    const attempts = await Promise.allSettled(ids.map((id) => begin(journal, saleOf(id))));
    const failed = attempts.filter(({ status }) => status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    for (const each of failed) expect(each).toMatchObject({ reason: { code: 'STORAGE', exit: 13 } });
    isFull = false;
    await expect(begin(journal, saleOf('later'))).rejects.toMatchObject({ exit: 13 });
    await expect(end(journal, first, 'done')).rejects.toMatchObject({ exit: 13 });
    const again = open(ports);
    const recorded = await again.find({ states: ['sending'] }, { limit: 999 });
    expect(recorded).toHaveLength(1 + attempts.length - failed.length);
    expect(await again.check()).toEqual([]);
  });

  test('holds no payload that can be read, and none at all after a purge', async () => {
    const ports = sqlitePortsIn(newFolder());
    const journal = open(ports);
    await journal.addBatch({ id: 'b1', digest: '', head: {} });
    const [row] = await journal.addRows('b1', [{ ...sale, number: 1, payload: 'a secret value, '.repeat(999) }]);
    await journal.changeBatch('b1', ['planning'], { state: 'running' });
    await journal.close();
    const bytes = () => readFileSync(ports.path, 'latin1');
    const database = sqlite.open(ports.path);
    const encrypted = database.get('SELECT substr(encrypted, -99) AS end FROM payload')?.['end'];
    database.close();
    expect([bytes().includes('a secret value'), bytes().includes(String(encrypted))]).toEqual([false, true]);
    const other = open(ports);
    const begun = await begin(other, sale, { id: row && 'id' in row ? row.id : 0, batch: 'b1' });
    await end(other, begun, 'refused');
    await other.purgePayloads('b1');
    await other.close();
    expect(bytes().includes(String(encrypted))).toBe(false);
  });

  test('a mark that cannot be read stops as a missing event does; a folder that is read-only stops nothing', async () => {
    const ports = sqlitePortsIn(newFolder());
    const journal = open(ports);
    await begin(journal, sale);
    await journal.close();
    writeFileSync(ports.markPath ?? '', '{');
    expect(open(ports).restored).toMatchObject({ why: 'unreadable' });
    const beginAndClose = async (code: string) => {
      const failing = sqlitePortsIn(newFolder());
      const writeText = () => {
        throw Object.assign(new Error('no'), { code });
      };
      const other = open({ ...failing, files: { ...failing.files, writeText } });
      await begin(other, sale);
      await other.close();
    };
    await beginAndClose('EROFS');
    await expect(beginAndClose('ENOSPC')).rejects.toMatchObject({ exit: 13 });
  });
});

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('processes of their own', () => {
  let program = '';

  beforeAll(async () => {
    const outfile = join(mkdtempSync(join(root, 'node_modules', '.paycli-child-')), 'child.mjs');
    const entry = join(root, 'test', 'journal', 'child.ts');
    const loader = { '.sql': 'text' } as const;
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      external: ['@photostructure/sqlite'],
      loader,
      platform: 'node',
      format: 'esm',
      target: 'node20',
    });
    program = outfile;
    return () => rmSync(join(outfile, '..'), { recursive: true, force: true });
  });

  interface Started {
    readonly child: ChildProcess;
    /** What came of its payments, once all have been tried. */
    readonly said: Promise<readonly string[]>;
  }

  function start(folder: string, at: number, requests: readonly NewRequest[], cap?: Sum): Started {
    const args = [program, folder, String(at), JSON.stringify(requests), JSON.stringify(cap ?? null)];
    const child = spawn(process.execPath, args, { env: { NODE_PATH: join(root, 'node_modules') } });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    const said = new Promise<readonly string[]>((resolve, reject) => {
      child.stdout.on('data', (text) => {
        printed += text;
        if (printed.endsWith('all\n')) resolve(printed.trim().split('\n').slice(0, -1));
      });
      child.stderr.on('data', (text) => reject(new Error(String(text))));
    });
    return { child, said };
  }

  const kill = (child: ChildProcess) =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });

  const inThisProcess = (folder: string) =>
    open({ ...sqlitePortsIn(folder), clock: systemClock, process: systemProcesses });

  test('the same ids at the same moment: each is begun once', async () => {
    const folder = newFolder();
    const requests = Array.from({ length: 30 }, (_, at) => saleOf(`order-${at}`));
    const at = Date.now() + 1500;
    const started = [1, 2, 3].map(() => start(folder, at, requests));
    const said = await Promise.all(started.map((one) => one.said));
    for (const at of requests.keys())
      expect(said.map((each) => each[at]).sort(), `${at}`).toEqual(['begun', 'used-id', 'used-id']);
    const events = await Promise.all(
      (await inThisProcess(folder).find({}, { limit: 99 })).map(({ id }) =>
        inThisProcess(folder).events({ request: id }),
      ),
    );
    expect(events.map(({ length }) => length)).toEqual(requests.map(() => 1));
  });

  test('one that is killed at any moment: what it said had begun is recorded, and nothing blocks the next', async () => {
    const folder = newFolder();
    let begun = 0;
    for (const [turn, ms] of [0, 10, 40].entries()) {
      const at = Date.now() + 800;
      const requests = Array.from({ length: 200 }, (_, row) => saleOf(`turn-${turn}-${row}`));
      const { child } = start(folder, at, requests);
      let printed = '';
      child.stdout?.on('data', (text) => {
        printed += text;
      });
      await new Promise((resolve) => setTimeout(resolve, at - Date.now() + ms));
      await kill(child);
      const journal = inThisProcess(folder);
      begun += printed.split('\n').filter((line) => line === 'begun').length;
      const recorded = await journal.find({}, { limit: 2000 });
      expect(recorded.length).toBeGreaterThanOrEqual(begun);
      expect(recorded.every(({ state, attempt }) => attempt === 1 && ['sending', 'unknown'].includes(state))).toBe(
        true,
      );
      await journal.markGone();
      expect(await journal.find({ states: ['sending'] }, { limit: 1 })).toEqual([]);
      await journal.close();
    }
  });
});

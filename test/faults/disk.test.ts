import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { fail } from '../../src/errors/index.js';
import { sqlite } from '../../src/runtime/database.js';
import type { Database, Delivery, Runtime } from '../../src/runtime/ports.js';
import { homeWithProfile, saleFlags, statusReply, taken } from '../cli/profiles.js';
import type { Ran } from '../e2e/home.js';
import { begin, end, saleOf } from '../journal/support.js';
import { paycli, reply } from '../support/runtime.js';
import { openJournalOf } from '../support/user-journal.js';
import { type Merchant, openMerchants, sale } from './merchant.js';
import { answer, byPath, type FaultServer, faults } from './server.js';

const isLong = process.env['EVERY_WRITE'] !== undefined;

const { newMerchant, serve } = openMerchants();
const mounted: string[] = [];
afterAll(() => {
  for (const path of mounted) execFileSync('umount', ['--lazy', path]);
});

async function scene(): Promise<{
  readonly merchant: Merchant;
  readonly server: FaultServer;
  readonly journal: string;
}> {
  const merchant = newMerchant();
  const noRecord = answer('{"type":"validation-error","error-message":"order not found","error-code":"3"}', {
    status: 400,
  });
  const server = await serve(byPath({ '/sale/': faults.accepted, '/status/': noRecord }));
  return { merchant, server, journal: join(merchant.home.state, 'requests.db') };
}

/** Exit 13 with one error that says what is wrong and what to do. */
function expectStorage({ exit, err }: Ran, why: RegExp): void {
  expect(exit, err).toBe(13);
  expect(err).toMatch(
    /^(?:warning: sale of .+ on order order-0 has the same amount .+\n)?error: .+ could not be used: .+\nnext: .+\n$/,
  );
  expect(err).toMatch(why);
}

/** A file system of 1 MiB at a folder, where this machine lets us mount one. */
function smallDisk(folder: string): boolean {
  mkdirSync(folder, { mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  mounted.push(folder);
  return true;
}

function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize));
}

describe.concurrent('F37 a full disk', { tags: 'strace' }, () => {
  test('before a sale: exit 13, nothing is sent, the journal is as it was, and with room it goes on', async () => {
    const { merchant, server } = await scene();
    const isSmall = smallDisk(merchant.home.state);
    expect((await merchant.call(sale('order-0'), server.url)).exit).toBe(8);
    const before = merchant.rows(server.url);
    const sent = server.bodies();
    if (isSmall) fill(merchant.home.state);
    const full = isSmall
      ? await merchant.call([...sale(), '--again'], server.url)
      : await merchant.traced(['pwrite64:error=ENOSPC:when=1+'], [...sale(), '--again'], merchant.reaching(server.url));
    expectStorage(full, /full|cannot be|error/);
    expect(merchant.rows(server.url)).toEqual(before);
    expect(server.bodies()).toBe(sent);
    rmSync(join(merchant.home.state, 'filler'), { force: true });
    expect((await merchant.call([...sale(), '--again'], server.url)).exit).toBe(0);
    expect(await merchant.entries(server.url)).toMatchObject([
      { state: 'unknown' },
      { state: 'accepted', attempts: 1 },
    ]);
    await merchant.expectWhole();
  });

  test('while the outcome is written: the reply and its own exit code, the fault beside it, and the request is not sent again', async () => {
    const { merchant, server } = await scene();
    await openJournalOf(merchant.home.path).close();
    // The journal stands in the way of the reply only.
    const words = [...sale(), '--verbose'];
    const full = await merchant.traced(['rename:error=ENOSPC:when=2+'], words, merchant.reaching(server.url));
    expect(full.exit, full.err).toBe(0);
    expect(full.out).toMatch(/paynet-order-id +17/);
    expect(full.err).toMatch(/journal-marks\.json could not be used: it cannot be written\nnext: /);
    expect(merchant.rows(server.url)).toMatchObject([{ state: 'accepted', attempt: 1 }]);
    expect(server.bodies('/sale/')).toBe(1);
    await merchant.call(sale(), server.url);
    expect(server.bodies('/sale/')).toBe(1);
    await merchant.expectWhole();
  });
});

describe.concurrent('F39 a flush that fails', { tags: 'strace' }, () => {
  // SQLite flushes the folder after it made the WAL file, and ignores what comes of that.
  const ignored = 2;

  test('once, at any flush: exit 13 where nothing was sent, the outcome of what was sent where it was, and no flush is tried again', async () => {
    let [before, after] = [0, 0];
    for (const at of isLong ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1, 4, 8]) {
      const { merchant, server } = await scene();
      await openJournalOf(merchant.home.path).close();
      const ran = await merchant.traced([`fsync:error=EIO:when=${at}`], sale(), merchant.reaching(server.url));
      const calls = readFileSync(join(merchant.home.path, 'trace'), 'utf8').split('\n');
      if (at === ignored) {
        expect([ran.exit, calls.filter((line) => line.includes('EIO')).length]).toEqual([0, 1]);
        continue;
      }
      // A mark that fails is written with the next one.
      const isSaid =
        /^error: .+ could not be used: (?:the disk reports an error|it cannot be written)\nnext: .+\n/m.test(ran.err);
      const bodies = server.bodies('/sale/');
      const [row] = merchant.rows(server.url);
      if (bodies === 0) {
        before += 1;
        expect([ran.exit, ran.out, isSaid], `${at}`).toEqual([13, '', true]);
        expect(['sending', 'not_sent', undefined]).toContain(row?.['state']);
      } else {
        after += 1;
        expect(ran.exit, `${at}`).toBe(0);
        expect(ran.out).toMatch(/paynet-order-id +17/);
        expect(isSaid ? ['sending', 'accepted'] : ['accepted']).toContain(row?.['state']);
      }
      // Whatever was or was not sent: the same command again makes no second one.
      await merchant.call(sale(), server.url);
      expect(server.bodies('/sale/'), `${at}`).toBeLessThan(2);
      if (isLong) await merchant.expectWhole();
    }
    const least = isLong ? 2 : 1;
    expect([before >= least, after >= least]).toEqual([true, true]);
  });
});

// One after the other: their homes go with the test that runs.
describe('F39 at the database port', () => {
  const cases: readonly (readonly [string, number, number, number, Delivery, '' | '--wait'])[] = [
    ['plan', 13, 0, 1, reply(200, taken), ''],
    ['begin', 13, 0, 2, reply(200, taken), ''],
    ['settle', 0, 1, 3, reply(200, taken), ''],
    ['settle', 4, 2, 3, reply(400, { type: 'validation-error', 'error-message': 'no' }), ''],
    ['settle', 8, 1, 3, { kind: 'lost', reason: 'the connection was reset' }, ''],
    // What the gateway said is shown, and nothing that needs the journal follows.
    ['settle', 0, 1, 3, reply(200, taken), '--wait'],
    ['settle', 8, 1, 3, { kind: 'lost', reason: 'the connection was reset' }, '--wait'],
    ['settle', 6, 3, 3, { kind: 'never-sent', reason: 'connection refused' }, ''],
  ];

  test.each(cases)(
    'a flush that fails in `%s`: exit %i and %i requests',
    async (_, exit, requests, at, answer, word) => {
      const home = homeWithProfile();
      await openJournalOf(home).close();
      let count = 0;
      const broken = (database: Database): Database => ({
        ...database,
        transaction: (work) => {
          count += 1;
          if (count === at)
            throw fail('STORAGE', { what: 'journal.db', why: 'the disk reports an error', how: 'check the disk' });
          return database.transaction(work);
        },
      });
      const ran = await paycli([...saleFlags, '--json', ...(word === '' ? [] : [word])], {
        home,
        network: Array.from({ length: requests }, () => () => answer),
        outside: (usual) => ({
          ...ended(usual),
          database: async () => ({ ...sqlite, open: (path) => broken(sqlite.open(path)) }),
        }),
      });
      expect(ran.exit, ran.err).toBe(exit);
      expect(ran.err).toContain('the disk reports an error');
      expect(ran.requests).toHaveLength(requests);
      // Whatever is said for programs agrees with the exit code.
      for (const line of ran.err.split('\n').filter((text) => text.startsWith('{')))
        expect(JSON.parse(line)).toMatchObject({ exit });
      if (exit === 0) expect(JSON.parse(ran.err)).toMatchObject({ code: 'STORAGE', ok: true });
      if (ran.out !== '') expect(JSON.parse(ran.out)).toMatchObject({ exit, ok: exit === 0 });
      // Without a fault the same command goes on where that one stopped, and asks where something may have left.
      const next = await paycli([...saleFlags], {
        home,
        outside: ended,
        network: [() => reply(200, requests === 0 ? taken : statusReply('approved'))],
      });
      expect(next.exit).toBe(0);
      expect(next.requests.map(({ url }) => url.includes('/status/'))).toEqual([requests > 0]);
    },
  );
});

/** Its processes have ended, and that can be told. */
function ended(usual: Runtime): Runtime {
  return { ...usual, processes: { ...usual.processes, place: 'b n' } };
}

describe('F42 a journal with a random page of 4 KiB', () => {
  const pageSize = 4096;
  const merchant = newMerchant();
  const path = join(merchant.home.state, 'requests.db');

  /** Many entries, all in the one file, without free pages: such a one may be random without harm. */
  async function prepare(base: string): Promise<number[]> {
    const journal = openJournalOf(merchant.home.path);
    for (let at = 0; at < 150; at += 1)
      await end(journal, await begin(journal, saleOf(`order-${at}`, { base })), 'done', { orderId: String(900 + at) });
    await journal.close();
    const database = new DatabaseSync(path);
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    copyFileSync(path, `${path}.good`);
    return Array.from({ length: readFileSync(path).length / pageSize }, (_, at) => at);
  }

  test('sends nothing that it has, wherever the page is', {
    timeout: 60_000,
  }, async () => {
    const server = await serve(faults.accepted);
    const pages = await prepare(server.url);
    expect(pages.length).toBeGreaterThan(20);
    // The first page, the last one, and some between; all of them in a long run.
    const chosen = isLong ? pages : [0, 7, pages.length - 1];
    for (const page of chosen) {
      const bytes = readFileSync(`${path}.good`);
      crypto.getRandomValues(bytes.subarray(page * pageSize, (page + 1) * pageSize));
      writeFileSync(path, bytes);
      const ran = await merchant.call(sale('order-77'), server.url);
      if (ran.exit === 13) expectStorage(ran, page === 0 ? /damaged/ : /damaged|cannot be read/);
      // A page that it did not need: the payment was found.
      else expect(ran.err).toContain('order 977');
      expect([10, 13]).toContain(ran.exit);
      expect(server.exchanges).toEqual([]);
      expect((await merchant.home.call(['doctor'])).exit).toBe(11);
    }
  });
});

import { fail } from '../errors/index.js';
import type { Clock, Database, DatabaseOpener, Files, Random } from '../runtime/ports.js';
import * as batches from './batches.js';
import { beginAttempt } from './begin.js';
import { fromUnits, readSpent, startOfDay } from './caps.js';
import * as find from './find.js';
import { Gather } from './gather.js';
import { Mark, type Newest } from './mark.js';
import type { Journal } from './port.js';
import { prepareTables, readMeta } from './schema.js';
import { openSecrets } from './secrets.js';
import { endAttempt, settleGone, settleRequest } from './settle.js';
import { type Process, Store } from './store.js';
import { seeWorker } from './workers.js';

export interface SqlitePorts {
  readonly databases: Pick<DatabaseOpener, 'open'>;
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText' | 'isOnNetwork'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  readonly random: Pick<Random, 'letters'>;
  readonly process: Process;
  /** The file of the journal. */
  readonly path: string;
  /** The file of the marks; left out for the journal of a sandbox. */
  readonly markPath?: string | undefined;
  /** The key of the installation. */
  readonly key: string;
  /** Who runs this, for the events. */
  readonly who: string;
}

/**
 * Opens the journal in its file, which is made at first use. Throws STORAGE for a file that is damaged, of another format
 * or on a network, and SECRET_UNREADABLE where the key is another one than it was made with.
 */
export function openSqliteJournal(ports: SqlitePorts): Journal {
  const { files, path } = ports;
  if (files.isOnNetwork(path))
    throw fail('STORAGE', {
      what: path,
      why: 'it is on a network file system, which may lose what was written',
      how: 'set PAYCLI_STATE_DIR to a folder on a local disk; a team shares a journal in PostgreSQL',
    });
  const database = ports.databases.open(path);
  try {
    return journalOn(openStore(ports, database));
  } catch (error) {
    database.close();
    throw error;
  }
}

function openStore(ports: SqlitePorts, database: Database): Store {
  const { files, clock, random, path, markPath, key, who } = ports;
  const secrets = openSecrets(key);
  const keyCheck = secrets.hash(['key check']);
  prepareTables(database, () => ({ store: random.letters(22), 'key check': keyCheck }));
  if (readMeta(database, 'key check') !== keyCheck)
    throw fail('SECRET_UNREADABLE', {
      what: 'the key of the journal',
      why: 'the journal was made with another key, so equal payments would not be recognised',
      how: 'nothing was sent; restore the file with the key, or move the journal away and keep it',
    });
  // The place is what the user calls it: a link in the way to it may lead to an empty folder by now.
  const marked = { files, clock, path: markPath ?? '', place: path };
  const mark = markPath === undefined ? undefined : new Mark(marked, readMeta(database, 'store'));
  const store = new Store({ database, clock, random, secrets, mark, process: ports.process, who });
  const nonceOf = (event: number) => database.get('SELECT nonce FROM event WHERE id = ?', event)?.['nonce'];
  store.restored = mark?.compare(nonceOf, readNewest(database));
  return store;
}

function readNewest(database: Database): Newest | undefined {
  const row = database.get('SELECT id, nonce, at FROM event ORDER BY id DESC LIMIT 1');
  return row && { event: Number(row['id']), nonce: String(row['nonce']), at: Number(row['at']) };
}

function journalOn(store: Store): Journal {
  const { clock, secrets, mark } = store.parts;
  const gather = new Gather(clock, (work) => store.change(work));
  return {
    worker: store.worker,
    get restored() {
      return store.restored;
    },
    assertNotRestored: () => assertNotRestored(store),
    hash: (parts) => secrets.hash(parts),
    ...batchMethods(store),
    ...requestMethods(store, gather),
    ...readMethods(store),
    async acceptRestored(facts) {
      store.change(() => store.addEvent({ reason: 'restored-accepted', facts }));
      const newest = readNewest(store.database);
      if (newest !== undefined) mark?.accept(newest);
      store.restored = undefined;
    },
    async flush() {
      await gather.finish();
      store.flush();
    },
    async close() {
      await gather.finish();
      store.close();
    },
  };
}

function assertNotRestored({ restored }: Store): void {
  if (restored === undefined) return;
  throw fail('STORAGE', {
    what: 'the journal',
    why: 'it lacks what this machine recorded in it: an older copy was restored, or the file was lost',
    how: 'nothing was sent; `paycli journal --accept-restored` asks the gateway about what is open, and accepts it',
  });
}

type BatchMethods = 'addBatch' | 'addRows' | 'changeBatch' | 'approve' | 'purgePayloads';

function batchMethods(store: Store): Pick<Journal, BatchMethods> {
  return {
    addBatch: async (batch) => store.change(() => batches.insertBatch(store, batch)),
    addRows: async (batch, rows) => store.change(() => batches.insertRows(store, batch, rows)),
    async changeBatch(id, from, change, facts) {
      // Rows that it takes for unsent may have been sent.
      if (change.state === 'cancelled') assertNotRestored(store);
      return store.change(() => batches.updateBatch(store, { id, from, change, facts }));
    },
    approve: async (approval) => store.change(() => batches.insertApproval(store, approval)),
    purgePayloads: async (batch) => store.change(() => batches.clearPayloads(store, batch)),
  };
}

type RequestMethods = 'begin' | 'end' | 'settle' | 'record' | 'beat' | 'markGone' | 'takeToAsk' | 'see';

/** Attempts, results and evidence of one moment are one transaction. */
function requestMethods(store: Store, gather: Gather): Pick<Journal, RequestMethods> {
  const each = <Value, Answer>(values: readonly Value[], work: (store: Store, value: Value) => Answer) =>
    Promise.all(values.map((value) => gather.add(() => work(store, value))));
  return {
    async begin(attempts) {
      assertNotRestored(store);
      return each(attempts, beginAttempt);
    },
    end: (results) => each(results, endAttempt),
    settle: (evidence) => each(evidence, settleRequest),
    async record({ request, batch }, reason, facts) {
      const about = batch === undefined ? facts : { ...facts, batch };
      store.change(() => store.addEvent({ request, reason, facts: about }));
    },
    beat: async () => store.change(() => seeWorker(store)),
    markGone: async () => store.change(() => settleGone(store)),
    takeToAsk: async (filter, limit, pause) => store.change(() => find.takeToAsk(store, filter, limit, pause)),
    see: async (orders) => store.change(() => find.saveSeen(store, orders)),
  };
}

type ReadMethods = 'find' | 'total' | 'findEqual' | 'events' | 'spent' | 'findSeen' | 'check';
type BatchReadMethods = 'findBatches' | 'approvals' | 'readPayloads';

function readMethods(store: Store): Pick<Journal, ReadMethods | BatchReadMethods> {
  return {
    find: async (filter, page) => find.findRequests(store, filter, page),
    total: async (filter) => find.totalRequests(store, filter),
    findEqual: async (requests, since) => requests.map((request) => find.findEqualTo(store, request, since)),
    events: async (about) => find.readEvents(store, about),
    async spent(merchant, at = store.now()) {
      const spent = [...readSpent(store.database, merchant, startOfDay(at))];
      return spent.map(([currency, units]) => fromUnits(units, currency));
    },
    findSeen: async (filter, page) => find.findSeenOrders(store, filter, page),
    async check() {
      const rows = store.database.all('PRAGMA integrity_check(10)');
      return rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
    },
    findBatches: async (id) => batches.readBatches(store, id),
    approvals: async (batch) => batches.readApprovals(store, batch),
    readPayloads: async (ids) => batches.decryptPayloads(store, ids),
  };
}

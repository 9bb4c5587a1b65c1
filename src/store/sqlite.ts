import { fail } from '../errors/index.js';
import type { Clock, Database, DatabaseOpener, Files, Random } from '../runtime/ports.js';
import * as batches from './batches.js';
import { beginGroup, readSpent } from './begin.js';
import { fromUnits, startOfDay } from './caps.js';
import * as find from './find.js';
import { Gather } from './gather.js';
import { Mark, type Newest } from './mark.js';
import type { Begin, Begun, Evidence, Filter, Journal, Request, Result, Settled } from './port.js';
import { requestFrom } from './rows.js';
import { prepareTables, readMeta } from './schema.js';
import { openSecrets } from './secrets.js';
import { endGroup, settleGone, settleGroup } from './settle.js';
import { type Process, Store } from './store.js';
import { seeWorker } from './workers.js';

export interface SqlitePorts {
  readonly databases: Pick<DatabaseOpener, 'open'>;
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText' | 'realPath' | 'isOnNetwork'>;
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
    return new SqliteJournal(prepareStore(ports, database));
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareStore(ports: SqlitePorts, database: Database): Store {
  const { files, clock, random, path, markPath, key, who } = ports;
  const secrets = openSecrets(key);
  const keyCheck = secrets.hash(['key check']);
  // What is deleted must not stay readable in free pages.
  database.exec('PRAGMA secure_delete = ON');
  prepareTables(database, () => ({ store: random.letters(22), 'key check': keyCheck }));
  if (readMeta(database, 'key check') !== keyCheck)
    throw fail('SECRET_UNREADABLE', {
      what: 'the key of the journal',
      why: 'the journal was made with another key, so equal payments would not be recognised',
      how: 'nothing was sent; restore the file with the key, or move the journal away and keep it',
    });
  const id = readMeta(database, 'store');
  const place = files.realPath(path);
  const mark = markPath === undefined ? undefined : new Mark({ files, clock, path: markPath, place }, id);
  const store = new Store({ database, clock, random, secrets, mark, process: ports.process, who }, random.letters(22));
  const nonceOf = (event: number) => {
    const nonce = database.get('SELECT nonce FROM event WHERE id = ?', event)?.['nonce'];
    return nonce === undefined ? undefined : String(nonce);
  };
  store.restored = mark?.compare(nonceOf, readNewest(database));
  return store;
}

function readNewest(database: Database): Newest | undefined {
  const row = database.get('SELECT id, nonce, at FROM event ORDER BY id DESC LIMIT 1');
  return row && { event: Number(row['id']), nonce: String(row['nonce']), at: Number(row['at']) };
}

type Change =
  | { readonly what: 'begin'; readonly value: Begin }
  | { readonly what: 'end'; readonly value: Result }
  | { readonly what: 'settle'; readonly value: Evidence };

class SqliteJournal implements Journal {
  readonly worker: string;
  readonly #store: Store;
  readonly #changes: Gather<Change, Begun | Settled>;

  constructor(store: Store) {
    this.worker = store.worker;
    this.#store = store;
    this.#changes = new Gather(store.parts.clock, (changes) => writeGroup(store, changes));
  }

  get restored() {
    return this.#store.restored;
  }

  hash(parts: readonly string[]): string {
    return this.#store.parts.secrets.hash(parts);
  }

  async begin(attempts: readonly Begin[]): Promise<readonly Begun[]> {
    if (this.restored !== undefined)
      throw fail('STORAGE', {
        what: 'the journal',
        why: 'it lacks what this machine recorded in it: an older copy was restored, or the file was lost',
        how: 'nothing was sent; `paycli journal --accept-restored` asks the gateway about everything open, and accepts it',
      });
    return (await this.#gather('begin', attempts)) as readonly Begun[];
  }

  async end(results: readonly Result[]): Promise<readonly Settled[]> {
    return (await this.#gather('end', results)) as readonly Settled[];
  }

  async settle(evidence: readonly Evidence[]): Promise<readonly Settled[]> {
    return (await this.#gather('settle', evidence)) as readonly Settled[];
  }

  #gather(what: Change['what'], values: readonly unknown[]) {
    return Promise.all(values.map((value) => this.#changes.add({ what, value } as Change)));
  }

  async addBatch(batch: Parameters<Journal['addBatch']>[0]) {
    return this.#store.change(() => batches.insertBatch(this.#store, batch));
  }

  async addRows(batch: string, rows: Parameters<Journal['addRows']>[1]) {
    return this.#store.change(() => batches.insertRows(this.#store, batch, rows));
  }

  async dropBatch(id: string) {
    this.#store.change(() => batches.deleteBatch(this.#store, id));
  }

  async changeBatch(...[id, from, change]: Parameters<Journal['changeBatch']>) {
    return this.#store.change(() => batches.updateBatch(this.#store, id, from, change));
  }

  async findBatches(id?: string) {
    return batches.readBatches(this.#store, id);
  }

  async approve({ batch, digest, total, role }: Parameters<Journal['approve']>[0]) {
    const sql = 'INSERT INTO approval VALUES (?, ?, ?, ?, ?)';
    this.#store.change(() => this.#store.database.run(sql, batch, digest, total, role, this.#store.now()));
  }

  async approvals(batch: string) {
    return batches.readApprovals(this.#store, batch);
  }

  async readPayloads(ids: readonly number[]) {
    return batches.decryptPayloads(this.#store, ids);
  }

  async purgePayloads(batch: string) {
    return this.#store.change(() => batches.clearPayloads(this.#store, batch));
  }

  async record(...[{ request, batch }, reason, facts]: Parameters<Journal['record']>) {
    const about = batch === undefined ? facts : { ...facts, batch };
    this.#store.change(() => this.#store.addEvents([{ request, reason, facts: about }]));
  }

  async beat() {
    this.#store.change(() => seeWorker(this.#store, this.#store.now()));
  }

  async markGone() {
    return this.#store.change(() => settleGone(this.#store));
  }

  async takeToAsk(filter: Filter, limit: number, forMs: number): Promise<readonly Request[]> {
    const { where, values } = find.filterSql({ states: ['unknown', 'accepted'], ...filter });
    const now = this.#store.now();
    const sql = `UPDATE request SET ask_at = ? WHERE id IN (
      SELECT id FROM request WHERE ${where} AND coalesce(ask_at, 0) <= ? ORDER BY coalesce(ask_at, 0), id LIMIT ?)
      RETURNING *`;
    return this.#store.change(() => this.#store.database.all(sql, now + forMs, ...values, now, limit).map(requestFrom));
  }

  async find(...[filter, page]: Parameters<Journal['find']>) {
    return find.findRequests(this.#store, filter, page);
  }

  async total(filter: Filter) {
    return find.totalRequests(this.#store, filter);
  }

  async findEqual(...[requests, since]: Parameters<Journal['findEqual']>) {
    return requests.map((request) => find.findEqualTo(this.#store, request, since));
  }

  async events(about: Parameters<Journal['events']>[0]) {
    return find.readEvents(this.#store, about);
  }

  async spent(...[merchant, at = this.#store.now()]: Parameters<Journal['spent']>) {
    const spent = readSpent(this.#store, merchant, startOfDay(at));
    return spent.map(({ currency, units }) => fromUnits(BigInt(units), currency));
  }

  async see(orders: Parameters<Journal['see']>[0]) {
    this.#store.change(() => find.saveSeen(this.#store, orders));
  }

  async findSeen(...[filter, page]: Parameters<Journal['findSeen']>) {
    return find.findSeenOrders(this.#store, filter, page);
  }

  async acceptRestored(facts: Parameters<Journal['acceptRestored']>[0]) {
    const store = this.#store;
    store.change(() => store.addEvents([{ reason: 'restored-accepted', facts }]));
    const newest = readNewest(store.database);
    if (newest !== undefined) store.parts.mark?.accept(newest);
    store.restored = undefined;
  }

  async check() {
    const rows = this.#store.database.all('PRAGMA integrity_check(10)');
    return rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
  }

  async close() {
    await this.#changes.finish();
    this.#store.close();
  }
}

/** Results and evidence first: they may free what an attempt of the same moment waits for. */
function writeGroup(store: Store, changes: readonly Change[]): readonly (Begun | Settled)[] {
  const of = <W extends Change['what']>(what: W) =>
    changes.filter((change): change is Extract<Change, { what: W }> => change.what === what).map(({ value }) => value);
  return store.change(() => {
    const answers = {
      end: endGroup(store, of('end') as Result[]).values(),
      settle: settleGroup(store, of('settle') as Evidence[]).values(),
      begin: beginGroup(store, of('begin') as Begin[]).values(),
    };
    return changes.map(({ what }) => {
      const answer = answers[what].next();
      if (answer.done === true) throw new Error('a change of the journal has no answer');
      return answer.value;
    });
  });
}

import { fail } from '../errors/index.js';
import type { Clock, Files, Processes, Random, SqlRow } from '../runtime/ports.js';
import { ask, type Change, type Dialect, type Statement } from './dialect.js';
import { Mark } from './mark.js';
import { openSecrets, type Secrets } from './secrets.js';

/** This process, as far as others need to tell whether it still runs. */
export type Process = Pick<Processes, 'pid' | 'host' | 'place' | 'isAlive'>;

/** What a journal needs besides its database, whichever that is. */
export interface JournalPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly random: Pick<Random, 'letters'>;
  readonly process: Process;
  /** The file of the marks; left out for the journal of a sandbox. */
  readonly markPath?: string | undefined;
  /** The key of the installation, or of the team. */
  readonly key: string;
  /** Who runs this, for the events. */
  readonly who: string;
}

/** A database that holds a journal. */
export interface Tables {
  readonly dialect: Dialect;
  /** How long changes are gathered for one transaction: longer where each costs messages to a server. */
  readonly momentMs: number;
  /**
   * One transaction, beside which no other one writes. `work` gets the time of the store, and whether it is another one
   * than it was; it may be begun anew where it failed without a trace.
   */
  change<Result>(work: (now: number, isOther: boolean) => Change<Result>): Promise<Result>;
  read(statement: Statement): Promise<readonly SqlRow[]>;
  /** Takes the place where it is for its own from now on. */
  accept(): Change<void>;
  /** Tells every machine, until it is accepted, that an older copy was put in its place. */
  disown?(): Change<void>;
  /** What is wrong with it. */
  check?(): readonly string[];
  close(): Promise<void>;
}

/** A journal in its database, with what is known of it besides. */
export interface Store extends Pick<JournalPorts, 'clock' | 'random' | 'process' | 'who'> {
  readonly tables: Tables;
  readonly secrets: Secrets;
  /** Undefined for a journal of a sandbox, where no money moves. */
  readonly mark: Mark | undefined;
  /** This process, as requests name it. */
  readonly worker: string;
  readonly role: string | undefined;
  /** This process, as others find it. */
  readonly self: object;
}

/** The newest ids, the nonce that the event has which is marked, and when a restored store was accepted. */
export const headSql = `SELECT (SELECT max(id) FROM request) AS request, event.id AS event, event.at,
  (SELECT nonce FROM event WHERE id = ?) AS marked,
  (SELECT CAST(value AS bigint) FROM meta WHERE name = 'accepted') AS accepted
  FROM (SELECT max(id) AS id FROM event) AS newest LEFT JOIN event ON event.id = newest.id`;

/** Of the tables; a journal with another one is not used. */
const format = '3';

/** What a new journal keeps with its tables. */
export function newMeta({ random, key }: JournalPorts): ReadonlyMap<string, string> {
  const check = openSecrets(key).hash(['key check']);
  return new Map(Object.entries({ format, store: random.letters(22), 'key check': check }));
}

/**
 * The store in a place, by what it keeps with its tables. Throws STORAGE for another format, and SECRET_UNREADABLE where
 * the key is another one than it was made with.
 */
export function openStore(
  ports: JournalPorts,
  place: string,
  meta: ReadonlyMap<string, string>,
  tables: Tables,
  role?: string,
): Store {
  if (meta.get('format') !== format)
    throw fail('STORAGE', {
      what: place,
      why: 'it has another format',
      how: 'use the version of paycli that made it, or move it away and keep it',
    });
  const { files, clock, random, process, who, markPath: path } = ports;
  const secrets = openSecrets(ports.key);
  if (meta.get('key check') !== secrets.hash(['key check']))
    throw fail('SECRET_UNREADABLE', {
      what: 'the key of the journal',
      why: 'the journal was made with another key, so equal payments would not be recognised',
      how: 'nothing was sent; restore the file with the key, or give the `journal-key` that the team uses',
    });
  const store = meta.get('store') ?? '';
  const mark = path === undefined ? undefined : new Mark({ files, clock, path, place, store });
  const worker = random.letters(22);
  const { host, pid, place: boot = '' } = process;
  const self = { worker, host, pid, boot };
  return { tables, clock, random, process, who, secrets, mark, worker, role, self };
}

export function read({ tables }: Store, sql: string, ...values: Statement['values']): Promise<readonly SqlRow[]> {
  return tables.read({ sql, values });
}

export function assertNotRestored({ mark }: Store): void {
  if (mark?.restored === undefined) return;
  throw fail('STORAGE', {
    what: 'the journal',
    why: 'it lacks what this machine recorded in it: an older copy was restored, or the file was lost',
    how: 'nothing was sent; `paycli journal --accept-restored` asks the gateway about what is open, and accepts it',
  });
}

const maxSilenceMs = 150_000;

/** The processes that still run, and may be sending. Those that are gone are forgotten. */
export function* findAlive({ tables, worker, process }: Store, now: number): Change<readonly string[]> {
  const all = yield* ask('SELECT * FROM worker');
  const alive = all.filter((row) => row['worker'] === worker || !isGone(row, process, now));
  const ids = alive.map((row) => String(row['worker']));
  const sql = `DELETE FROM worker WHERE NOT (${tables.dialect.among('worker')}) RETURNING 1 AS done`;
  if (ids.length < all.length) yield* ask(sql, JSON.stringify(ids));
  return ids;
}

/**
 * One of this machine that has ended is gone at once. A clock that jumped, either way, may take a process for gone: its
 * requests are then asked about, and never sent again.
 */
function isGone({ host, pid, boot, seen_at: seenAt }: SqlRow, own: Process, now: number): boolean {
  if (Math.abs(now - Number(seenAt)) > maxSilenceMs) return true;
  if (host !== own.host || boot !== own.place) return false;
  return !own.isAlive(Number(pid));
}

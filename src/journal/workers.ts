import type { SqlRow } from '../runtime/ports.js';
import { ask, type Change } from './dialect.js';
import type { Process, Store } from './store.js';

const maxSilenceMs = 150_000;

/** This process, as others find it. */
export function describeWorker({ worker, process }: Store, seenAt: number): object {
  const { host, pid, identity } = process;
  return { worker, host, pid, boot: placeOf(process), started: identity.started ?? '', seenAt };
}

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
function isGone({ host, pid, boot, started, seen_at: seenAt }: SqlRow, own: Process, now: number): boolean {
  if (Math.abs(now - Number(seenAt)) > maxSilenceMs) return true;
  if (host !== own.host || boot !== placeOf(own) || own.identity.boot === undefined) return false;
  return !own.isAlive(Number(pid)) || (started !== '' && own.startOf(Number(pid)) !== started);
}

/** Where pids are unique: a boot of the machine, and in it a container. */
function placeOf({ identity: { boot = '', namespace = '' } }: Process): string {
  return `${boot} ${namespace}`;
}

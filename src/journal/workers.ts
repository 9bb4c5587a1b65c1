import type { SqlRow } from '../runtime/ports.js';
import type { Process, Store } from './store.js';

const maxSilenceMs = 150_000;

/** Within a change: says that this process still runs. */
export function seeWorker({ database, worker, parts }: Store): void {
  const { host, pid, identity } = parts.process;
  database.run(
    `INSERT INTO worker VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
    ...[worker, host, pid, placeOf(parts.process), identity.started ?? '', parts.clock.now()],
  );
}

/** Within a change: the processes that still run, and may be sending. Those that are gone are forgotten. */
export function findAlive({ database, worker, parts }: Store, now: number): readonly string[] {
  const all = database.all('SELECT * FROM worker');
  const alive = all.filter((row) => row['id'] === worker || !isGone(row, parts.process, now));
  const ids = alive.map(({ id }) => String(id));
  database.run('DELETE FROM worker WHERE id NOT IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
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

import { join } from 'node:path';
import { thenClose } from '../errors/index.js';
import { type Journal, type JournalPorts, openDamaged, openJournal, type Sender } from '../journal/index.js';
import type { Runtime } from '../runtime/ports.js';
import { packageVersion } from './version.js';

export function journalPath({ files }: Runtime): string {
  return join(files.folders.state, 'journal.db');
}

/** The journal of this user. Throws STORAGE when it is damaged or cannot be kept safely. */
export async function openUserJournal(runtime: Runtime): Promise<Journal> {
  return opened(runtime, openJournal);
}

/** Opens the journal for some work and closes it behind it; see `thenClose`. */
export async function withJournal<T>(runtime: Runtime, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  const journal = await openUserJournal(runtime);
  return thenClose(
    () => work(journal),
    () => journal.close(),
  );
}

/** The same in whatever condition it is. */
export async function openUserJournalAsIs(runtime: Runtime): Promise<Journal> {
  return opened(runtime, openDamaged);
}

async function opened(runtime: Runtime, open: (ports: JournalPorts) => Journal): Promise<Journal> {
  const { files, clock, random, processes } = runtime;
  const path = journalPath(runtime);
  const database = (await runtime.database()).open(path);
  const sender: Sender = { host: processes.host, pid: processes.pid, version: packageVersion };
  try {
    return open({ database, files, clock, random, sender, tailPath: `${path}.tail.json` });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether the process that wrote this still runs. Of another machine nobody here can tell, so it counts as gone. */
export function isRunning({ host, pid }: Sender, { processes }: Runtime): boolean {
  return host === processes.host && pid !== processes.pid && processes.isAlive(pid);
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { thenClose } from '../errors/index.js';
import { type Journal, type JournalPorts, openDamaged, openJournal, type Sender } from '../journal/index.js';
import type { Files, Processes, Runtime } from '../runtime/ports.js';
import { packageVersion } from './version.js';

export function journalPath({ files }: Runtime): string {
  return join(files.folders.state, 'journal.db');
}

/**
 * Where the end of the journal is noted: in the configuration folder, so that a state folder that is removed, emptied or restored does
 * not take the note with it. One for each state folder, by its path.
 */
export function journalNotePath({ files }: Runtime): string {
  return join(files.folders.config, `journal-end-${nameOf(files.folders.state, files)}.json`);
}

function nameOf(folder: string, files: Pick<Files, 'realPath'>): string {
  return createHash('sha256').update(files.realPath(folder)).digest('hex').slice(0, 16);
}

/** Whether anything was ever written down, whatever became of it. */
export function hasJournal(runtime: Runtime): boolean {
  return [journalPath(runtime), journalNotePath(runtime)].some((path) => runtime.files.exists(path));
}

/** The journal of this user. Throws STORAGE when it is damaged or cannot be kept safely. */
export async function openUserJournal(runtime: Runtime): Promise<Journal> {
  return opened(runtime, openJournal);
}

/** Opens the journal for some work and closes it behind it; see `thenClose`. */
export async function withJournal<T>(runtime: Runtime, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  return closing(await openUserJournal(runtime), work);
}

/** The same in whatever condition it is. */
export async function withJournalAsIs<T>(runtime: Runtime, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  return closing(await openUserJournalAsIs(runtime), work);
}

function closing<T>(journal: Journal, work: (journal: Journal) => T | Promise<T>): Promise<T> {
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
  const sender = senderOf(processes);
  try {
    // Once the database is open its folder is there, and has the path it keeps.
    const tailPath = journalNotePath(runtime);
    const note = { tailPath, formerTailPath: `${path}.tail.json`, tailPlace: nameOf(files.folders.config, files) };
    return open({ database, files, clock, random, sender, ...note });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** This process, as the journal writes it down. */
export function senderOf({ host, pid, identity }: Processes): Sender {
  return { host, pid, version: packageVersion, ...identity };
}

/**
 * Whether the process that wrote this still runs. Of another machine, or of another container on this one, nobody here can tell, so it
 * counts as gone: then status is asked, and nothing is sent again. Should it be sending all the same, what it learns is still written
 * down. Where the system tells no more than that some process has this number (macOS, Windows), that is taken for it.
 */
export function isRunning({ host, pid, boot, namespace, started }: Sender, { processes }: Pick<Runtime, 'processes'>): boolean {
  const { identity } = processes;
  if (host !== processes.host || pid === processes.pid) return false;
  if (isOther(boot, identity.boot) || isOther(namespace, identity.namespace)) return false;
  if (!processes.isAlive(pid)) return false;
  return started === undefined || identity.started === undefined || processes.startOf(pid) === started;
}

function isOther(theirs: string | undefined, own: string | undefined): boolean {
  return theirs !== undefined && own !== undefined && theirs !== own;
}

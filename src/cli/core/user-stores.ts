import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { type CallbackStore, openCallbackStore } from '../../callbacks/store.js';
import { closeAfter } from '../../errors/index.js';
import { type Journal, type JournalPorts, openJournal, openUnverified, type Sender } from '../../journal/index.js';
import type { Files, Processes, Runtime } from '../../runtime/ports.js';
import { callbackSeal } from './callback-seal.js';
import { packageVersion } from './version.js';

export function journalPath({ files }: Runtime): string {
  return join(files.folders.state, 'journal.db');
}

/**
 * Where the end of the journal is noted: in the configuration folder, so that a state folder that is removed, emptied
 * or restored does not take the note with it. One for each state folder, by its path.
 */
export function journalCheckpointPath({ files }: Runtime): string {
  return checkpointPathOf(files.realPath(files.folders.state), files);
}

/** The same for the path as given: if it is a link now but was a folder before, that folder's file has this name. */
function givenCheckpointPaths({ files }: Runtime): readonly string[] {
  const { state } = files.folders;
  return [state, join(files.realPath(dirname(state)), basename(state))].map((folder) =>
    checkpointPathOf(folder, files),
  );
}

function checkpointPathOf(folder: string, files: Pick<Files, 'folders'>): string {
  return join(files.folders.config, `journal-end-${pathHash(folder)}.json`);
}

function pathHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

/** Whether a journal was ever written, even if it is lost. */
export function hasJournal(runtime: Runtime): boolean {
  return [journalPath(runtime), journalCheckpointPath(runtime), ...givenCheckpointPaths(runtime)].some((path) =>
    runtime.files.exists(path),
  );
}

/** The journal of this user. Throws STORAGE when it is damaged or cannot be kept safely. */
export async function openUserJournal(runtime: Runtime): Promise<Journal> {
  return openWith(runtime, openJournal);
}

/** Opens the journal for some work and closes it afterwards; see `closeAfter`. */
export async function withJournal<T>(runtime: Runtime, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  return thenCloseJournal(await openUserJournal(runtime), work);
}

/** The same without verifying the journal. */
export async function withUnverifiedJournal<T>(
  runtime: Runtime,
  work: (journal: Journal) => T | Promise<T>,
): Promise<T> {
  return thenCloseJournal(await openUnverifiedJournal(runtime), work);
}

function thenCloseJournal<T>(journal: Journal, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  return closeAfter(
    () => work(journal),
    () => journal.close(),
  );
}

/** Opens the journal without verifying it. */
export async function openUnverifiedJournal(runtime: Runtime): Promise<Journal> {
  return openWith(runtime, openUnverified);
}

async function openWith(runtime: Runtime, open: (ports: JournalPorts) => Journal): Promise<Journal> {
  const { files, clock, random, processes } = runtime;
  const path = journalPath(runtime);
  const database = (await runtime.database()).open(path);
  const sender = senderOf(processes);
  try {
    // Opening the database creates the folder, whose real path is needed here.
    const checkpointPath = journalCheckpointPath(runtime);
    const note = {
      checkpointPath,
      givenCheckpointPaths: givenCheckpointPaths(runtime),
      besideJournalPath: `${path}.tail.json`,
      checkpointPlace: pathHash(files.realPath(files.folders.config)),
    };
    return open({ database, files, clock, random, sender, ...note });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** This process, as the journal records it. */
export function senderOf({ host, pid, identity }: Processes): Sender {
  return { host, pid, version: packageVersion, ...identity };
}

/**
 * Whether the process that wrote this still runs. For another machine or container that cannot be known, so the process
 * counts as ended: status is queried and nothing is sent again. If it is sending after all, its result is still
 * recorded. Where the system only tells that some process has this id (macOS, Windows), it counts as the same process.
 */
export function isRunning(
  { host, pid, boot, namespace, started }: Sender,
  { processes }: Pick<Runtime, 'processes'>,
): boolean {
  const { identity } = processes;
  if (host !== processes.host || pid === processes.pid) return false;
  if (areDifferent(boot, identity.boot) || areDifferent(namespace, identity.namespace)) return false;
  if (!processes.isAlive(pid)) return false;
  return started === undefined || identity.started === undefined || processes.startOf(pid) === started;
}

function areDifferent(theirs: string | undefined, own: string | undefined): boolean {
  return theirs !== undefined && own !== undefined && theirs !== own;
}

export function callbacksPath({ files }: Runtime): string {
  return join(files.folders.state, 'callbacks.db');
}

/** The callbacks this user received, even if their listener has ended. Throws STORAGE. */
export async function openCallbackHistory(runtime: Runtime): Promise<CallbackStore> {
  const database = (await runtime.database()).open(callbacksPath(runtime));
  try {
    return openCallbackStore(database, callbackSeal(runtime));
  } catch (error) {
    database.close();
    throw error;
  }
}

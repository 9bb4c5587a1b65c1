import { join } from 'node:path';
import { type CallbackStore, openCallbackStore } from '../../callbacks/store.js';
import type { SharedJournal } from '../../config/index.js';
import { closeAfter, fail } from '../../errors/index.js';
import type { Journal } from '../../journal/port.js';
import { openSecrets } from '../../journal/secrets.js';
import { openSqliteJournal } from '../../journal/sqlite.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Run } from '../run.js';
import type { Session } from '../session.js';

/** Of this machine, of its built-in sandbox, where no money moves, or of a team. */
export type WhichJournal = 'own' | 'sandbox' | SharedJournal;

export function journalOf({ builtin, journal }: Pick<Session, 'builtin' | 'journal'>): WhichJournal {
  return builtin ? 'sandbox' : (journal ?? 'own');
}

/** Where it is, as it may be shown. */
export function journalPath({ files }: Pick<Runtime, 'files'>, which: WhichJournal): string {
  if (typeof which === 'object') return which.shown;
  return join(files.folders.state, which === 'own' ? 'requests.db' : 'sandbox-requests.db');
}

/** All that this user has: on this machine, and those that profiles name. */
export async function allJournals(runtime: Runtime): Promise<readonly WhichJournal[]> {
  const { readProfiles } = await import('../../config/index.js');
  const named = [...(await readProfiles(runtime)).journals.values()];
  return ['own', 'sandbox', ...new Map(named.map((journal) => [journal.shown, journal])).values()];
}

/** What this machine wrote last to each journal: apart from the state folder, which may be removed or restored. */
export function marksPath({ files }: Pick<Runtime, 'files'>): string {
  return join(files.folders.config, 'journal-marks.json');
}

/** The key of this installation: it encrypts stored callbacks, and lets the journal recognise equal payments. */
export function journalKeyPath({ files }: Pick<Runtime, 'files'>): string {
  return join(files.folders.config, 'journal.key');
}

/** Whether a journal was ever written, even if it is lost. */
export function hasJournal(runtime: Pick<Runtime, 'files'>, which: WhichJournal): boolean {
  if (typeof which === 'object') return true;
  const isMarked = which === 'own' && runtime.files.exists(marksPath(runtime));
  return isMarked || runtime.files.exists(journalPath(runtime, which));
}

/** Those that a run of the program has open. */
const opened = new WeakMap<object, Map<string, Promise<Journal>>>();

/**
 * The journal, opened once in a run of the program: closing it waits for what is being written. Throws STORAGE when it is
 * damaged or cannot be kept safely, and SECRET_UNREADABLE without its key.
 */
export async function openUserJournal(runtime: Run, which: WhichJournal): Promise<Journal> {
  const { atEnd } = runtime;
  if (atEnd === undefined) return open(runtime, which);
  const journals = opened.get(atEnd) ?? new Map<string, Promise<Journal>>();
  opened.set(atEnd, journals);
  const path = journalPath(runtime, which);
  const known = journals.get(path);
  if (known !== undefined) return known;
  const journal = open(runtime, which).then((file): Journal => {
    const beating = beatOnceBegun(file, runtime);
    atEnd.push(() => {
      beating.stop();
      return file.close();
    });
    return Object.create(file, { close: { value: () => file.flush() }, begin: { value: beating.begin } });
  });
  journals.set(path, journal);
  journal.catch(() => journals.delete(path));
  return journal;
}

const beatMs = 30_000;

/** Whoever sends says that it still runs, or others take its requests for lost; a fault shows at the next change. */
function beatOnceBegun(journal: Journal, { processes }: Pick<Runtime, 'processes'>) {
  let stop: (() => void) | undefined;
  return {
    begin(attempts: Parameters<Journal['begin']>[0]) {
      stop ??= processes.every(beatMs, () => void journal.beat().catch(() => undefined));
      return journal.begin(attempts);
    },
    stop: () => stop?.(),
  };
}

function open(runtime: Runtime, which: WhichJournal): Promise<Journal> {
  return typeof which === 'object' ? openShared(runtime, which) : openFile(runtime, which);
}

async function openShared(runtime: Runtime, journal: SharedJournal): Promise<Journal> {
  const { files, clock, random, processes } = runtime;
  const { profile, address, shown } = journal;
  const { readCaFile, readSecret } = await import('../../config/index.js');
  const refuse = (why: string, how: string) =>
    fail('SECRET_UNREADABLE', { what: `the journal of profile ${profile}`, why, how });
  if (journal.key === undefined)
    throw refuse(
      'it has no key: equal payments of others would not be recognised',
      'name the place of the key of the team in the profile, as in `journal-key: {file: ~/team.key}`',
    );
  const key = (await readSecret(journal.key, runtime)).secret.open();
  if (key.length < minKeyLength)
    throw refuse(
      `its key has fewer than ${minKeyLength} characters`,
      'give it one that nobody guesses, such as from `openssl rand -hex 32`',
    );
  const password = journal.password && (await readSecret(journal.password, runtime)).secret.open();
  const ca = journal.caFile === undefined ? undefined : readCaFile(journal.caFile, files);
  const pool = await runtime.postgres?.({ ...address, password, ca });
  if (pool === undefined)
    throw fail('STORAGE', {
      what: shown,
      why: 'the package pg is not installed',
      how: 'nothing was sent; install it beside paycli with `npm install --global pg@8`, then repeat the command',
    });
  const { openPostgresJournal } = await import('../../journal/postgres.js');
  return openPostgresJournal({
    ...{ pool, files, clock, random, process: processes, who: processes.user.name, shown, key },
    markPath: marksPath(runtime),
  });
}

async function openFile(runtime: Runtime, which: 'own' | 'sandbox'): Promise<Journal> {
  const { files, clock, random, processes } = runtime;
  return openSqliteJournal({
    ...{ files, clock, random, process: processes, who: processes.user.name },
    databases: await runtime.database(),
    path: journalPath(runtime, which),
    markPath: which === 'own' ? marksPath(runtime) : undefined,
    key: readJournalKey(runtime),
  });
}

const minKeyLength = 32;

/** Made at first use. */
function readJournalKey({ files, random }: Pick<Runtime, 'files' | 'random'>): string {
  const path = journalKeyPath({ files });
  const refuse = (why: string, cause?: unknown) => {
    const how = 'nothing was sent; check the disk, and that the file and its folder are yours, then repeat the command';
    return fail('STORAGE', { what: path, why, how }, { cause });
  };
  let key: string;
  try {
    if (!files.exists(path)) createKey(path, { files, random });
    key = files.readText(path, 4096).trim();
  } catch (cause) {
    throw refuse('the key of the journal cannot be read or written there', cause);
  }
  if (key.length >= minKeyLength) return key;
  throw refuse('it is damaged: it holds no whole key');
}

/** One that another process made first is kept. */
function createKey(path: string, { files, random }: Pick<Runtime, 'files' | 'random'>): void {
  try {
    files.createText(path, `${random.letters(43)}\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Opens the journal for some work and closes it afterwards; see `closeAfter`. */
export async function withJournal<T>(
  runtime: Runtime,
  which: WhichJournal,
  work: (journal: Journal) => T | Promise<T>,
): Promise<T> {
  const journal = await openUserJournal(runtime, which);
  return closeAfter(
    () => work(journal),
    () => journal.close(),
  );
}

export function callbacksPath({ files }: Pick<Runtime, 'files'>): string {
  return join(files.folders.state, 'callbacks.db');
}

/** The callbacks this user received, even if their listener has ended. Throws STORAGE. */
export async function openCallbackHistory(
  runtime: Pick<Runtime, 'files' | 'random' | 'database'>,
): Promise<CallbackStore> {
  const database = (await runtime.database()).open(callbacksPath(runtime));
  try {
    return openCallbackStore(database, openSecrets(readJournalKey(runtime)));
  } catch (error) {
    database.close();
    throw error;
  }
}

import { fail, isPaycliError } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { chainTables, emptyHead, headOf } from './chain.js';
import { readCheckpoint, writeCheckpoint } from './checkpoint.js';
import { intentTables } from './intent.js';
import { Journal, type JournalPorts } from './journal.js';
import { lookupTables } from './lookup-hashes.js';
import { spendingTables } from './spending.js';
import { checkEnd, checkPages, endFlaw } from './verify.js';

const journalVersion = 2;

/** Opens the journal, created at first use. Throws STORAGE when it is damaged, shortened or of another version. */
export function openJournal(ports: JournalPorts): Journal {
  createIfNew(ports);
  checkPages(ports.database);
  const isKnown = knowsFolder(ports);
  checkEnd(ports.database, readCheckpoint(ports));
  if (!isKnown) addFolder(ports);
  return new Journal(ports);
}

/** The same without a check of its end, for commands that inspect or repair it. */
export function openUnverified(ports: JournalPorts): Journal {
  createIfNew(ports);
  // Assumed of one that cannot be read.
  let isShort = true;
  try {
    knowsFolder(ports);
    isShort = endFlaw(ports.database, readCheckpoint(ports)) !== undefined;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
  }
  return new Journal(ports, isShort);
}

function createIfNew(ports: JournalPorts): void {
  const { database, random } = ports;
  const version = versionOf(database);
  // At version 0 there are no tables yet.
  const isNew = version === 0 && database.get("SELECT 1 FROM sqlite_master WHERE name = 'intents'") === undefined;
  if (!isNew && version !== journalVersion)
    throw fail('STORAGE', {
      what: 'the journal',
      why: 'it was made by another version of paycli',
      how: 'use that version of paycli',
    });
  if (!isNew) {
    checkTables(database);
    return;
  }
  database.transaction(() => {
    if (versionOf(database) !== 0) return;
    // First, so that a journal without a checkpoint is never a new one. Where there is a checkpoint, there was a
    // journal, and this one lacks its lines.
    if (readCheckpoint(ports) === 'none') writeCheckpoint(ports, emptyHead);
    database.exec(intentTables);
    database.exec(chainTables);
    database.exec(spendingTables);
    database.exec(lookupTables);
    database.run('INSERT INTO meta VALUES (?, ?)', 'content-key', random.letters(43));
    addFolder(ports);
    database.exec(`PRAGMA user_version = ${journalVersion}`);
  });
}

/** Throws STORAGE where a table is missing. */
function checkTables(database: Database): void {
  const tables = database.get(
    "SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name IN ('meta', 'intents', 'moves')",
  );
  if (tables?.['n'] !== 3)
    throw fail('STORAGE', {
      what: 'the journal',
      why: 'its tables do not match the version it states',
      how: 'nothing was sent; move the file away but keep it, and restore an unchanged copy',
    });
}

const folderPrefix = 'end noted in ';

/**
 * Whether this configuration folder has had a checkpoint of the journal; if so, and it is missing, `checkEnd` throws.
 * A folder that is used with the journal for the first time takes its end as it is.
 */
function knowsFolder(ports: JournalPorts): boolean {
  const { database, checkpointPlace = '' } = ports;
  const places = database.all('SELECT name FROM meta').filter(({ name }) => String(name).startsWith(folderPrefix));
  const isKnown = places.some(({ name }) => name === folderPrefix + checkpointPlace);
  if (!isKnown && places.length > 0 && readCheckpoint(ports) === 'none') writeCheckpoint(ports, headOf(database));
  return isKnown;
}

function addFolder({ database, checkpointPlace = '' }: JournalPorts): void {
  database.run('INSERT OR IGNORE INTO meta VALUES (?, ?)', folderPrefix + checkpointPlace, '');
}

function versionOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

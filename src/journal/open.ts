import { fail, isPaycliError } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { moveTables, noTail, tailOf } from './chain.js';
import { checkOfKey, keyCheck } from './content.js';
import { intentTables } from './intent.js';
import { Journal, type JournalPorts } from './journal.js';
import { bringToTwo } from './migration.js';
import { spendingTables } from './spending.js';
import { moveTail, readTail, writeTail } from './tail.js';
import { checkEnd, checkPages, endFlaw } from './verify.js';

export const journalVersion = 2;

/** Opens the journal, made at first use or brought to this version. Throws STORAGE when it is damaged, shortened or of a later version. */
export function openJournal(ports: JournalPorts): Journal {
  makeIfNew(ports);
  checkPages(ports.database);
  const isKnown = meetPlace(ports);
  checkEnd(ports.database, readTail(ports));
  bringUp(ports);
  if (!isKnown) addPlace(ports);
  return new Journal(ports);
}

/** The same whatever its condition, for those who look into it or repair it. A damaged one of an older version stays as it is. */
export function openDamaged(ports: JournalPorts): Journal {
  makeIfNew(ports);
  // Of one that cannot be read nobody knows.
  let isShort = true;
  try {
    meetPlace(ports);
    isShort = endFlaw(ports.database, readTail(ports)) !== undefined;
    if (!isShort && versionOf(ports.database) !== journalVersion) {
      checkPages(ports.database);
      bringUp(ports);
    }
  } catch (error) {
    if (!isPaycliError(error)) throw error;
  }
  return new Journal(ports, isShort);
}

function makeIfNew(ports: JournalPorts): void {
  const { database, random } = ports;
  moveTail(ports);
  const version = versionOf(database);
  // Without a number there are no tables yet.
  const isOdd = version < 0 || (version === 0 && database.get("SELECT 1 FROM sqlite_master WHERE name = 'intents'") !== undefined);
  if (version > journalVersion || isOdd)
    throw fail('STORAGE', { what: 'the journal', why: 'another version of paycli made it', how: 'use the paycli that made it' });
  if (version !== 0) return;
  database.transaction(() => {
    if (versionOf(database) !== 0) return;
    // First, so that a journal without this note is never a new one. Where there is a note, there was a journal, and this one lacks its lines.
    if (readTail(ports) === 'none') writeTail(ports, noTail);
    database.exec(intentTables);
    database.exec(moveTables);
    database.exec(spendingTables);
    database.run('INSERT INTO meta VALUES (?, ?)', 'content-key', random.letters(43));
    addPlace(ports);
    database.exec(`PRAGMA user_version = ${journalVersion}`);
  });
}

const placePrefix = 'end noted in ';

/**
 * Whether the journal knows of the note of this configuration folder. Another folder that is used with it for the first time takes its
 * end as it is; one that has had a note misses it.
 */
function meetPlace(ports: JournalPorts): boolean {
  const { database, tailPlace = '' } = ports;
  const places = database.all('SELECT name FROM meta').filter(({ name }) => String(name).startsWith(placePrefix));
  const isKnown = places.some(({ name }) => name === placePrefix + tailPlace);
  if (!isKnown && places.length > 0 && readTail(ports) === 'none') writeTail(ports, tailOf(database));
  return isKnown;
}

function addPlace({ database, tailPlace = '' }: JournalPorts): void {
  database.run('INSERT OR IGNORE INTO meta VALUES (?, ?)', placePrefix + tailPlace, '');
  database.run('INSERT OR IGNORE INTO meta VALUES (?, ?)', keyCheck, checkOfKey(database));
}

function bringUp(ports: JournalPorts): void {
  const { database } = ports;
  if (versionOf(database) === journalVersion) return;
  database.transaction(() => {
    // Another process may have been first.
    if (versionOf(database) !== journalVersion) bringToTwo(ports);
  });
  writeTail(ports, tailOf(database));
}

function versionOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

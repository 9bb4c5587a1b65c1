import { fail, isPaycliError } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { moveTables, noTail, tailOf } from './chain.js';
import { intentTables } from './intent.js';
import { Journal, type JournalPorts } from './journal.js';
import { bringToTwo } from './migration.js';
import { spendingTables } from './spending.js';
import { readTail, writeTail } from './tail.js';
import { checkEnd, checkPages } from './verify.js';

export const journalVersion = 2;

/** Opens the journal, made at first use or brought to this version. Throws STORAGE when it is damaged, shortened or of a later version. */
export function openJournal(ports: JournalPorts): Journal {
  makeIfNew(ports);
  checkWhole(ports);
  bringUp(ports);
  return new Journal(ports);
}

/** The same whatever its condition, for those who look into it or repair it. A damaged one of an older version stays as it is. */
export function openDamaged(ports: JournalPorts): Journal {
  makeIfNew(ports);
  try {
    if (versionOf(ports.database) !== journalVersion) {
      checkWhole(ports);
      bringUp(ports);
    }
  } catch (error) {
    if (!isPaycliError(error)) throw error;
  }
  return new Journal(ports);
}

function checkWhole(ports: JournalPorts): void {
  checkPages(ports.database);
  checkEnd(ports.database, readTail(ports));
}

function makeIfNew(ports: JournalPorts): void {
  const { database, random } = ports;
  const version = versionOf(database);
  if (version > journalVersion)
    throw fail('STORAGE', { what: 'the journal', why: 'another version of paycli made it', how: 'use the paycli that made it' });
  if (version !== 0) return;
  // First, so that a journal without this note is never a new one.
  writeTail(ports, noTail);
  database.transaction(() => {
    if (versionOf(database) !== 0) return;
    database.exec(intentTables);
    database.exec(moveTables);
    database.exec(spendingTables);
    database.run('INSERT INTO meta VALUES (?, ?)', 'content-key', random.letters(43));
    database.exec(`PRAGMA user_version = ${journalVersion}`);
  });
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

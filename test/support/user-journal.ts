import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Journal } from '../../src/journal/port.js';
import { openSqliteJournal } from '../../src/journal/sqlite.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { CountingRandom } from './runtime.js';

/** The journal of a home, made where it has none, as another process of its user opens it. */
export function openJournalOf(home: string): Journal {
  const at = Date.UTC(2030, 0, 7, 12);
  return openSqliteJournal({
    databases: sqlite,
    files: openFiles({}, { home, working: home }),
    clock: { now: () => at, monotonic: () => at, sleep: async () => undefined },
    random: new CountingRandom(),
    process: { pid: 7, host: 'test', place: undefined, isAlive: () => false },
    path: join(home, 'state', 'requests.db'),
    markPath: join(home, 'config', 'journal-marks.json'),
    key: keyOf(home),
    who: 'another',
  });
}

/** The key of a home, made where it has none. */
export function keyOf(home: string): string {
  const path = join(home, 'config', 'journal.key');
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writeFileSync(path, `${'k'.repeat(43)}\n`, { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}

/** The journal of a home has nothing wrong, and nobody restored it. */
export async function expectSound(home: string): Promise<void> {
  const journal = openJournalOf(home);
  expect([await journal.check(), journal.restored]).toEqual([[], undefined]);
  await journal.close();
}

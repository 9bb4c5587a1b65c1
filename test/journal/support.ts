import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Journal, type NewIntent, openJournal } from '../../src/journal/index.js';
import type { PlanOptions } from '../../src/journal/plan.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import type { Database } from '../../src/runtime/ports.js';

export class JournalClock {
  time = Date.UTC(2030, 0, 7, 12);
  now(): number {
    this.time += 1;
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  async sleep(ms: number): Promise<void> {
    this.time += ms;
  }
}

export interface Opened {
  readonly journal: Journal;
  readonly database: Database;
  readonly clock: JournalClock;
  readonly folder: string;
  readonly path: string;
  readonly checkpointPath: string;
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'paycli-journal-'));

/** A real journal in a real file; several may be open over the same one. */
export function open(folder = newFolder(), pid = 1, database?: Database): Opened {
  const path = join(folder, 'journal.db');
  const checkpointPath = `${path}.tail.json`;
  const clock = new JournalClock();
  const used = database ?? sqlite.open(path);
  const journal = openJournal({
    database: used,
    files: openFiles({ PAYCLI_STATE_DIR: folder }, { home: folder, working: folder }),
    clock,
    random: { letters: (length) => 'k'.repeat(length), uuid: () => 'u', below: () => 0 },
    sender: { host: 'here', pid, version: 'test' },
    checkpointPath,
  });
  return { journal, database: used, clock, folder, path, checkpointPath };
}

export const dead: PlanOptions = { again: false, isGenerated: false, isAlive: () => false };

export const sale: NewIntent = {
  kind: 'opening',
  operation: 'SALE',
  effect: 'money',
  base: 'https://gate.example/pay',
  endpointId: '4001',
  login: 'shop',
  profile: 'shop-test',
  class: 'test',
  clientOrderId: 'order-1',
  orderId: undefined,
  sum: { minor: '1042', currency: 'USD' },
  lastFour: '1111',
  content: 'content-1',
};

export const capture: NewIntent = {
  ...sale,
  kind: 'follow-up',
  operation: 'CAPTURE',
  orderId: '900',
  lastFour: undefined,
  sum: { minor: '500', currency: 'USD' },
  content: 'content-c',
};

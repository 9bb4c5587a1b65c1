import type { Clock, Database } from '../runtime/ports.js';
import { number } from './columns.js';

/**
 * The clock that states, forms, holds, callbacks and recurring charges go by: the machine's clock, moved by an offset that is
 * kept in the file. The OAuth window does not go by it (A23).
 */
export function movedClock(database: Database, machine: Clock): Clock {
  return {
    now: () => machine.now() + offsetOf(database),
    monotonic: () => machine.monotonic(),
    sleep: (ms) => machine.sleep(ms),
  };
}

/** Milliseconds the sandbox clock is ahead of the machine's. */
export function offsetOf(database: Database): number {
  const row = database.get("SELECT CAST(value AS INTEGER) AS value FROM meta WHERE name = 'clock-offset'");
  return row === undefined ? 0 : number(row, 'value');
}

export function setOffset(database: Database, ms: number): void {
  database.run("INSERT INTO meta VALUES ('clock-offset', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", String(ms));
}

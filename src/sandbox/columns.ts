import type { SqlRow } from '../runtime/ports.js';

/** A column that always holds text. */
export function text(row: SqlRow, name: string): string {
  return optionalText(row, name) ?? '';
}

/** Undefined for NULL. Numbers come as their digits. */
export function optionalText(row: SqlRow, name: string): string | undefined {
  const value = row[name];
  return value === undefined || value === null ? undefined : String(value);
}

export function number(row: SqlRow, name: string): number {
  return optionalNumber(row, name) ?? 0;
}

export function optionalNumber(row: SqlRow, name: string): number | undefined {
  const value = row[name];
  return value === undefined || value === null ? undefined : Number(value);
}

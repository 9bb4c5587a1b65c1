import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { homeWithProfile } from '../cli/profiles.js';
import { paycli, type Ran, type TestOptions } from '../support/runtime.js';

export const payoutHeader = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';

/** A payout to a bank account as a line of CSV. */
export function payoutLine(id: string, amount: string, currency = 'EUR', account = 'DE02120300000000202051'): string {
  return `${id},${amount},${currency},${account},Example Bank,Berlin`;
}

export function payoutFile(...lines: readonly string[]): string {
  return `${[payoutHeader, ...lines].join('\n')}\n`;
}

/** A home with the profile of tests and one file. */
export function homeWith(content: string | Uint8Array, name = 'rows.csv', mode = 0o600): string {
  const home = homeWithProfile();
  writeFileSync(join(home, name), content, { mode });
  return home;
}

/** `batch plan` of a file in a home, on a terminal unless said otherwise, so that nothing need be expected. */
export function plan(home: string, flags: readonly string[] = [], options: TestOptions = {}): Promise<Ran> {
  const [file = 'rows.csv', rest] =
    flags[0]?.startsWith('-') === false ? [flags[0], flags.slice(1)] : [undefined, flags];
  const operation = rest.includes('--operation') ? [] : ['--operation', 'payout'];
  return paycli(['batch', 'plan', file, ...operation, ...rest], { tty: true, ...options, home });
}

/** The same of a text by itself. */
export function planText(content: string | Uint8Array, flags: readonly string[] = [], name = 'rows.csv'): Promise<Ran> {
  return plan(homeWith(content, name), [name, ...flags]);
}

/** What a good plan says, for programs. */
export async function planned(home: string, flags: readonly string[] = []): Promise<Planned> {
  const ran = await plan(home, [...flags, '--json', '--no-color']);
  if (ran.exit !== 0) throw new Error(ran.err);
  return JSON.parse(ran.out);
}

export interface Planned {
  readonly plan: string;
  readonly digest: string;
  readonly count: number;
  readonly withoutAmount: number;
  readonly totals: readonly {
    readonly currency: string;
    readonly minor: string;
    readonly text: string;
    readonly count: number;
  }[];
  readonly largest: readonly {
    readonly line: number;
    readonly destination: string;
    readonly amount: { readonly text: string };
  }[];
}

/** The plans that a home has. */
export async function plansIn(home: string): Promise<readonly Planned[]> {
  const { out, err } = await paycli(['batch', 'show', '--json'], { home });
  if (out === '') throw new Error(err);
  return JSON.parse(out).batches;
}

/** Names of the files with the errors of refused files. */
function batchFiles(home: string): string[] {
  try {
    return readdirSync(join(home, 'state', 'batches')).sort();
  } catch {
    return [];
  }
}

/** The errors that a refused file left, as its error file has them. */
export function errorsIn(home: string): {
  readonly line: number;
  readonly clientOrderId: string | null;
  readonly orderId: string | null;
  readonly field: string | null;
  readonly why: string;
}[] {
  const [name = ''] = batchFiles(home).filter((each) => each.endsWith('.errors.ndjson'));
  const text = readFileSync(join(home, 'state', 'batches', name), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Every byte of every file in the state folder. */
export function stateBytes(home: string): string {
  const files = readdirSync(join(home, 'state'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}

/** How many rows stand in each state, as a run or a report says in JSON. */
export function countsIn(out: string): Readonly<Record<string, number>> {
  const { states }: { readonly states: readonly { readonly state: string; readonly count: number }[] } =
    JSON.parse(out);
  return Object.fromEntries(states.map(({ state, count }) => [state, count]));
}

/** It ended so, and its errors say so. */
export function expectEnd({ exit, err }: Ran, wanted: number, text: string | RegExp): void {
  expect(err).toMatch(text);
  expect(exit).toBe(wanted);
}

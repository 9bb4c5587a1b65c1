import { fail, nearest } from '../../errors/index.js';
import { longestLeaseMs, type Sum } from '../../journal/index.js';
import { allOperations, operations } from '../../spec/index.js';
import { digitsOf, readAmount } from '../../wire/amount.js';

export interface LeaseFlags {
  readonly for?: string;
  readonly ops?: string;
  readonly max?: string;
}

export interface WantedLease {
  readonly forMs: number;
  /** Ids. */
  readonly operations: readonly string[];
  readonly max: Sum;
}

/** Throws USAGE. */
export function readLease(flags: LeaseFlags): WantedLease {
  if ([flags.for, flags.ops, flags.max].includes(undefined)) throw refuse('a lease needs --for, --ops and --max');
  return { forMs: readTime(flags.for), operations: readOperations(flags.ops), max: readMax(flags.max) };
}

function refuse(why: string): Error {
  return fail('USAGE', { why, command: 'live unlock' });
}

function readTime(text: string | undefined): number {
  const { count, unit } = /^(?<count>[1-9]\d{0,2})(?<unit>[mh])$/.exec(text ?? '')?.groups ?? {};
  const ms = Number(count ?? 0) * (unit === 'h' ? 3_600_000 : 60_000);
  if (ms > 0 && ms <= longestLeaseMs) return ms;
  throw refuse('--for says how long, in minutes or hours, such as 15m or 2h, and 8h at most');
}

function readOperations(text: string | undefined): string[] {
  const words = (text ?? '').split(',').map((word) => word.trim().replaceAll(/[ -]+/g, ' '));
  if (words.includes('')) throw refuse('--ops names the commands it covers, separated by commas, such as return,void');
  return [...new Set(words.map(readOperation))];
}

function readOperation(word: string): string {
  const row = allOperations.find(({ command, aliases }) =>
    [command, ...(aliases ?? [])].some((name) => name.replaceAll('-', ' ') === word),
  );
  if (row?.effect === 'money') return row.id;
  if (row !== undefined) throw refuse(`--ops: ${row.command} asks for no login, so there is nothing to unlock`);
  const money = operations.filter(({ effect }) => effect === 'money').map(({ command }) => command);
  const guess = nearest(word, money);
  throw refuse(
    `--ops: there is no command ${word.slice(0, 40)}${guess === undefined ? '.' : `; did you mean ${guess}?`} It takes ${money.join(', ')}`,
  );
}

function readMax(text: string | undefined): Sum {
  const { amount, currency } = /^(?<amount>\S+) (?<currency>[A-Z]{3})$/.exec(text ?? '')?.groups ?? {};
  if (amount === undefined || currency === undefined) throw refuse('--max is an amount with its currency, in quotes: "500.00 EUR"');
  const reading = readAmount(amount, currency, digitsOf(currency, 'iso4217', ''));
  if (!reading.ok) throw refuse(`--max ${reading.why}`);
  return { minor: String(reading.minor), currency };
}

import { fail, problemsText, suggest } from '../../../errors/index.js';
import { maxLeaseMs, type Sum } from '../../../journal/index.js';
import { allOperations, operations } from '../../../spec/index.js';
import { readMoney } from '../../../wire/amount.js';
import { readDuration } from '../../../wire/duration.js';

export interface LeaseFlags {
  readonly for?: string;
  readonly ops?: string;
  readonly max?: string;
}

export interface WantedLease {
  readonly forMs: number;
  /** Operation ids. */
  readonly operations: readonly string[];
  readonly max: Sum;
}

type Refuse = (why: string) => void;

/** Parses the flags. Throws USAGE with all mistakes in them. */
export function readLease(flags: LeaseFlags): WantedLease {
  const problems: string[] = [];
  const refuse: Refuse = (why) => void problems.push(why);
  if ([flags.for, flags.ops, flags.max].includes(undefined)) refuse('a lease needs --for, --ops and --max');
  const forMs = readLeaseTime(flags.for, refuse);
  const ids = readOperations(flags.ops, refuse);
  const max = readMax(flags.max, refuse);
  if (problems.length > 0 || forMs === undefined || max === undefined)
    throw fail('USAGE', { why: problemsText(problems), command: 'live unlock' });
  return { forMs, operations: ids, max };
}

function readLeaseTime(text: string | undefined, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  const ms = readDuration(text);
  if (ms !== undefined && ms <= maxLeaseMs) return ms;
  refuse('--for: use a duration such as 15m or 2h, at most 8h');
  return undefined;
}

function readOperations(text: string | undefined, refuse: Refuse): string[] {
  if (text === undefined) return [];
  const words = text.split(',').map((word) => word.trim().replaceAll(/[ -]+/g, ' '));
  if (!words.includes('')) return [...new Set(words.flatMap((word) => readOperation(word, refuse)))];
  refuse('--ops names the commands it covers, separated by commas, such as return,void');
  return [];
}

function readOperation(word: string, refuse: Refuse): string[] {
  const row = allOperations.find(({ command, aliases }) =>
    [command, ...(aliases ?? [])].some((name) => name.replaceAll('-', ' ') === word),
  );
  if (row?.effect === 'money') return [row.id];
  const money = operations.filter(({ effect }) => effect === 'money').map(({ command }) => command);
  if (row !== undefined)
    refuse(`--ops: ${row.command} needs no confirmation of the login, so there is nothing to unlock`);
  else refuse(`--ops: unknown command ${word.slice(0, 40)}${suggest(word, money, '.')} It takes ${money.join(', ')}`);
  return [];
}

function readMax(text: string | undefined, refuse: Refuse): Sum | undefined {
  if (text === undefined) return undefined;
  const money = readMoney(text);
  if (money.ok) return { minor: String(money.minor), currency: money.currency };
  refuse(`--max: ${money.why}`);
  return undefined;
}

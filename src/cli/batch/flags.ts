import { fail } from '../../errors/index.js';
import type { CommonOptions } from '../options.js';

/** Flags of `batch run` and `batch resume`. */
export interface RunFlags extends CommonOptions {
  readonly concurrency?: string;
  readonly rate?: string;
  readonly maxRows?: string;
  readonly maxUnknown?: string;
  readonly afterRestore?: boolean;
  readonly pay?: boolean;
}

export interface WantedRun {
  readonly concurrency: number;
  /** Requests in a second. */
  readonly rate: number;
  readonly mostRows: number;
  readonly mostUnknown: number;
}

const seconds: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** Throws USAGE. */
export function readRunFlags(flags: RunFlags, command: string): WantedRun {
  const refuse = (why: string): Error => fail('USAGE', { why, command });
  const whole = (name: string, text: string, most: number): number => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text);
    throw refuse(`${name} takes a whole number from 1 to ${most}`);
  };
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(flags.rate ?? '10/s') ?? [];
  if (count === '') throw refuse('--rate takes requests in a second, a minute or an hour, such as 10/s or 90/min');
  const [, share = ''] = /^(\d{1,2}(?:\.\d)?|100)%$/.exec(flags.maxUnknown ?? '1%') ?? [];
  if (share === '') throw refuse('--max-unknown takes a share such as 1%, 2.5% or 100%');
  return {
    concurrency: whole('--concurrency', flags.concurrency ?? '4', 256),
    rate: Number(count) / (seconds[unit] ?? 1),
    mostRows: flags.maxRows === undefined ? Number.POSITIVE_INFINITY : whole('--max-rows', flags.maxRows, 999_999_999),
    mostUnknown: Number(share) / 100,
  };
}

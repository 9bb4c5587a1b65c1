import { fail, problemsText } from '../../errors/index.js';
import type { Filter } from '../../journal/port.js';
import type { Runtime } from '../../runtime/ports.js';
import { isCurrency } from '../../wire/amount.js';
import { readDuration } from '../../wire/time.js';
import { wrongValue } from '../usage.js';
import type { CommonOptions } from './common-options.js';

/** The options of a list, which PAYCLI_PROFILE filters as --profile does. */
export async function filteredBy<Options extends CommonOptions>(options: Options, { env }: Runtime): Promise<Options> {
  if (options.profile !== undefined || env['PAYCLI_PROFILE'] === undefined) return options;
  const { readEnvironment } = await import('../../config/given.js');
  return { ...options, profile: readEnvironment(env).profile?.value };
}

/**
 * Accepts the name of a profile that has stored data, even if the profile is deleted by now, and of any usable profile.
 * Throws PROFILE_UNKNOWN for others.
 */
export async function checkFilter(
  profile: string | undefined,
  runtime: Runtime,
  isKept: (profile: string) => boolean | Promise<boolean>,
): Promise<void> {
  if (profile === undefined || (await isKept(profile))) return;
  const { checkProfileName } = await import('../../config/index.js');
  await checkProfileName(profile, runtime);
}

/** The times of --since and --until. Throws USAGE. */
export function readTimes(
  { since, until }: { readonly since?: string; readonly until?: string },
  now: number,
): Pick<Filter, 'from' | 'until'> {
  const times = { from: readTime(since, now), until: readTime(until, now) };
  const wrong = [Number.isNaN(times.from) ? '--since' : '', Number.isNaN(times.until) ? '--until' : ''];
  const problems = wrong
    .filter((flag) => flag !== '')
    .map(
      (flag) => `${flag}: use 2030-01-31, 2030-01-31T12:00:00Z, today or yesterday (UTC), or time ago: 7d, 12h, 30m`,
    );
  if (problems.length > 0) throw fail('USAGE', { why: problemsText(problems) });
  return times;
}

const dayMs = 86_400_000;

function readTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const midnight = now - (now % dayMs);
  if (text === 'today') return midnight;
  if (text === 'yesterday') return midnight - dayMs;
  const ago = readDuration(text);
  if (ago !== undefined && ago < now) return now - ago;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  return isTime ? Date.parse(text) : Number.NaN;
}

/** An amount with its currency, or in any currency, in ten-thousandths. */
export function readEqualAmount(text: string): Filter['amount'] {
  const [, whole, fraction = '', code] = /^(\d{1,15})(?:\.(\d{1,4}))?(?: ([a-z]{3}))?$/i.exec(text) ?? [];
  const currency = code?.toUpperCase();
  if (whole === undefined || (currency !== undefined && !isCurrency(currency)))
    throw wrongValue('use an amount such as 25.00 or "25.00 EUR"');
  const units = String(BigInt(whole + fraction.padEnd(4, '0')));
  return { ...(currency && { currency }), min: units, max: units };
}

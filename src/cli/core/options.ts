import type { PlanHead } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
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

/** The same for the profile of one plan. Throws USAGE where it is another profile's. */
export async function checkPlanFilter(
  profile: string | undefined,
  plan: PlanHead,
  command: string,
  runtime: Runtime,
): Promise<void> {
  await checkFilter(profile, runtime, (name) => name === plan.profile);
  if (profile !== undefined && profile !== plan.profile)
    throw fail('USAGE', {
      why: `plan ${plan.id} belongs to profile ${plan.profile}; name that one, or omit --profile`,
      plan: plan.id,
      profile: plan.profile,
      command,
    });
}

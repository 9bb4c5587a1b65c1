import type { Command } from 'commander';
import type { PlanHead } from '../batch/plan.js';
import { fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';

/** `--profile` of a command that only looks at what is kept here: no key and no address of that profile is read. */
export function addProfileFilter(command: Command, text: string): Command {
  return command.option('-p, --profile <name>', text);
}

/**
 * A name that something was kept under counts, though its profile may have gone since; so does one that can be used now.
 * Throws PROFILE_UNKNOWN for any other.
 */
export async function checkFilter(profile: string | undefined, runtime: Runtime, isKept: (profile: string) => boolean): Promise<void> {
  if (profile === undefined || isKept(profile)) return;
  const { checkProfileName } = await import('../config/index.js');
  await checkProfileName(profile, runtime);
}

/** The same for one plan that was named. Throws USAGE where it is another profile's. */
export async function checkPlanFilter(profile: string | undefined, plan: PlanHead, command: string, runtime: Runtime): Promise<void> {
  await checkFilter(profile, runtime, (name) => name === plan.profile);
  if (profile !== undefined && profile !== plan.profile)
    throw fail('USAGE', { why: `plan ${plan.id} is one of profile ${plan.profile}; name that one, or leave --profile out`, command });
}

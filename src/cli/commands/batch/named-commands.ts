import type { PlanHead } from '../../../batch/plan.js';
import { type BatchCommands, isPaycliError, shellWord, withBatchCommands } from '../../../errors/index.js';
import { profileFlag } from '../../format/profile.js';

/** Commands about a batch; `profile` are the flags that lead to the gateway of its plan. */
export function commandsAbout(plan: string, profile: string): BatchCommands {
  return {
    resolve: `paycli resolve ORDER${profile}`,
    again: `paycli batch run ${shellWord(plan, 'PLAN')}${profile}`,
  };
}

/** What `batch run` needs to find the gateway of a plan. */
export function profileFlagsOf({ profile, class: kind }: Pick<PlanHead, 'profile' | 'class'>): string {
  return `${profileFlag(profile)}${kind === 'live' ? ' --live' : ''}`;
}

/** Errors of `work` name these commands. */
export async function namingCommands<T>(commands: BatchCommands, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isPaycliError(error) ? withBatchCommands(error, commands) : error;
  }
}

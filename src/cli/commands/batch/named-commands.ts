import type { PlanHead } from '../../../batch/plan.js';
import { shellWord } from '../../../errors/index.js';
import { profileFlag } from '../../format/profile.js';

/** Commands that next steps of a batch name: what continues it, and what resolves one of its orders. */
export interface BatchCommands {
  readonly again: string;
  readonly resolve: string;
}

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

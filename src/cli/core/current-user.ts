import type { Planner } from '../../batch/plan.js';
import type { Runtime } from '../../runtime/ports.js';

/** The name of the system user. Not from the environment, which anyone can set. */
export function currentUser({ processes }: Pick<Runtime, 'processes'>): string {
  return processes.user.name;
}

/** The user and host that create a plan here. */
export function currentPlanner({ processes }: Pick<Runtime, 'processes'>): Planner {
  const { user, host } = processes;
  return { user: user.name, host, id: user.id };
}

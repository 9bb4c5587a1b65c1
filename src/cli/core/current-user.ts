import type { Planner } from '../../batch/plan.js';
import type { Runtime } from '../../runtime/ports.js';

/** The user of this machine, by name, as the system says: the environment names nobody. */
export function currentUser({ processes }: Pick<Runtime, 'processes'>): string {
  return processes.user.name;
}

/** Who plans here. */
export function currentPlanner({ processes }: Pick<Runtime, 'processes'>): Planner {
  const { user, host } = processes;
  return { user: user.name, host, id: user.id };
}

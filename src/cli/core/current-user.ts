import type { Planner } from '../../batch/plan.js';
import type { Journal } from '../../journal/port.js';
import type { Runtime } from '../../runtime/ports.js';

/** The user and host that create a plan here; in a shared journal by the role of its database. */
export function currentPlanner({ processes }: Pick<Runtime, 'processes'>, { role }: Pick<Journal, 'role'>): Planner {
  const { user, host } = processes;
  return { user: role ?? user.name, host, id: user.id };
}

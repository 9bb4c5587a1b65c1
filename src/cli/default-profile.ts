import { readEnvironment } from '../config/environment.js';
import { readSources } from '../config/sources.js';
import type { Runtime } from '../runtime/ports.js';

/** Where a choice comes from that goes before the default of the user file. */
export async function strongerThanDefault(name: string, runtime: Runtime): Promise<string | undefined> {
  const { profile, connection } = readEnvironment(runtime.env);
  if (profile !== undefined) return profile.value === name ? undefined : profile.origin;
  if (connection.length > 0) return connection.join(', ');
  const { project } = await readSources(runtime);
  return project?.defaultProfile?.value === name ? undefined : project?.defaultProfile?.origin;
}

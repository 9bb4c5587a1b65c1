import type { ConfigContent } from '../../../config/content.js';
import { readEnvironment } from '../../../config/environment.js';
import { printableName } from '../../../config/file-access.js';
import { readSources } from '../../../config/sources.js';
import { fail, nearest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';

/** The origin of a profile choice that overrides the default of the user file. */
export async function overridesDefault(name: string, runtime: Runtime): Promise<string | undefined> {
  const { profile, connection } = readEnvironment(runtime.env);
  if (profile !== undefined) return profile.value === name ? undefined : profile.origin;
  if (connection.length > 0) return connection.join(', ');
  const { project } = await readSources(runtime);
  return project?.defaultProfile?.value === name ? undefined : project?.defaultProfile?.origin;
}

/** The error for a name that the user file does not have. */
export function unknownProfile(name: string, { profiles, path }: ConfigContent): Error {
  const known = [...profiles.keys()];
  const meant = nearest(name, known);
  const where = meant === undefined ? 'the user file' : undefined;
  const facts = { where, meant, known: known.join(', ') || 'none', file: path };
  return fail('PROFILE_UNKNOWN', { name: printableName(name), ...facts });
}

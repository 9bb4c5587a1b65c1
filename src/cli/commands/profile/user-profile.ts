import type { ConfigText } from '../../../config/config-file.js';
import type { ConfigContent, ProfileContent } from '../../../config/content.js';
import { applyChanges, readUserFile } from '../../../config/edit.js';
import { readEnvironment } from '../../../config/environment.js';
import { printableName } from '../../../config/file-access.js';
import { isMapping, type Mapping } from '../../../config/sanitize.js';
import { readSources } from '../../../config/sources.js';
import { fail, nearest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';

/** A profile of the user file to be changed. */
export interface UserProfile {
  readonly name: string;
  readonly before: ConfigText;
  readonly current: ConfigContent;
  readonly content: ProfileContent;
  /** Its settings as written in the file. */
  readonly entries: Mapping;
}

/** Opens a profile to be changed. Throws PROFILE_UNKNOWN or CONFIG_INVALID. */
export function openUserProfile(name: string, runtime: Runtime): UserProfile {
  const before = readUserFile(runtime.files);
  const current = applyChanges(before, [], runtime.files).content;
  const content = current.profiles.get(name);
  if (content === undefined) throw unknownProfile(name, current);
  const profiles = isMapping(before.data) ? before.data['profiles'] : undefined;
  const entries = isMapping(profiles) ? profiles[name] : undefined;
  return { name, before, current, content, entries: isMapping(entries) ? entries : {} };
}

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

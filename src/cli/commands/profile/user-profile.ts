import type { ConfigText } from '../../../config/config-file.js';
import type { ConfigContent, ProfileContent } from '../../../config/content.js';
import { applyChanges, readUserFile } from '../../../config/edit.js';
import { listProfiles } from '../../../config/index.js';
import { isMapping, type Mapping } from '../../../config/sanitize.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { unknownProfile } from './change.js';

/** A profile of the user file to be changed. */
export interface UserProfile {
  readonly name: string;
  readonly before: ConfigText;
  readonly current: ConfigContent;
  readonly content: ProfileContent;
  /** Its settings as written in the file. */
  readonly entries: Mapping;
}

/** Throws PROFILE_UNKNOWN, CONFIG_INVALID, or USAGE where a project file overrides the profile of this name. */
export async function openUserProfile(name: string, command: string, runtime: Runtime): Promise<UserProfile> {
  const before = readUserFile(runtime.files);
  const current = applyChanges(before, [], runtime.files).content;
  const inForce = (await listProfiles(runtime)).find((profile) => profile.name === name);
  const content = current.profiles.get(name);
  if (inForce !== undefined && inForce.file !== before.path)
    throw fail('profileNotInUserFile', {
      ...{ profile: name, file: before.path, command },
      hint: `; ${inForce.file} defines one of this name, so change it there`,
    });
  if (content === undefined) throw unknownProfile(name, current);
  const profiles = isMapping(before.data) ? before.data['profiles'] : undefined;
  const entries = isMapping(profiles) ? profiles[name] : undefined;
  return { name, before, current, content, entries: isMapping(entries) ? entries : {} };
}

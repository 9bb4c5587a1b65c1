import type { ConfigText } from '../../../config/config-file.js';
import type { ConfigContent } from '../../../config/content.js';
import { applyChanges, type EditedConfig, readUserFile, writeUserFile } from '../../../config/edit.js';
import { loadProfile, type Profile } from '../../../config/index.js';
import type { Layer } from '../../../config/layers.js';
import { unknownProfile } from '../../../config/load-profile.js';
import { isMapping, type Mapping } from '../../../config/settings.js';
import { fail, ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/mask.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { type KeyStore, readStoredKey, removeStoredKey, writeStoredKey } from './key-store.js';

/** The user file before it is changed. */
export interface UserFile {
  readonly before: ConfigText;
  readonly current: ConfigContent;
}

/** A profile of the user file to be changed. */
export interface UserProfile extends UserFile {
  readonly name: string;
  readonly layer: Layer;
}

/** Throws CONFIG_INVALID. */
export function openUserFile({ files }: Runtime): UserFile {
  const before = readUserFile(files);
  return { before, current: applyChanges(before, [], files).content };
}

/** Opens a profile to be changed. Throws PROFILE_UNKNOWN or CONFIG_INVALID. */
export function openUserProfile(name: string, runtime: Runtime): UserProfile {
  const file = openUserFile(runtime);
  const layer = file.current.profiles.get(name);
  if (layer === undefined) throw unknownProfile(name, file.current.profiles.keys(), file.before.path);
  return { ...file, name, layer };
}

/** The settings of a profile as they are written; empty where there is no such profile. */
export function writtenIn({ before: { data } }: UserFile, name: string): Mapping {
  const profiles = isMapping(data) ? data['profiles'] : undefined;
  const profile = isMapping(profiles) ? profiles[name] : undefined;
  return isMapping(profile) ? profile : {};
}

/** A profile of the user file as it is: variables of the environment may describe another connection. */
export async function loadFromFile(name: string, runtime: Runtime): Promise<Profile> {
  const { profile } = await loadProfile({ profile: name }, { ...runtime, env: {} });
  if (profile === undefined) throw new Error('a profile of the file is not the sandbox');
  return profile;
}

/**
 * Writes the key first: a profile must never name a missing key. Where the file cannot be written, the old key comes
 * back. Signals wait until it is done. Throws STORAGE or SECRET_UNREADABLE.
 */
export async function writeKeyAndFile(
  key: { readonly store: KeyStore; readonly secret: Secret } | undefined,
  after: EditedConfig,
  runtime: Runtime,
): Promise<void> {
  if (key === undefined) return writeUserFile(after, runtime.files);
  const { store, secret } = key;
  const unlisten = runtime.processes.onStop(() => undefined);
  try {
    const older = await readStoredKey(store, runtime);
    await writeStoredKey(store, secret, runtime);
    try {
      writeUserFile(after, runtime.files);
    } catch (error) {
      await (older === undefined ? removeStoredKey(store, runtime) : writeStoredKey(store, older, runtime));
      throw error;
    }
  } finally {
    unlisten();
  }
}

/** Asks before a change of a profile. Throws CONFIRMATION_NEEDED in a script, else CANCELLED or INTERRUPTED. */
export async function confirmChange(
  verb: 'change' | 'remove',
  what: string,
  profile: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<void> {
  const nothing = `nothing was ${verb}d`;
  if (!mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `to ${verb} ${what} must be confirmed, and there is no terminal to prompt on`,
      how: 'add --yes if that is intended',
      profile,
    });
  if (await saysYes(verb, `${verb} ${what}?`, options, runtime).catch(ifInterrupted(nothing))) return;
  throw fail('CANCELLED', { why: nothing, profile });
}

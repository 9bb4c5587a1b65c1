import type { ConfigText } from '../../../config/config-file.js';
import type { ConfigContent } from '../../../config/content.js';
import { applyChanges, type EditedConfig, readUserFile, type Setting, writeUserFile } from '../../../config/edit.js';
import { readEnvironment } from '../../../config/given.js';
import { type KeyStore, keySince, readStoredKey, removeStoredKey, writeStoredKey } from '../../../config/key-store.js';
import type { Layer } from '../../../config/layers.js';
import { unknownProfile } from '../../../config/load-profile.js';
import { isMapping, isMoneyList, type Mapping } from '../../../config/settings.js';
import { readSources } from '../../../config/sources.js';
import { fail, ifInterrupted, isPaycliError, shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/mask.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';

/** The user file before it is changed. */
export interface UserFile {
  readonly before: ConfigText;
  readonly current: ConfigContent;
}

/** A profile of the user file to be changed. */
export interface UserProfile extends UserFile {
  readonly name: string;
  readonly layer: Layer;
  /** Its settings as written in the file. */
  readonly entries: Mapping;
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
  return { ...file, name, layer, entries: settingsIn(file.before.data, name) };
}

/** The settings of a profile as they are written; empty where there is no such profile. */
export function settingsIn(data: unknown, name: string): Mapping {
  const profiles = isMapping(data) ? data['profiles'] : undefined;
  const profile = isMapping(profiles) ? profiles[name] : undefined;
  return isMapping(profile) ? profile : {};
}

/** How the file holds what was typed for a setting. */
export function readTyped(key: string, text: string): Setting {
  // Beyond 2^53 a YAML number would lose digits.
  if (key === 'endpoint-id' || key === 'endpoints') return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (key === 'require-approval' && (text === 'true' || text === 'false')) return text === 'true';
  const values = isMoneyList(key) ? listIn(text) : [];
  return values.length > 1 ? values : (values[0] ?? text);
}

export function listIn(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The origin of a profile choice that overrides the default of the user file. */
export async function overridesDefault(name: string, runtime: Runtime): Promise<string | undefined> {
  const { layer, connection } = readEnvironment(runtime.env);
  if (layer.profile === undefined && connection.length > 0) return connection.join(', ');
  const chosen = layer.profile ?? (await readSources(runtime)).project?.common.profile;
  return chosen?.value === name ? undefined : chosen?.origin;
}

/** What `read` finds in a key; undefined where the key cannot be read or used. */
export async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
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
    const since = keySince(store.source, runtime.files) ?? undefined;
    await writeStoredKey(store, secret, runtime);
    try {
      writeUserFile(after, runtime.files);
    } catch (error) {
      await (older === undefined
        ? removeStoredKey(store, runtime)
        : writeStoredKey({ ...store, since }, older, runtime));
      throw error;
    }
  } finally {
    unlisten();
  }
}

/** Whether the user file makes it the default. */
export function isDefaultIn(content: ConfigContent, name: string): boolean {
  return (content.common.profile?.value ?? '') === name;
}

/** Asks before a change of a profile. Throws CONFIRMATION_NEEDED in a script, else CANCELLED or INTERRUPTED. */
export async function confirmChange(
  { verb, message, why, done, profile }: Confirmation,
  options: CommonOptions,
  runtime: Runtime,
): Promise<void> {
  if (!mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `${why} must be confirmed, and there is no terminal to prompt on`,
      how: 'add --yes if that is intended',
      profile,
    });
  if (await saysYes(verb, message, options, runtime).catch(ifInterrupted(`nothing was ${done}`))) return;
  throw fail('CANCELLED', {
    why: `nothing was ${done}`,
    how: `\`paycli profile show ${shellWord(profile, 'PROFILE')} --origins\` shows the values in force`,
    profile,
  });
}

interface Confirmation {
  readonly verb: string;
  readonly message: string;
  /** What must be confirmed. */
  readonly why: string;
  readonly done: string;
  readonly profile: string;
}

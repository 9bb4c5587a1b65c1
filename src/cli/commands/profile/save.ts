import type { ConfigText } from '../../../config/config-file.js';
import { type ConfigContent, nameProblem } from '../../../config/content.js';
import { applyChanges, type EditedConfig, type NewProfile, readUserFile, writeUserFile } from '../../../config/edit.js';
import {
  type KeyStore,
  keyStoreOf,
  readStoredKey,
  removeStoredKey,
  writeStoredKey,
} from '../../../config/key-store.js';
import { isMapping } from '../../../config/sanitize.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/secret.js';
import { createFiles, type NewFile } from '../keys/key-files.js';
import type { ProfileValues } from './values.js';

/** The user file before a profile is added, and whether another may be replaced. */
export interface ProfileSlot {
  readonly before: ConfigText;
  readonly current: ConfigContent;
  readonly mayReplace: boolean;
  readonly command: string;
}

/** Throws CONFIG_INVALID. */
export function openProfileSlot(replace: boolean | undefined, command: string, { files }: Runtime): ProfileSlot {
  const before = readUserFile(files);
  return { before, current: applyChanges(before, [], files).content, mayReplace: replace === true, command };
}

/** Why a new profile may not have this name. */
export function nameProblemIn(name: string, { before, current, mayReplace }: ProfileSlot): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) return `the profile ${problem}`;
  if (!current.profiles.has(name) || mayReplace) return undefined;
  return `there is a profile ${name} in ${before.path} already; --replace changes what is given and keeps the rest`;
}

/** Throws USAGE. */
export function checkName(name: string, slot: ProfileSlot): void {
  const why = nameProblemIn(name, slot);
  if (why !== undefined) throw fail('USAGE', { why, command: slot.command });
}

/** The settings that hold no key. */
export function settingsOf({
  class: kind,
  baseUrl,
  login,
  endpointId,
  endpoints,
  maxAmount,
}: ProfileValues): NewProfile {
  const [onlyCap] = maxAmount;
  return {
    class: kind,
    'base-url': baseUrl,
    login,
    'endpoint-id': idOf(endpointId),
    ...(Object.keys(endpoints).length === 0
      ? {}
      : { endpoints: Object.fromEntries(Object.entries(endpoints).map(([key, id]) => [key, idOf(id)])) }),
    ...(onlyCap === undefined ? {} : { 'max-amount': maxAmount.length === 1 ? onlyCap : maxAmount }),
  };
}

// Beyond 2^53 a number would lose digits.
export function idOf(text: string): string | number {
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/** A profile that only has to be written. */
export interface PlannedProfile {
  readonly name: string;
  readonly profile: NewProfile;
  readonly after: EditedConfig;
  readonly isDefault: boolean;
  /** Settings that a replaced profile had and that were not given now: caps, above all, are never lost in silence. */
  readonly kept: readonly string[];
}

/** The user file as it would be. Throws CONFIG_INVALID or PROFILE_CLASS_MISMATCH. */
export function planProfile(
  name: string,
  given: NewProfile,
  { before, current }: ProfileSlot,
  { files }: Runtime,
): PlannedProfile {
  const kept = keptSettings(before.data, name, given);
  const profile = { ...kept, ...given };
  // A live profile becomes the default one only by `profile use`.
  const isFirst = current.defaultProfile === undefined && profile['class'] !== 'live';
  const after = applyChanges(
    before,
    [{ kind: 'put', name, profile }, ...(isFirst ? [{ kind: 'default', name } as const] : [])],
    files,
  );
  const isDefault = after.content.defaultProfile?.value === name;
  return { name, profile, after, isDefault, kept: Object.keys(kept) };
}

/** What goes onto the disk besides the profile. */
interface KeysToStore {
  readonly store: KeyStore;
  readonly controlKey: Secret;
  /** New files, such as those of an RSA key. */
  readonly files: readonly NewFile[];
}

/**
 * The keys first: a profile that names a key must never be there without it. What fails leaves everything as it was,
 * and a signal has to wait.
 */
export async function saveProfile(
  planned: PlannedProfile,
  keys: KeysToStore,
  slot: ProfileSlot,
  runtime: Runtime,
): Promise<void> {
  const unlisten = runtime.processes.onStop(() => undefined);
  try {
    const older = await storedKey(keys.store, slot, runtime);
    createFiles(keys.files, slot.command, runtime);
    try {
      await writeStoredKey(keys.store, keys.controlKey, runtime);
      await orUndo(
        () => writeUserFile(planned.after, runtime.files),
        () => (older === undefined ? removeStoredKey(keys.store, runtime) : writeStoredKey(keys.store, older, runtime)),
      );
    } catch (error) {
      for (const { path } of keys.files) runtime.files.remove(path);
      throw error;
    }
    const oldStore = keyStoreOf(planned.name, slot.current, runtime.files);
    if (oldStore !== undefined && oldStore.place !== keys.store.place) await removeStoredKey(oldStore, runtime);
  } finally {
    unlisten();
  }
}

/** What fails is undone before it is told. */
export async function orUndo(write: () => void, undo: () => Promise<void>): Promise<void> {
  try {
    write();
  } catch (error) {
    await undo();
    throw error;
  }
}

/** The key already stored where the new one is to go. Throws USAGE when it may not be overwritten. */
export async function storedKey(
  store: KeyStore,
  { mayReplace, command }: ProfileSlot,
  runtime: Runtime,
): Promise<Secret | undefined> {
  const older = await readStoredKey(store, runtime);
  if (older !== undefined && !mayReplace) throw fail('keyInTheWay', { place: store.place, command });
  return older;
}

/** The settings of a profile in a file; nothing where there is no such profile. */
function settingsIn(data: unknown, name: string): NewProfile {
  const profiles = isMapping(data) ? data['profiles'] : undefined;
  const profile = isMapping(profiles) ? profiles[name] : undefined;
  return isMapping(profile) ? (profile as NewProfile) : {};
}

/** What a replaced profile keeps: all that is not given, but no key beside a new one of its kind. */
function keptSettings(data: unknown, name: string, given: NewProfile): NewProfile {
  const isReplaced = (key: string) =>
    key in given ||
    key.startsWith('control-key') ||
    ('private-key-file' in given && /^(?:private-key|passphrase)/.test(key));
  return Object.fromEntries(Object.entries(settingsIn(data, name)).filter(([key]) => !isReplaced(key)));
}

/** What the profile of this name has of the values that every profile needs; for --replace, which asks for none of them. */
export function presentValues(name: string, { before, mayReplace }: ProfileSlot): Readonly<Record<string, string>> {
  const settings = mayReplace ? settingsIn(before.data, name) : {};
  return Object.fromEntries(
    ['class', 'base-url', 'login', 'endpoint-id'].flatMap((key) => {
      const value = settings[key];
      return typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [];
    }),
  );
}

/** Which settings a replaced profile keeps. */
export function keptSettingsText(kept: readonly string[]): readonly string[] {
  return kept.length === 0 ? [] : [`kept from the profile as it was: ${kept.join(', ')}`];
}

import type { ConfigText } from '../../../config/config-file.js';
import { type ConfigContent, nameProblem } from '../../../config/content.js';
import { applyChanges, type EditedConfig, type NewProfile, readUserFile, writeUserFile } from '../../../config/edit.js';
import {
  type KeyStore,
  keySince,
  keyStoreOf,
  readStoredKey,
  removeStoredKey,
  type StoreName,
  storeWithAge,
  writeStoredKey,
} from '../../../config/key-store.js';
import { isMapping } from '../../../config/sanitize.js';
import { secretLocation } from '../../../config/settings.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import type { Secret } from '../../../wire/mask.js';
import { createFiles, type NewFile } from '../keys/key-files.js';
import type { PresentValues, ProfileValues } from './values.js';

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
  return `profile ${name} already exists in ${before.path}; --replace changes what is given and keeps the rest`;
}

/** Throws USAGE. */
export function checkName(name: string, slot: ProfileSlot): void {
  const why = nameProblemIn(name, slot);
  if (why !== undefined) throw fail('USAGE', { why, command: slot.command });
}

/** The settings that are not keys. */
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

// Beyond 2^53 a YAML number would lose digits.
export function idOf(text: string): string | number {
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/** A profile ready to be written. */
export interface PlannedProfile {
  readonly name: string;
  readonly profile: NewProfile;
  readonly after: EditedConfig;
  readonly isDefault: boolean;
  /** Settings of the replaced profile that stay as they were, so that caps are not lost silently. */
  readonly kept: readonly string[];
}

/**
 * The user file as it would be; settings `fromPresent` are those of the replaced profile. Throws CONFIG_INVALID or
 * PROFILE_CLASS_MISMATCH.
 */
export function planProfile(
  name: string,
  given: NewProfile,
  { before, current }: ProfileSlot,
  { files }: Runtime,
  fromPresent: readonly string[] = [],
): PlannedProfile {
  const kept = keptSettings(before.data, name, given);
  // Keeps the order of the file.
  const present = Object.entries(settingsIn(before.data, name)).filter(([key]) => key in kept || key in given);
  const profile = { ...Object.fromEntries(present), ...given };
  // A live profile becomes the default only by `profile set --default`.
  const isFirst = current.defaultProfile === undefined && profile['class'] !== 'live';
  const after = applyChanges(
    before,
    [
      ...(isFirst ? [{ path: ['default-profile'], value: name } as const] : []),
      { path: ['profiles', name], value: profile },
    ],
    files,
  );
  const isDefault = after.content.defaultProfile?.value === name;
  const unchanged = present.map(([key]) => key).filter((key) => key in kept || fromPresent.includes(key));
  return { name, profile, after, isDefault, kept: unchanged };
}

/** What is written besides the profile. */
interface KeysToStore {
  /** Undefined where the control key of the replaced profile stays where it is. */
  readonly store: KeyStore | undefined;
  readonly controlKey: Secret;
  /** New files, such as those of an RSA key. */
  readonly files: readonly NewFile[];
}

/**
 * Writes the keys first: a profile must never name a missing key. On failure everything is restored; signals wait until
 * it is done.
 */
export async function saveProfile(
  planned: PlannedProfile,
  keys: KeysToStore,
  slot: ProfileSlot,
  runtime: Runtime,
): Promise<void> {
  const unlisten = runtime.processes.onStop(() => undefined);
  try {
    const { store } = keys;
    const older = store && (await storedKey(store, slot, runtime));
    const since = store && (keySince(store.source, runtime.files) ?? undefined);
    createFiles(keys.files, slot.command, runtime);
    try {
      if (store !== undefined) await writeStoredKey(store, keys.controlKey, runtime);
      await orUndo(
        () => writeUserFile(planned.after, runtime.files),
        async () => {
          if (store === undefined) return;
          await (older === undefined
            ? removeStoredKey(store, runtime)
            : writeStoredKey(storeWithAge(store, since), older, runtime));
        },
      );
    } catch (error) {
      for (const { path } of keys.files) runtime.files.remove(path);
      throw error;
    }
    const oldStore = keyStoreOf(planned.name, slot.current, runtime.files);
    if (store !== undefined && oldStore !== undefined && oldStore.place !== store.place)
      await removeStoredKey(oldStore, runtime);
  } finally {
    unlisten();
  }
}

/** Undoes a failed write before throwing its error. */
export async function orUndo(write: () => void, undo: () => Promise<void>): Promise<void> {
  try {
    write();
  } catch (error) {
    await undo();
    throw error;
  }
}

/** The store with the age of the key: a key that is moved, or stored there already, keeps its age. */
export async function storeFor(
  store: KeyStore,
  { name, controlKey, keptKey }: Pick<ProfileValues, 'name' | 'controlKey' | 'keptKey'>,
  { current }: Pick<ProfileSlot, 'current'>,
  runtime: Runtime,
): Promise<KeyStore> {
  if (keptKey !== undefined) return storeWithAge(store, keySince(keptKey, runtime.files) ?? undefined);
  const older = await readStoredKey(store, runtime);
  const isSame = older !== undefined && older.open() === controlKey.open();
  const present = current.profiles.get(name)?.draft.secrets['control-key'] ?? store.source;
  return storeWithAge(store, isSame ? (keySince(present, runtime.files) ?? undefined) : runtime.clock.now());
}

/** The key already stored at the new place. Throws USAGE when it may not be overwritten. */
export async function storedKey(
  store: KeyStore,
  { mayReplace, command }: ProfileSlot,
  runtime: Runtime,
): Promise<Secret | undefined> {
  const older = await readStoredKey(store, runtime);
  if (older !== undefined && !mayReplace)
    throw fail('USAGE', {
      why: `${store.place} already holds a key, though no profile names it; --replace overwrites it`,
      command,
    });
  return older;
}

/** The settings of a profile in a file; empty where there is no such profile. */
function settingsIn(data: unknown, name: string): NewProfile {
  const profiles = isMapping(data) ? data['profiles'] : undefined;
  const profile = isMapping(profiles) ? profiles[name] : undefined;
  return isMapping(profile) ? (profile as NewProfile) : {};
}

/** The settings a replaced profile keeps: all that are not given, except an old key whose kind is replaced. */
function keptSettings(data: unknown, name: string, given: NewProfile): NewProfile {
  const hasNewKey = Object.keys(given).some((key) => key.startsWith('control-key'));
  const isReplaced = (key: string) =>
    key in given ||
    (hasNewKey && key.startsWith('control-key')) ||
    ('private-key-file' in given && /^(?:private-key|passphrase)/.test(key));
  return Object.fromEntries(Object.entries(settingsIn(data, name)).filter(([key]) => !isReplaced(key)));
}

/** The present values of a profile that --replace changes, as far as every profile needs them. */
export function presentValues(name: string, { before, current, mayReplace }: ProfileSlot): PresentValues {
  if (!mayReplace) return { values: {} };
  const settings = settingsIn(before.data, name);
  const values = ['class', 'base-url', 'login', 'endpoint-id'].flatMap((key) => {
    const value = settings[key];
    return typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [];
  });
  const profile = current.profiles.get(name);
  const endpoints = profile?.endpoints.filter(({ key }) => key !== 'endpoint-id') ?? [];
  const others = {
    endpoints: endpoints.length === 0 ? undefined : endpoints.map(({ key, id }) => `${key}=${id}`).join(', '),
    'max-amount': profile?.caps.rows.find(({ key }) => key === 'max-amount')?.value,
  };
  const controlKey = profile?.draft.secrets['control-key'];
  return { values: Object.fromEntries(values), others, controlKey };
}

/** Where the control key of a new or changed profile is stored, for a result. */
export interface KeyFacts {
  /** Null where it stays in a place that paycli does not manage. */
  readonly store: StoreName | null;
  readonly place: string;
  readonly fingerprint: string;
}

/** Without a new store the key stays where it is. */
export function keyFacts(
  values: ProfileValues,
  store: KeyStore | undefined,
  slot: ProfileSlot,
  { files }: Runtime,
): KeyFacts {
  const { name, controlKey, keptKey } = values;
  const fingerprint = keyFingerprint(controlKey.open());
  const place = keptKey === undefined ? '' : secretLocation(keptKey);
  const kept = { name: keyStoreOf(name, slot.current, files)?.name ?? null, place };
  const { name: kind, place: where } = store ?? kept;
  return { store: kind, place: where, fingerprint };
}

/** Which settings a replaced profile keeps. */
export function keptSettingsText(kept: readonly string[]): readonly string[] {
  return kept.length === 0 ? [] : [`kept unchanged: ${kept.join(', ')}`];
}

import { join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Files, Runtime } from '../runtime/ports.js';
import { Secret } from '../wire/mask.js';
import type { ConfigContent } from './content.js';
import { readSecretText } from './file-access.js';
import { askKeyring } from './secrets.js';
import { type SecretSource, secretLocation } from './settings.js';

const stores = ['file', 'keyring'] as const;
export type StoreName = (typeof stores)[number];

/** Where paycli itself keeps the control key of a profile. */
export interface KeyStore {
  readonly name: StoreName;
  /** How the profile names it. */
  readonly setting: Readonly<Record<string, string>>;
  /** Fit for a message. */
  readonly place: string;
  readonly source: Extract<SecretSource, { kind: 'file' | 'keyring' }>;
  /** Since when the key to be written has been in use; now, unless given. */
  readonly since?: number;
}

type Ports = Pick<Runtime, 'files' | 'keyring' | 'clock'>;

export function keyStore(name: StoreName, profile: string, files: Files): KeyStore {
  const source =
    name === 'file'
      ? fileOf(profile, files)
      : ({ kind: 'keyring', account: `${profile}/control-key`, origin: '' } as const);
  const setting: Readonly<Record<string, string>> =
    source.kind === 'file'
      ? { 'control-key-file': `keys/${profile}.control-key` }
      : { 'control-key-keyring': source.account };
  return { name, setting, place: secretLocation(source), source };
}

/** The store with the age of the key that will be written there; the keyring keeps no time, so the profile does. */
export function storeWithAge(store: KeyStore, since: number | undefined): KeyStore {
  if (since === undefined) return store;
  const date = { 'control-key-since': new Date(since).toISOString() };
  return { ...store, since, setting: store.name === 'keyring' ? { ...store.setting, ...date } : store.setting };
}

/** Since when a key has been in use: when its file was last written, or paycli stored it. Null if that is not known. */
export function keySince(key: SecretSource | undefined, files: Files): number | null {
  if (key?.kind === 'keyring') return key.since ?? null;
  if (key?.kind !== 'file') return null;
  try {
    return files.facts(key.path)?.changedAt ?? null;
  } catch {
    return null;
  }
}

function fileOf(
  profile: string,
  files: Files,
): { readonly kind: 'file'; readonly path: string; readonly origin: string } {
  return { kind: 'file', path: join(files.folders.config, 'keys', `${profile}.control-key`), origin: '' };
}

/**
 * The store a profile's key is in, when paycli put it there for this profile alone: any other key belongs to the user.
 */
export function keyStoreOf(name: string, { profiles }: ConfigContent, files: Files): KeyStore | undefined {
  const source = profiles.get(name)?.draft.secrets['control-key'];
  if (source === undefined) return undefined;
  const others = [...profiles.values()]
    .filter((profile) => profile.name !== name)
    .flatMap(({ draft }) => Object.values(draft.secrets));
  if (others.some((other) => secretLocation(other) === secretLocation(source))) return undefined;
  return stores.map((store) => keyStore(store, name, files)).find(({ place }) => place === secretLocation(source));
}

/** The key that is stored already. Throws STORAGE or SECRET_UNREADABLE. */
export async function readStoredKey({ source, place }: KeyStore, ports: Ports): Promise<Secret | undefined> {
  if (source.kind === 'keyring') {
    const secret = await askKeyring(place, ports, (keyring, signal) => keyring.read(source.account, signal));
    return secret === undefined ? undefined : new Secret(secret);
  }
  if (!ports.files.exists(source.path)) return undefined;
  try {
    return new Secret(readSecretText(source.path, ports.files).replace(/\n$/, ''));
  } catch {
    throw fail('STORAGE', { what: place, why: 'it could not be read', how: 'nothing was changed; check the file' });
  }
}

/** Throws STORAGE or SECRET_UNREADABLE. */
export async function writeStoredKey({ source, place, since }: KeyStore, secret: Secret, ports: Ports): Promise<void> {
  if (source.kind === 'keyring')
    return askKeyring(place, ports, (keyring, signal) => keyring.write(source.account, secret.open(), signal));
  try {
    ports.files.writeText(source.path, `${secret.open()}\n`, 0o600, since);
  } catch {
    throw fail('STORAGE', {
      what: place,
      why: 'it could not be written',
      how: 'nothing was changed; check the folder and the disk',
    });
  }
}

/** Throws STORAGE or SECRET_UNREADABLE. */
export async function removeStoredKey({ source, place }: KeyStore, ports: Ports): Promise<void> {
  if (source.kind === 'keyring')
    return void (await askKeyring(place, ports, (keyring, signal) => keyring.remove(source.account, signal)));
  try {
    ports.files.remove(source.path);
  } catch {
    throw fail('STORAGE', { what: place, why: 'it could not be removed', how: 'remove it manually: it holds a key' });
  }
}

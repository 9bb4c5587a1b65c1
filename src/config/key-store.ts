import { join } from 'node:path';
import { fail, type PaycliError } from '../errors/index.js';
import type { Files, Runtime } from '../runtime/ports.js';
import { Secret } from '../wire/mask.js';
import type { ConfigContent } from './content.js';
import { readSecretText } from './file-access.js';
import { askKeyring } from './secrets.js';
import { profileSecrets, type SecretSource, secretLocation } from './settings.js';

export type StoreName = 'file' | 'keyring';

/** A secret that paycli itself may keep for a profile; a private key and its passphrase stay in files of the user. */
export interface StoredSecret {
  readonly profile: string;
  readonly key: 'control-key' | 'journal-key' | 'journal-password';
}

/** Where paycli itself keeps a secret of a profile. */
export interface KeyStore extends StoredSecret {
  readonly name: StoreName;
  readonly source: Extract<SecretSource, { kind: 'file' | 'keyring' }>;
  /** Fit for a message. */
  readonly place: string;
  /** Since when the key has been in use: the time of its file, or what the profile says of the keyring. */
  readonly since: number | undefined;
}

type Ports = Pick<Runtime, 'files' | 'keyring' | 'clock'>;

export function keyStore(name: StoreName, { profile, key }: StoredSecret, files: Files, since?: number): KeyStore {
  const source =
    name === 'file'
      ? ({ kind: name, path: join(files.folders.config, 'keys', `${profile}.${key}`) } as const)
      : ({ kind: name, account: `${profile}/${key}` } as const);
  return { profile, key, name, source, place: secretLocation(source), since };
}

/** How the profile names the secret in its store. */
export function storeSetting({ source, since, profile, key }: KeyStore): Readonly<Record<string, string>> {
  if (source.kind === 'file') return { file: `keys/${profile}.${key}` };
  return { keyring: source.account, ...(since === undefined ? {} : { since: new Date(since).toISOString() }) };
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

/**
 * The store a profile's secret is in, when paycli put it there for this profile alone: any other belongs to the user.
 */
export function ownKeyStore(owner: StoredSecret, { profiles }: ConfigContent, files: Files): KeyStore | undefined {
  const source = profiles.get(owner.profile)?.[owner.key]?.value;
  const place = source && secretLocation(source);
  const users = [...profiles].flatMap(([name, layer]) =>
    profileSecrets.flatMap((key) => {
      const theirs = layer[key]?.value;
      return theirs !== undefined && secretLocation(theirs) === place ? [`${name} ${key}`] : [];
    }),
  );
  if (users.length > 1) return undefined;
  const since = source?.kind === 'keyring' ? source.since : undefined;
  const stores = (['file', 'keyring'] as const).map((store) => keyStore(store, owner, files, since));
  return stores.find((store) => store.place === place);
}

/** The secret that is stored already. Throws STORAGE or SECRET_UNREADABLE. */
export async function readStoredKey({ source, place }: KeyStore, ports: Ports): Promise<Secret | undefined> {
  if (source.kind === 'keyring') {
    const secret = await askKeyring(place, ports, (keyring, signal) => keyring.read(source.account, signal));
    return secret === undefined ? undefined : new Secret(secret);
  }
  if (!ports.files.exists(source.path)) return undefined;
  try {
    return new Secret(readSecretText(source.path, ports.files).replace(/\n$/, ''));
  } catch {
    throw unusable(place, 'read', 'nothing was changed; check the file');
  }
}

/** Throws STORAGE or SECRET_UNREADABLE. */
export async function writeStoredKey({ source, place, since }: KeyStore, secret: Secret, ports: Ports): Promise<void> {
  if (source.kind === 'keyring')
    return askKeyring(place, ports, (keyring, signal) => keyring.write(source.account, secret.open(), signal));
  try {
    ports.files.writeText(source.path, `${secret.open()}\n`, 0o600, since);
  } catch {
    throw unusable(place, 'written', 'nothing was changed; check the folder and the disk');
  }
}

/** Throws STORAGE or SECRET_UNREADABLE. */
export async function removeStoredKey({ source, place }: KeyStore, ports: Ports): Promise<void> {
  if (source.kind === 'keyring')
    return void (await askKeyring(place, ports, (keyring, signal) => keyring.remove(source.account, signal)));
  try {
    ports.files.remove(source.path);
  } catch {
    throw unusable(place, 'removed', 'remove it manually: it holds a key');
  }
}

function unusable(what: string, done: string, how: string): PaycliError {
  return fail('STORAGE', { what, why: `it could not be ${done}`, how });
}

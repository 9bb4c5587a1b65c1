import { join } from 'node:path';
import { fail, type PaycliError } from '../errors/index.js';
import type { Files, Runtime } from '../runtime/ports.js';
import { Secret } from '../wire/mask.js';
import type { ConfigContent } from './content.js';
import { readSecretText } from './file-access.js';
import { askKeyring } from './secrets.js';
import { profileSecrets, type SecretSource, secretLocation } from './settings.js';

export type StoreName = 'file' | 'keyring';

/** Secrets that paycli itself may keep for a profile; a private key and its passphrase stay in files of the user. */
export const storedSecrets = ['control-key', 'journal-key', 'journal-password'] as const;
export type StoredSecret = (typeof storedSecrets)[number];

/** Where paycli itself keeps a secret of a profile. */
export interface KeyStore {
  readonly name: StoreName;
  readonly source: Extract<SecretSource, { kind: StoreName }>;
  /** How the profile names it. */
  readonly setting: Readonly<Record<string, string>>;
  /** Fit for a message. */
  readonly place: string;
}

type Ports = Pick<Runtime, 'files' | 'keyring' | 'clock'>;

export function keyStore(name: StoreName, profile: string, key: StoredSecret, files: Files): KeyStore {
  const file = `keys/${profile}.${key}`;
  const account = `${profile}/${key}`;
  const source =
    name === 'file'
      ? ({ kind: name, path: join(files.folders.config, file) } as const)
      : ({ kind: name, account } as const);
  const setting = name === 'file' ? { file } : { keyring: account };
  return { name, source, setting, place: secretLocation(source) };
}

/**
 * The store a profile's secret is in, when paycli put it there for this profile alone: any other belongs to the user.
 */
export function ownKeyStore(
  profile: string,
  key: StoredSecret,
  { profiles }: ConfigContent,
  files: Files,
): KeyStore | undefined {
  const places = [...profiles.values()].flatMap((layer) =>
    profileSecrets.flatMap((each) => (layer[each] === undefined ? [] : [secretLocation(layer[each].value)])),
  );
  const source = profiles.get(profile)?.[key]?.value;
  const place = source && secretLocation(source);
  if (places.filter((each) => each === place).length > 1) return undefined;
  const stores = (['file', 'keyring'] as const).map((name) => keyStore(name, profile, key, files));
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
export async function writeStoredKey({ source, place }: KeyStore, secret: Secret, ports: Ports): Promise<void> {
  if (source.kind === 'keyring')
    return askKeyring(place, ports, (keyring, signal) => keyring.write(source.account, secret.open(), signal));
  try {
    ports.files.writeText(source.path, `${secret.open()}\n`, 0o600);
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

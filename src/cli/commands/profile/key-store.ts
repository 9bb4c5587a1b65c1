import { join } from 'node:path';
import type { ConfigContent } from '../../../config/content.js';
import { readSecretText } from '../../../config/file-access.js';
import { askKeyring } from '../../../config/secrets.js';
import { profileSecrets, type SecretSource, secretLocation } from '../../../config/settings.js';
import { fail, type PaycliError } from '../../../errors/index.js';
import type { Files, Runtime } from '../../../runtime/ports.js';
import { Secret } from '../../../wire/mask.js';

export type StoreName = 'file' | 'keyring';

/** Where paycli itself keeps the control key of a profile; its other secrets stay in files of the user. */
export interface KeyStore {
  readonly name: StoreName;
  readonly source: Extract<SecretSource, { kind: StoreName }>;
  /** How the profile names it. */
  readonly setting: Readonly<Record<string, string>>;
  /** Fit for a message. */
  readonly place: string;
}

type Ports = Pick<Runtime, 'files' | 'keyring' | 'clock'>;

function keyStore(name: StoreName, profile: string, files: Files): KeyStore {
  const file = `keys/${profile}.control-key`;
  const account = `${profile}/control-key`;
  const source =
    name === 'file'
      ? ({ kind: name, path: join(files.folders.config, file) } as const)
      : ({ kind: name, account } as const);
  const setting = name === 'file' ? { file } : { keyring: account };
  return { name, source, setting, place: secretLocation(source) };
}

/** The store a profile's key is in, when paycli put it there for this profile alone: any other belongs to the user. */
export function ownKeyStore(profile: string, { profiles }: ConfigContent, files: Files): KeyStore | undefined {
  const places = [...profiles.values()].flatMap((layer) =>
    profileSecrets.flatMap((each) => (layer[each] === undefined ? [] : [secretLocation(layer[each].value)])),
  );
  const source = profiles.get(profile)?.['control-key']?.value;
  const place = source && secretLocation(source);
  if (places.filter((each) => each === place).length > 1) return undefined;
  return (['file', 'keyring'] as const)
    .map((name) => keyStore(name, profile, files))
    .find((each) => each.place === place);
}

/**
 * Where a new control key of a profile goes. Throws USAGE where that holds a key which is not this profile's alone, and
 * STORAGE or SECRET_UNREADABLE.
 */
export async function openKeyStore(
  name: StoreName,
  profile: string,
  content: ConfigContent,
  command: string,
  ports: Ports,
): Promise<KeyStore> {
  const store = keyStore(name, profile, ports.files);
  const isOwn = ownKeyStore(profile, content, ports.files)?.place === store.place;
  if (isOwn || (await readStoredKey(store, ports)) === undefined) return store;
  throw fail('USAGE', {
    why: `${store.place} already holds a key that other profiles may use: move it away first`,
    profile,
    command,
  });
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

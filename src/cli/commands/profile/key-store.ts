import { join } from 'node:path';
import type { ConfigContent } from '../../../config/content.js';
import { readSecretText } from '../../../config/file-access.js';
import { askKeyring } from '../../../config/secrets.js';
import { profileSecrets, type SecretSource, secretLocation } from '../../../config/settings.js';
import { fail } from '../../../errors/index.js';
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
  ports: Ports,
): Promise<KeyStore> {
  const store = keyStore(name, profile, ports.files);
  const isOwn = ownKeyStore(profile, content, ports.files)?.place === store.place;
  if (isOwn || (await readStoredKey(store, ports)) === undefined) return store;
  throw fail('USAGE', {
    why: `${store.place} already holds a key that other profiles may use: move it away first`,
    profile,
  });
}

/** The secret that is stored already. Throws STORAGE or SECRET_UNREADABLE. */
export async function readStoredKey({ source, place }: KeyStore, ports: Ports): Promise<Secret | undefined> {
  if (source.kind === 'keyring') {
    const secret = await askKeyring(place, ports, 'read', source.account);
    return secret === undefined ? undefined : new Secret(secret);
  }
  const { files } = ports;
  if (!files.exists(source.path)) return undefined;
  const how = 'nothing was changed; check the file';
  return attempt(() => new Secret(readSecretText(source.path, files).replace(/\n$/, '')), place, how);
}

/** Throws STORAGE or SECRET_UNREADABLE. */
export async function writeStoredKey({ source, place }: KeyStore, secret: Secret, ports: Ports): Promise<void> {
  if (source.kind === 'keyring') return void (await askKeyring(place, ports, 'write', source.account, secret.open()));
  const how = 'nothing was changed; check the folder and the disk';
  attempt(() => ports.files.writeText(source.path, `${secret.open()}\n`, 0o600), place, how);
}

/** Throws STORAGE or SECRET_UNREADABLE. */
export async function removeStoredKey({ source, place }: KeyStore, ports: Ports): Promise<void> {
  if (source.kind === 'keyring') return void (await askKeyring(place, ports, 'remove', source.account));
  attempt(() => ports.files.remove(source.path), place, 'remove it manually: it holds a key');
}

/** The cause may repeat the key, so it is not passed on. */
function attempt<T>(work: () => T, what: string, how: string): T {
  try {
    return work();
  } catch {
    throw fail('STORAGE', { what, why: 'its file could not be read or changed', how });
  }
}

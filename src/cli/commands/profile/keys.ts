import { readFlags } from '../../../config/given.js';
import { type ListedProfile, listProfiles, readPemText, readSecret } from '../../../config/index.js';
import type { SecretSource } from '../../../config/settings.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint, type PrivateKey, readPrivateKey } from '../../../signing/index.js';
import { unlessUnreadable } from './user-file.js';

interface KeyOwner {
  readonly name: string;
  readonly class: string;
}

/**
 * Tells when a live profile and one of another class have the same control key, by fingerprint: `the same control key
 * as profile shop-live of class live`. Only keys in files are read; an unreadable key counts as different.
 */
export async function sharedKeyText(
  owner: KeyOwner,
  fingerprint: string,
  runtime: Runtime,
): Promise<string | undefined> {
  for (const { name, class: kind, keys } of await otherProfiles(owner, runtime)) {
    const source = keys['control-key'];
    if (source?.kind === 'file' && (await controlKeyFingerprint(source, runtime)) === fingerprint)
      return `the same control key as profile ${name} of class ${kind}`;
  }
  return undefined;
}

/** The same as a warning. */
export async function sharedKeyWarning(owner: KeyOwner, fingerprint: string, runtime: Runtime): Promise<string[]> {
  const text = await sharedKeyText(owner, fingerprint, runtime);
  return text === undefined ? [] : [`profile ${owner.name} of class ${owner.class} has ${text}; ${sharedKeyAdvice}`];
}

export const sharedKeyAdvice = 'ask gateway support for a separate key for each';

/** Live profiles for one that is not live, and the reverse. */
async function otherProfiles({ name, class: kind }: KeyOwner, runtime: Runtime): Promise<readonly ListedProfile[]> {
  const all = (await unlessUnreadable(() => listProfiles(runtime))) ?? [];
  return all.filter((other) => other.name !== name && (other.class === 'live') !== (kind === 'live'));
}

/** The fingerprint of a stored control key; undefined where it cannot be read. */
export function controlKeyFingerprint(source: SecretSource, runtime: Runtime): Promise<string | undefined> {
  return unlessUnreadable(async () => keyFingerprint((await readSecret(source, runtime)).secret.open()));
}

/** Reads a private key. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export async function readRsaKey(
  key: SecretSource,
  passphrase: SecretSource | undefined,
  runtime: Runtime,
): Promise<PrivateKey> {
  const { secret, from } = await readPemText(key, runtime);
  const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, runtime)).secret;
  return readPrivateKey(secret.open(), phrase, from);
}

/** An RSA key in a file of the user, where it stays. */
export interface RsaFile {
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly file: string;
  readonly key: PrivateKey;
}

/**
 * An existing private key, read once to check that it is usable. Undefined without one. Throws USAGE,
 * SECRET_UNREADABLE or KEY_UNUSABLE.
 */
export async function readRsaFile(
  { privateKeyFile, passphraseFile }: { readonly privateKeyFile?: string; readonly passphraseFile?: string },
  command: string,
  runtime: Runtime,
): Promise<RsaFile | undefined> {
  if (privateKeyFile === '-' || passphraseFile === '-')
    throw fail('USAGE', {
      why: 'the private key and its passphrase stay in files of their own and cannot be read from -',
      command,
    });
  const given = readFlags({ privateKeyFile, passphraseFile }, runtime.files);
  const [key, phrase] = [given['private-key']?.value, given.passphrase?.value];
  if (key?.kind !== 'file') return undefined;
  return {
    settings: {
      'private-key': { file: key.path },
      ...(phrase?.kind === 'file' ? { passphrase: { file: phrase.path } } : {}),
    },
    file: key.path,
    key: await readRsaKey(key, phrase, runtime),
  };
}

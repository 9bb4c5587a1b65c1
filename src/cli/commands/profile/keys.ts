import { readFlags } from '../../../config/given.js';
import {
  checkTlsPolicy,
  type ListedProfile,
  listProfiles,
  loadProfile,
  type Profile,
  readPemText,
  readSecret,
} from '../../../config/index.js';
import { type KeyStore, keySince, keyStore, type StoredSecret, type StoreName } from '../../../config/key-store.js';
import type { SecretSource } from '../../../config/settings.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint, type PrivateKey, readPrivateKey } from '../../../signing/index.js';
import type { Secret } from '../../../wire/mask.js';
import { unlessUnreadable } from './user-file.js';

/** A profile of the user file as it is: variables of the environment may describe another connection. */
export async function loadFromFile(name: string, runtime: Runtime): Promise<Profile> {
  checkTlsPolicy(runtime.env);
  const { profile } = await loadProfile({ profile: name }, { ...runtime, env: {} });
  if (profile === undefined) throw new Error('a profile of the file is not the sandbox');
  return profile;
}

interface KeyOwner {
  readonly name: string;
  readonly class: string;
}

/**
 * Tells when a live profile and one of another class have the same control key, by fingerprint: `the same control key
 * as profile shop-live of class live`. Only keys in files are read; an unreadable key counts as different.
 */
export async function sharedKeyText(
  { name, class: kind }: KeyOwner,
  fingerprint: string,
  runtime: Runtime,
): Promise<string | undefined> {
  const all: readonly ListedProfile[] = (await unlessUnreadable(() => listProfiles(runtime))) ?? [];
  for (const other of all) {
    const source = other.keys['control-key'];
    if (other.name === name || (other.class === 'live') === (kind === 'live') || source?.kind !== 'file') continue;
    const theirs = await unlessUnreadable(async () =>
      keyFingerprint((await readSecret(source, runtime)).secret.open()),
    );
    if (theirs === fingerprint) return `the same control key as profile ${other.name} of class ${other.class}`;
  }
  return undefined;
}

/** The same as a warning. */
export async function sharedKeyWarning(owner: KeyOwner, fingerprint: string, runtime: Runtime): Promise<string[]> {
  const text = await sharedKeyText(owner, fingerprint, runtime);
  return text === undefined ? [] : [`profile ${owner.name} of class ${owner.class} has ${text}; ${sharedKeyAdvice}`];
}

export const sharedKeyAdvice = 'ask gateway support for a separate key for each';

/** What a profile has already; undefined where it cannot be read without running a program, or only once. */
export async function readKept<T>(
  source: SecretSource | undefined,
  read: (source: SecretSource) => Promise<T>,
): Promise<T | undefined> {
  return source?.kind === 'file' || source?.kind === 'keyring' ? unlessUnreadable(() => read(source)) : undefined;
}

/** The store for a secret, with since when it has been in use: one that the profile has already keeps its age. */
export async function openStore(
  name: StoreName,
  owner: StoredSecret,
  { secret, present }: { readonly secret: Secret; readonly present: SecretSource | undefined },
  runtime: Runtime,
): Promise<KeyStore> {
  const old = await readKept(present, (source) => readSecret(source, runtime));
  const isSame = old?.secret.open() === secret.open();
  const since = isSame ? (keySince(present, runtime.files) ?? undefined) : runtime.clock.now();
  return keyStore(name, owner, runtime.files, since);
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
  /** Without a passphrase, that of the key before goes. */
  readonly settings: Readonly<Record<'private-key' | 'passphrase', { readonly file: string } | undefined>>;
  readonly file: string;
  readonly key: PrivateKey;
}

/**
 * An existing private key, read once to check that it is usable. Undefined without one. Throws USAGE,
 * SECRET_UNREADABLE or KEY_UNUSABLE.
 */
export async function readRsaFile(
  privateKeyFile: string | undefined,
  passphraseFile: string | undefined,
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
  const passphrase = phrase?.kind === 'file' ? { file: phrase.path } : undefined;
  return {
    settings: { 'private-key': { file: key.path }, passphrase },
    file: key.path,
    key: await readRsaKey(key, phrase, runtime),
  };
}

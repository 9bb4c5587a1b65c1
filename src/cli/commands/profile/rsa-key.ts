import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import type { NewProfile } from '../../../config/edit.js';
import { readFlags } from '../../../config/flags.js';
import { readPemText, readSecret } from '../../../config/index.js';
import type { SecretSource } from '../../../config/settings.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { readPrivateKey, rsaFingerprint } from '../../../signing/index.js';
import { privatePem, publicPem } from '../../../signing/keys/rsa-keys.js';
import type { Reporter } from '../../core/reporter.js';
import type { NewFile } from '../keys/key-files.js';
import { generatePair } from '../keys/new-pair.js';
import { unlessUnreadable } from './shared-key.js';

/** An RSA key for a new profile. */
export interface RsaKey {
  readonly settings: NewProfile;
  /** The private key. */
  readonly file: string;
  readonly publicFile: string | undefined;
  readonly fingerprint: string;
  readonly bits: number;
  /** The public key. */
  readonly pem: string;
  /** Files to write; none for an existing key. */
  readonly files: readonly NewFile[];
}

type RsaPrivateKey = ReturnType<typeof readPrivateKey>;

interface KeyFlags {
  readonly privateKeyFile?: string | undefined;
  readonly passphraseFile?: string | undefined;
}

async function readKey(
  key: SecretSource,
  passphrase: SecretSource | undefined,
  runtime: Runtime,
): Promise<RsaPrivateKey> {
  const { secret, from } = await readPemText(key, runtime);
  const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, runtime)).secret;
  return readPrivateKey(secret.open(), phrase, from);
}

/** The fingerprint of the private key of a profile; undefined where it cannot be read. */
export function privateKeyFingerprint(
  key: SecretSource,
  passphrase: SecretSource | undefined,
  runtime: Runtime,
): Promise<string | undefined> {
  return unlessUnreadable(async () => (await readKey(key, passphrase, runtime)).fingerprint);
}

/**
 * An existing private key, read once to check that it is usable; the file stays where it is. Throws USAGE,
 * SECRET_UNREADABLE or KEY_UNUSABLE.
 */
export async function existingKey(
  flags: KeyFlags,
  command: string,
  runtime: Runtime,
): Promise<(RsaKey & { readonly privateKey: RsaPrivateKey }) | undefined> {
  const { privateKeyFile, passphraseFile } = flags;
  if (privateKeyFile === undefined && passphraseFile === undefined) return undefined;
  if (privateKeyFile === undefined) throw fail('USAGE', { why: '--passphrase-file needs --private-key-file', command });
  if (privateKeyFile === '-' || passphraseFile === '-')
    throw fail('USAGE', {
      why: 'the private key and its passphrase stay in files of their own and cannot be read from -',
      command,
    });
  const { 'private-key': key, passphrase } = readFlags({ privateKeyFile, passphraseFile }, runtime.files).secrets;
  if (key === undefined) return undefined;
  const privateKey = await readKey(key, passphrase, runtime);
  const { keyObject, bits, fingerprint } = privateKey;
  const phraseSetting = passphrase === undefined ? {} : { 'passphrase-file': pathOf(passphrase) };
  return {
    settings: { 'private-key-file': pathOf(key), ...phraseSetting },
    file: pathOf(key),
    publicFile: undefined,
    fingerprint,
    bits,
    pem: publicPem(createPublicKey(keyObject), 'spki'),
    files: [],
    privateKey,
  };
}

const pathOf = (source: SecretSource) => (source.kind === 'file' ? source.path : '');

/** A new key of 4096 bits, not yet written. Throws INTERRUPTED or TERMINATED. */
export async function newKey(profile: string, report: Reporter, runtime: Runtime): Promise<RsaKey> {
  const bits = 4096;
  const name = freeName(profile, runtime);
  const file = join(runtime.files.folders.config, `${name}.pem`);
  const publicFile = join(runtime.files.folders.config, `${name}.pub.pem`);
  const { privateKey, publicKey } = await generatePair(bits, report, runtime, () => undefined);
  const pem = publicPem(publicKey, 'spki');
  return {
    settings: { 'private-key-file': `${name}.pem` },
    file,
    publicFile,
    fingerprint: rsaFingerprint(publicKey),
    bits,
    pem,
    files: [
      { path: file, text: privatePem(privateKey, 'pkcs8'), mode: 0o600 },
      { path: publicFile, text: pem, mode: 0o644 },
    ],
  };
}

/** A free file name in the configuration folder; an existing key is never overwritten. */
function freeName(profile: string, { files }: Runtime): string {
  for (let count = 1; ; count += 1) {
    const name = `keys/${profile}.rsa${count === 1 ? '' : `-${count}`}`;
    if (!['.pem', '.pub.pem'].some((end) => files.exists(join(files.folders.config, name + end)))) return name;
  }
}

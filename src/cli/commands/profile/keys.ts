import { type ConnectionFlags, readFlags } from '../../../config/given.js';
import { readSecret } from '../../../config/index.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type PrivateKey, readPrivateKey, type Secret } from '../../../signing/index.js';
import type { Reporter } from '../../core/reporter.js';

/** The control key that flags name; undefined without them. Throws FIELD_INVALID or SECRET_UNREADABLE. */
export async function readControlKey(
  { controlKeyFile, controlKeyFd }: ConnectionFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<Secret | undefined> {
  const source = readFlags({ controlKeyFile, controlKeyFd }, runtime.files)['control-key']?.value;
  if (source === undefined) return undefined;
  const { secret, warning } = await readSecret(source, runtime);
  if (warning !== undefined) report.warn([warning]);
  return secret;
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
  runtime: Runtime,
): Promise<RsaFile | undefined> {
  if (privateKeyFile === '-' || passphraseFile === '-')
    throw fail('USAGE', {
      why: 'the private key and its passphrase stay in files of their own and cannot be read from -',
    });
  const given = readFlags({ privateKeyFile, passphraseFile }, runtime.files);
  const [key, phrase] = [given['private-key']?.value, given.passphrase?.value];
  if (key?.kind !== 'file') return undefined;
  const passphrase = phrase?.kind === 'file' ? { file: phrase.path } : undefined;
  const { secret, from } = await readSecret(key, runtime);
  const opened = phrase === undefined ? undefined : (await readSecret(phrase, runtime)).secret;
  return {
    settings: { 'private-key': { file: key.path }, passphrase },
    file: key.path,
    key: readPrivateKey(secret.open(), opened, from),
  };
}

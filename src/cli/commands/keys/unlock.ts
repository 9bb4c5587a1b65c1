import { printableName } from '../../../config/file-access.js';
import { readSecret } from '../../../config/index.js';
import { fail, ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { openPrivateKey, openPublicKey } from '../../../signing/keys/inspect-key.js';
import type { Attempt, PrivateKey, PublicKey } from '../../../signing/keys/rsa-keys.js';
import { Secret } from '../../../wire/mask.js';
import { mayPrompt } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { type KeyFile, pathOf } from './key-files.js';

/** What a passphrase is asked with: the flag that names its file, and the command for a message. */
interface PassphrasePrompt {
  readonly flag: '--passphrase-file' | '--new-passphrase-file';
  readonly command: string;
  readonly options: CommonOptions;
  readonly report: Reporter;
}

/** The passphrase of a key that is there. Throws FIELD_MISSING where nobody can be asked. */
export async function readPassphrase(
  file: string | undefined,
  asking: PassphrasePrompt,
  runtime: Runtime,
): Promise<Secret> {
  if (file !== undefined) return fromFile(file, asking, runtime);
  const ask = await openPrompt(asking, runtime);
  return new Secret(
    await ask('passphrase', 'passphrase of the key', (text) => (text === '' ? 'it is empty' : undefined)),
  );
}

/** The passphrase of a key to be written, typed twice. Throws FIELD_MISSING where nobody can be asked. */
export async function newPassphrase(
  file: string | undefined,
  asking: PassphrasePrompt,
  runtime: Runtime,
): Promise<Secret> {
  if (file !== undefined) return fromFile(file, asking, runtime);
  const ask = await openPrompt(asking, runtime);
  const typed = await ask('new-passphrase', 'passphrase for the new key', (text) =>
    text === '' ? 'it is empty' : undefined,
  );
  await ask('new-passphrase-again', 'repeat the passphrase', (text) =>
    text === typed ? undefined : 'the passphrases do not match',
  );
  return new Secret(typed);
}

async function fromFile(file: string, { report }: PassphrasePrompt, runtime: Runtime): Promise<Secret> {
  const { secret, warning } = await readSecret({ kind: 'file', path: pathOf(file, runtime) }, runtime);
  if (warning !== undefined) report.warn([warning]);
  return secret;
}

async function openPrompt({ flag, command, options }: PassphrasePrompt, runtime: Runtime) {
  if (!mayPrompt(options, runtime)) throw fail('FIELD_MISSING', { flags: flag, command });
  const prompter = await runtime.prompter(options.color);
  return (name: string, message: string, check: (text: string) => string | undefined) =>
    prompter.ask({ name, message, hidden: true, check }).catch(ifInterrupted('nothing was written'));
}

export interface UnlockedKey {
  readonly key: PrivateKey;
  /** The one that was needed, if any. */
  readonly passphrase: Secret | undefined;
}

/**
 * The private key of a file; its passphrase is read or asked for only when there is need of it. Throws KEY_UNUSABLE.
 */
export async function unlock(
  { path, bytes }: KeyFile,
  passphraseFile: string | undefined,
  asking: PassphrasePrompt,
  runtime: Runtime,
): Promise<UnlockedKey> {
  const locked = openPrivateKey(bytes);
  if (!('locked' in locked)) return { key: orThrow(locked, path), passphrase: undefined };
  const passphrase = await readPassphrase(passphraseFile, asking, runtime);
  return { key: orThrow(openPrivateKey(bytes, passphrase), path), passphrase };
}

/** The public key of a file, or the one its certificate is about. Throws KEY_UNUSABLE. */
export function publicKeyOf({ path, bytes }: KeyFile): PublicKey {
  return orThrow(openPublicKey(bytes), path);
}

function orThrow<Key>(attempt: Attempt<Key>, path: string): Key {
  if ('why' in attempt) throw fail('KEY_UNUSABLE', { source: printableName(path), why: attempt.why });
  return attempt.key;
}

import { printableName } from '../../../config/file-access.js';
import { readSecret } from '../../../config/index.js';
import { fail, ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  type Attempt,
  type PrivateKey,
  type PublicKey,
  tryPrivateKey,
  tryPublicKey,
} from '../../../signing/keys/rsa-keys.js';
import { Secret } from '../../../wire/mask.js';
import { mayPrompt } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { type KeyFile, pathOf } from './key-files.js';

/** What a passphrase is asked with: the flag that names its file, and the command for a message. */
interface PassphrasePrompt {
  readonly flag: '--passphrase-file' | '--new-passphrase-file';
  /** The value of that flag. */
  readonly file: string | undefined;
  readonly command: string;
  readonly options: CommonOptions;
  readonly report: Reporter;
}

/** The passphrase of a key that is there. Throws FIELD_MISSING where nobody can be asked. */
export async function readPassphrase(asking: PassphrasePrompt, runtime: Runtime): Promise<Secret> {
  const { ask, read } = await passphraseSource(asking, runtime);
  return read ?? new Secret(await ask('passphrase', 'passphrase of the key', isNotEmpty));
}

/** The passphrase of a key to be written, typed twice. Throws FIELD_MISSING where nobody can be asked. */
export async function newPassphrase(asking: PassphrasePrompt, runtime: Runtime): Promise<Secret> {
  const { ask, read } = await passphraseSource(asking, runtime);
  if (read !== undefined) return read;
  const typed = await ask('new-passphrase', 'passphrase for the new key', isNotEmpty);
  const isSame = (text: string) => (text === typed ? undefined : 'the passphrases do not match');
  await ask('new-passphrase-again', 'repeat the passphrase', isSame);
  return new Secret(typed);
}

const isNotEmpty = (text: string) => (text === '' ? 'it is empty' : undefined);

async function passphraseSource({ flag, file, command, options, report }: PassphrasePrompt, runtime: Runtime) {
  const ask = async (name: string, message: string, check: (text: string) => string | undefined) => {
    const prompter = await runtime.prompter(options.color);
    return prompter.ask({ name, message, hidden: true, check }).catch(ifInterrupted('nothing was written'));
  };
  if (file === undefined) {
    if (!mayPrompt(options, runtime)) throw fail('FIELD_MISSING', { flags: flag, command });
    return { ask, read: undefined };
  }
  const source = { kind: 'file', path: pathOf(file, runtime) } as const;
  const { secret, warning } = await readSecret(source, runtime);
  if (warning !== undefined) report.warn([warning]);
  return { ask, read: secret };
}

export interface UnlockedKey {
  readonly key: PrivateKey;
  /** The one that was needed, if any. */
  readonly passphrase: Secret | undefined;
}

/** The private key of a file; its passphrase is read or asked for only when there is need of it. Throws KEY_UNUSABLE. */
export async function unlock(
  { path, bytes }: KeyFile,
  asking: PassphrasePrompt,
  runtime: Runtime,
): Promise<UnlockedKey> {
  const locked = tryPrivateKey(bytes);
  if (!('locked' in locked)) return { key: orThrow(locked, path), passphrase: undefined };
  const passphrase = await readPassphrase(asking, runtime);
  return { key: orThrow(tryPrivateKey(bytes, passphrase), path), passphrase };
}

/** The public key of a file, or the one its certificate is about. Throws KEY_UNUSABLE. */
export function publicKeyOf({ path, bytes }: KeyFile): PublicKey {
  return orThrow(tryPublicKey(bytes), path);
}

function orThrow<Key>(attempt: Attempt<Key>, path: string): Key {
  if ('why' in attempt) throw fail('KEY_UNUSABLE', { source: printableName(path), why: attempt.why });
  return attempt.key;
}

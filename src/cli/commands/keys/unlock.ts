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

/** What a passphrase is asked with. */
export interface PassphrasePrompt {
  readonly options: CommonOptions & { readonly passphraseFile?: string };
  readonly report: Reporter;
}

/** The passphrase of a key that is there. Throws FIELD_MISSING where nobody can be asked. */
export async function readPassphrase(asking: PassphrasePrompt, runtime: Runtime): Promise<Secret> {
  const read = await passphraseInFile(asking, runtime);
  return read ?? new Secret(await ask('passphrase', 'passphrase of the key', isNotEmpty, asking, runtime));
}

/** The passphrase of a key to be written, typed twice. Throws FIELD_MISSING where nobody can be asked. */
export async function newPassphrase(asking: PassphrasePrompt, runtime: Runtime): Promise<Secret> {
  const read = await passphraseInFile(asking, runtime);
  if (read !== undefined) return read;
  const typed = await ask('new-passphrase', 'passphrase for the new key', isNotEmpty, asking, runtime);
  const isSame = (text: string) => (text === typed ? undefined : 'the passphrases do not match');
  await ask('new-passphrase-again', 'repeat the passphrase', isSame, asking, runtime);
  return new Secret(typed);
}

const isNotEmpty = (text: string) => (text === '' ? 'it is empty' : undefined);

async function ask(
  name: string,
  message: string,
  check: (text: string) => string | undefined,
  { options }: PassphrasePrompt,
  runtime: Runtime,
): Promise<string> {
  const prompter = await runtime.prompter(options.color);
  return prompter.ask({ name, message, hidden: true, check }).catch(ifInterrupted('nothing was written'));
}

async function passphraseInFile({ options, report }: PassphrasePrompt, runtime: Runtime) {
  const { passphraseFile } = options;
  if (passphraseFile === undefined) {
    if (!mayPrompt(options, runtime)) throw fail('FIELD_MISSING', { flags: '--passphrase-file' });
    return undefined;
  }
  const { secret, warning } = await readSecret({ kind: 'file', path: pathOf(passphraseFile, runtime) }, runtime);
  if (warning !== undefined) report.warn([warning]);
  return secret;
}

/** The private key of a file; its passphrase is read or asked for only when there is need of it. Throws KEY_UNUSABLE. */
export async function unlock(
  { path, bytes }: KeyFile,
  asking: PassphrasePrompt,
  runtime: Runtime,
): Promise<{ readonly key: PrivateKey; readonly passphrase: Secret | undefined }> {
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

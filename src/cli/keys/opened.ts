import { shown } from '../../config/paths.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { openPrivateKey, openPublicKey } from '../../signing/keys/inspect.js';
import type { Attempt, PrivateKey, PublicKey } from '../../signing/keys.js';
import type { Secret } from '../../wire/secret.js';
import type { KeyFile } from './files.js';
import { type Asking, oldPassphrase } from './passphrase.js';

export interface Unlocked {
  readonly key: PrivateKey;
  /** The one that was needed, if any. */
  readonly passphrase: Secret | undefined;
}

/** The private key of a file; its passphrase is read or asked for only when there is need of it. Throws KEY_UNUSABLE. */
export async function unlock(
  { path, bytes }: KeyFile,
  passphraseFile: string | undefined,
  asking: Asking,
  runtime: Runtime,
): Promise<Unlocked> {
  const locked = openPrivateKey(bytes);
  if (!('locked' in locked)) return { key: orThrow(locked, path), passphrase: undefined };
  const passphrase = await oldPassphrase(passphraseFile, asking, runtime);
  return { key: orThrow(openPrivateKey(bytes, passphrase), path), passphrase };
}

/** The public key of a file, or the one its certificate is about. Throws KEY_UNUSABLE. */
export function publicKeyOf({ path, bytes }: KeyFile): PublicKey {
  return orThrow(openPublicKey(bytes), path);
}

function orThrow<Key>(attempt: Attempt<Key>, path: string): Key {
  if ('why' in attempt) throw fail('KEY_UNUSABLE', { source: shown(path), why: attempt.why });
  return attempt.key;
}

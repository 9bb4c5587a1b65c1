import { readFlags } from '../../../config/given.js';
import { readPemText, readSecret } from '../../../config/index.js';
import { keyStore, readStoredKey, type StoreName } from '../../../config/key-store.js';
import type { Layer } from '../../../config/layers.js';
import type { SecretSource } from '../../../config/settings.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { tryPrivateKey } from '../../../signing/keys/rsa-keys.js';
import { Secret } from '../../../wire/mask.js';
import { pathOf } from '../keys/key-files.js';
import { type RsaFile, readRsaFile } from '../profile/keys.js';
import { ask, type Check, choose, command, confirm, type Guide } from './ask.js';

/** The control key that a flag names. Throws FIELD_INVALID or SECRET_UNREADABLE. */
export async function readGivenKey({ options, runtime, report }: Guide): Promise<Secret | undefined> {
  const { controlKeyFile, controlKeyFd } = options;
  const source = readFlags({ controlKeyFile, controlKeyFd }, runtime.files)['control-key']?.value;
  if (source === undefined) return undefined;
  const { secret, warning } = await readSecret(source, runtime);
  if (warning !== undefined) report.warn([warning]);
  return secret;
}

/** Undefined to keep the key of the replaced profile. */
export async function askKey(present: SecretSource | undefined, guide: Guide): Promise<Secret | undefined> {
  if (present !== undefined && !guide.asksAll) return undefined;
  const check: Check = (text) => {
    if (text === '') return present === undefined ? 'it is empty' : undefined;
    return text === text.trim() ? undefined : 'it begins or ends with a space';
  };
  const message = present === undefined ? 'merchant control key' : 'merchant control key (empty: keep the current one)';
  const typed = await ask({ name: 'control-key', message, hidden: true, check }, guide);
  return typed === '' ? undefined : new Secret(typed);
}

/** Chooses a usable key store. Throws SECRET_UNREADABLE or USAGE. */
export async function chooseStore(profile: string, guide: Guide): Promise<StoreName> {
  const { options, report, asksAll } = guide;
  const places = { file: 'in a separate file that only you can read', keyring: 'in the keyring of this system' };
  const wanted =
    options.store ?? (asksAll ? await choose(guide, 'store', 'where to keep the control key', places) : 'file');
  try {
    return await assertFree(wanted, profile, guide);
  } catch (error) {
    if (wanted === 'file' || !asksAll || !isPaycliError(error) || error.code !== 'SECRET_UNREADABLE') throw error;
    report.warn([error.message]);
  }
  await confirm(guide, 'use-file', 'keep the control key in a file instead');
  return assertFree('file', profile, guide);
}

/** Throws USAGE where the store holds a key that may not be overwritten. */
async function assertFree(name: StoreName, profile: string, { options, runtime }: Guide): Promise<StoreName> {
  const store = keyStore(name, { profile, key: 'control-key' }, runtime.files);
  if ((await readStoredKey(store, runtime)) === undefined || options.replace === true) return name;
  throw fail('USAGE', {
    why: `${store.place} already holds a key, though no profile names it; --replace overwrites it`,
    command,
  });
}

/** Throws USAGE, SECRET_UNREADABLE or KEY_UNUSABLE for a key that flags name. */
export async function chooseRsaKey(present: Layer, guide: Guide): Promise<RsaFile | undefined> {
  const { options, report, runtime, asksAll } = guide;
  if (options.privateKeyFile !== undefined || !asksAll)
    return readRsaFile(options.privateKeyFile, options.passphraseFile, command, runtime);
  const isFile: Check = (text) => (runtime.files.exists(pathOf(text, runtime)) ? undefined : 'there is no such file');
  for (;;) {
    const file = await ask(
      {
        name: 'private-key-file',
        message: 'file of the RSA private key (only some operations need one)',
        hint: 'private-key' in present ? 'keep the current one' : 'none for now; `paycli keys generate` makes one',
        check: (text) => (text === '' ? undefined : isFile(text)),
      },
      guide,
    );
    if (file === '') return undefined;
    try {
      const key = readFlags({ privateKeyFile: file }, runtime.files)['private-key']?.value;
      const isLocked =
        key?.kind === 'file' && 'locked' in tryPrivateKey((await readPemText(key, runtime)).secret.open());
      const message = 'the key is encrypted; file with its passphrase';
      const phrase = isLocked ? await ask({ name: 'passphrase-file', message, check: isFile }, guide) : undefined;
      return await readRsaFile(file, phrase, command, runtime);
    } catch (error) {
      if (!isPaycliError(error) || error.code === 'INTERRUPTED') throw error;
      report.warn([`${error.message}; ${error.next}`]);
    }
  }
}

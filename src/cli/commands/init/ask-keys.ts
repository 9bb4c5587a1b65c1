import { readFlags } from '../../../config/given.js';
import { readPemText } from '../../../config/index.js';
import { keyStore, readStoredKey, type StoreName } from '../../../config/key-store.js';
import type { SecretSource } from '../../../config/settings.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { tryPrivateKey } from '../../../signing/keys/rsa-keys.js';
import { Secret } from '../../../wire/mask.js';
import { pathOf } from '../keys/key-files.js';
import { type RsaFile, readRsaFile } from '../profile/keys.js';
import { ask, type Check, choose, command, type Guide, nothingWritten, yesOrNo } from './guide.js';

/** Undefined to keep the key of the replaced profile. */
export async function typedKey(present: SecretSource | undefined, guide: Guide): Promise<Secret | undefined> {
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
export async function chooseStore(name: string, guide: Guide): Promise<StoreName> {
  const { options, report, runtime, asksAll } = guide;
  const places = [
    ['file', 'in a separate file that only you can read'],
    ['keyring', 'in the keyring of this system'],
  ] as const;
  const wanted =
    options.store ?? (asksAll ? await choose(guide, 'store', 'where to keep the control key', places) : 'file');
  try {
    return await assertFree(wanted, name, guide);
  } catch (error) {
    if (wanted === 'file' || !asksAll || !isPaycliError(error) || error.code !== 'SECRET_UNREADABLE') throw error;
    report.warn([error.message]);
  }
  const answer = await choose(guide, 'use-file', 'keep the control key in a file instead', yesOrNo);
  if (answer === 'no') throw nothingWritten();
  return assertFree('file', name, { ...guide, runtime });
}

/** Throws USAGE where the store holds a key that may not be overwritten. */
async function assertFree(store: StoreName, name: string, { options, runtime }: Guide): Promise<StoreName> {
  const { place, ...rest } = keyStore(store, name, runtime.files);
  const older = await readStoredKey({ place, ...rest }, runtime);
  if (older === undefined || options.replace === true) return store;
  throw fail('USAGE', {
    why: `${place} already holds a key, though no profile names it; --replace overwrites it`,
    command,
  });
}

/** Throws USAGE, SECRET_UNREADABLE or KEY_UNUSABLE for a key that flags name. */
export async function chooseRsaKey(name: string, guide: Guide): Promise<RsaFile | undefined> {
  const { options, file, report, runtime, asksAll } = guide;
  if (options.privateKeyFile !== undefined || !asksAll) return readRsaFile(options, command, runtime);
  const hasOne = options.replace === true && file.current.profiles.get(name)?.['private-key'] !== undefined;
  const check: Check = (text) =>
    text === '' || runtime.files.exists(pathOf(text, runtime)) ? undefined : 'there is no such file';
  for (;;) {
    const privateKeyFile = await ask(
      {
        ...{ name: 'private-key-file', message: 'file of the RSA private key (only some operations need one)', check },
        hint: hasOne ? 'keep the current one' : 'none for now; `paycli keys generate` makes one',
      },
      guide,
    );
    if (privateKeyFile === '') return undefined;
    try {
      return await readTypedRsa(privateKeyFile, guide);
    } catch (error) {
      if (!isPaycliError(error) || error.code === 'INTERRUPTED') throw error;
      report.warn([`${error.message}; ${error.next}`]);
    }
  }
}

async function readTypedRsa(privateKeyFile: string, guide: Guide): Promise<RsaFile | undefined> {
  const { runtime } = guide;
  const key = readFlags({ privateKeyFile }, runtime.files)['private-key']?.value;
  const isLocked = key?.kind === 'file' && 'locked' in tryPrivateKey((await readPemText(key, runtime)).secret.open());
  if (!isLocked) return readRsaFile({ privateKeyFile }, command, runtime);
  const check: Check = (text) => (runtime.files.exists(pathOf(text, runtime)) ? undefined : 'there is no such file');
  const message = 'the key is encrypted; file with its passphrase';
  const passphraseFile = await ask({ name: 'passphrase-file', message, check }, guide);
  return readRsaFile({ privateKeyFile, passphraseFile }, command, runtime);
}

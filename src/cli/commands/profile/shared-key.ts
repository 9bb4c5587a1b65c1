import { type ListedProfile, listProfiles, readSecret } from '../../../config/index.js';
import type { SecretSource } from '../../../config/settings.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';

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
  for (const other of await otherProfiles(owner, runtime))
    if ((await fingerprintOf(other, runtime)) === fingerprint)
      return `the same control key as profile ${other.name} of class ${other.class}`;
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
  try {
    const all = await listProfiles(runtime);
    return all.filter((other) => other.name !== name && (other.class === 'live') !== (kind === 'live'));
  } catch (error) {
    if (isPaycliError(error)) return [];
    throw error;
  }
}

function fingerprintOf({ keys }: ListedProfile, runtime: Runtime): Promise<string | undefined> {
  const source = keys['control-key'];
  return source?.kind === 'file' ? controlKeyFingerprint(source, runtime) : Promise.resolve(undefined);
}

/** The fingerprint of a stored control key; undefined where it cannot be read. */
export function controlKeyFingerprint(source: SecretSource, runtime: Runtime): Promise<string | undefined> {
  return unlessUnreadable(async () => keyFingerprint((await readSecret(source, runtime)).secret.open()));
}

/** What `read` finds in a key; undefined where the key cannot be read or used. */
export async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

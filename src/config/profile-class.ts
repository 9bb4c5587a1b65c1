import { fail, type PaycliError } from '../errors/index.js';
import { isLoopback } from '../wire/address.js';
import type { ConfigContent } from './content.js';
import type { Layer } from './layers.js';
import { type ProfileClass, profileClasses } from './settings.js';

interface ClassifiedProfile {
  readonly name: string;
  readonly class: ProfileClass;
  readonly baseUrl: string;
}

/**
 * The class of a connection that no file describes: a host that is not this machine is live unless stated otherwise.
 */
export function classOfAddress(baseUrl: string): ProfileClass {
  return isLoopback(baseUrl) ? 'test' : 'live';
}

/**
 * Refuses an address that does not fit the class. A profile's class (`own` is what the user file says) may be raised
 * from outside, never lowered, and its address may be replaced, but a test profile reaches a host that no file calls a
 * test host only where the class was stated outside as well. Throws PROFILE_CLASS_MISMATCH.
 */
export function assertClassFits(
  profile: ClassifiedProfile & { readonly isStated: boolean },
  own: Layer | undefined,
  user: ConfigContent,
): void {
  const { class: kind, baseUrl } = profile;
  const ownClass = own?.class?.value ?? kind;
  if (profileClasses.indexOf(kind) < profileClasses.indexOf(ownClass))
    throw mismatch(profile, `is of class ${ownClass}, and PAYCLI_CLASS=${kind} cannot lower that`, ownClass);
  assertAddressFits(profile, user);
  const host = bareHost(baseUrl);
  const ownAddress = own?.['base-url']?.value;
  const isOwn = own === undefined || (ownAddress !== undefined && bareHost(ownAddress) === host);
  if (kind === 'live' || isOwn || profile.isStated || knownHosts(user).test.has(host) || isLoopback(baseUrl)) return;
  throw mismatch(
    profile,
    `is of class ${kind}, but its address was replaced by ${host}, which counts as live unless PAYCLI_CLASS=test says otherwise`,
    'live',
  );
}

function mismatch({ name, class: kind }: ClassifiedProfile, why: string, fit: string): PaycliError {
  return fail('PROFILE_CLASS_MISMATCH', {
    why: `profile ${name} ${why}`,
    how: `use an address that fits, or a profile of class ${fit}`,
    profile: name,
    class: kind,
  });
}

/** Hosts the user file knows, each with the place that names it. Ports are left out: a host is live or it is not. */
function knownHosts(user: ConfigContent) {
  const live = new Map<string, string>();
  const test = new Map<string, string>();
  for (const { value, origin } of user.liveHosts) live.set(bareHost(`https://${value}`), origin);
  for (const { class: kind, 'base-url': address } of user.profiles.values()) {
    if (address === undefined) continue;
    (kind?.value === 'live' ? live : test).set(bareHost(address.value), address.origin);
  }
  return { live, test };
}

/** Whether an address may have this class, by what the user file knows. Throws PROFILE_CLASS_MISMATCH. */
export function assertAddressFits(profile: ClassifiedProfile, user: ConfigContent): void {
  const { class: kind, baseUrl } = profile;
  const [host, isLocal] = [bareHost(baseUrl), isLoopback(baseUrl)];
  const { live, test } = knownHosts(user);
  const refuse = (what: string, fit: string) => mismatch(profile, `is of class ${kind}, but ${host} is ${what}`, fit);
  if (kind === 'sandbox') {
    if (!isLocal) throw refuse('not this machine', 'test or live');
    return;
  }
  if (kind === 'test') {
    const known = live.get(host);
    if (known !== undefined) throw refuse(`live (${known})`, 'live');
    return;
  }
  if (isLocal) throw refuse('this machine', 'test or sandbox');
  const known = test.get(host);
  if (known !== undefined) throw refuse(`a test host (${known})`, 'test');
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/\.+$/, '');
}

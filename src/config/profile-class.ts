import { fail } from '../errors/index.js';
import { isLoopback } from '../wire/address.js';
import { type ProfileClass, profileClasses } from './settings.js';
import { profilesIn, type Sources } from './sources.js';

const anotherProfile = 'use a profile whose class matches the address';

/** Hosts the user file knows, each with the place that names it. Ports are left out: a host is live or it is not. */
interface KnownHosts {
  readonly live: ReadonlyMap<string, string>;
  readonly test: ReadonlyMap<string, string>;
}

interface ClassifiedProfile {
  readonly name: string;
  readonly class: ProfileClass;
  readonly baseUrl: string;
}

export function knownHosts(sources: Sources): KnownHosts {
  const live = new Map<string, string>();
  const test = new Map<string, string>();
  for (const { value, origin } of sources.user?.liveHosts ?? []) live.set(bareHost(`https://${value}`), origin);
  for (const { draft } of profilesIn(sources).values()) {
    const address = draft.texts['base-url'];
    if (address === undefined) continue;
    const isLive = draft.texts.class?.value === 'live';
    (isLive ? live : test).set(bareHost(address.value), address.origin);
  }
  return { live, test };
}

/**
 * The class of a connection that no file describes: a host that is not this machine is live unless stated otherwise.
 */
export function classOfAddress(baseUrl: string): ProfileClass {
  return isLoopback(baseUrl) ? 'test' : 'live';
}

/** Throws PROFILE_CLASS_MISMATCH when the address does not fit the class of the profile. */
export function checkHostClass(profile: ClassifiedProfile, hosts: KnownHosts): void {
  const found = classMismatch(profile, hosts);
  if (found === undefined) return;
  const { mismatch } = found;
  throw fail('PROFILE_CLASS_MISMATCH', {
    why: `profile ${profile.name} is of class ${profile.class}, but ${mismatch}`,
    how: anotherProfile,
    profile: profile.name,
    class: profile.class,
  });
}

/**
 * The same for a profile that is about to be written; `flag` is how its class is given, such as `--class `. Throws
 * PROFILE_CLASS_MISMATCH.
 */
export function checkWrittenClass(profile: ClassifiedProfile, hosts: KnownHosts, flag: string): void {
  const found = classMismatch(profile, hosts);
  if (found !== undefined)
    throw fail('PROFILE_CLASS_MISMATCH', {
      why: `profile ${profile.name} would be of class ${profile.class}, but ${found.mismatch}`,
      how: `use ${flag}${found.fit} for ${found.address}`,
      profile: profile.name,
      class: profile.class,
      flag,
    });
}

/**
 * A profile's address may be replaced from outside, but not so that a test profile reaches a host that no file calls a
 * test host. Throws PROFILE_CLASS_MISMATCH.
 */
export function checkAddressOverride(
  profile: ClassifiedProfile,
  ownAddress: string | undefined,
  stated: string | undefined,
  hosts: KnownHosts,
): void {
  const host = bareHost(profile.baseUrl);
  const isOwn = ownAddress !== undefined && bareHost(ownAddress) === host;
  if (profile.class === 'live' || isOwn || stated === 'test' || hosts.test.has(host) || isLoopback(profile.baseUrl))
    return;
  throw fail('PROFILE_CLASS_MISMATCH', {
    why: `profile ${profile.name} is of class ${profile.class}, but its address was replaced by ${host}, which counts as live unless PAYCLI_CLASS=test says otherwise`,
    how: anotherProfile,
    profile: profile.name,
    class: profile.class,
    host,
  });
}

/** Throws PROFILE_CLASS_MISMATCH when a variable would lower the class of a profile. */
export function checkClassNotLowered(name: string, own: ProfileClass, wanted: ProfileClass): void {
  if (profileClasses.indexOf(wanted) >= profileClasses.indexOf(own)) return;
  throw fail('PROFILE_CLASS_MISMATCH', {
    why: `profile ${name} is of class ${own}, and PAYCLI_CLASS=${wanted} cannot lower that`,
    how: anotherProfile,
    profile: name,
    class: own,
  });
}

/** What is wrong, and the classes that would fit the address. */
interface Mismatch {
  readonly mismatch: string;
  readonly fit: string;
  readonly address: string;
}

function classMismatch(profile: ClassifiedProfile, hosts: KnownHosts): Mismatch | undefined {
  const host = bareHost(profile.baseUrl);
  const isLocal = isLoopback(profile.baseUrl);
  if (profile.class === 'sandbox')
    return isLocal
      ? undefined
      : { mismatch: `${host} is not this machine`, fit: 'test or live', address: 'an address of another machine' };
  const live = hosts.live.get(host);
  if (profile.class === 'test')
    return live === undefined
      ? undefined
      : { mismatch: `${host} is live (${live})`, fit: 'live', address: 'the address of a live profile' };
  if (isLocal) return { mismatch: `${host} is this machine`, fit: 'test or sandbox', address: 'a local address' };
  const test = hosts.test.get(host);
  return test === undefined
    ? undefined
    : { mismatch: `${host} is a test host (${test})`, fit: 'test', address: 'the address of a test profile' };
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/\.+$/, '');
}

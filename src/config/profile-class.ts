import { fail } from '../errors/index.js';
import { isLoopback } from '../wire/address.js';
import { type ProfileClass, profileClasses } from './settings.js';
import { contentsOf, type Sources } from './sources.js';

/** Hosts the files know, each with the place that names it. Ports are left out: a host is live or it is not. */
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
  for (const { liveHosts, profiles } of contentsOf(sources)) {
    for (const { value, origin } of liveHosts) live.set(bareHost(`https://${value}`), origin);
    for (const { draft } of profiles.values()) {
      const address = draft.texts['base-url'];
      if (address === undefined) continue;
      const isLive = draft.texts.class?.value === 'live';
      (isLive ? live : test).set(bareHost(address.value), address.origin);
    }
  }
  return { live, test };
}

/**
 * The class of a connection that no file describes: a host that is not this machine is live until somebody says test.
 */
export function classOfAddress(baseUrl: string): ProfileClass {
  return isLoopback(baseUrl) ? 'test' : 'live';
}

/** Throws PROFILE_CLASS_MISMATCH when the address does not fit the class of the profile. */
export function checkHostClass(profile: ClassifiedProfile, hosts: KnownHosts): void {
  const host = bareHost(profile.baseUrl);
  const mismatch = classMismatch(profile, host, hosts);
  if (mismatch !== undefined)
    throw fail('classUnfitForHost', { profile: profile.name, class: profile.class, mismatch });
}

/**
 * A profile's address may be replaced from outside, but not so that a test profile reaches a host nobody called a test
 * host. Throws PROFILE_CLASS_MISMATCH.
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
  throw fail('replacedHostCountsAsLive', { profile: profile.name, class: profile.class, host });
}

/** Throws PROFILE_CLASS_MISMATCH when a variable would lower the class of a profile. */
export function checkClassNotLowered(name: string, own: ProfileClass, wanted: ProfileClass): void {
  if (profileClasses.indexOf(wanted) >= profileClasses.indexOf(own)) return;
  throw fail('classNotLowered', { profile: name, class: own, wanted });
}

function classMismatch(profile: ClassifiedProfile, host: string, hosts: KnownHosts): string | undefined {
  const isLocal = isLoopback(profile.baseUrl);
  if (profile.class === 'sandbox') return isLocal ? undefined : `${host} is not this machine`;
  const live = hosts.live.get(host);
  if (profile.class === 'test') return live === undefined ? undefined : `${host} is live (${live})`;
  if (isLocal) return `${host} is this machine`;
  const test = hosts.test.get(host);
  return test === undefined ? undefined : `${host} is a test host (${test})`;
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/\.+$/, '');
}

import { fail, type PaycliError } from '../errors/index.js';
import { isLoopback } from '../wire/address.js';
import { type Layer, type ProfileClass, profileClasses } from './settings.js';
import { profilesIn, type Sources } from './sources.js';

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
  sources: Sources,
): void {
  const ownClass = own?.class?.value ?? profile.class;
  if (profileClasses.indexOf(profile.class) < profileClasses.indexOf(ownClass))
    throw mismatch(profile, `is of class ${ownClass}, and PAYCLI_CLASS=${profile.class} cannot lower that`);
  const hosts = knownHosts(sources);
  const found = classMismatch(profile, hosts);
  if (found !== undefined) throw mismatch(profile, `is of class ${profile.class}, but ${found.why}`);
  const host = bareHost(profile.baseUrl);
  const ownAddress = own?.['base-url']?.value;
  const isOwn = own === undefined || (ownAddress !== undefined && bareHost(ownAddress) === host);
  if (profile.class === 'live' || isOwn || profile.isStated || hosts.test.has(host) || isLoopback(profile.baseUrl))
    return;
  throw mismatch(
    profile,
    `is of class ${profile.class}, but its address was replaced by ${host}, which counts as live unless PAYCLI_CLASS=test says otherwise`,
  );
}

function mismatch(
  { name, class: kind }: ClassifiedProfile,
  why: string,
  how = 'use a profile whose class matches the address',
): PaycliError {
  return fail('PROFILE_CLASS_MISMATCH', { why: `profile ${name} ${why}`, how, profile: name, class: kind });
}

/** The same for a profile that is about to be written. Throws PROFILE_CLASS_MISMATCH. */
export function assertWrittenClassFits(profile: ClassifiedProfile, sources: Sources): void {
  const found = classMismatch(profile, knownHosts(sources));
  if (found !== undefined)
    throw mismatch(
      profile,
      `would be of class ${profile.class}, but ${found.why}`,
      `use class ${found.fit} for ${found.address}`,
    );
}

/** Hosts the user file knows, each with the place that names it. Ports are left out: a host is live or it is not. */
interface KnownHosts {
  readonly live: ReadonlyMap<string, string>;
  readonly test: ReadonlyMap<string, string>;
}

function knownHosts(sources: Sources): KnownHosts {
  const live = new Map<string, string>();
  const test = new Map<string, string>();
  for (const { value, origin } of sources.user?.liveHosts ?? []) live.set(bareHost(`https://${value}`), origin);
  for (const { class: kind, 'base-url': address } of profilesIn(sources).values()) {
    if (address === undefined) continue;
    (kind?.value === 'live' ? live : test).set(bareHost(address.value), address.origin);
  }
  return { live, test };
}

/** What is wrong, and the classes that would fit the address. */
interface Mismatch {
  readonly why: string;
  readonly fit: string;
  readonly address: string;
}

function classMismatch(profile: ClassifiedProfile, hosts: KnownHosts): Mismatch | undefined {
  const host = bareHost(profile.baseUrl);
  const isLocal = isLoopback(profile.baseUrl);
  if (profile.class === 'sandbox')
    return isLocal
      ? undefined
      : { why: `${host} is not this machine`, fit: 'test or live', address: 'an address of another machine' };
  const live = hosts.live.get(host);
  if (profile.class === 'test')
    return live === undefined
      ? undefined
      : { why: `${host} is live (${live})`, fit: 'live', address: 'the address of a live profile' };
  if (isLocal) return { why: `${host} is this machine`, fit: 'test or sandbox', address: 'a local address' };
  const test = hosts.test.get(host);
  return test === undefined
    ? undefined
    : { why: `${host} is a test host (${test})`, fit: 'test', address: 'the address of a test profile' };
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/\.+$/, '');
}

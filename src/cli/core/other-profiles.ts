import { builtInSandbox } from '../../config/index.js';
import { fail, isPaycliError, shellWord } from '../../errors/index.js';
import type { Journal, Request } from '../../journal/port.js';
import { onOrder } from '../../payments/settle.js';
import type { Runtime } from '../../runtime/ports.js';
import type { KnownProfile, Session } from '../session.js';
import { inJournal, type OrderIds } from './order-requests.js';
import { allJournals } from './user-stores.js';

/** Requests on an order that went to another gateway, or with another login: from here, or to the built-in sandbox. */
export async function requestsElsewhere(
  ids: readonly string[],
  session: Place,
  runtime: Runtime,
): Promise<readonly Request[]> {
  const namedBy = async (journal: Journal) =>
    (await Promise.all(ids.map((order) => onOrder(journal, { order })))).flat();
  const found = (await allJournals(runtime)).map((which) =>
    inJournal<readonly Request[]>(runtime, which, [], namedBy).catch((error: unknown) => {
      // What went elsewhere is only advice, and never hides what went wrong here.
      if (isPaycliError(error) && error.code === 'STORAGE') return [];
      throw error;
    }),
  );
  return (await Promise.all(found)).flat().filter((request) => isElsewhere(request, session));
}

type Place = Pick<Session, 'gatewayBase' | 'login'>;

/** Whether a request went to another gateway, or with another login. */
export function isElsewhere({ base, login }: Request, session: Place): boolean {
  return base !== session.gatewayBase || login !== session.login;
}

/** The flags that choose a profile. */
function profileFlagsOf(profile: Pick<KnownProfile, 'name' | 'class'>): string {
  return ` --profile ${shellWord(profile.name)}${profile.class === 'live' ? ' --live' : ''}`;
}

/**
 * The profile that reaches the gateway and login of a request now: the one of its name at that time, else another of
 * the same class. A profile may have been renamed, removed or changed since.
 */
function profileFor(
  { profile, class: kind, base, login }: Request,
  { profiles }: Pick<Session, 'profiles'>,
): Pick<KnownProfile, 'name' | 'class'> | undefined {
  if (profile === builtInSandbox) return { name: profile, class: 'sandbox' };
  const isSame = (known: string | undefined, then: string) => known === undefined || known === then;
  const ofClass = profiles.filter((each) => each.class === kind);
  const ofName = ofClass.find(({ name }) => name === profile);
  if (ofName !== undefined && isSame(ofName.gatewayBase, base) && isSame(ofName.login, login)) return ofName;
  return ofClass.find((each) => each.gatewayBase === base && each.login === login);
}

/** A request that only another profile sent: what to say, and what reaches it. */
export interface OtherProfile {
  /** Such as `was sent with profile px`. */
  readonly clause: string;
  /** Such as `add --profile px`. */
  readonly how: string;
}

/** Undefined where no other profile sent anything. */
export function otherProfileOf(
  elsewhere: readonly Request[],
  session: Pick<Session, 'name' | 'gatewayBase' | 'login' | 'profiles'>,
): OtherProfile | undefined {
  const [first] = elsewhere;
  if (first === undefined) return undefined;
  const known = elsewhere.flatMap((request) => profileFor(request, session) ?? []);
  const named = [...new Map(known.map((profile) => [profile.name, profile])).values()];
  const same = elsewhere.find(({ profile }) => profile === session.name);
  const sentTo = ({ base, login }: Request) => `was sent to ${base} with login ${login}`;
  if (named.length === 0 && same !== undefined)
    return {
      clause: `${sentTo(same)}, but profile ${session.name} now has ${session.gatewayBase} with login ${session.login}`,
      how: 'give the former address with --base-url and the former login with --login',
    };
  if (named.length === 0)
    return { clause: sentTo(first), how: 'give that address with --base-url and that login with --login' };
  // Its place changes with its orders.
  if (session.name === builtInSandbox && named.every(({ name }) => name === session.name))
    return {
      clause: `was sent with profile ${session.name}, which has been reset since`,
      how: 'nothing is left to be done about it there',
    };
  const names = named.map(({ name }) => name).join(' and ');
  const isByName = named.every(({ name }) => elsewhere.some(({ profile }) => profile === name));
  return {
    clause: isByName ? `was sent with profile ${names}` : `${sentTo(first)}, as profile ${names} has them now`,
    how: `add ${named.map((profile) => `\`${profileFlagsOf(profile).trim()}\``).join(' or ')}`,
  };
}

/** The same for an order by its ids, read from the journal; `name` is the id by which the other profile knows it. */
export async function ofOtherProfile(
  { orderId, clientOrderId }: OrderIds,
  session: Session,
  runtime: Runtime,
): Promise<(OtherProfile & { readonly name: string }) | undefined> {
  const names = [orderId, clientOrderId].filter((id) => id !== undefined);
  const elsewhere = await requestsElsewhere(names, session, runtime);
  const found = otherProfileOf(elsewhere, session);
  const name = names.find((id) => elsewhere.some((one) => one.orderId === id || one.clientOrderId === id));
  return name === undefined || found === undefined ? undefined : { ...found, name };
}

/**
 * Of an order on which this profile sent nothing: throws OTHER_PROFILE where another one did, which nobody named. Money
 * would move on whatever order has this number here.
 */
export async function assertOfThisProfile(ids: OrderIds, session: Session, runtime: Runtime): Promise<void> {
  const other = await ofOtherProfile(ids, session, runtime);
  if (other === undefined) return;
  throw fail('OTHER_PROFILE', { what: `order ${other.name}`, clause: other.clause, how: other.how });
}

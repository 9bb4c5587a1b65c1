import { builtInSandbox } from '../../config/profile-choice.js';
import { fail, shellWord } from '../../errors/index.js';
import { type Intent, type Journal, unresolvedStates } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { orderCommand } from '../format/meaning.js';
import type { KnownProfile, Session } from '../session.js';
import { inJournal, type OrderIds } from './order-requests.js';

/** Requests on an order in the journal that went to another gateway, or with another login. */
export async function requestsElsewhere(
  ids: readonly string[],
  session: Pick<Session, 'gatewayBase' | 'login'>,
  runtime: Runtime,
): Promise<readonly Intent[]> {
  const all = await inJournal(runtime, [], (journal) => ids.flatMap((order) => journal.list({ order })));
  return all.filter((intent) => isElsewhere(intent, session));
}

/** Whether a request went to another gateway, or with another login. */
export function isElsewhere({ base, login }: Intent, session: Pick<Session, 'gatewayBase' | 'login'>): boolean {
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
  { profile, class: kind, base, login }: Intent,
  { profiles }: Pick<Session, 'profiles'>,
): Pick<KnownProfile, 'name' | 'class'> | undefined {
  if (profile === builtInSandbox) return { name: profile, class: 'sandbox' };
  const isSame = (known: string | undefined, then: string) => known === undefined || known === then;
  const ofClass = profiles.filter((each) => each.class === kind);
  const ofName = ofClass.find(({ name }) => name === profile);
  if (ofName !== undefined && isSame(ofName.gatewayBase, base) && isSame(ofName.login, login)) return ofName;
  return ofClass.find((each) => each.gatewayBase === base && each.login === login);
}

/** An order that only another profile sent: what to say, and the commands that reach it. */
export interface OtherProfile {
  /** Such as `was sent with profile px`. */
  readonly clause: string;
  /** Such as `paycli order C1 --profile px`, in backquotes. */
  readonly how: string;
}

/**
 * Undefined where no other profile sent anything on this order, or this entry. `given` are flags that the command has
 * to keep.
 */
export function otherProfileOf(
  name: string | Pick<Intent, 'id'>,
  command: string,
  elsewhere: readonly Intent[],
  session: Pick<Session, 'name' | 'gatewayBase' | 'login' | 'profiles'>,
  given: readonly string[] = [],
): OtherProfile | undefined {
  const [first] = elsewhere;
  if (first === undefined) return undefined;
  const known = elsewhere.map((intent) => profileFor(intent, session)).filter((profile) => profile !== undefined);
  const named = [...new Map(known.map((profile) => [profile.name, profile])).values()];
  const same = elsewhere.find(({ profile }) => profile === session.name);
  if (named.length === 0 && same !== undefined)
    return {
      clause: `${sentTo(same)}, but profile ${session.name} now has ${session.gatewayBase} with login ${session.login}`,
      how: 'give the former address with --base-url and the former login with --login',
    };
  if (named.length === 0)
    return { clause: sentTo(first), how: 'give that address with --base-url and that login with --login' };
  const commandOf = (profile: Pick<KnownProfile, 'name' | 'class'>) => {
    const order = { orderId: undefined, clientOrderId: undefined, flags: profileFlagsOf(profile) };
    return typeof name === 'string'
      ? `\`${orderCommand(command, { ...order, either: name }, given)}\``
      : `\`${orderCommand(command, order, [`--entry ${name.id}`, ...given])}\``;
  };
  const names = named.map((profile) => profile.name).join(' and ');
  const isByName = named.every((profile) => elsewhere.some((intent) => intent.profile === profile.name));
  return {
    clause: isByName ? `was sent with profile ${names}` : `${sentTo(first)}, as profile ${names} has them now`,
    how: named.map(commandOf).join(' or '),
  };
}

function sentTo({ base, login }: Intent): string {
  return `was sent to ${base} with login ${login}`;
}

/** The same for an order by its ids, read from the journal; `name` is the id by which the other profile knows it. */
export async function ofOtherProfile(
  { orderId, clientOrderId }: OrderIds,
  command: string,
  session: Session,
  runtime: Runtime,
  given: readonly string[] = [],
): Promise<(OtherProfile & { readonly name: string }) | undefined> {
  const names = [orderId, clientOrderId].filter((id) => id !== undefined);
  const elsewhere = await requestsElsewhere(names, session, runtime);
  const name = nameIn(names, elsewhere);
  const found = name === undefined ? undefined : otherProfileOf(name, command, elsewhere, session, given);
  return name === undefined || found === undefined ? undefined : { ...found, name };
}

/** As they were typed. */
interface AmountFlags {
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
}

/** What a suggested return or capture has to keep: without its amount it would take all that remains. */
export function sumFlags({ amount, currency }: AmountFlags): readonly string[] {
  return [
    ...(amount === undefined ? [] : [`--amount ${/^[\d.]{1,15}$/.test(amount) ? amount : 'AMOUNT'}`]),
    ...(currency !== undefined && /^[A-Z]{3}$/.test(currency) ? [`--currency ${currency}`] : []),
  ];
}

/**
 * Throws OTHER_PROFILE where the journal has nothing of an order under this profile but has it under another, which
 * nobody named: money would move on whatever order has this number here.
 */
export function assertOfThisProfile(
  journal: Journal,
  session: Session,
  { orderId, clientOrderId }: OrderIds,
  command: string,
  given: readonly string[],
): void {
  const names = [orderId, clientOrderId].filter((id) => id !== undefined);
  const known = names.flatMap((order) => journal.list({ order }));
  const name = nameIn(names, known);
  if (name === undefined || !known.every((intent) => isElsewhere(intent, session))) return;
  const other = otherProfileOf(name, command, known, session, given);
  if (other !== undefined) throw fail('OTHER_PROFILE', { what: `order ${name}`, ...other });
}

/** The id that these requests have. */
function nameIn(names: readonly string[], requests: readonly Intent[]): string | undefined {
  return names.find((name) => requests.some((intent) => intent.orderId === name || intent.clientOrderId === name));
}

/** What is open at other gateways or with other logins, in one line for each profile. */
export function openOfOthers(journal: Journal, session: Pick<Session, 'gatewayBase' | 'login' | 'profiles'>): string[] {
  const open = journal.list({ states: unresolvedStates }).filter((intent) => isElsewhere(intent, session));
  const which = (intent: Intent) => {
    const profile = profileFor(intent, session);
    return profile === undefined
      ? `, sent to ${intent.base} with login ${intent.login}: give these with --base-url and --login`
      : ` with profile ${profile.name}: \`paycli resolve --all${profileFlagsOf(profile)}\``;
  };
  const counts = new Map<string, number>();
  for (const words of open.map(which)) counts.set(words, (counts.get(words) ?? 0) + 1);
  return [...counts].map(([words, count]) => `${count === 1 ? '1 request is' : `${count} requests are`} open${words}`);
}

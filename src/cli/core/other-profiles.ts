import { adHocNames } from '../../config/profile-choice.js';
import { fail, shellWord } from '../../errors/index.js';
import { type Intent, type Journal, unresolvedStates } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { orderCommand } from '../format/meaning.js';
import { inJournal, type OrderIds } from './order-requests.js';
import type { Session } from './session.js';

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

/** The flags that choose the profile of a request. */
export function profileFlagsOf(intent: Pick<Intent, 'profile' | 'class'>): string {
  return ` --profile ${shellWord(intent.profile)}${intent.class === 'live' ? ' --live' : ''}`;
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
  session: Pick<Session, 'name' | 'gatewayBase' | 'login'>,
  given: readonly string[] = [],
): OtherProfile | undefined {
  const others = new Map(elsewhere.map((intent) => [intent.profile, intent]));
  const same = others.get(session.name);
  // The profile has another address or login by now, so its name leads nowhere.
  if (same !== undefined)
    return {
      clause: `${sentTo(same)}, but profile ${session.name} now has ${session.gatewayBase} with login ${session.login}`,
      how: 'give the former address with --base-url and the former login with --login',
    };
  const named = [...others.values()].filter(hasName);
  const [first] = others.values();
  if (first === undefined) return undefined;
  if (named.length === 0)
    return { clause: sentTo(first), how: 'give that address with --base-url and that login with --login' };
  const commandOf = (intent: Intent) => {
    const order = { orderId: undefined, clientOrderId: undefined, flags: profileFlagsOf(intent) };
    return typeof name === 'string'
      ? `\`${orderCommand(command, { ...order, either: name }, given)}\``
      : `\`${orderCommand(command, order, [`--entry ${name.id}`, ...given])}\``;
  };
  return {
    clause: `was sent with profile ${named.map(({ profile }) => profile).join(' and ')}`,
    how: named.map(commandOf).join(' or '),
  };
}

/** A connection described by flags or variables alone has no profile to name. */
function hasName({ profile }: Intent): boolean {
  return !adHocNames.some((name) => name === profile);
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
export function openOfOthers(journal: Journal, session: Pick<Session, 'gatewayBase' | 'login'>): string[] {
  const open = journal.list({ states: unresolvedStates }).filter((intent) => isElsewhere(intent, session));
  const keyOf = (intent: Intent) => (hasName(intent) ? `with profile ${intent.profile}` : `, ${sentTo(intent)}`);
  return [...new Set(open.map(keyOf))].flatMap((which) => {
    const [first, ...more] = open.filter((intent) => keyOf(intent) === which);
    if (first === undefined) return [];
    const requests = more.length === 0 ? '1 request is' : `${more.length + 1} requests are`;
    const how = hasName(first) ? `: \`paycli resolve --all${profileFlagsOf(first)}\`` : '';
    return [`${requests} open ${which}${how}`.replace(' ,', ',')];
  });
}

import type { ParsedCallback } from '../../../callbacks/parse-callback.js';
import type { MatchResult } from '../../../callbacks/receiver.js';
import type { CallbackStore, StatusAnswer, StoredCallback } from '../../../callbacks/store.js';
import type { Journal, Request } from '../../../journal/port.js';
import { pendingStates, type State } from '../../../journal/states.js';
import { isBeyondStatus, rowOf } from '../../../payments/evidence.js';
import { onOrder, queryOutcome } from '../../../payments/settle.js';
import { sleepOrAbort } from '../../../payments/wait.js';
import { describe } from '../../../payments/words.js';
import { type ReplyField, rebill, replies, replyField, statusOf } from '../../../spec/index.js';
import { readAmount } from '../../../wire/amount.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import { seenOrder } from '../../core/seen-order.js';
import type { Fields } from '../../format/meaning.js';
import { type GatewayContext, updateJournal } from '../../gateway.js';

export interface MatchContext {
  readonly gateway: GatewayContext;
  readonly store: CallbackStore;
  readonly journal: () => Promise<Journal>;
  /** False under --no-ask. */
  readonly mayAsk: boolean;
  /** Keeps the number of questions that are out at once small. */
  readonly slot: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Milliseconds before each further question while status lags behind a callback about a final outcome. */
const repeatPauses: readonly number[] = [3000, 5000, 15_000, 60_000, 300_000];

/**
 * Compares a callback with the journal. Where money could have moved, status decides: a callback alone resolves
 * nothing.
 */
export async function matchCallback(
  callback: StoredCallback,
  read: ParsedCallback,
  context: MatchContext,
): Promise<MatchResult> {
  const journal = await context.journal();
  const entries = await entriesOf(journal, callback);
  if (entries.length === 0) return matchOther(callback, read, journal, context);
  if (callback.verified === 'wrong') return matchWrongChecksum(callback, journal, entries, context);
  const about = entries.filter(({ operation }) =>
    callback.type === ''
      ? !isBeyondStatus(operation)
      : rowOf(operation)?.namedByStatus?.types.includes(callback.type) === true,
  );
  const conflicts = [...idConflicts(callback, read, entries), ...amountConflicts(read, about)];
  const word = statusOf(callback.status);
  const wanted = word?.final === true ? (word.success ? 'done' : 'declined') : undefined;
  const open = about.filter(({ state }) => pendingStates.includes(state));
  const contradicted =
    wanted === undefined || open.length > 0 || about.length === 0 ? undefined : entryInOtherState(wanted, about);
  if (contradicted !== undefined)
    conflicts.push(`the callback says ${callback.status}, the journal says ${contradicted.state}`);
  const asked = contradicted === undefined ? open : [contradicted];
  const notAsked = asked.length === 0 ? 'no amount or outcome would change' : reasonNotToQuery(context);
  if (notAsked !== undefined) {
    if (contradicted !== undefined && wanted !== undefined)
      await raiseConflict(contradicted, wanted, callback, journal);
    return recordConflicts({ ...notQueried(notAsked), conflicts }, about, journal, callback);
  }
  const answered = await queryUntilResolved(
    asked,
    wanted !== undefined && contradicted === undefined,
    journal,
    context,
  );
  const isDenied = answered.fields !== undefined && replyField(answered.fields, 'status') !== callback.status;
  if (contradicted !== undefined && wanted !== undefined && !isDenied)
    await raiseConflict(contradicted, wanted, callback, journal);
  return recordConflicts(
    { ...answered, conflicts: [...conflicts, ...statusConflicts(callback, answered.fields)] },
    about,
    journal,
    callback,
  );
}

/** A callback about an order on which nothing was sent from here: it is listed as seen from then on. */
async function matchOther(
  callback: StoredCallback,
  read: ParsedCallback,
  journal: Journal,
  { gateway: { session } }: MatchContext,
): Promise<MatchResult> {
  const isProven = callback.verified === 'fits';
  const other = isProven ? await otherOrder(callback, journal) : undefined;
  const seen = isProven && other === undefined ? seenOrder(fieldsIn(read), session, callback.at) : undefined;
  if (seen !== undefined) await journal.see([seen]);
  return { ...notQueried('the journal has no request on this order'), conflicts: other === undefined ? [] : [other] };
}

const statusFields: Readonly<Record<string, ReplyField>> = replies.StatusResponse.fields;

/** What a callback says, in the names of a status reply. */
function fieldsIn({ status, orderId, clientOrderId, type, amount, currency }: ParsedCallback): Fields {
  const said = { status, orderId, clientOrderId, transactionType: type, amount, currency };
  const named = Object.entries(said).map(([key, value = '']) => [statusFields[key]?.wire ?? key, value] as const);
  return new Map(named.filter(([, value]) => value !== ''));
}

/**
 * A callback whose checksum fits resolves nothing, but where status does not deny it, what the journal says is in
 * doubt.
 */
async function raiseConflict(
  { id, kind, state, attempt }: Request,
  to: 'done' | 'declined',
  callback: StoredCallback,
  journal: Journal,
): Promise<void> {
  if (callback.verified !== 'fits') return;
  const reason = `a callback says ${printable(callback.status)}`;
  const isOwn = kind === 'payment' && callback.type !== '';
  await journal.settle([{ id, by: 'gateway', to, reason, isOwn, attempt, seen: state }]);
}

// No gateway writes longer ids.
const maxOrderId = 64;

/**
 * Names another order of the journal whose ids, run together, are the same text: the checksum has no separators, so
 * `77` and `7c` have the same one as `777` and `c`.
 */
export async function otherOrder(
  { orderId, clientOrderId, place: base }: Pick<StoredCallback, 'orderId' | 'clientOrderId' | 'place'>,
  journal: Journal,
): Promise<string | undefined> {
  const text = orderId + clientOrderId;
  const length = Math.min(text.length - 1, maxOrderId);
  const orderIds = Array.from({ length }, (_, at) => text.slice(0, at + 1));
  const alike = (await onOrder(journal, { base, orderIds })).filter((one) => {
    return `${one.orderId}${one.clientOrderId}` === text;
  });
  const [other] = alike;
  if (other === undefined || alike.some((one) => one.orderId === orderId)) return undefined;
  return `its ids, run together, are also those of order ${other.orderId} (${other.clientOrderId}) of the journal, which has the same checksum: compare both ids with your own order`;
}

function notQueried(notAsked: string): MatchResult {
  return { asked: undefined, resolved: 0, conflicts: [], notAsked };
}

/** Forged or not, the order may have moved: worth one question in the life of an order, and no more. */
async function matchWrongChecksum(
  callback: StoredCallback,
  journal: Journal,
  entries: readonly Request[],
  context: MatchContext,
): Promise<MatchResult> {
  const open = entries.filter(({ state, operation }) => pendingStates.includes(state) && !isBeyondStatus(operation));
  if (open.length === 0) return notQueried('its checksum (control) does not match');
  const { place, orderId, clientOrderId } = callback;
  const earlier = [orderId, clientOrderId].flatMap((order) => context.store.list({ order, place }));
  if (earlier.some(({ verified, asked }) => verified === 'wrong' && asked !== undefined))
    return notQueried(
      'the status was already queried after an earlier callback for this order whose checksum did not match',
    );
  const notAsked = reasonNotToQuery(context);
  if (notAsked !== undefined) return notQueried(notAsked);
  return { ...(await queryUntilResolved(open, false, journal, context)), conflicts: [] };
}

function reasonNotToQuery({ mayAsk, gateway }: MatchContext): string | undefined {
  if (!mayAsk) return '--no-ask';
  return gateway.session.canAskStatus ? undefined : 'the profile has no control key to sign a status request';
}

async function entriesOf(
  journal: Journal,
  { place: base, orderId, clientOrderId }: StoredCallback,
): Promise<readonly Request[]> {
  const ids = [orderId, clientOrderId].filter((id) => id !== '');
  const found = await Promise.all(ids.map((order) => onOrder(journal, { base, order })));
  return [...new Map(found.flat().map((request) => [request.id, request])).values()];
}

function entryInOtherState(wanted: State, about: readonly Request[]): Request | undefined {
  return about.some(({ state }) => state === wanted) ? undefined : about.at(-1);
}

/** The checksum covers both ids, but a signed pair may still be another one than the journal has. */
function idConflicts(
  { orderId, clientOrderId }: StoredCallback,
  { merchantOrder }: ParsedCallback,
  entries: readonly Request[],
): string[] {
  const differs = (one: string | undefined, other: string) => one !== undefined && one !== other;
  return [
    ...(entries.some((entry) => differs(entry.orderId, orderId) || differs(entry.clientOrderId, clientOrderId))
      ? ['its order id and client order id belong to different orders in the journal']
      : []),
    ...(differs(merchantOrder, clientOrderId) ? ['merchant_order differs from client_orderid'] : []),
  ];
}

/** Amount and currency are not covered by the checksum, so they are compared with what was sent. */
function amountConflicts({ amount, currency }: ParsedCallback, about: readonly Request[]): string[] {
  // A46: a rebill may charge another of the amounts it was given.
  const sums = about.map(({ sum, operation }) => (operation === rebill.id ? undefined : sum));
  if (amount === undefined || sums.length === 0 || sums.includes(undefined)) return [];
  const fits = about.some(({ sum }) => {
    if (sum === undefined || (currency !== undefined && currency !== sum.currency)) return false;
    const reading = readAmount(amount, sum.currency, sum.digits);
    return reading.ok && reading.minor === BigInt(sum.minor);
  });
  const known = about.map(describe).join(', ');
  return fits
    ? []
    : [`its amount ${amount}${currency === undefined ? '' : ` ${currency}`} differs from the journal: ${known}`];
}

interface QueriedFinding extends MatchResult {
  readonly fields: Fields | undefined;
}

/** Asks about each request; where a final outcome is announced, again until status has it as well. */
async function queryUntilResolved(
  requests: readonly Request[],
  isAnnounced: boolean,
  journal: Journal,
  context: MatchContext,
): Promise<QueriedFinding> {
  const { gateway, slot } = context;
  const { runtime, session } = gateway;
  let left = requests;
  let fields: Fields | undefined;
  let reason = '';
  for (const pause of [0, ...(isAnnounced ? (session.pauses ?? repeatPauses) : [])]) {
    if (pause > 0 ? await sleepOrAbort(runtime.clock, pause, gateway.stop.signal) : gateway.stop.signal.aborted) break;
    for (const request of left) {
      const answer = await slot(() => queryAbout(request, journal, gateway));
      if (answer.fields === undefined) reason = answer.reason;
      else fields = answer.fields;
    }
    left = await stillPending(left, journal);
    if (left.length === 0) break;
  }
  const status = fields === undefined ? undefined : replyField(fields, 'status');
  const says =
    status === undefined
      ? `no reply to the status request: ${reason === '' ? 'stopped' : reason}`
      : `status says ${status}`;
  const asked: StatusAnswer = { at: runtime.clock.now(), status, says };
  const wereOpen = requests.filter(({ state }) => pendingStates.includes(state));
  return {
    asked,
    resolved: wereOpen.length - left.filter(({ id }) => wereOpen.some((each) => each.id === id)).length,
    conflicts: [],
    notAsked: undefined,
    fields,
  };
}

function stillPending(requests: readonly Request[], journal: Journal): Promise<readonly Request[]> {
  return onOrder(journal, { ids: requests.map(({ id }) => id), states: pendingStates });
}

async function queryAbout(request: Request, journal: Journal, gateway: GatewayContext) {
  const answer = await queryOutcome(gateway.connection, request, gateway.watched);
  if (answer.class !== 'accepted' || answer.fields === undefined) return { fields: undefined, reason: answer.reason };
  await updateJournal(gateway, answer.fields, request.endpoint, { journal });
  return { fields: answer.fields, reason: '' };
}

/** Both final, about the same transaction, and not the same: a person decides. */
function statusConflicts({ status, type }: StoredCallback, fields: Fields | undefined): string[] {
  const answer = fields === undefined ? undefined : replyField(fields, 'status');
  if (fields === undefined || answer === undefined || answer === status) return [];
  const other = replyField(fields, 'transactionType')?.toLowerCase();
  const isSame = type === '' || other === undefined || other === type;
  const areFinal = [status, answer].every((word) => statusOf(word)?.final === true);
  return isSame && areFinal ? [`the callback says ${status}, status says ${answer}`] : [];
}

/** The journal keeps what did not agree, beside the requests it is about. */
async function recordConflicts(
  finding: MatchResult,
  about: readonly Request[],
  journal: Journal,
  { id, status, conflicts: known }: StoredCallback,
): Promise<MatchResult> {
  const last = about.at(-1);
  const fresh = finding.conflicts.filter((conflict) => !known.includes(conflict)).map(withoutCardNumbers);
  if (last !== undefined)
    for (const conflict of fresh)
      await journal.record({ request: last.id }, `a callback contradicts this: ${conflict}`, { callback: id, status });
  return finding;
}

const maxOpenQueries = 200;

export interface OpenQueryResult {
  readonly asked: number;
  readonly resolved: number;
  /** Open requests nobody was asked about, because there are too many. */
  readonly left: number;
}

/**
 * Asks status once about every open request of this gateway: what its callbacks would have told while nobody listened.
 */
export async function queryOpenRequests({ gateway, journal: opened, slot }: MatchContext): Promise<OpenQueryResult> {
  const journal = await opened();
  const filter = { base: gateway.session.gatewayBase, states: pendingStates };
  const pending = await journal.find(filter, { limit: 10 * maxOpenQueries });
  const open = pending.filter(({ operation }) => !isBeyondStatus(operation));
  const chosen = open.slice(0, maxOpenQueries).toReversed();
  for (const request of chosen) {
    if (gateway.stop.signal.aborted) break;
    await slot(() => queryAbout(request, journal, gateway));
  }
  const left = await stillPending(chosen, journal);
  return { asked: chosen.length, resolved: chosen.length - left.length, left: open.length - chosen.length };
}

import type { ParsedCallback } from '../../../callbacks/parse-callback.js';
import type { MatchResult } from '../../../callbacks/receiver.js';
import type { CallbackStore, StatusAnswer, StoredCallback } from '../../../callbacks/store.js';
import { describeIntent, type Intent, type Journal, queryableStates, type State } from '../../../journal/index.js';
import { isBeyondStatus, isOfType } from '../../../payments/evidence.js';
import { sleepOrAbort } from '../../../payments/sleep.js';
import { queryOutcome } from '../../../payments/status-query.js';
import { rebill, replyField, statusOf } from '../../../spec/index.js';
import { digitsOf, readAmount } from '../../../wire/amount.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import type { Fields } from '../../format/meaning.js';
import { type GatewayContext, updateJournal } from '../../gateway.js';

export interface MatchContext {
  readonly gateway: GatewayContext;
  readonly store: CallbackStore;
  /** The journal, once there is one. */
  readonly journal: () => Promise<Journal | undefined>;
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
  const entries = journal === undefined ? [] : entriesOf(journal, callback);
  if (journal === undefined || entries.length === 0) {
    const other = journal === undefined || callback.verified !== 'fits' ? undefined : otherOrder(callback, journal);
    return {
      ...notQueried('the journal has no request on this order'),
      conflicts: other === undefined ? [] : [other],
    };
  }
  if (callback.verified === 'wrong') return matchWrongChecksum(callback, journal, entries, context);
  const about = entries.filter(({ operation }) =>
    callback.type === '' ? !isBeyondStatus(operation) : isOfType(operation, callback.type),
  );
  const conflicts = [...idConflicts(callback, read, entries), ...amountConflicts(read, about, context)];
  const word = statusOf(callback.status);
  const wanted = word?.final === true ? (word.success ? 'done' : 'declined') : undefined;
  const open = about.filter(({ state }) => queryableStates.includes(state));
  const contradicted =
    wanted === undefined || open.length > 0 || about.length === 0 ? undefined : entryInOtherState(wanted, about);
  if (contradicted !== undefined)
    conflicts.push(`the callback says ${callback.status}, the journal says ${contradicted.state}`);
  const asked = contradicted === undefined ? open : [contradicted];
  const notAsked = asked.length === 0 ? 'no amount or outcome would change' : reasonNotToQuery(context);
  if (notAsked !== undefined) {
    if (contradicted !== undefined && wanted !== undefined) raiseConflict(contradicted, wanted, callback, journal);
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
    raiseConflict(contradicted, wanted, callback, journal);
  return recordConflicts(
    { ...answered, conflicts: [...conflicts, ...statusConflicts(callback, answered.fields)] },
    about,
    journal,
    callback,
  );
}

/**
 * A callback whose checksum fits resolves nothing, but where status does not deny it, what the journal says is in
 * doubt.
 */
function raiseConflict({ id, kind }: Intent, wanted: State, callback: StoredCallback, journal: Journal): void {
  const reason = `a callback says ${printable(callback.status)}`;
  const isNamed = kind === 'opening' && callback.type !== '';
  if (callback.verified === 'fits') journal.recordResult(id, wanted, { reason, isNamed });
}

// No gateway writes longer ids.
const maxOrderId = 64;

/**
 * Names another order of the journal whose ids, run together, are the same text: the checksum has no separators, so
 * `77` and `7c` have the same one as `777` and `c`.
 */
export function otherOrder(
  { orderId, clientOrderId, place }: Pick<StoredCallback, 'orderId' | 'clientOrderId' | 'place'>,
  journal: Journal,
): string | undefined {
  const isKnown = (id: string, client: string) =>
    journal.list({ base: place, order: id }).some((one) => one.orderId === id && one.clientOrderId === client);
  if (isKnown(orderId, clientOrderId)) return undefined;
  const text = orderId + clientOrderId;
  const end = Array.from({ length: Math.min(text.length - 1, maxOrderId) }, (_, at) => at + 1).find((at) =>
    isKnown(text.slice(0, at), text.slice(at)),
  );
  return end === undefined
    ? undefined
    : `its ids, run together, are also those of order ${text.slice(0, end)} (${text.slice(end)}) of the journal, which has the same checksum: compare both ids with your own order`;
}

function notQueried(notAsked: string): MatchResult {
  return { asked: undefined, resolved: 0, conflicts: [], notAsked };
}

/** Forged or not, the order may have moved: worth one question in the life of an order, and no more. */
async function matchWrongChecksum(
  callback: StoredCallback,
  journal: Journal,
  entries: readonly Intent[],
  context: MatchContext,
): Promise<MatchResult> {
  const open = entries.filter(({ state, operation }) => queryableStates.includes(state) && !isBeyondStatus(operation));
  if (open.length === 0) return notQueried('its checksum (control) does not match');
  if (context.store.wasQueriedForWrong(callback.place, callback.orderId, callback.clientOrderId))
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

function entriesOf(journal: Journal, { place, orderId, clientOrderId }: StoredCallback): Intent[] {
  const ids = [orderId, clientOrderId].filter((id) => id !== '');
  const found = new Map(
    ids.flatMap((order) => journal.list({ base: place, order })).map((intent) => [intent.id, intent]),
  );
  return [...found.values()];
}

function entryInOtherState(wanted: State, about: readonly Intent[]): Intent | undefined {
  return about.some(({ state }) => state === wanted) ? undefined : about.at(-1);
}

/** The checksum covers both ids, but a signed pair may still be another one than the journal has. */
function idConflicts(
  { orderId, clientOrderId }: StoredCallback,
  { merchantOrder }: ParsedCallback,
  entries: readonly Intent[],
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
function amountConflicts(
  { amount, currency }: ParsedCallback,
  about: readonly Intent[],
  { gateway }: MatchContext,
): string[] {
  // A46: a rebill may charge another of the amounts it was given.
  const sums = about.map(({ sum, operation }) => (operation === rebill.id ? undefined : sum));
  if (amount === undefined || sums.length === 0 || sums.includes(undefined)) return [];
  const fits = about.some(({ sum, endpointId }) => {
    if (sum === undefined || (currency !== undefined && currency !== sum.currency)) return false;
    const digits = sum.digits ?? digitsOf(sum.currency, gateway.session.assume['minor-digits'], endpointId);
    const reading = readAmount(amount, sum.currency, digits);
    return reading.ok && reading.minor === BigInt(sum.minor);
  });
  const known = about.map((intent) => describeIntent(intent)).join(', ');
  return fits
    ? []
    : [`its amount ${amount}${currency === undefined ? '' : ` ${currency}`} differs from the journal: ${known}`];
}

interface QueriedFinding extends MatchResult {
  readonly fields: Fields | undefined;
}

/** Asks about each request; where a final outcome is announced, again until status has it as well. */
async function queryUntilResolved(
  intents: readonly Intent[],
  isAnnounced: boolean,
  journal: Journal,
  context: MatchContext,
): Promise<QueriedFinding> {
  const { gateway, slot } = context;
  const { runtime, session } = gateway;
  let left = intents;
  let fields: Fields | undefined;
  let reason = '';
  for (const pause of [0, ...(isAnnounced ? (session.pauses ?? repeatPauses) : [])]) {
    if (pause > 0 ? await sleepOrAbort(runtime.clock, pause, gateway.stop.signal) : gateway.stop.signal.aborted) break;
    for (const intent of left) {
      const answer = await slot(() => queryAbout(intent, gateway));
      if (answer.fields === undefined) reason = answer.reason;
      else fields = answer.fields;
    }
    left = left.filter(({ id }) => queryableStates.includes(journal.get(id)?.state ?? 'done'));
    if (left.length === 0) break;
  }
  const status = fields === undefined ? undefined : replyField(fields, 'status');
  const says =
    status === undefined
      ? `no reply to the status request: ${reason === '' ? 'stopped' : reason}`
      : `status says ${status}`;
  const asked: StatusAnswer = { at: runtime.clock.now(), status, says };
  const wereOpen = intents.filter(({ state }) => queryableStates.includes(state));
  return {
    asked,
    resolved: wereOpen.length - left.filter(({ id }) => wereOpen.some((each) => each.id === id)).length,
    conflicts: [],
    notAsked: undefined,
    fields,
  };
}

async function queryAbout(intent: Intent, gateway: GatewayContext) {
  const answer = await queryOutcome(gateway.connection, intent, gateway.watched);
  if (answer.class !== 'accepted' || answer.fields === undefined) return { fields: undefined, reason: answer.reason };
  await updateJournal(gateway, answer.fields, intent.endpointId);
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
function recordConflicts(
  finding: MatchResult,
  about: readonly Intent[],
  journal: Journal,
  { id, status, conflicts: known }: StoredCallback,
): MatchResult {
  const last = about.at(-1);
  const fresh = finding.conflicts.filter((conflict) => !known.includes(conflict)).map(withoutCardNumbers);
  if (last !== undefined)
    for (const conflict of fresh)
      journal.note(last.id, `a callback contradicts this: ${conflict}`, { callback: id, status });
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
  const chosen: Intent[] = [];
  let left = 0;
  for (const intent of journal?.each({ base: gateway.session.gatewayBase, states: queryableStates }) ?? []) {
    if (isBeyondStatus(intent.operation)) continue;
    chosen.push(intent);
    if (chosen.length <= maxOpenQueries) continue;
    chosen.shift();
    left += 1;
  }
  let resolved = 0;
  for (const intent of chosen) {
    if (gateway.stop.signal.aborted) break;
    await slot(() => queryAbout(intent, gateway));
    if (!queryableStates.includes(journal?.get(intent.id)?.state ?? 'accepted')) resolved += 1;
  }
  return { asked: chosen.length, resolved, left };
}

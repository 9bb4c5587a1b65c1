import type { ParsedCallback } from '../../../callbacks/parse-callback.js';
import type { MatchResult } from '../../../callbacks/receiver.js';
import type { StoredCallback } from '../../../callbacks/store.js';
import type { Journal, Request } from '../../../journal/port.js';
import { pendingStates } from '../../../journal/states.js';
import { isBeyondStatus, rowOf } from '../../../payments/evidence.js';
import { onOrder, queryOutcome } from '../../../payments/settle.js';
import { sleepOrAbort } from '../../../payments/wait.js';
import { type ReplyField, replies, replyField, statusOf } from '../../../spec/index.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import { seenOrder } from '../../core/order-facts.js';
import { journalOf, openUserJournal } from '../../core/user-stores.js';
import type { Fields } from '../../format/meaning.js';
import { type GatewayContext, updateJournal } from '../../gateway.js';

/** Milliseconds before each further query while status lags behind a callback about a final outcome. */
const repeatPauses: readonly number[] = [3000, 15_000, 60_000];

const nothing: MatchResult = { asked: undefined, resolved: 0, conflicts: [] };

/**
 * Compares a callback with the journal. It resolves nothing itself: status decides where a request is open, or where the
 * callback contradicts the journal. One whose checksum does not match changes nothing.
 */
export async function matchCallback(
  callback: StoredCallback,
  read: ParsedCallback,
  gateway: GatewayContext,
): Promise<MatchResult> {
  if (callback.verified !== 'fits') return nothing;
  const { runtime, session } = gateway;
  const journal = await openUserJournal(runtime, journalOf(session));
  const requests = await requestsOf(callback, journal);
  if (requests.length === 0) {
    const seen = seenOrder(fieldsIn(read), session, callback.at);
    if (seen !== undefined) await journal.see([seen]);
    return nothing;
  }
  const announced = outcomeOf(callback.status);
  const about = requests.filter((request) => isAbout(request, callback));
  const open = about.filter(isPending);
  const last = about.at(-1);
  const isSaid = announced === undefined || about.some(({ state }) => state === announced);
  if (last === undefined || (open.length === 0 && isSaid)) return nothing;
  const result =
    open.length === 0 && announced !== undefined
      ? await settleContradiction(callback, last, announced, journal, gateway)
      : await compareWithStatus(callback, open, announced !== undefined, journal, gateway);
  for (const conflict of result.conflicts.filter((each) => !callback.conflicts.includes(each))) {
    const reason = `a callback contradicts this: ${withoutCardNumbers(conflict)}`;
    await journal.record({ request: last.id }, reason, { callback: callback.id });
  }
  return result;
}

async function requestsOf(callback: StoredCallback, journal: Journal): Promise<readonly Request[]> {
  const { place: base, orderId, clientOrderId } = callback;
  const found = await Promise.all([orderId, clientOrderId].map((order) => onOrder(journal, { base, order })));
  return [...new Map(found.flat().map((request) => [request.id, request])).values()];
}

function outcomeOf(status: string): 'done' | 'declined' | undefined {
  const word = statusOf(status);
  if (word?.final !== true) return undefined;
  return word.success ? 'done' : 'declined';
}

function isPending({ state }: Request): boolean {
  return pendingStates.includes(state);
}

/** Without a type it may be about any request that status shows. */
function isAbout({ operation }: Request, { type }: StoredCallback): boolean {
  return type === '' ? !isBeyondStatus(operation) : rowOf(operation)?.namedByStatus?.types.includes(type) === true;
}

/** What a callback says, in the names of a status reply. */
function fieldsIn({ status, orderId, clientOrderId, type, amount, currency }: ParsedCallback): Fields {
  const names: Readonly<Record<string, ReplyField>> = replies.StatusResponse.fields;
  const said = { status, orderId, clientOrderId, transactionType: type, amount, currency };
  const named = Object.entries(said).map(([key, value = '']) => [names[key]?.wire ?? key, value] as const);
  return new Map(named.filter(([, value]) => value !== ''));
}

/** The journal has another outcome: where status does not tell which is right, a person has to decide. */
async function settleContradiction(
  callback: StoredCallback,
  request: Request,
  to: 'done' | 'declined',
  journal: Journal,
  gateway: GatewayContext,
): Promise<MatchResult> {
  const { id, kind, state, attempt } = request;
  const result = await compareWithStatus(callback, [request], false, journal, gateway);
  if (result.asked?.status === undefined) {
    const reason = `a callback says ${printable(callback.status)}`;
    const isOwn = kind === 'payment' && callback.type !== '';
    await journal.settle([{ id, by: 'gateway', to, reason, isOwn, attempt, seen: state }]);
  }
  const conflict = `the callback says ${callback.status}, the journal says ${state}`;
  return { ...result, conflicts: [conflict, ...result.conflicts] };
}

/** Queries about each request; where a final outcome is announced, again until status has it as well. */
async function compareWithStatus(
  callback: StoredCallback,
  requests: readonly Request[],
  isAnnounced: boolean,
  journal: Journal,
  gateway: GatewayContext,
): Promise<MatchResult> {
  const { runtime, session, stop } = gateway;
  const ids = requests.map(({ id }) => id);
  let fields: Fields | undefined;
  let reason = 'stopped';
  let left = requests;
  for (const pause of [0, ...(isAnnounced ? (session.pauses ?? repeatPauses) : [])]) {
    if (pause > 0 && (await sleepOrAbort(runtime.clock, pause, stop.signal))) break;
    for (const request of left) {
      const answer = await queryOutcome(gateway.connection, request, gateway.watched);
      if (answer.class === 'accepted' && answer.fields !== undefined) {
        fields = answer.fields;
        await updateJournal(gateway, fields, request.endpoint, { journal });
      } else reason = answer.reason;
    }
    left = await onOrder(journal, { ids, states: pendingStates });
    if (left.length === 0) break;
  }
  const status = fields && replyField(fields, 'status');
  const says = status === undefined ? `no reply to the status request: ${reason}` : `status says ${status}`;
  return {
    asked: { at: runtime.clock.now(), status, says },
    resolved: requests.filter(isPending).length - left.length,
    conflicts: fields === undefined ? [] : statusConflicts(callback, fields),
  };
}

/** Both final, about the same transaction, and not the same: a person decides. */
function statusConflicts({ status, type }: StoredCallback, fields: Fields): string[] {
  const answer = replyField(fields, 'status') ?? '';
  const other = replyField(fields, 'transactionType')?.toLowerCase() ?? type;
  const isSame = type === '' || other === type;
  const areFinal = outcomeOf(status) !== undefined && outcomeOf(answer) !== undefined;
  return isSame && areFinal && answer !== status ? [`the callback says ${status}, status says ${answer}`] : [];
}

import type { Journal, Request, Restored } from '../journal/port.js';
import { pendingStates, type State, sendableStates } from '../journal/states.js';
import { replyField } from '../spec/index.js';
import { isOrderUnknown } from './classify.js';
import { type Fields, isBeyondStatus, samePayment } from './evidence.js';
import type { GatewayConnection, Watched } from './exchange.js';
import { unansweredWords } from './failure.js';
import { madeElsewhere, proveOnOrder, queryOutcome, recordAnswer, showsNoOrder } from './settle.js';

/**
 * States whose requests the gateway is asked about before a restored journal is used. What took no effect by it may have
 * been sent by what is lost of it.
 */
export const statesToAsk: readonly State[] = [...sendableStates, ...pendingStates];

/** What is recorded of a request that the gateway was asked about. */
const asked = 'asked-after-restore';

/** Tells the restore of now from others, of which the journal may have records as well. */
function keyOf({ why, marked }: Restored): string {
  return `${why} ${marked?.event ?? ''} ${marked?.at ?? ''}`;
}

/** The requests that were asked about since this restore. */
export async function wasAsked(journal: Journal, request: Request, restored: Restored): Promise<boolean> {
  const accepted = (await journal.events({})).findLast(({ reason }) => reason === 'restored-accepted')?.id ?? 0;
  const events = await journal.events({ request: request.id });
  return events.some(({ id, reason, facts }) => id > accepted && reason === asked && facts['of'] === keyOf(restored));
}

/**
 * Asks the gateway about a request of a restored journal and records the answer. Gives why it could not be asked, if so.
 * What the gateway has is settled by it, or unknown where that is not this very request. Throws STORAGE.
 */
export async function askRestored(
  request: Request,
  journal: Journal,
  restored: Restored,
  connection: GatewayConnection,
  watched: Watched,
): Promise<string | undefined> {
  const isUnsent = sendableStates.includes(request.state);
  if (isBeyondStatus(request.operation)) {
    if (isUnsent && request.effect === 'money') await markUnknown(request, journal, 'no status reply can show it');
    return undefined;
  }
  const answer = await queryOutcome(connection, request, watched);
  const { class: kind, fields } = answer;
  const isFound = kind === 'accepted' && fields !== undefined && replyField(fields, 'orderId') !== undefined;
  if (!isFound && !(isUnsent ? showsNoOrder(answer) : isOrderUnknown(answer))) return unansweredWords(answer);
  const minorDigits = connection.assume['minor-digits'];
  if (!isUnsent) await recordAnswer(request, answer, journal, minorDigits);
  else if (isFound) await settleFound(request, fields, journal, minorDigits);
  await journal.record({ request: request.id }, asked, { of: keyOf(restored) });
  return undefined;
}

/** The gateway has an order under the id of a request that this journal has not sent. */
async function settleFound(request: Request, fields: Fields, journal: Journal, minorDigits: string): Promise<void> {
  const isPayment = request.kind === 'payment';
  const proof = isPayment
    ? samePayment(request, fields, minorDigits)
    : await proveOnOrder(request, fields, journal, minorDigits);
  if (proof === undefined || proof.proves === 'nothing' || proof.proves === 'conflict')
    return markUnknown(request, journal, 'the gateway has the order, and does not show what became of this request');
  await journal.settle([madeElsewhere(request, { fields }, proof)]);
}

/** Nothing is sent again under a request that may have been sent by what is lost of the journal. */
export async function markUnknown(request: Request, journal: Journal, why: string): Promise<void> {
  if (!sendableStates.includes(request.state)) return;
  const reason = `it may have been sent by what the journal lost: ${why}`;
  await journal.settle([{ id: request.id, to: 'unknown', reason, by: 'elsewhere', isOwn: true }]);
}

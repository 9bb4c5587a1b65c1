import { fail } from '../errors/index.js';
import type { Event, Journal, Request } from '../journal/port.js';
import { noSuchOrder } from './settle.js';
import { nameOf, stateClause } from './words.js';

const minAnswers = 3;
const minSpanMs = 60 * 60_000;

/**
 * Whether a request may be sent once more: the gateway must have answered at least three times since it was sent, over
 * at least an hour, that it has no such order, and never that it has. Throws RESEND_REFUSED.
 */
export async function checkResend(journal: Journal, request: Request): Promise<void> {
  const order = nameOf(request);
  const refuse = (why: string) => fail('RESEND_REFUSED', { order, why });
  if (request.kind !== 'payment')
    throw refuse('only a request that makes an order can be sent again, under its own id');
  if (request.state !== 'unknown')
    throw refuse(`it ${stateClause(request.state)}, and only a request whose outcome is unknown may be sent again`);
  const events = await journal.events({ request: request.id });
  if (events.some(({ to }) => to === 'accepted'))
    throw refuse('the gateway accepted it before; ask gateway support for its outcome');
  const answers = sinceSent(events).filter(({ reason }) => reason === noSuchOrder);
  // By the clock of the gateway: that of this machine may have jumped.
  const times = answers.map(({ at, facts }) => Number(facts['gatewayAt'] ?? at));
  const span = answers.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
  if (answers.length < minAnswers || span < minSpanMs)
    throw refuse(
      `the gateway must answer at least ${minAnswers} times over ${minSpanMs / 60_000} minutes that it has no such order; replies so far: ${answers.length}, over ${Math.floor(span / 60_000)} minutes`,
    );
}

/** What was recorded since the last attempt. */
function sinceSent(events: readonly Event[]): readonly Event[] {
  return events.slice(events.findLastIndex(({ to }) => to === 'sending') + 1);
}

/** Milliseconds an approval is valid. */
export const approvalMs = 15 * 60_000;
/** What is recorded of an approval. */
export const resendApproved = 'resend-approved';

/** Lets a request be sent once more on the conditions of `checkResend`, as `asked` for. Throws RESEND_REFUSED. */
export async function approveResend(journal: Journal, request: Request, asked: string, now: number): Promise<void> {
  await checkResend(journal, request);
  await journal.record({ request: request.id }, resendApproved, { asked, until: now + approvalMs });
}

/** True for an approval that has not expired and was not used; the attempt it allows uses it up. */
export async function isResendApproved(journal: Journal, { id, state }: Request, now: number): Promise<boolean> {
  if (state !== 'unknown') return false;
  const events = sinceSent(await journal.events({ request: id }));
  return events.some(({ reason, facts }) => reason === resendApproved && Number(facts['until']) > now);
}

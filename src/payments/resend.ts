import { fail } from '../errors/index.js';
import { type ChainLine, type Intent, type Journal, stateClause } from '../journal/index.js';
import { unknownOrderRemark } from './status-query.js';

const minAnswers = 3;
const minSpanMs = 60 * 60_000;
/** Milliseconds an approval is valid. */
export const approvalMs = 15 * 60_000;
const approved = 'resend approved';

/**
 * The gateway must have answered at least three times, over at least an hour, that it has no such order, and never that
 * it has. Throws RESEND_REFUSED.
 */
export function checkResend(journal: Journal, intent: Intent): void {
  const order = orderOf(intent);
  if (intent.kind !== 'opening')
    throw fail('RESEND_REFUSED', {
      order,
      why: 'only a request that creates an order can be sent again, under its own id',
    });
  if (intent.state !== 'unknown')
    throw fail('RESEND_REFUSED', {
      order,
      why: `it ${stateClause(intent.state)}, and only a request whose outcome is unknown may be sent again`,
    });
  const lines = journal.linesAbout(intent.id);
  if (lines.some(({ to }) => to === 'accepted'))
    throw fail('RESEND_REFUSED', { order, why: 'the gateway accepted it before; ask gateway support for its outcome' });
  const answers = unknownOrderAnswers(lines);
  const span = answers.length === 0 ? 0 : (answers.at(-1)?.at ?? 0) - (answers[0]?.at ?? 0);
  if (answers.length < minAnswers || span < minSpanMs)
    throw fail('RESEND_REFUSED', {
      order,
      why: `the gateway must answer at least ${minAnswers} times over ${minSpanMs / 60_000} minutes that it has no such order; replies so far: ${answers.length}, over ${Math.floor(span / 60_000)} minutes`,
    });
}

/** Lets a request be sent once more on the conditions of `checkResend`, as `asked` for. Throws RESEND_REFUSED. */
export function approveResend(journal: Journal, intent: Intent, asked: string, now: number): void {
  checkResend(journal, intent);
  journal.note(intent.id, approved, { asked, until: now + approvalMs });
}

function orderOf({ clientOrderId, orderId }: Intent): string {
  return clientOrderId ?? orderId ?? '';
}

/** Answers since the last attempt. */
function unknownOrderAnswers(moves: readonly ChainLine[]): ChainLine[] {
  const sent = moves.findLastIndex(({ to, from }) => to === 'sending' && from !== to);
  return moves.slice(sent + 1).filter(({ reason }) => reason === unknownOrderRemark);
}

/** True for an approval that has not expired and was not used; the attempt it allows uses it up. */
export function takeApproval(journal: Journal, { id }: Intent, now: number): boolean {
  const moves = journal.linesAbout(id);
  const at = moves.findLastIndex(({ reason }) => reason === approved);
  const approval = moves[at];
  if (approval === undefined || moves.slice(at).some(({ to, from }) => to === 'sending' && from !== to)) return false;
  const facts: unknown = JSON.parse(approval.facts);
  return typeof facts === 'object' && facts !== null && 'until' in facts && Number(facts.until) > now;
}

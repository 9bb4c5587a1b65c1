import { fail } from '../errors/index.js';
import type { Approval, Journal } from '../journal/port.js';
import { sumText } from '../payments/words.js';
import { digitsOf } from '../wire/amount.js';
import { differences } from './expected-content.js';
import type { PlanHead, Total } from './plan.js';

/** How long an approval is valid. */
export const approvalMs = 72 * 3_600_000;

/** How far ahead the clock may have been at the approval. */
const skewMs = 300_000;

/** What an approver says of a plan, by name; each total by its currency. */
export type Statement = Readonly<Record<string, string>>;

/** Why a plan is not approved by what somebody says of it: whole clauses; none where all is right. */
export function reasonsAgainst(
  head: PlanHead,
  { by = '', rows, digest = '', ...totals }: Statement,
): readonly string[] {
  const expected = { count: rows === undefined ? undefined : Number(rows), totals };
  const said = { count: 'the count you gave', total: 'the total you gave' };
  return [
    ...[selfApprovalReason(head, by) ?? []].flat(),
    ...differences(expected, head.count, head.totals, said),
    ...(head.digest.slice(0, 8) === digest.toLowerCase() ? [] : ['the digest does not begin with what you typed']),
  ];
}

/** Why this person may not approve this plan, as a whole clause: nobody approves what they planned. */
function selfApprovalReason({ planner }: Pick<PlanHead, 'planner'>, by: string): string | undefined {
  if (by.trim().toLowerCase() !== planner.user.trim().toLowerCase()) return undefined;
  return `${planner.user} planned it, and nobody may approve their own plan`;
}

/**
 * Why no approval by somebody else stands for this very plan, as a whole clause; undefined where one does. Whoever has
 * this account can write any name: that protects against mistakes only.
 */
export function reasonNotApproved(head: PlanHead, approvals: readonly Approval[], now: number): string | undefined {
  const reasons = approvals.map((approval) => reasonAgainst(approval, head, now));
  return reasons.includes(undefined) ? undefined : (reasons.at(-1) ?? 'nobody has approved it');
}

function reasonAgainst({ role: by, at, digest }: Approval, head: PlanHead, now: number): string | undefined {
  if (digest !== head.digest) return `the approval by ${by} is for another plan`;
  const own = selfApprovalReason(head, by);
  if (own !== undefined) return own;
  const until = at + approvalMs;
  if (now >= until)
    return `the approval by ${by} expired at ${timeText(until)}: it is valid for ${approvalMs / 3_600_000} hours`;
  return at > now + skewMs
    ? `the approval by ${by} is dated in the future, ${timeText(at)}; a clock is wrong`
    : undefined;
}

function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** Whoever has to agree has agreed. Throws BATCH_REFUSED. */
export async function assertApproved(
  head: PlanHead,
  journal: Pick<Journal, 'approvals'>,
  rules: ApprovalRules,
  now: number,
): Promise<void> {
  const needed = approvalNeeded(head, rules);
  const why = needed && reasonNotApproved(head, await journal.approvals(head.id), now);
  if (why === undefined) return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${head.id} needs the approval of a second person, because ${needed}; ${why}`,
    how: `nothing was sent; \`paycli batch approve ${head.id}\` asks the approver for their name and the total`,
    plan: head.id,
  });
}

interface ApprovalRules {
  /** Required whatever the totals of the plan are. */
  readonly requireApproval: boolean;
  /** On live: up to these amounts none is needed. In the digits of ISO 4217. */
  readonly approvalAbove: readonly { readonly minor: bigint; readonly currency: string }[];
}

/** Why a plan needs the approval of a second person, as a whole clause; undefined when it does not. */
export function approvalNeeded(head: PlanHead, { requireApproval, approvalAbove }: ApprovalRules): string | undefined {
  if (requireApproval) return `profile ${head.profile} requires it (require-approval)`;
  if (head.class !== 'live') return undefined;
  if (approvalAbove.length === 0) return `profile ${head.profile} is live, and it sets no approval-above limit`;
  const named = head.totals.reduce((sum, { count }) => sum + count, 0);
  if (named < head.count) return `profile ${head.profile} is live, and some rows have no amount`;
  const over = head.totals.find((total) => isAbove(total, approvalAbove));
  return over === undefined
    ? undefined
    : `profile ${head.profile} is live, and ${sumText(over)} exceeds its approval-above limit`;
}

function isAbove({ currency, minor, digits }: Total, limits: ApprovalRules['approvalAbove']): boolean {
  const limit = limits.find((each) => each.currency === currency);
  if (limit === undefined) return true;
  return BigInt(minor) * 10n ** BigInt(digitsOf(currency, 'iso4217', '') ?? 0) > limit.minor * 10n ** BigInt(digits);
}

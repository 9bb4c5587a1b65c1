import {
  type Approvable,
  type ApprovalFacts,
  type ApprovalVerdict,
  type Approver,
  type Approvers,
  judgeApproval,
  selfReason,
} from '../../payments/second-person.js';
import { operationById } from '../../spec/index.js';
import { digitsOf } from '../../wire/amount.js';
import { type BatchEvent, moneyText, type PlanHead, type PlanStore, type Total } from '../plan.js';
import { planChangeReason } from './digest.js';

export const approvedEvent = 'approved';

/** A plan as something to be approved by a second person. */
export function approvablePlan({ id, digest, totals, planner }: PlanHead): Approvable {
  const sums = totals.map(({ currency, minor, digits }) => [currency, minor, digits]);
  const asker = { name: planner.user, id: planner.id };
  return { statement: ['paycli batch approval 2', id, digest, sums], digest, asker };
}

/**
 * Why this person may not approve this plan, as a whole clause: nobody approves what they planned, by key, by name or
 * by account.
 */
export function selfApprovalReason(
  head: PlanHead,
  person: Pick<Approver, 'by' | 'user'>,
  approvers: Approvers,
): string | undefined {
  return selfReason(approvablePlan(head), person, approvers);
}

/**
 * Whether an approver has approved this plan as it is now, and the approval has not expired. Nothing is trusted but the
 * keys and the clock.
 */
export function verifyApproval(store: PlanStore, approvers: Approvers, now: number): ApprovalVerdict {
  const approvals = approvalsOf(store.events());
  const changed = approvals.length === 0 ? undefined : planChangeReason(store);
  return changed === undefined ? judgeApprovals(approvals, store.head, approvers, now) : { valid: false, why: changed };
}

/** The facts of the approvals among what happened to a plan. */
export function approvalsOf(events: readonly BatchEvent[]): readonly ApprovalFacts[] {
  return events.flatMap(({ what, facts }) => (what === approvedEvent ? [facts] : []));
}

/** The same for a head that is proven to be the planned one, by the approvals alone; the newest valid one. */
export function judgeApprovals(
  approvals: readonly ApprovalFacts[],
  head: PlanHead,
  approvers: Approvers,
  now: number,
): ApprovalVerdict {
  const verdicts = approvals.map((facts) => judgeApproval(facts, approvablePlan(head), approvers, now)).reverse();
  return verdicts.find(({ valid }) => valid) ?? verdicts[0] ?? { valid: false, why: 'nobody has approved it' };
}

interface ApprovalRules {
  /** Required whatever the totals of the plan are. */
  readonly requireApproval: boolean;
  /** On live: up to these amounts none is needed. In the digits of ISO 4217. */
  readonly approvalAbove: readonly { readonly minor: bigint; readonly currency: string }[];
}

/** Why a plan needs the approval of a second person, as a whole clause; undefined when it does not. */
export function approvalNeeded(head: PlanHead, { requireApproval, approvalAbove }: ApprovalRules): string | undefined {
  if (operationById(head.operation).effect === 'read') return undefined;
  if (requireApproval) return `profile ${head.profile} requires it (require-approval)`;
  if (head.class !== 'live') return undefined;
  if (approvalAbove.length === 0) return `profile ${head.profile} is live, and it sets no approval-above limit`;
  const named = head.totals.reduce((sum, { count }) => sum + count, 0);
  if (named < head.count) return `profile ${head.profile} is live, and some rows have no amount`;
  const over = head.totals.find((total) => isAbove(total, approvalAbove));
  return over === undefined
    ? undefined
    : `profile ${head.profile} is live, and ${moneyText(over)} exceeds its approval-above limit`;
}

function isAbove({ currency, minor, digits }: Total, limits: ApprovalRules['approvalAbove']): boolean {
  const limit = limits.find((each) => each.currency === currency);
  if (limit === undefined) return true;
  return BigInt(minor) * 10n ** BigInt(digitsOf(currency, 'iso4217', '') ?? 0) > limit.minor * 10n ** BigInt(digits);
}

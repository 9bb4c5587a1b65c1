import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { SystemUser } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { digitsOf } from '../../wire/amount.js';
import { type BatchEvent, moneyText, type PlanHead, type PlanStore, type Total } from '../plan.js';
import { planChangeReason } from './digest.js';

export const approvedEvent = 'approved';

/** How long an approval is valid. */
export const approvalMs = 72 * 3_600_000;

/** The public Ed25519 keys of those who may approve, by name. */
export type Approvers = ReadonlyMap<string, KeyObject>;

/** Who approves: the name of their key, and their account as the system reports it. */
interface Approver {
  readonly by: string;
  readonly user: SystemUser;
  readonly host: string;
}

/** The facts of an approval as they are stored, not verified. */
export type ApprovalFacts = Readonly<Record<string, unknown>>;

export type ApprovalVerdict =
  | { readonly valid: true; readonly by: string; readonly at: number; readonly until: number }
  /** Why the approval is not valid, as a whole clause. */
  | { readonly valid: false; readonly why: string };

/** How far ahead the clock may have been at the approval. */
const skewMs = 300_000;

/** The name under which a private key may approve; undefined when it is no approver's. */
export function approverNameOf(key: KeyObject, approvers: Approvers): string | undefined {
  const publicKey = createPublicKey(key);
  return [...approvers].find(([, other]) => other.equals(publicKey))?.[0];
}

/** The facts of an approval, to be recorded with the plan. */
export function signApproval(head: PlanHead, approver: Approver, key: KeyObject, at: number): ApprovalFacts {
  const { by, user, host } = approver;
  const signature = sign(null, signedBytes(head, approver, at), key).toString('base64');
  return { by, at, digest: head.digest, user: user.name, userId: user.id, host, signature };
}

/** The bytes that an approver signs. */
function signedBytes({ id, digest, totals }: PlanHead, { by, user, host }: Approver, at: number): Buffer {
  const sums = totals.map(({ currency, minor, digits }) => [currency, minor, digits]);
  const statement = ['paycli batch approval 2', id, digest, sums, by, at, user.name, user.id, host];
  return Buffer.from(JSON.stringify(statement), 'utf8');
}

/**
 * Why this person may not approve this plan, as a whole clause: nobody approves what they planned, by key, by name or
 * by account.
 */
export function selfApprovalReason(
  { planner }: Pick<PlanHead, 'planner'>,
  { by, user }: Pick<Approver, 'by' | 'user'>,
  approvers: Approvers,
): string | undefined {
  const key = approvers.get(by);
  const isSame = by === planner.user || (key !== undefined && approvers.get(planner.user)?.equals(key) === true);
  if (isSame) return `${planner.user} planned it, and nobody may approve their own plan`;
  if (user.id !== planner.id) return undefined;
  return `system user id ${user.id} planned it, and nobody may approve their own plan; an approver needs an account with another user id`;
}

/**
 * Whether an approval is by an approver, for exactly this plan, and not expired. Nothing is trusted but the keys and
 * the clock.
 */
function judgeApproval(facts: ApprovalFacts, head: PlanHead, approvers: Approvers, now: number): ApprovalVerdict {
  const { by, at, signature, user, userId, host } = facts;
  const no = (why: string): ApprovalVerdict => ({ valid: false, why });
  if (typeof by !== 'string' || typeof at !== 'number' || typeof signature !== 'string')
    return no('its approval cannot be read');
  if (typeof user !== 'string' || typeof userId !== 'string' || typeof host !== 'string')
    return no('its approval cannot be read');
  const approver = { by, user: { name: user, id: userId }, host };
  const key = approvers.get(by);
  if (key === undefined) return no(`${by}, who approved it, is not among the approvers`);
  const own = selfApprovalReason(head, approver, approvers);
  if (own !== undefined) return no(own);
  if (!verify(null, signedBytes(head, approver, at), key, Buffer.from(signature, 'base64')))
    return no(`the approval by ${by} does not match this plan or their key`);
  const until = at + approvalMs;
  if (now >= until)
    return no(`the approval by ${by} expired at ${timeText(until)}: it is valid for ${approvalMs / 3_600_000} hours`);
  if (at > now + skewMs) return no(`the approval by ${by} is dated in the future, ${timeText(at)}; a clock is wrong`);
  return { valid: true, by, at, until };
}

function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
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

/** The same for a head that is the planned one, by the approvals alone; the newest valid one. */
export function judgeApprovals(
  approvals: readonly ApprovalFacts[],
  head: PlanHead,
  approvers: Approvers,
  now: number,
): ApprovalVerdict {
  const verdicts = approvals.map((facts) => judgeApproval(facts, head, approvers, now)).reverse();
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

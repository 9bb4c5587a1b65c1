import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { SystemUser } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { digitsOf } from '../../wire/amount.js';
import type { BatchEvent, PlanHead, PlanStore, Total } from '../plan.js';
import { planChangeReason } from './digest.js';
import { totalText } from './refusals.js';

/** The public Ed25519 keys of those who may approve, by name. */
export type Approvers = ReadonlyMap<string, KeyObject>;

export type ApprovalVerdict =
  | { readonly valid: true; readonly by: string; readonly at: number; readonly until: number }
  /** Why there is no approval that counts, as a whole clause. */
  | { readonly valid: false; readonly why: string };

export const approvalMs = 72 * 3_600_000;
export const approvedEvent = 'approved';
/** How far the clock of another moment may be ahead. */
const skewMs = 300_000;

/** Who approves: by the name of their key, and by what the system says of their account. */
interface Approver {
  readonly by: string;
  readonly user: SystemUser;
  readonly host: string;
}

/** What an approver puts a name to; anything else than this very plan is another text. */
function signedStatement({ id, digest, totals }: PlanHead, { by, user, host }: Approver, at: number): Buffer {
  const sums = totals.map(({ currency, minor, digits }) => [currency, minor, digits]);
  return Buffer.from(JSON.stringify(['paycli batch approval 2', id, digest, sums, by, at, user.name, user.id, host]), 'utf8');
}

/** The facts of an approval, to be noted with the plan. */
export function signApproval(head: PlanHead, approver: Approver, key: KeyObject, at: number): Readonly<Record<string, unknown>> {
  const { by, user, host } = approver;
  const signature = sign(null, signedStatement(head, approver, at), key).toString('base64');
  return { by, at, digest: head.digest, user: user.name, userId: user.id, host, signature };
}

/** The name under which a private key may approve; undefined when it is nobody's. */
export function approverNameOf(key: KeyObject, approvers: Approvers): string | undefined {
  const own = createPublicKey(key);
  return [...approvers].find(([, other]) => other.equals(own))?.[0];
}

/** Why this person may not approve this plan, as a whole clause: nobody approves what they planned, by key, by name or by account. */
export function selfApprovalReason(
  { planner }: PlanHead,
  { by, user }: Pick<Approver, 'by' | 'user'>,
  approvers: Approvers,
): string | undefined {
  if (planner.id === undefined)
    return 'an earlier version of paycli planned it, which asked the environment who plans: plan the file again';
  const key = approvers.get(by);
  const plannersKey = approvers.get(planner.user);
  const isSame = by === planner.user || (key !== undefined && plannersKey?.equals(key) === true);
  if (isSame) return `${planner.user} planned it, and whoever plans may not approve`;
  if (user.id !== planner.id) return undefined;
  return `user id ${user.id} of the system planned it, and whoever plans may not approve; an approver has an account with another user id`;
}

/** Whether somebody who may has approved this plan as it is now, and not too long ago. Nothing is trusted but the keys and the clock. */
export function verifyApproval(store: PlanStore, approvers: Approvers, now: number): ApprovalVerdict {
  const approvals = approvalsOf(store.events());
  const changed = approvals.length === 0 ? undefined : planChangeReason(store);
  return changed === undefined ? judgeApprovals(approvals, store.head, approvers, now) : { valid: false, why: changed };
}

type Approval = BatchEvent['facts'];

/** The facts of the approvals among what happened to a plan. */
export function approvalsOf(events: readonly BatchEvent[]): readonly Approval[] {
  return events.flatMap(({ what, facts }) => (what === approvedEvent ? [facts] : []));
}

/** The same of a head that is proven to be the one that was planned, by the approvals alone; the newest that counts. */
export function judgeApprovals(approvals: readonly Approval[], head: PlanHead, approvers: Approvers, now: number): ApprovalVerdict {
  const verdicts = approvals.map((facts) => judgeApproval(facts, head, approvers, now)).reverse();
  return verdicts.find(({ valid }) => valid) ?? verdicts[0] ?? { valid: false, why: 'nobody has approved it' };
}

function judgeApproval(facts: Approval, head: PlanHead, approvers: Approvers, now: number): ApprovalVerdict {
  const { by, at, signature, user, userId, host } = facts;
  const no = (why: string): ApprovalVerdict => ({ valid: false, why });
  if (typeof by !== 'string' || typeof at !== 'number' || typeof signature !== 'string') return no('its approval cannot be read');
  if (typeof user !== 'string' || typeof userId !== 'string' || typeof host !== 'string')
    return no('an earlier version of paycli approved it, which asked the environment who approves: approve it again');
  const approver = { by, user: { name: user, id: userId }, host };
  const key = approvers.get(by);
  if (key === undefined) return no(`${by}, who approved it, is not among the approvers`);
  const own = selfApprovalReason(head, approver, approvers);
  if (own !== undefined) return no(own);
  if (!verify(null, signedStatement(head, approver, at), key, Buffer.from(signature, 'base64')))
    return no(`the approval by ${by} does not fit this plan or their key`);
  const until = at + approvalMs;
  if (now >= until) return no(`the approval by ${by} ended ${timeText(until)}: it stands for 72 hours`);
  if (at > now + skewMs) return no(`the approval by ${by} was given in the future, ${timeText(at)}; the clock is off`);
  return { valid: true, by, at, until };
}

function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

interface ApprovalRules {
  /** Asked for whatever the plan comes to. */
  readonly requireApproval: boolean;
  /** On live: up to these amounts none is needed. In the digits of ISO 4217. */
  readonly approvalAbove: readonly { readonly minor: bigint; readonly currency: string }[];
}

/** Why a plan needs the approval of a second person, as a whole clause; undefined when it does not. */
export function approvalNeeded(head: PlanHead, { requireApproval, approvalAbove }: ApprovalRules): string | undefined {
  if (operationById(head.operation).effect === 'read') return undefined;
  if (requireApproval) return `profile ${head.profile} asks for it with require-approval`;
  if (head.class !== 'live') return undefined;
  if (approvalAbove.length === 0) return `profile ${head.profile} is live, and its approval-above frees no amount from it`;
  const named = head.totals.reduce((sum, { count }) => sum + count, 0);
  if (named < head.count) return `profile ${head.profile} is live, and some rows name no amount`;
  const over = head.totals.find((total) => isAbove(total, approvalAbove));
  return over === undefined ? undefined : `profile ${head.profile} is live, and ${totalText(over)} are more than its approval-above frees`;
}

function isAbove({ currency, minor, digits }: Total, limits: ApprovalRules['approvalAbove']): boolean {
  const limit = limits.find((each) => each.currency === currency);
  if (limit === undefined) return true;
  return BigInt(minor) * 10n ** BigInt(digitsOf(currency, 'iso4217', '') ?? 0) > limit.minor * 10n ** BigInt(digits);
}

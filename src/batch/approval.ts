import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { operationById } from '../spec/index.js';
import { digitsOf } from '../wire/amount.js';
import { changeOf } from './digest.js';
import { totalText } from './expected.js';
import type { BatchEvent, PlanHead, PlanStore, Total } from './plan.js';

/** The public Ed25519 keys of those who may approve, by name. */
export type Approvers = ReadonlyMap<string, KeyObject>;

export type Verdict =
  | { readonly valid: true; readonly by: string; readonly at: number; readonly until: number }
  /** Why there is no approval that counts, as a whole clause. */
  | { readonly valid: false; readonly why: string };

export const approvalMs = 72 * 3_600_000;
export const approved = 'approved';
/** How far the clock of another moment may be ahead. */
const skewMs = 300_000;

/** What an approver puts a name to; anything else than this very plan is another text. */
function statement({ id, digest, totals }: PlanHead, by: string, at: number): Buffer {
  const sums = totals.map(({ currency, minor, digits }) => [currency, minor, digits]);
  return Buffer.from(JSON.stringify(['paycli batch approval 1', id, digest, sums, by, at]), 'utf8');
}

/** The facts of an approval, to be noted with the plan. */
export function signApproval(head: PlanHead, by: string, key: KeyObject, at: number): Readonly<Record<string, unknown>> {
  return { by, at, digest: head.digest, signature: sign(null, statement(head, by, at), key).toString('base64') };
}

/** The name under which a private key may approve; undefined when it is nobody's. */
export function nameOfKey(key: KeyObject, approvers: Approvers): string | undefined {
  const own = createPublicKey(key);
  return [...approvers].find(([, other]) => other.equals(own))?.[0];
}

/** Why this person may not approve this plan, as a whole clause: nobody approves what they planned themselves, under whatever name. */
export function ownPlan({ planner }: PlanHead, by: string, approvers: Approvers): string | undefined {
  const key = approvers.get(by);
  const plannersKey = approvers.get(planner.user);
  const isSame = by === planner.user || (key !== undefined && plannersKey?.equals(key) === true);
  return isSame ? `${planner.user} planned it, and whoever plans may not approve` : undefined;
}

/** Whether somebody who may has approved this plan as it is now, and not too long ago. Nothing is trusted but the keys and the clock. */
export function verifyApproval(store: PlanStore, approvers: Approvers, now: number): Verdict {
  const approvals = store.events().filter(({ what }) => what === approved);
  if (approvals.length === 0) return { valid: false, why: 'nobody has approved it' };
  const changed = changeOf(store);
  if (changed !== undefined) return { valid: false, why: changed };
  const verdicts = approvals.map((event) => judge(event, store.head, approvers, now)).reverse();
  return verdicts.find(({ valid }) => valid) ?? verdicts[0] ?? { valid: false, why: 'nobody has approved it' };
}

function judge({ facts }: BatchEvent, head: PlanHead, approvers: Approvers, now: number): Verdict {
  const { by, at, signature } = facts;
  const no = (why: string): Verdict => ({ valid: false, why });
  if (typeof by !== 'string' || typeof at !== 'number' || typeof signature !== 'string') return no('its approval cannot be read');
  const key = approvers.get(by);
  if (key === undefined) return no(`${by}, who approved it, is not among the approvers`);
  const own = ownPlan(head, by, approvers);
  if (own !== undefined) return no(own);
  if (!verify(null, statement(head, by, at), key, Buffer.from(signature, 'base64')))
    return no(`the approval by ${by} does not fit this plan or their key`);
  const until = at + approvalMs;
  if (now >= until) return no(`the approval by ${by} ended ${timeText(until)}: it stands for 72 hours`);
  if (at > now + skewMs) return no(`the approval by ${by} was given in the future, ${timeText(at)}; the clock is off`);
  return { valid: true, by, at, until };
}

function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export interface ApprovalRules {
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

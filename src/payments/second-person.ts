import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { SystemUser } from '../runtime/ports.js';

/** The public Ed25519 keys of those who may approve, by name. */
export type Approvers = ReadonlyMap<string, KeyObject>;

/** Who approves: the name of their key, and their account as the system reports it. */
export interface Approver {
  readonly by: string;
  readonly user: SystemUser;
  readonly host: string;
}

/** A plan that a second person has to approve. */
export interface Approvable {
  /** The values that are signed, followed by approver and time. */
  readonly statement: readonly unknown[];
  readonly digest: string;
  readonly asker: SystemUser;
}

/** How long an approval is valid. */
export const approvalMs = 72 * 3_600_000;

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

/** The facts of an approval, to be recorded with what is approved. */
export function signApproval(wanted: Approvable, approver: Approver, key: KeyObject, at: number): ApprovalFacts {
  const { by, user, host } = approver;
  const signature = sign(null, signedBytes(wanted, approver, at), key).toString('base64');
  return { by, at, digest: wanted.digest, user: user.name, userId: user.id, host, signature };
}

/** The bytes that an approver signs; they differ for anything else that is approved. */
function signedBytes({ statement }: Approvable, { by, user, host }: Approver, at: number): Buffer {
  return Buffer.from(JSON.stringify([...statement, by, at, user.name, user.id, host]), 'utf8');
}

/**
 * Why this person may not approve it, as a whole clause: nobody approves what they want themselves, by key, by name or
 * by account.
 */
export function selfReason(
  { asker }: Pick<Approvable, 'asker'>,
  { by, user }: Pick<Approver, 'by' | 'user'>,
  approvers: Approvers,
): string | undefined {
  const key = approvers.get(by);
  const isSame = by === asker.name || (key !== undefined && approvers.get(asker.name)?.equals(key) === true);
  if (isSame) return `${asker.name} planned it, and nobody may approve their own plan`;
  if (user.id !== asker.id) return undefined;
  return `system user id ${user.id} planned it, and nobody may approve their own plan; an approver needs an account with another user id`;
}

/**
 * Whether an approval is by an approver, for exactly this, and not expired. Nothing is trusted but the keys and the
 * clock.
 */
export function judgeApproval(
  facts: ApprovalFacts,
  wanted: Approvable,
  approvers: Approvers,
  now: number,
): ApprovalVerdict {
  const { by, at, signature, user, userId, host } = facts;
  const no = (why: string): ApprovalVerdict => ({ valid: false, why });
  if (typeof by !== 'string' || typeof at !== 'number' || typeof signature !== 'string')
    return no('its approval cannot be read');
  if (typeof user !== 'string' || typeof userId !== 'string' || typeof host !== 'string')
    return no('its approval cannot be read');
  const approver = { by, user: { name: user, id: userId }, host };
  const key = approvers.get(by);
  if (key === undefined) return no(`${by}, who approved it, is not among the approvers`);
  const selfApproval = selfReason(wanted, approver, approvers);
  if (selfApproval !== undefined) return no(selfApproval);
  if (!verify(null, signedBytes(wanted, approver, at), key, Buffer.from(signature, 'base64')))
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

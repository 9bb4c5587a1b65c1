import { approvalNeeded, judgeApprovals, verifyApproval } from '../../batch/approval.js';
import { changeOf } from '../../batch/digest.js';
import type { PostgresEngine } from '../../batch/engines/postgres-engine.js';
import type { PlanStore } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';
import { approversOf } from '../approvers.js';
import type { Tools } from '../talk.js';

/** The plan is as it was frozen, and whoever has to agree has agreed. Throws BATCH_REFUSED. */
export async function checkApproval(plan: PlanStore, { session, runtime }: Tools): Promise<void> {
  const { head } = plan;
  const needed = approvalNeeded(head, session.caps);
  const verdict = needed === undefined ? undefined : verifyApproval(plan, await approversOf(runtime), runtime.clock.now());
  if (verdict?.valid === false)
    throw fail('BATCH_REFUSED', {
      why: `plan ${head.id} needs the approval of a second person, for ${needed}; ${verdict.why}`,
      how: `nothing was sent; an approver runs \`paycli batch approve ${head.id} --key-file FILE\``,
    });
  // An approval that counts has looked at the digest already.
  const change = verdict === undefined ? changeOf(plan) : undefined;
  if (change !== undefined)
    throw fail('BATCH_REFUSED', { why: `plan ${head.id} cannot be run: ${change}`, how: 'nothing was sent; plan the file again' });
}

/**
 * The same for a machine that works on a batch of another one: by its own profile and its own approvers, over the head that the row key
 * proves. Throws BATCH_REFUSED.
 */
export async function checkApprovalThere({ head, approvals }: PostgresEngine, { session, runtime }: Tools): Promise<void> {
  const needed = approvalNeeded(head, session.caps);
  if (needed === undefined) return;
  const verdict = judgeApprovals(approvals, head, await approversOf(runtime), runtime.clock.now());
  if (verdict.valid) return;
  throw fail('BATCH_REFUSED', {
    why: `batch ${head.id} needs the approval of a second person, for ${needed}; ${verdict.why}`,
    how: 'nothing was sent from here; the approvers stand in the configuration file of every machine, and `paycli batch resume` where it was planned brings a new approval',
  });
}

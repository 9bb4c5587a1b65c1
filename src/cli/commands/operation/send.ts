import { fail } from '../../../errors/index.js';
import { compose } from '../../../payments/compose.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Operation } from '../../../spec/index.js';
import { journalAlone, type OrderSource } from '../../core/follow-up-order.js';
import type { Tools } from '../../core/gateway-context.js';
import { checkLive } from '../../core/live/confirm.js';
import { withSession } from '../../core/open-session.js';
import type { CommonOptions, Typed } from '../../core/options.js';
import { announce, type Resolved, resolveFields } from '../../core/resolve-fields.js';
import type { Session } from '../../core/session.js';
import { assertTestedEngine } from '../doctor/runtime-check.js';
import { confirmWholeAmount } from './whole-amount.js';

const journalThenStatus: readonly OrderSource[] = ['journal', 'status'];

/**
 * One operation from typed flags to exit code: sent, shown by --dry-run, or only signed. Fields written `by hand` get
 * no question about a missing amount.
 */
export async function runOperation(
  row: Operation,
  typed: Typed,
  mode: 'send' | 'by hand' | 'sign',
  runtime: Runtime,
): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const sources = mode === 'sign' || typed.options.dryRun === true ? journalAlone : journalThenStatus;
    const resolved = await resolveFields(row, typed, session, runtime, sources);
    const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
    announce(resolved, report);
    if (mode === 'sign' || typed.options.dryRun === true) {
      const { showSignature } = await import('../sign/show.js');
      return showSignature(
        {
          unsigned,
          resolved,
          session,
          mode: mode === 'sign' ? 'sign' : 'send',
          explain: typed.options.explain === true,
          ...(mode === 'sign' ? askedOf(typed.options) : {}),
        },
        report,
        runtime,
      );
    }
    assertMaySend(row, typed.options, session, runtime);
    const tools = { options: typed.options, session, report, runtime };
    const whole = mode === 'send' ? await confirmWholeAmount(row, resolved.values, tools) : undefined;
    if (row.id === 'STATUS' && typed.options.wait === true) return waitForOrder(resolved, tools);
    const { sendOperation } = await import('../../core/submit.js');
    return sendOperation(unsigned, tools, resolved.origins, whole);
  });
}

/** What `sign` shows of the signature, and of which attempt. */
function askedOf({ stage, nonce, timestamp }: CommonOptions) {
  const fresh = { ...(nonce === undefined ? {} : { nonce }), ...(timestamp === undefined ? {} : { timestamp }) };
  return { stage, fresh };
}

async function waitForOrder({ values }: Resolved, tools: Tools): Promise<number> {
  const { orderId, clientOrderId, bySerial } = values;
  const { waitForStatus } = await import('./status-wait.js');
  return waitForStatus({ orderId, clientOrderId, bySerial }, tools);
}

/** Checks before a valid request may be recorded and sent. */
function assertMaySend(row: Operation, options: CommonOptions, session: Session, runtime: Runtime): void {
  if (row.effect === 'money') assertTestedEngine(runtime.processes);
  checkLive(row, options, session);
  if (row.effect !== 'money' || session.canAskStatus) return;
  if (session.class === 'live' || options.status !== false) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

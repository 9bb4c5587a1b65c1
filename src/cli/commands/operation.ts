import { fail } from '../../errors/index.js';
import { compose } from '../../gateway/compose.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import type { Operation } from '../../spec/index.js';
import { checkEngine } from '../doctor/engine.js';
import { confirmLive } from '../live.js';
import type { Typed } from '../options.js';
import { announce, resolveFields } from '../resolve.js';
import type { Session } from '../session.js';
import { withSession } from '../with-session.js';

/** One operation from typed flags to exit code: sent, shown by --dry-run, or only signed. */
export async function runOperation(row: Operation, typed: Typed, mode: 'send' | 'sign', runtime: Runtime): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const resolved = await resolveFields(row, typed, session, runtime);
    const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
    announce(resolved, report);
    if (mode === 'sign' || typed.options.dryRun === true) {
      const { showSignature } = await import('./sign.js');
      return showSignature({ unsigned, resolved, session, mode, explain: typed.options.explain === true }, report, runtime);
    }
    await beforeSending(unsigned, typed, session, runtime);
    const { sendOperation } = await import('../sending.js');
    const tools = { options: typed.options, session, report, runtime };
    return sendOperation(unsigned, tools, resolved.origins['clientOrderId'] === 'generated');
  });
}

/** The checks that stand between a correct request and the network. */
async function beforeSending(unsigned: Unsigned, typed: Typed, session: Session, runtime: Runtime): Promise<void> {
  if (unsigned.row.effect === 'money') checkEngine(runtime.processes);
  await confirmLive(unsigned, typed.options, session, runtime);
  if (unsigned.row.effect !== 'money' || session.canAskStatus) return;
  if (session.class === 'live' || typed.options.status !== false) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

import { fail, isPaycliError } from '../../errors/index.js';
import { compose } from '../../gateway/compose.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import type { Operation } from '../../spec/index.js';
import { flagOf } from '../flags.js';
import { confirmLive } from '../live.js';
import { openSession } from '../open-session.js';
import type { Typed } from '../options.js';
import { Reporter } from '../reporter.js';
import { type Resolved, resolveFields } from '../resolve.js';
import type { Session } from '../session.js';

/** One operation from typed flags to exit code: sent, shown by --dry-run, or only signed. */
export async function runOperation(row: Operation, typed: Typed, mode: 'send' | 'sign', runtime: Runtime): Promise<number> {
  const session = await openSession(typed.options, runtime);
  const report = new Reporter(typed.options, session, runtime);
  try {
    report.notes(session.notes);
    const resolved = await resolveFields(row, typed, session, runtime);
    const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
    announce(resolved, report);
    if (mode === 'sign' || typed.options.dryRun === true) {
      const { showSignature } = await import('./sign.js');
      return await showSignature({ unsigned, resolved, session, mode, explain: typed.options.explain === true }, report, runtime);
    }
    await beforeSending(unsigned, typed, session, runtime);
    const { sendOperation } = await import('../sending.js');
    return await sendOperation(unsigned, typed.options, session, report, runtime);
  } catch (error) {
    if (isPaycliError(error) && session.output !== undefined) error.form = session.output;
    throw error;
  } finally {
    await session.close();
  }
}

function announce(resolved: Resolved, report: Reporter): void {
  if (resolved.filledIn.length > 0)
    report.notes([`filled in: ${resolved.filledIn.map((key) => `${flagOf(key)} ${resolved.values[key] ?? ''}`).join(', ')}`]);
  if (resolved.origins['clientOrderId'] === 'generated') report.urgent([`client order id: ${resolved.values['clientOrderId'] ?? ''}`]);
}

/** The checks that stand between a correct request and the network. */
async function beforeSending(unsigned: Unsigned, typed: Typed, session: Session, runtime: Runtime): Promise<void> {
  await confirmLive(unsigned, typed.options, session, runtime);
  if (unsigned.row.effect !== 'money' || session.canAskStatus) return;
  if (session.class === 'live' || typed.options.status !== false) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

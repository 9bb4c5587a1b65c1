import { fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { type Operation, statusQuery } from '../spec/index.js';
import type { CommonOptions, Typed } from './core/common-options.js';
import type { OrderSource } from './core/order-argument.js';
import { announce, announceFound, composeRequest } from './fields/resolve.js';
import { assertTestedEngine } from './gateway.js';
import { checkLive, withSession } from './open-session.js';
import type { Session } from './session.js';

/**
 * One operation from typed flags to exit code: sent, or shown by --dry-run. Fields written `by hand` get no question
 * about a missing amount.
 */
export async function runOperation(
  row: Operation,
  typed: Typed,
  mode: 'from flags' | 'by hand',
  runtime: Runtime,
): Promise<number> {
  const { options } = typed;
  return withSession(options, runtime, async (session, report) => {
    const sources: readonly OrderSource[] = options.dryRun === true ? ['journal'] : ['journal', 'status'];
    const { unsigned, resolved } = await composeRequest(row, typed, sources, session, runtime);
    if (options.dryRun === true) {
      announce(resolved, report);
      const { showSignature } = await import('./commands/sign/show.js');
      const request = { unsigned, resolved, session, mode: 'send', explain: options.explain === true } as const;
      return showSignature(request, report, runtime);
    }
    announceFound(resolved, report);
    assertMaySend(row, options, session, runtime);
    const tools = { options, session, report, runtime };
    const followUp = { unsigned, status: resolved.status, isByHand: mode === 'by hand' };
    const ofOrder =
      row.opens || row.effect !== 'money'
        ? undefined
        : await (await import('./commands/operation/follow-up.js')).checkFollowUp(followUp, tools);
    if (row.id === statusQuery.id) return (await import('./commands/operation/status.js')).runStatus(unsigned, tools);
    return (await import('./core/submit.js')).sendOperation({ unsigned, resolved }, ofOrder, tools);
  });
}

/** Checks before a valid request may be recorded and sent. */
function assertMaySend(row: Operation, options: CommonOptions, session: Session, runtime: Runtime): void {
  if (row.effect === 'money') assertTestedEngine(runtime.processes);
  checkLive(row, options, session);
  if (row.effect === 'money' && !session.canAskStatus && session.askFirst !== 'off')
    throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

import { fail } from '../errors/index.js';
import { compose } from '../payments/compose.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { type Operation, statusQuery } from '../spec/index.js';
import type { CommonOptions, Typed } from './core/common-options.js';
import type { OrderSource } from './core/follow-up-order.js';
import { announce, announceFound, announceMadeUp, composeRequest, type Resolved } from './fields/resolve.js';
import { assertTestedEngine, type Tools } from './gateway.js';
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
      const exit = await showSignature(request, report, runtime);
      const note =
        row.withoutAmount === 'whole order'
          ? await (await import('./commands/operation/whole-amount.js')).wholeAmountNote(row, resolved.values, {
              session,
              runtime,
            })
          : undefined;
      if (note !== undefined) report.notes([note]);
      return exit;
    }
    announceFound(resolved, report);
    assertMaySend(row, options, session, runtime);
    const tools = { options, session, report, runtime };
    if (!row.opens && row.effect === 'money')
      await (await import('./commands/operation/assert-possible.js')).refreshPending(unsigned, tools);
    const isWhole = mode !== 'by hand' && row.withoutAmount === 'whole order';
    const whole = isWhole
      ? await (await import('./commands/operation/whole-amount.js')).confirmWholeAmount(row, resolved.values, tools)
      : undefined;
    if (!row.opens && row.effect === 'money')
      await (await import('./commands/operation/assert-possible.js')).assertPossible(unsigned, tools);
    const byOwnId = row.id === statusQuery.id ? statusByOwnId(unsigned, resolved, session) : undefined;
    if (row.id === statusQuery.id && options.wait === true) return waitForOrder(unsigned, byOwnId !== undefined, tools);
    const { sendOperation } = await import('./core/submit.js');
    const announceSent = () => {
      announceMadeUp(resolved, report);
      if (whole?.note !== undefined) report.notes([whole.note]);
    };
    const { origins } = resolved;
    return sendOperation(unsigned, tools, { origins, whole, announce: announceSent, byOtherId: byOwnId });
  });
}

/**
 * The same status query by a client order id, where the argument may be one: it is digits, which are tried as gateway
 * order id first.
 */
function statusByOwnId(unsigned: Unsigned, { origins, extra }: Resolved, { target }: Session): Unsigned | undefined {
  const { orderId, clientOrderId } = unsigned.values;
  if (origins['orderId'] !== 'argument' || orderId === undefined || clientOrderId !== undefined) return undefined;
  const values = { ...unsigned.values, orderId: '', clientOrderId: orderId };
  return compose(unsigned.row, values, extra, target(unsigned.endpointId));
}

async function waitForOrder({ values }: Unsigned, isEitherId: boolean, tools: Tools): Promise<number> {
  const { orderId, clientOrderId, bySerial } = values;
  const { waitForStatus } = await import('./commands/operation/status-wait.js');
  return waitForStatus({ orderId, clientOrderId, bySerial, isEitherId }, tools);
}

/** Checks before a valid request may be recorded and sent. */
function assertMaySend(row: Operation, options: CommonOptions, session: Session, runtime: Runtime): void {
  if (row.effect === 'money') assertTestedEngine(runtime.processes);
  checkLive(row, options, session);
  if (row.effect !== 'money' || session.canAskStatus || session.askFirst === 'off') return;
  if (session.class === 'live' || options.status !== false) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

import { stopError } from '../../../errors/index.js';
import type { Journal, Request } from '../../../journal/port.js';
import { pendingStates } from '../../../journal/states.js';
import { statusRequest } from '../../../payments/exchange.js';
import { failureFacts } from '../../../payments/failure.js';
import { queryFor } from '../../../payments/settle.js';
import { describe } from '../../../payments/words.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { adviceAfterFailedQuery } from '../../core/refusal-advice.js';
import { type GatewayContext, type Tools, updateJournal, withGateway } from '../../gateway.js';
import { pollWithProgress } from '../../wait.js';
import { type QueriedRequest, reportResult } from './resolve-report.js';

/** Queries the status of each of these requests, then shows their states. Returns the exit code. */
export function resolveByStatus(
  chosen: readonly Request[],
  journal: Journal,
  tools: Tools,
  isOnce: boolean,
): Promise<number> {
  return withGateway(tools, async (gateway) => {
    const shown = new Map<number, QueriedRequest>();
    for (const request of chosen) {
      // Conflicts found in the replies have to be resolved too.
      for (const each of await queryRequest(request, journal, gateway, isOnce)) shown.set(each.request.id, each);
      if (gateway.stop.signal.aborted) break;
    }
    return reportResult([...shown.values()], tools, isOnce);
  });
}

/** The same of one request, once; also a signal ends it. Throws INTERRUPTED. */
export function queryOnce(request: Request, journal: Journal, tools: Tools): Promise<QueriedRequest> {
  return withGateway(tools, async (gateway) => {
    const [queried = { request }] = await queryRequest(request, journal, gateway, true);
    if (gateway.stop.signal.aborted) throw stopError(gateway.stop.signal);
    return queried;
  });
}

/**
 * Queries one request, once or until its outcome is known, and records what the answer proves. Gives those in conflict
 * on its order as well.
 */
async function queryRequest(
  request: Request,
  journal: Journal,
  gateway: GatewayContext,
  isOnce: boolean,
): Promise<readonly QueriedRequest[]> {
  const { session, report } = gateway;
  if (!isOpen(request)) return [{ request }];
  if (request.state === 'sending') {
    report.warn([`${describe(request)}: another process is sending it right now`]);
    return [{ request }];
  }
  const { proof, fields, failure, request: now } = await pollWithProgress({ journal, request }, isOnce, gateway);
  // The same reply may contradict other requests on the order.
  const others =
    fields === undefined ? [] : await updateJournal(gateway, fields, now.endpoint, { journal, request: now });
  const conflicts = others.filter(({ state }) => state === 'conflict').map((each) => ({ request: each }));
  const { unknownStatus } = proof;
  if (unknownStatus !== undefined)
    return [{ request: now, doubt: { why: unknownToGateway, status: unknownStatus } }, ...conflicts];
  if (proof.proves !== 'nothing') return [{ request: now }, ...conflicts];
  report.notes([`${describe(request)}: ${proof.reason}`]);
  if (failure === undefined) return [{ request: now, doubt: { why: proof.reason } }, ...conflicts];
  const check = adviceAfterFailedQuery(failure, statusRequest(queryFor(request), session.target), session);
  return [{ request: now, doubt: { ...failureFacts(failure), ...(check && { check }) } }];
}

/** Whether a status query may still settle it. */
export function isOpen({ state }: Request): boolean {
  return pendingStates.includes(state);
}

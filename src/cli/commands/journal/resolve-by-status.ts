import { stopError } from '../../../errors/index.js';
import { findAll } from '../../../journal/pages.js';
import type { Journal, Request } from '../../../journal/port.js';
import { pendingStates } from '../../../journal/states.js';
import { statusRequest } from '../../../payments/exchange.js';
import { failureFacts } from '../../../payments/failure.js';
import { onOrder, queryFor } from '../../../payments/settle.js';
import { describe, nameOf } from '../../../payments/words.js';
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
    const queried: QueriedRequest[] = [];
    for (const request of chosen) {
      queried.push(await queryRequest(request, journal, gateway, isOnce));
      if (gateway.stop.signal.aborted) break;
    }
    // Conflicts found in the replies have to be resolved too.
    const shown = new Map(queried.map((each) => [each.request.id, each]));
    for (const name of new Set(queried.map(({ request }) => nameOf(request)))) {
      const filter = { base: tools.session.gatewayBase, order: name, states: ['conflict'] } as const;
      for await (const request of findAll(journal, filter)) shown.set(request.id, { request });
    }
    return reportResult([...shown.values()], tools, isOnce);
  });
}

/** The same of one request, once; also a signal ends it. Throws INTERRUPTED. */
export function queryOnce(request: Request, journal: Journal, tools: Tools): Promise<QueriedRequest> {
  return withGateway(tools, async (gateway) => {
    const queried = await queryRequest(request, journal, gateway, true);
    if (gateway.stop.signal.aborted) throw stopError(gateway.stop.signal);
    return queried;
  });
}

/** Queries one request, once or until its outcome is known, and records what the answer proves. */
async function queryRequest(
  request: Request,
  journal: Journal,
  gateway: GatewayContext,
  isOnce: boolean,
): Promise<QueriedRequest> {
  const { session, report } = gateway;
  if (!isOpen(request)) return { request };
  if (request.state === 'sending') {
    report.warn([`${describe(request)}: another process is sending it right now`]);
    return { request };
  }
  const { proof, fields, failure } = await pollWithProgress({ journal, request }, isOnce, gateway);
  // The same reply may contradict other requests on the order.
  if (fields !== undefined) await updateJournal(gateway, fields, request.endpoint, { journal, request });
  const [now = request] = await onOrder(journal, { ids: [request.id] });
  const { unknownStatus } = proof;
  if (unknownStatus !== undefined) return { request: now, doubt: { why: unknownToGateway, status: unknownStatus } };
  if (proof.proves !== 'nothing') return { request: now };
  report.notes([`${describe(request)}: ${proof.reason}`]);
  if (failure === undefined) return { request: now, doubt: { why: proof.reason } };
  const check = adviceAfterFailedQuery(failure, statusRequest(queryFor(request), session.target), session);
  return { request: now, doubt: { ...failureFacts(failure), ...(check && { check }) } };
}

/** Whether a status query may still settle it. */
export function isOpen({ state }: Request): boolean {
  return pendingStates.includes(state);
}

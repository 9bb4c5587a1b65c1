import { exits, fail, type PaycliError, stopError } from '../../../errors/index.js';
import type { Journal, Request } from '../../../journal/port.js';
import { pendingStates, states, unresolvedStates } from '../../../journal/states.js';
import { isBeyondStatus } from '../../../payments/evidence.js';
import { statusRequest } from '../../../payments/exchange.js';
import { type FailureFacts, failureFacts } from '../../../payments/failure.js';
import { queryFor } from '../../../payments/settle.js';
import { describe } from '../../../payments/words.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { adviceAfterFailedQuery } from '../../core/order-query.js';
import type { Reporter } from '../../core/reporter.js';
import { possibleEffect, reasonText, requestDocument, requestSheet } from '../../format/journal-entries.js';
import { commandFor, waitingIn, waitingText } from '../../format/meaning.js';
import {
  type GatewayContext,
  howToClose,
  settleCommands,
  type Tools,
  updateJournal,
  withGateway,
} from '../../gateway.js';
import { exitOfDoubt } from '../../print-reply.js';
import type { DocumentOf } from '../../results.js';
import type { Session } from '../../session.js';
import { pollWithProgress } from '../../wait.js';

/** A request as it is now, and why a query did not tell its outcome. */
export interface QueriedRequest {
  readonly request: Request;
  /** `status` is the gateway's word when it does not know the outcome itself. */
  readonly doubt?: (FailureFacts & { readonly status?: string }) | undefined;
}

/** How a request is resolved, and which. */
export interface ResolveFlags extends CommonOptions {
  readonly clientOrderId?: string;
  readonly orderId?: string;
  /** Number of an entry in the journal. */
  readonly entry?: number;
  readonly settleAs?: 'paid' | 'not-paid';
  readonly evidence?: string;
  readonly offline?: boolean;
  readonly resend?: boolean;
  readonly confirmResend?: string;
}

/** What resolves requests: a connection, and how. */
export interface ResolveTools extends Tools {
  readonly options: ResolveFlags;
}

/** Queries the status of each of these requests, then shows their states. Returns the exit code. */
export function resolveByStatus(chosen: readonly Request[], journal: Journal, tools: Tools): Promise<number> {
  return withGateway(tools, async (gateway) => {
    const shown = new Map<number, QueriedRequest>();
    for (const request of chosen) {
      // Conflicts found in the replies have to be resolved too.
      for (const each of await queryRequest(request, journal, gateway)) shown.set(each.request.id, each);
      if (gateway.stop.signal.aborted) break;
    }
    return reportResult([...shown.values()], tools);
  });
}

/** The same of one request; also a signal ends it. Throws INTERRUPTED. */
export function queryOnce(request: Request, journal: Journal, tools: Tools): Promise<QueriedRequest> {
  return withGateway(tools, async (gateway) => {
    const [queried = { request }] = await queryRequest(request, journal, gateway);
    if (gateway.stop.signal.aborted) throw stopError(gateway.stop.signal);
    return queried;
  });
}

/** Queries one request, and records what the answer proves. Gives those in conflict on its order as well. */
async function queryRequest(
  request: Request,
  journal: Journal,
  gateway: GatewayContext,
): Promise<readonly QueriedRequest[]> {
  const { session, report } = gateway;
  if (!isOpen(request)) return [{ request }];
  if (request.state === 'sending') {
    report.warn([`${describe(request)}: another process is sending it right now`]);
    return [{ request }];
  }
  const { proof, fields, failure, request: now } = await pollWithProgress({ journal, request }, true, gateway);
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

/** Shows requests in their current state. */
export async function showResolved(
  queried: readonly QueriedRequest[],
  settled: boolean,
  report: Reporter<DocumentOf<'resolve'>>,
): Promise<number> {
  const requests = queried.map(({ request }) => request);
  await report.show({
    document: {
      schema: 'paycli.resolve/1',
      settled,
      entries: queried.map(({ request, doubt = null }) => ({ ...requestDocument(request), doubt })),
    },
    list: 'entries',
    sheet: () => requestSheet(requests, report),
    empty: 'nothing is open; `paycli journal` shows every request',
  });
  return exits.ok;
}

/** Shows the state and next step of each request; the exit code is that of the worst. */
export async function reportResult(queried: readonly QueriedRequest[], { report, session }: Tools): Promise<number> {
  const all = queried.filter(({ request }) => unresolvedStates.includes(request.state));
  const open = [...all.filter((each) => !isPending(each)), ...all.filter(isPending)];
  await showResolved(queried, open.length === 0, report);
  const [worst = errorOfResolved(queried), ...others] = open.map((each) => errorOfOpen(each, session));
  // The error at the end is about the worst of them.
  for (const { message, next } of others) report.warn([`${message}; ${next}`]);
  if (worst === undefined) return exits.ok;
  report.because(worst);
  const [first] = open;
  return first === undefined || isPending(first) ? worst.exit : exitOfDoubt(first.request, session);
}

/** How to go on: query again, and what to do before; by hand only where querying again does not help. */
function errorOfOpen(queried: QueriedRequest, session: Session): PaycliError {
  const { request, doubt } = queried;
  const why = `${describe(request)}: ${whyOpen(queried)}`;
  const again = commandFor('resolve', request, session.flags);
  const check = doubt?.check;
  const isForPerson = request.state === 'conflict' || isBeyondStatus(request.operation);
  if (isPending(queried)) {
    const how = `${check === undefined ? '' : `${check}; then `}check again with \`${again}\``;
    return fail('PENDING', { why, how: isForPerson ? howToClose(request, session) : how });
  }
  const may = possibleEffect(request.operation);
  if (isForPerson)
    return fail('OUTCOME_UNKNOWN', { why, may, how: settleCommands(`--entry ${request.id}`, session.flags) });
  const first = check ?? 'wait a few minutes (where it stays unknown, ask gateway support, and use --settle-as)';
  return fail('OUTCOME_UNKNOWN', { why, may, how: again, first });
}

function whyOpen({ request, doubt }: QueriedRequest): string {
  const { state } = request;
  if (state === 'conflict') return `it is in conflict: ${request.reason}`;
  if (isBeyondStatus(request.operation)) return 'no status reply can show its outcome';
  if (doubt?.status !== undefined) return `${unknownToGateway} (status: ${printable(doubt.status)})`;
  const waiting = waitingIn([request]);
  if (waiting !== undefined) return waitingText(waiting);
  return state === 'accepted' ? 'the gateway had accepted it' : 'still unknown';
}

/** The error of one request that took no effect; several end well, whatever their outcomes. */
function errorOfResolved([first, ...others]: readonly QueriedRequest[]): PaycliError | undefined {
  if (first === undefined || others.length > 0 || first.request.state === 'done') return undefined;
  const { request } = first;
  const why = `${describe(request)}: ${states[request.state]}: ${reasonText(request)}`;
  if (request.state === 'declined') return fail('DECLINED', { why, how: 'do not repeat it unchanged' });
  if (request.state === 'refused') return fail('REFUSED', { why, how: 'correct what was refused, then send it again' });
  return fail('NOT_SENT', { why });
}

/** Accepted, and the gateway may still report an outcome. */
function isPending({ request, doubt }: QueriedRequest): boolean {
  return request.state === 'accepted' && doubt?.status === undefined;
}

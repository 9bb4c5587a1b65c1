import { fail } from '../../../errors/index.js';
import type { Journal, Request } from '../../../journal/port.js';
import { markedNotPaid, markedPaid, unresolvedStates, wasMarked } from '../../../journal/states.js';
import { describe, markWords } from '../../../payments/words.js';
import { commandFor } from '../../core/storage-fault.js';
import { confirmMark } from './confirm-settlement.js';
import { isOpen, queryOnce } from './resolve-by-status.js';
import { type ResolveTools, reportResult, showResolved } from './resolve-report.js';

/** Marks a request as paid or not paid, by evidence other than a gateway reply. */
export async function markByHand(
  request: Request,
  outcome: 'paid' | 'not-paid',
  journal: Journal,
  tools: ResolveTools,
): Promise<number> {
  const { options, report } = tools;
  if (!unresolvedStates.includes(request.state)) throw settledAlready(request, tools);
  if (request.state === 'sending') throw fail('REQUEST_BUSY', { what: describe(request) });
  const now = await queriedFirst(request, journal, tools);
  if (!unresolvedStates.includes(now.state)) {
    report.notes([`${describe(now)}: the gateway resolved it, so it is not marked by hand`]);
    return reportResult([{ request: now }], tools, true);
  }
  await confirmMark(now, outcome, tools);
  const { id, state, attempt } = now;
  const isPaid = outcome === 'paid';
  const [settled] = await journal.settle([
    {
      ...{ id, by: 'person', to: isPaid ? 'done' : 'declined', reason: isPaid ? markedPaid : markedNotPaid },
      facts: { evidence: options.evidence },
      seen: { state, attempt },
    },
  ]);
  if (settled === undefined || settled.did === 'changed') throw fail('REQUEST_BUSY', { what: describe(now) });
  return showResolved([{ request: settled.request }], true, report);
}

/** The error for an outcome that is known: it says how, and where to read more. */
function settledAlready(request: Request, { session }: ResolveTools): Error {
  const known = wasMarked(request)
    ? `was already ${markWords(request)}`
    : `is already ${request.state.replace('_', ' ')}`;
  return fail('USAGE', {
    why: `${describe(request)} ${known}; this cannot be changed manually, and \`${commandFor('journal', request, session.flags)}\` shows why. Should a later status contradict it, the request is in conflict and can be settled again`,
    command: 'resolve',
  });
}

/**
 * The request after one status query, as a person must not decide against the gateway: while that is processing the
 * request, its outcome is open. The query may fail, which is said; one in conflict was decided by replies that
 * contradict each other. Throws PENDING.
 */
async function queriedFirst(request: Request, journal: Journal, tools: ResolveTools): Promise<Request> {
  const { session, report, options } = tools;
  if (!isOpen(request)) return request;
  if (options.offline === true || !session.canAskStatus) {
    const why = options.offline === true ? ' (--offline)' : ': this profile has no control key';
    report.notes([`the gateway is not queried${why}`]);
    return request;
  }
  const { request: now, doubt } = await queryOnce(request, journal, tools);
  if (!isOpen(now)) return now;
  if (doubt === undefined)
    throw fail('PENDING', {
      why: `${describe(now)}: the gateway is processing it, so its outcome is open and nothing was settled`,
      how: `\`${commandFor('resolve', now, session.flags)}\` queries again; --offline settles it anyway, for example once gateway support has confirmed the outcome in writing`,
    });
  report.notes([`its status does not resolve it: ${doubt.why}; the evidence alone decides`]);
  return now;
}

import { exits, fail, type PaycliError } from '../../../errors/index.js';
import type { Request } from '../../../journal/port.js';
import { states, unresolvedStates, wasMarked } from '../../../journal/states.js';
import { isBeyondStatus } from '../../../payments/evidence.js';
import type { FailureFacts } from '../../../payments/failure.js';
import { describe } from '../../../payments/words.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { commandFor } from '../../core/storage-fault.js';
import type { Sheet } from '../../format/document.js';
import {
  possibleEffect,
  reasonText,
  reasonWords,
  requestDocument,
  requestSheet,
} from '../../format/journal-entries.js';
import { statusCommand, waitingIn, waitingText } from '../../format/meaning.js';
import { howToClose, settleManually, type Tools } from '../../gateway.js';
import { exitOfDoubt } from '../../print-reply.js';
import type { ResolveDocument } from '../../results.js';
import type { Session } from '../../session.js';

/** Why a query did not tell the outcome; `status` is the gateway's word when it does not know the outcome itself. */
type Doubt = FailureFacts & { readonly status?: string };

/** A request as it is now, and why a query did not tell its outcome. */
export interface QueriedRequest {
  readonly request: Request;
  readonly doubt?: Doubt | undefined;
}

/** How a request is resolved, and which. */
export interface ResolveFlags extends CommonOptions {
  readonly clientOrderId?: string;
  readonly orderId?: string;
  /** Number of an entry in the journal. */
  readonly entry?: number;
  readonly all?: boolean;
  readonly once?: boolean;
  readonly settleAs?: 'paid' | 'not-paid';
  readonly evidence?: string;
  readonly offline?: boolean;
  readonly yes?: boolean;
  readonly resend?: boolean;
  readonly confirmResend?: string;
}

/** What resolves requests: a connection, and how. */
export interface ResolveTools extends Tools {
  readonly options: ResolveFlags;
}

/** Shows requests in their current state. */
export async function showResolved(
  queried: readonly QueriedRequest[],
  settled: boolean,
  report: Reporter<ResolveDocument>,
): Promise<number> {
  const requests = queried.map(({ request }) => request);
  await report.show({
    document: {
      schema: 'paycli.resolve/1',
      settled,
      entries: queried.map(({ request, doubt = null }) => ({ ...requestDocument(request), doubt })),
    },
    list: 'entries',
    sheet: () => withWholeReason(requestSheet(requests, report)),
    empty: 'nothing is open; `paycli journal` shows every request',
  });
  return exits.ok;
}

/** A few entries whose reason matters most: it is never cut off. */
function withWholeReason({ columns, rows }: Sheet): Sheet {
  return {
    columns: columns.map((column) => (column.head === 'reason' ? { head: 'reason', below: true } : column)),
    rows,
  };
}

/**
 * Shows the state and next step of each request; the exit code is that of the worst. A mark by hand is suggested only
 * where querying again would not help, or was tried. `isOnce`: each was queried once, and the gateway may tell later.
 */
export async function reportResult(
  queried: readonly QueriedRequest[],
  { report, session }: Tools,
  isOnce: boolean,
): Promise<number> {
  const open = queried.filter(({ request }) => unresolvedStates.includes(request.state));
  await showResolved(queried, open.length === 0, report);
  const [worst] = open.toSorted((one, other) => Number(isPending(one)) - Number(isPending(other)));
  // The error at the end is about the worst of them, and forbids by itself to send it again.
  for (const each of open) {
    if (each === worst) continue;
    const { how, first } = nextStep(each, session, isOnce);
    const resolve = `so do not send it again; ${first === undefined ? '' : `${first}, then `}resolve it with \`${how}\``;
    report.warn([`${describe(each.request)}: ${whyOpen(each)}${isPending(each) ? `; ${how}` : `, ${resolve}`}`]);
  }
  const error = worst === undefined ? errorOfResolved(queried, session) : errorOfOpen(worst, session, isOnce);
  if (error === undefined) return exits.ok;
  report.because(error);
  return worst === undefined || isPending(worst) ? error.exit : exitOfDoubt(worst.request, session);
}

function errorOfOpen(queried: QueriedRequest, session: Session, isOnce: boolean): PaycliError {
  const { request } = queried;
  const facts = { why: `${describe(request)}: ${whyOpen(queried)}`, ...nextStep(queried, session, isOnce) };
  if (isPending(queried)) return fail('PENDING', facts);
  return fail('OUTCOME_UNKNOWN', { ...facts, may: possibleEffect(request.operation) });
}

/** How to go on: for a pending one in words, else the command that resolves it, and what to do before. */
function nextStep(
  { request, doubt }: QueriedRequest,
  session: Session,
  isOnce: boolean,
): { readonly how: string; readonly first?: string } {
  const byHand = settleManually(request, session);
  const again = commandFor('resolve', request, session.flags);
  const check = doubt?.check;
  const isPast = isBeyondStatus(request.operation);
  if (isPast && request.state === 'accepted') return { how: howToClose(request, session) };
  if (isPending({ request, doubt }))
    return { how: `${check === undefined ? '' : `${check}; then `}check again with \`${again}\`` };
  if (request.state === 'conflict' || isPast) return { how: byHand };
  if (check !== undefined) return { how: again, first: check };
  const { orderId, clientOrderId } = request;
  // `resolve` ends at the first answer, also where the gateway does not know the outcome yet; this waits for it.
  const wait = `wait for its outcome with \`${statusCommand({ orderId, clientOrderId, flags: session.flags }, ['--wait'])}\``;
  if (doubt?.status !== undefined)
    return isOnce ? { how: again, first: wait } : { how: byHand, first: `${wait}, or ask gateway support for it` };
  return isOnce
    ? { how: again, first: 'wait a few minutes' }
    : { how: byHand, first: 'ask gateway support for its outcome' };
}

function whyOpen({ request, doubt }: QueriedRequest): string {
  const { state } = request;
  if (state === 'conflict') return `it is in conflict: ${request.reason}`;
  if (isBeyondStatus(request.operation)) return 'no status reply can show its outcome';
  if (doubt?.status !== undefined) return `${unknownToGateway} (status: ${printable(doubt.status)})`;
  const waiting = waitingIn([request]);
  const waits = waiting && waitingText(waiting);
  if (state === 'accepted' && doubt !== undefined)
    return `no change; previously: ${waits ?? 'the gateway had accepted it'}`;
  return waits ?? (state === 'accepted' ? 'the gateway is processing it' : 'still unknown');
}

/** The error of one request that took no effect; several end well, whatever their outcomes. */
function errorOfResolved([first, ...others]: readonly QueriedRequest[], session: Session): PaycliError | undefined {
  if (first === undefined || others.length > 0 || first.request.state === 'done') return undefined;
  const { request } = first;
  const { state, outcome } = request;
  const isPayment = request.kind === 'payment';
  const what = describe(request);
  const reason = request.reason === '' ? states[state] : reasonWords(request.reason);
  if (['planned', 'not_sent', 'cancelled'].includes(state))
    return fail('NOT_SENT', {
      why: `${what} was never sent: ${reason}`,
      same: isPayment ? 'with the same client order id' : undefined,
    });
  if (state === 'refused')
    return fail('REFUSED', {
      why: `${what}: ${reason}; nothing took effect`,
      how: 'correct what was refused, then send it again',
    });
  const message = wasMarked(request) ? reasonText(request) : (outcome['error-message'] ?? reason);
  const next = isPayment
    ? 'another attempt at a payment needs a new client order id'
    : `\`${commandFor('order', request, session.flags)}\` shows the order`;
  return fail('DECLINED', {
    why: `${what}: ${state === 'declined' ? `declined: ${message}` : states[state]}`,
    how: `do not repeat it unchanged; ${next}`,
  });
}

/** Accepted, and the gateway may still report an outcome. */
function isPending({ request, doubt }: QueriedRequest): boolean {
  return request.state === 'accepted' && doubt?.status === undefined;
}

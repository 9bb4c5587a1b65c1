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
import type { Sheet } from '../../format/document.js';
import {
  possibleEffect,
  reasonText,
  reasonWords,
  requestDocument,
  requestSheet,
} from '../../format/journal-entries.js';
import { commandFor, statusCommand, waitingIn, waitingText } from '../../format/meaning.js';
import { howToClose, settleManually, type Tools } from '../../gateway.js';
import { exitOfDoubt } from '../../print-reply.js';
import type { DocumentOf } from '../../results.js';
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
  const all = queried.filter(({ request }) => unresolvedStates.includes(request.state));
  const open = [...all.filter((each) => !isPending(each)), ...all.filter(isPending)];
  await showResolved(queried, open.length === 0, report);
  const [worst = errorOfResolved(queried, session), ...others] = open.map((each) => errorOfOpen(each, session, isOnce));
  // The error at the end is about the worst of them.
  for (const { message, next } of others) report.warn([`${message}; ${next}`]);
  if (worst === undefined) return exits.ok;
  report.because(worst);
  const [first] = open;
  return first === undefined || isPending(first) ? worst.exit : exitOfDoubt(first.request, session);
}

/** How to go on: for a pending one in words, else the command that resolves it, and what to do before. */
function errorOfOpen(queried: QueriedRequest, session: Session, isOnce: boolean): PaycliError {
  const { request, doubt } = queried;
  const why = `${describe(request)}: ${whyOpen(queried)}`;
  const again = commandFor('resolve', request, session.flags);
  const isHidden = isBeyondStatus(request.operation);
  const check = doubt?.check;
  if (isPending(queried)) {
    const how = `${check === undefined ? '' : `${check}; then `}check again with \`${again}\``;
    return fail('PENDING', { why, how: isHidden ? howToClose(request, session) : how });
  }
  const byHand = settleManually(request, session);
  const unknown = (how: string, first?: string) =>
    fail('OUTCOME_UNKNOWN', { why, may: possibleEffect(request.operation), how, first });
  if (request.state === 'conflict' || isHidden) return unknown(byHand);
  if (check !== undefined) return unknown(again, check);
  if (doubt?.status === undefined)
    return isOnce ? unknown(again, 'wait a few minutes') : unknown(byHand, 'ask gateway support for its outcome');
  // `resolve` ends at the first answer, also where the gateway does not know the outcome yet; this waits for it.
  const { orderId, clientOrderId } = request;
  const wait = `wait for its outcome with \`${statusCommand({ orderId, clientOrderId, flags: session.flags }, ['--wait'])}\``;
  return isOnce ? unknown(again, wait) : unknown(byHand, `${wait}, or ask gateway support for it`);
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

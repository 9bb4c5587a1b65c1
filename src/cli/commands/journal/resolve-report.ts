import { exits, fail, type PaycliError } from '../../../errors/index.js';
import {
  describeIntent,
  type Intent,
  states,
  unresolvedStates,
  unsentStates,
  wasSettledManually,
} from '../../../journal/index.js';
import { isBeyondStatus, possibleEffect } from '../../../payments/evidence.js';
import type { FailureFacts } from '../../../payments/failure.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { printable } from '../../../wire/redact.js';
import type { Reporter } from '../../core/reporter.js';
import { commandFor } from '../../core/storage-fault.js';
import type { Sheet } from '../../format/document.js';
import { intentDocument, intentSheet, type JournalFacts } from '../../format/journal-entries.js';
import { statusCommand, waitingText } from '../../format/meaning.js';
import { howToClose, settleManually, type Tools } from '../../gateway.js';
import { exitOfDoubt } from '../../print-reply.js';
import type { Session } from '../../session.js';

/** Why a query did not tell the outcome; `status` is the gateway's word when it does not know the outcome itself. */
export type Doubt = FailureFacts & { readonly status?: string };

/** By entry number. */
export type Doubts = ReadonlyMap<number, Doubt>;

/** Shows entries in their current state. */
export function showResolved(
  intents: readonly Intent[],
  settled: boolean,
  journal: JournalFacts,
  report: Reporter,
  doubts: Doubts = new Map(),
): Promise<void> {
  const documentOf = (intent: Intent) => ({
    ...intentDocument(intent, journal.waiting(intent)),
    doubt: doubts.get(intent.id) ?? null,
  });
  return report.show({
    document: { schema: 'paycli.resolve/1', settled, entries: intents.map(documentOf) },
    list: 'entries',
    sheet: () => withWholeReason(intentSheet(intents, report, journal)),
    empty: 'nothing is open; `paycli journal` shows every request',
  });
}

/** A few entries whose reason matters most: it is never cut off. */
function withWholeReason({ columns, rows }: Sheet): Sheet {
  return {
    columns: columns.map((column) => (column.head === 'reason' ? { head: 'reason', below: true } : column)),
    rows,
  };
}

interface Queried {
  readonly doubts?: Doubts;
  /** Each was queried once: the gateway may tell the outcome later. */
  readonly isOnce: boolean;
}

/**
 * Shows the state and next step of each entry; the exit code is that of the worst. A manual settlement is suggested
 * only where querying again would not help, or was tried.
 */
export async function reportResult(
  intents: readonly Intent[],
  journal: JournalFacts,
  { report, session }: Tools,
  { doubts = new Map(), isOnce }: Queried,
): Promise<number> {
  const open = intents.filter(({ state }) => unresolvedStates.includes(state));
  await showResolved(intents, open.length === 0, journal, report, doubts);
  const steps = new Map(open.map((intent) => [intent, nextStep(intent, journal, session, doubts)]));
  const [worst] = open.toSorted((one, other) => Number(isPending(one, doubts)) - Number(isPending(other, doubts)));
  // The error at the end is about the worst of them, and forbids by itself to send it again.
  for (const [intent, { why, how }] of steps) {
    const known = isPending(intent, doubts) ? why : `${why}, so do not send it again`;
    if (intent !== worst) report.warn([`${describeIntent(intent)}: ${known}; ${how}`]);
  }
  const step = worst === undefined ? undefined : steps.get(worst);
  if (worst === undefined || step === undefined) {
    const error = endOfResolved(intents, session);
    if (error === undefined) return exits.ok;
    report.because(error);
    return error.exit;
  }
  const facts = { what: describeIntent(worst), ...step };
  const isUnknown = !isPending(worst, doubts);
  report.because(
    isUnknown
      ? fail('OUTCOME_UNKNOWN', {
          may: possibleEffect(worst.operation),
          why: `${facts.what}: ${facts.why}`,
          ...resolutionOf(worst, session, doubts, isOnce),
        })
      : fail('PENDING', { why: `${facts.what}: ${facts.why}`, how: facts.how }),
  );
  return isUnknown ? exitOfDoubt(worst, session) : exits.pending;
}

/** The command that resolves a request whose outcome is unknown, and what to do before. */
function resolutionOf(
  intent: Intent,
  session: Session,
  doubts: Doubts,
  isOnce: boolean,
): { readonly how: string; readonly first?: string } {
  const { check } = doubts.get(intent.id) ?? {};
  if (intent.state === 'conflict' || isBeyondStatus(intent.operation)) return { how: settleManually(intent, session) };
  const again = commandFor('resolve', intent, session.flags);
  if (check !== undefined) return { how: again, first: check };
  const wait = `wait for its outcome with \`${waitFor(intent, session)}\``;
  if (doubts.get(intent.id)?.status !== undefined)
    return isOnce
      ? { how: again, first: wait }
      : { how: settleManually(intent, session), first: `${wait}, or ask gateway support for it` };
  if (isOnce) return { how: again, first: 'wait a few minutes' };
  return { how: settleManually(intent, session), first: 'ask gateway support for its outcome' };
}

/** `resolve` ends at the first answer, also where the gateway does not know the outcome yet; this waits for it. */
function waitFor({ orderId, clientOrderId }: Intent, { flags }: Session): string {
  return statusCommand({ orderId, clientOrderId, flags }, ['--wait']);
}

/** The error of one request that took no effect; several end well, whatever their outcomes. */
function endOfResolved([intent, ...others]: readonly Intent[], session: Session): PaycliError | undefined {
  if (intent === undefined || others.length > 0 || intent.state === 'done') return undefined;
  const { state, kind, outcome } = intent;
  const isOpening = kind === 'opening';
  const what = describeIntent(intent);
  const reason = intent.reason === '' ? states[state] : intent.reason;
  if (unsentStates.includes(state))
    return fail('NOT_SENT', {
      why: `${what} was never sent: ${reason}`,
      same: isOpening ? 'with the same client order id' : undefined,
    });
  if (state === 'refused')
    return fail('REFUSED', {
      why: `${what}: ${reason}; nothing took effect`,
      how: 'correct what was refused, then send it again',
    });
  const message = wasSettledManually(reason) ? reason : (outcome['error-message'] ?? reason);
  const facts = { what, reason: state === 'declined' ? `declined: ${message}` : states[state] };
  return isOpening
    ? fail('DECLINED', {
        why: `${facts.what}: ${facts.reason}`,
        how: 'do not repeat it unchanged; another attempt at a payment needs a new client order id',
      })
    : fail('DECLINED', {
        why: `${facts.what}: ${facts.reason}`,
        how: `do not repeat it unchanged; \`${commandFor('order', intent, session.flags)}\` shows the order`,
      });
}

/** Accepted, and the gateway may still report an outcome. */
function isPending(intent: Intent, doubts: Doubts): boolean {
  return intent.state === 'accepted' && doubts.get(intent.id)?.status === undefined;
}

function nextStep(
  intent: Intent,
  journal: JournalFacts,
  session: Session,
  doubts: Doubts,
): { readonly why: string; readonly how: string } {
  const waiting = journal.waiting(intent);
  const resolve = `\`${commandFor('resolve', intent, session.flags)}\``;
  const close = howToClose(intent, session);
  if (intent.state === 'conflict') return { why: `it is in conflict: ${intent.reason}`, how: close };
  if (isBeyondStatus(intent.operation)) return { why: 'no status reply can show its outcome', how: close };
  const { status: unknown, check: advice } = doubts.get(intent.id) ?? {};
  const check = advice === undefined ? '' : `${advice}; then `;
  if (unknown !== undefined) {
    const why = `${unknownToGateway} (status: ${printable(unknown)})`;
    return { why, how: `\`${waitFor(intent, session)}\` waits for its outcome; or contact gateway support` };
  }
  if (intent.state === 'accepted' && doubts.get(intent.id) !== undefined) {
    const before = waiting === undefined ? 'the gateway had accepted it' : waitingText(waiting);
    return { why: `no change; previously: ${before}`, how: `${check}try again with ${resolve}` };
  }
  if (waiting !== undefined) return { why: waitingText(waiting), how: `check again with ${resolve}` };
  if (intent.state === 'accepted') return { why: 'the gateway is processing it', how: `check again with ${resolve}` };
  return {
    why: 'still unknown',
    how: `${check}check again with ${resolve}, or contact gateway support`,
  };
}

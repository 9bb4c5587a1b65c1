import { exits } from '../../../errors/index.js';
import { describeIntent, type Intent, type Journal, type State, unsettledStates } from '../../../journal/index.js';
import { isBeyondStatus } from '../../../payments/evidence.js';
import type { FailureFacts } from '../../../payments/failure.js';
import type { Tools } from '../../core/gateway-context.js';
import { howToClose } from '../../core/journal-update.js';
import type { Reporter } from '../../core/reporter.js';
import type { Session } from '../../core/session.js';
import { commandFor } from '../../core/storage-fault.js';
import { intentDocument, intentSheet } from '../../format/journal-entries.js';
import { type WaitingOf, waitingText } from '../../format/meaning.js';

/** States of what `resolve` is for. */
export const unresolvedStates: readonly State[] = [...unsettledStates, 'conflict'];

/** By the number of the entry, what came of a question that told nothing about it. */
export type Doubts = ReadonlyMap<number, FailureFacts>;

/** What an entry waits for, as the journal knows it. */
export const waitingIn =
  (journal: Journal): WaitingOf =>
  (intent) =>
    journal.waiting(intent);

/** Entries as they stand now. */
export function showResolved(
  intents: readonly Intent[],
  settled: boolean,
  waitingOf: WaitingOf,
  report: Reporter,
  doubts: Doubts = new Map(),
): Promise<void> {
  const documentOf = (intent: Intent) => ({
    ...intentDocument(intent, waitingOf(intent)),
    doubt: doubts.get(intent.id) ?? null,
  });
  return report.show({
    document: { schema: 'paycli.resolve/1', settled, entries: intents.map(documentOf) },
    list: 'entries',
    sheet: () => intentSheet(intents, report, waitingOf),
    empty: 'nothing is open; `paycli journal list` shows every request',
  });
}

/** Shows where each stands and what to do next; the exit code is that of the worst. */
export async function reportResult(
  intents: readonly Intent[],
  waitingOf: WaitingOf,
  { report, session }: Tools,
  doubts: Doubts = new Map(),
): Promise<number> {
  const open = intents.filter(({ state }) => unresolvedStates.includes(state));
  await showResolved(intents, open.length === 0, waitingOf, report, doubts);
  for (const intent of open)
    report.warn([`${describeIntent(intent)}: ${nextStep(intent, waitingOf, session, doubts)}`]);
  if (open.some(({ state }) => state !== 'accepted')) return exits.unknown;
  if (open.length > 0) return exits.pending;
  return intents.length === 1 && intents[0]?.state === 'declined' ? exits.declined : exits.ok;
}

function nextStep(intent: Intent, waitingOf: WaitingOf, session: Session, doubts: Doubts): string {
  const waiting = waitingOf(intent);
  const resolve = commandFor('resolve', intent, session.flags);
  if (intent.state === 'conflict') return `it is in conflict: ${intent.reason}; ${howToClose(intent, session)}`;
  if (isBeyondStatus(intent.operation)) return `no status reply can settle it; ${howToClose(intent, session)}`;
  if (intent.state === 'accepted' && doubts.has(intent.id)) {
    const before = waiting === undefined ? 'the gateway had accepted it' : waitingText(waiting);
    return `no change; previously: ${before}; try again with \`${resolve}\``;
  }
  if (waiting !== undefined) return `${waitingText(waiting)}; check again with \`${resolve}\``;
  if (intent.state === 'accepted') return `the gateway is processing it; check again with \`${resolve}\``;
  return `still unknown, so do not send it again; check again with \`${resolve}\`, or contact gateway support`;
}

import type { Intent, Journal, LineText, Sum, Waiting } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal, inWholeJournal, type NamedOrder, requestsOn } from '../../core/order-requests.js';
import type { Session } from '../../session.js';

export interface OrderTools {
  readonly options: CommonOptions & {
    readonly offline?: boolean;
    /** The journal is only a part of what is shown, so that one that is missing or damaged is read as it is. */
    readonly isPart?: true;
  };
  readonly session: Session;
  readonly runtime: Runtime;
}

/** A request on an order with its history. */
export interface KnownRequest {
  readonly intent: Intent;
  readonly moves: readonly LineText[];
  readonly waiting?: Waiting | undefined;
  /** What one without an amount is for. */
  readonly whole?: Sum | undefined;
}

/** Every request on an order that the journal has, oldest first. */
export async function requestsOnOrder(
  named: NamedOrder,
  { options, session, runtime }: OrderTools,
): Promise<readonly KnownRequest[]> {
  const read = (journal: Journal): readonly KnownRequest[] =>
    requestsOn(journal, session, named, 'order').map((intent) => ({
      intent,
      moves: journal.linesAbout(intent.id),
      waiting: journal.waiting(intent),
      whole: journal.wholeAmount(intent),
    }));
  return options.offline === true && options.isPart !== true
    ? inWholeJournal(runtime, noRequests, read)
    : inJournal(runtime, noRequests, read);
}

const noRequests: readonly KnownRequest[] = [];

import { closeAfter, isPaycliError } from '../../../errors/index.js';
import type { Intent, Journal, LineText, Sum, Waiting } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { inJournal, inWholeJournal, type NamedOrder, requestsOn } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { withJournal } from '../../core/user-stores.js';
import type { Session } from '../../session.js';
import { isSameRequest, openSharedOrder } from '../batch/shared-databases.js';
import type { EngineFlags } from '../batch/shared-engine.js';

export interface OrderTools {
  readonly options: EngineFlags & {
    readonly offline?: boolean;
    /** The journal is only a part of what is shown, so that one that is missing or damaged is read as it is. */
    readonly isPart?: true;
  };
  readonly session: Session;
  readonly report: Pick<Reporter, 'warn'>;
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

/**
 * Every request on an order, oldest first: what this journal has, and what the database of a shared batch has, which
 * counts where both have it. A database that cannot be reached is said to have it.
 */
export async function requestsEverywhere(
  named: NamedOrder,
  { options, session, report, runtime }: OrderTools,
): Promise<readonly KnownRequest[]> {
  const read = async (journal: Journal): Promise<readonly KnownRequest[]> => {
    const known = requestsOn(journal, session, named, 'order');
    const here = known.map((intent) => ({
      ...{
        intent,
        moves: journal.linesAbout(intent.id),
        waiting: journal.waiting(intent),
        whole: journal.wholeAmount(intent),
      },
    }));
    if (options.offline === true) return here;
    const names = [named.order, named.orderId, named.clientOrderId, ...known.flatMap(idsIn)];
    const asked = {
      names: [...new Set(names.filter((name) => name !== undefined))],
      known,
      gatewayBase: session.gatewayBase,
    };
    try {
      const shared = await openSharedOrder({ ...asked, flags: options, command: 'order' }, journal, runtime);
      if (shared === undefined) return here;
      return await closeAfter(
        async () => {
          const there: KnownRequest[] = [];
          for (const intent of shared.intents) there.push({ intent, moves: await shared.view.movesOf(intent) });
          const own = here.filter(({ intent }) => !shared.intents.some((each) => isSameRequest(each, intent)));
          return [...there, ...own].toSorted((one, other) => one.intent.madeAt - other.intent.madeAt);
        },
        () => shared.view.close(),
      );
    } catch (error) {
      if (options.engine !== undefined || !isPaycliError(error)) throw error;
      report.warn([error.message]);
      return here;
    }
  };
  if (options.engine !== undefined) return withJournal(runtime, read);
  return options.offline === true && options.isPart !== true
    ? inWholeJournal(runtime, noRequests, read)
    : inJournal(runtime, Promise.resolve(noRequests), read);
}

const noRequests: readonly KnownRequest[] = [];

function idsIn({ orderId, clientOrderId }: Intent): (string | undefined)[] {
  return [orderId, clientOrderId];
}

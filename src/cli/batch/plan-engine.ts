import type { BatchConnection } from '../../batch/connection.js';
import type { Engine } from '../../batch/engine.js';
import type { PlanStore } from '../../batch/plan.js';
import type { Journal } from '../../journal/index.js';
import { takeApproval } from '../../payments/resend.js';
import { operationById } from '../../spec/index.js';
import { isRunning } from '../journal.js';
import { connectionFor, type Tools } from '../talk.js';
import { termsOf } from './permit.js';

/** The way to the gateway that the rows of a plan take. */
export async function connectionOf(
  { head }: Pick<PlanStore, 'head'>,
  tools: Tools,
  hash: BatchConnection['hash'],
): Promise<BatchConnection> {
  const { session } = tools;
  const row = operationById(head.operation);
  return {
    ...(await connectionFor(row, tools, 'keep')),
    ...{ row, hash },
    place: { base: session.place, login: session.login, profile: session.name, class: session.class },
  };
}

export interface LocalParts {
  readonly plan: PlanStore;
  readonly journal: Journal;
  readonly connection: BatchConnection;
  /** Requests in a second. */
  readonly rate: number;
}

/** The journal of this machine as the engine of a plan. */
export async function localEngineOf({ plan, journal, connection, rate }: LocalParts, { session, runtime }: Tools): Promise<Engine> {
  const [{ openLocalEngine }, { intentOfRow }] = await Promise.all([
    import('../../batch/engines/local.js'),
    import('../../batch/connection.js'),
  ]);
  return openLocalEngine({
    ...{ journal, plan, clock: runtime.clock, rate },
    intentOf: (row) => intentOfRow(connection, row),
    termsOf: (row) => termsOf(row, connection.row, session, journal),
    isAlive: (sender) => isRunning(sender, runtime),
    isApproved: (intent) => takeApproval(journal, intent, runtime.clock.now()),
  });
}

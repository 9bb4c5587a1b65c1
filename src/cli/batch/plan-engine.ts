import type { Connection } from '../../batch/connection.js';
import type { Engine } from '../../batch/engine.js';
import type { PlanStore } from '../../batch/plan.js';
import type { Journal } from '../../journal/index.js';
import { operationById } from '../../spec/index.js';
import { isRunning } from '../journal.js';
import { takeApproval } from '../resend.js';
import { exchangeOf, type Tools } from '../talk.js';
import { termsOf } from './permit.js';

/** The way to the gateway that the rows of a plan take. */
export async function connectionOf({ head }: Pick<PlanStore, 'head'>, tools: Tools, hash: Connection['hash']): Promise<Connection> {
  const { session, runtime } = tools;
  const row = operationById(head.operation);
  const { assume, limits, watch } = exchangeOf(row, tools);
  return {
    ...{ row, assume, limits, watch, hash },
    place: { base: session.place, login: session.login, profile: session.name, class: session.class },
    ports: { transport: await session.transport('keep'), clock: runtime.clock, random: runtime.random },
    target: (endpointId) => session.target(endpointId),
    credentials: (protection) => session.credentials(protection),
  };
}

export interface LocalParts {
  readonly plan: PlanStore;
  readonly journal: Journal;
  readonly connection: Connection;
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

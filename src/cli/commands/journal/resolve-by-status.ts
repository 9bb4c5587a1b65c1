import { describeIntent, type Intent, intentName, type Journal, queryableStates } from '../../../journal/index.js';
import { failureFacts } from '../../../payments/failure.js';
import { PaymentRecord } from '../../../payments/payment-record.js';
import { statusQueryFor, statusRequest } from '../../../payments/status-query.js';
import type { Runtime } from '../../../runtime/ports.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { adviceAfterFailedQuery } from '../../core/refusal-advice.js';
import { isRunning } from '../../core/user-stores.js';
import { type GatewayContext, type Tools, updateJournal, withGateway } from '../../gateway.js';
import { pollWithProgress } from '../../wait.js';
import { type Doubt, reportResult } from './resolve-report.js';

/** Queries the status of each of these entries, then shows their state. Returns the exit code. */
export async function queryOpenEntries(
  chosen: readonly Intent[],
  journal: Journal,
  tools: Tools,
  isOnce: boolean,
): Promise<number> {
  return withGateway(tools, async (gateway) => {
    const queried: Intent[] = [];
    const doubts = new Map<number, Doubt>();
    for (const intent of chosen) {
      const { now, doubt } = await queryEntry(intent, journal, gateway, isOnce);
      queried.push(now);
      if (doubt !== undefined) doubts.set(now.id, doubt);
      if (gateway.stop.signal.aborted) break;
    }
    // Conflicts found in the replies have to be resolved too.
    const orders = new Set(queried.map(intentName));
    const raised = [...orders].flatMap((order) =>
      journal.list({ base: tools.session.gatewayBase, order, states: ['conflict'] }),
    );
    return reportResult(
      [...queried, ...raised.filter(({ id }) => !queried.some((each) => each.id === id))],
      journal,
      tools,
      { doubts, isOnce },
    );
  });
}

interface QueryResult {
  readonly now: Intent;
  readonly doubt?: Doubt;
}

/** Queries one entry, once or until its outcome is known, and records what the reply proves. */
export async function queryEntry(
  intent: Intent,
  journal: Journal,
  gateway: GatewayContext,
  isOnce: boolean,
): Promise<QueryResult> {
  const { session, runtime, report } = gateway;
  if (!isOpen(intent)) return { now: intent };
  if (isBeingSent(intent, runtime)) {
    report.warn([`${describeIntent(intent)}: process ${intent.sender.pid} is sending it right now`]);
    return { now: intent };
  }
  const record = new PaymentRecord(journal, intent, session.assume['minor-digits']);
  record.markAbandoned();
  const { evidence, fields, failure } = await pollWithProgress(record, isOnce, gateway);
  if (record.fault !== undefined) throw record.fault;
  // The same reply may contradict other requests on the order.
  if (fields !== undefined) await updateJournal(gateway, fields, intent.endpointId, journal);
  const { unknownStatus } = evidence;
  if (unknownStatus !== undefined)
    return {
      now: record.intent,
      doubt: { why: unknownToGateway, status: unknownStatus },
    };
  if (evidence.proves !== 'nothing') return { now: record.intent };
  report.notes([`${describeIntent(intent)}: ${evidence.reason}`]);
  const check =
    failure && adviceAfterFailedQuery(failure, statusRequest(statusQueryFor(intent), session.target), session);
  return {
    now: record.intent,
    doubt: { ...(failure === undefined ? { why: evidence.reason } : failureFacts(failure)), ...(check && { check }) },
  };
}

/** Whether a status query may still resolve the entry. */
export function isOpen({ state }: Intent): boolean {
  return queryableStates.includes(state);
}

/** Whether its sender may still record the outcome. */
export function isBeingSent({ state, sender }: Intent, runtime: Runtime): boolean {
  return state === 'sending' && isRunning(sender, runtime);
}

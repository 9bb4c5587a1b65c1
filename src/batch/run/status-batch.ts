import { failureFacts } from '../../payments/failure.js';
import { queryStatus } from '../../payments/status-query.js';
import { replyField } from '../../spec/index.js';
import type { BatchConnection } from '../connection.js';
import { type BatchRow, type PlanStore, planRows } from '../plan.js';
import { RateLimiter } from './scheduling.js';

interface StatusBatchPorts {
  readonly plan: PlanStore;
  readonly connection: BatchConnection;
  readonly concurrency: number;
  /** Queries in a second. */
  readonly rate: number;
  readonly stop: AbortSignal;
  onAnswer(answer: StatusAnswer): void;
}

/** What the gateway said about the order of a row. */
export interface StatusAnswer {
  readonly number: number;
  readonly row: BatchRow;
  /** Undefined when there was none. */
  readonly status: string | undefined;
  readonly fields: ReadonlyMap<string, string> | undefined;
  readonly reason: string;
}

interface StatusBatchEnd {
  readonly answered: number;
  readonly unanswered: number;
}

/**
 * Asks about every row of a plan of status queries. Nothing is moved by it, so it simply begins anew when it is run
 * again.
 */
export async function queryAllRows({
  plan,
  connection,
  concurrency,
  rate,
  stop,
  onAnswer,
}: StatusBatchPorts): Promise<StatusBatchEnd> {
  const { clock } = connection.ports;
  const pacer = new RateLimiter(clock, rate);
  const rows = planRows(plan, clock);
  const end = { answered: 0, unanswered: 0 };
  const lane = async (): Promise<void> => {
    for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
      if (!(await pacer.pace(stop))) return;
      const answer = await queryRow(next.value, connection, stop);
      if (stop.aborted) return;
      if (answer.status === undefined) end.unanswered += 1;
      else end.answered += 1;
      onAnswer(answer);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return end;
}

async function queryRow(row: BatchRow, connection: BatchConnection, stop: AbortSignal): Promise<StatusAnswer> {
  const { values, endpointId, number } = row;
  const about = {
    endpointId,
    orderId: values['orderId'],
    clientOrderId: values['clientOrderId'],
    bySerial: values['bySerial'],
  };
  const classified = await queryStatus(connection, about, { signal: stop });
  const { class: kind, fields } = classified;
  const status = kind === 'accepted' && fields !== undefined ? replyField(fields, 'status') : undefined;
  return { number, row, status, fields, reason: failureFacts(classified).why };
}

import { queryStatus } from '../payments/exchange.js';
import { failureFacts } from '../payments/failure.js';
import type { Files } from '../runtime/ports.js';
import { operationById, replyField } from '../spec/index.js';
import { checkRow, type GatewayProfile } from './input/check-row.js';
import { readCsv } from './input/csv.js';
import { readNdjson } from './input/ndjson.js';
import { RateLimiter } from './pace.js';
import type { BatchFile, PlanHead } from './plan.js';
import { type BatchConnection, valuesFrom } from './rows.js';

interface StatusBatchPorts {
  readonly rows: AsyncGenerator<StatusRow>;
  readonly connection: BatchConnection;
  readonly concurrency: number;
  /** Queries in a second. */
  readonly rate: number;
  readonly stop: AbortSignal;
  onAnswer(answer: StatusAnswer): void;
}

/** A question of a file of questions. */
interface StatusRow {
  readonly number: number;
  readonly endpointId: string;
  /** By field key. */
  readonly values: Readonly<Record<string, string>>;
}

/** What the gateway said about the order of a row. */
export interface StatusAnswer {
  readonly row: StatusRow;
  /** Undefined when there was none. */
  readonly status: string | undefined;
  readonly fields: ReadonlyMap<string, string> | undefined;
  readonly reason: string;
}

/** The rows of a batch of questions, which moves nothing and is not in the journal: read from its file again. */
export async function* readStatusRows(
  { operation, file }: PlanHead,
  files: Pick<Files, 'pieces'>,
  gateway: GatewayProfile,
): AsyncGenerator<StatusRow> {
  const row = operationById(operation);
  let number = 0;
  for await (const given of readRecords(file, files)) {
    number += 1;
    const { values, endpointId } = checkRow({ line: number, values: given, name: (key) => key }, row, gateway);
    yield { number, values, endpointId };
  }
}

async function* readRecords({ path, format, layout }: BatchFile, files: Pick<Files, 'pieces'>) {
  const pieces = files.pieces(path);
  if (format === 'ndjson') {
    for await (const { records } of readNdjson(pieces))
      for (const { entries } of records) yield valuesFrom(entries.map(([name, text]) => [layout.map[name], text]));
    return;
  }
  let isHeader = true;
  for await (const { records } of readCsv(pieces, layout.delimiter))
    for (const { cells } of records) {
      if (!isHeader) yield valuesFrom(cells.map((cell, at) => [layout.columns[at], cell]));
      isHeader = false;
    }
}

/** Asks about every row. Nothing is moved by it, so it simply begins anew when it is run again. */
export async function queryAllRows({ rows, connection, concurrency, rate, stop, onAnswer }: StatusBatchPorts) {
  const pacer = new RateLimiter(connection.ports.clock, rate);
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

async function queryRow(row: StatusRow, connection: BatchConnection, stop: AbortSignal): Promise<StatusAnswer> {
  const { values, endpointId } = row;
  const { orderId, clientOrderId, bySerial } = values;
  const classified = await queryStatus(connection, { endpointId, orderId, clientOrderId, bySerial }, { signal: stop });
  const { class: kind, fields } = classified;
  const status = kind === 'accepted' && fields !== undefined ? replyField(fields, 'status') : undefined;
  return { row, status, fields, reason: failureFacts(classified).why };
}

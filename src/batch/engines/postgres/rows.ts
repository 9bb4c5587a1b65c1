import type { Intent, State, Sum } from '../../../journal/index.js';
import { isState } from '../../../journal/states.js';
import type { BatchEvent, BatchRow, PlanHead, PlanStore } from '../../plan.js';
import type { Query, Row } from './database.js';
import type { ClearRow, RowCipher } from './row-encryption.js';

/** What a statement gives of a row of the gate, for `intentFrom`. */
export const intentColumns = `gate.id, gate.batch, gate.number, gate.kind, gate.operation, gate.effect, gate.base, gate.endpoint_id, gate.login,
  gate.profile, gate.class, gate.client_order_id, gate.order_id, gate.sequence, gate.minor, gate.currency, gate.content, gate.state,
  gate.attempts, gate.may_have_arrived, gate.reason, gate.outcome, gate.host, gate.pid, gate.version, gate.worker,
  (extract(epoch FROM gate.made_at) * 1000)::bigint AS made_ms, (extract(epoch FROM gate.changed_at) * 1000)::bigint AS changed_ms`;

export function intentFrom(row: Row): Intent {
  const text = (name: string) => String(row[name] ?? '');
  const optional = (name: string) => (row[name] === null || row[name] === undefined ? undefined : String(row[name]));
  return {
    id: Number(row['id']),
    isShared: true,
    kind: text('kind') === 'opening' ? 'opening' : 'follow-up',
    operation: text('operation'),
    effect: text('effect') === 'write' ? 'write' : 'money',
    base: text('base'),
    endpointId: text('endpoint_id'),
    login: text('login'),
    profile: text('profile'),
    class: text('class'),
    clientOrderId: optional('client_order_id'),
    orderId: optional('order_id'),
    sequence: Number(row['sequence']),
    sum: sumOf(row),
    lastFour: undefined,
    content: text('content'),
    madeAt: Number(row['made_ms']),
    state: stateOf(row),
    attempts: Number(row['attempts']),
    mayHaveArrived: row['may_have_arrived'] === true,
    changedAt: Number(row['changed_ms']),
    reason: text('reason'),
    outcome: outcomeOf(row['outcome']),
    sender: { host: text('host'), pid: Number(row['pid']), version: text('version') },
  };
}

const clearColumns = 'number, line, endpoint_id, minor, currency';

function clearRowFrom(row: Row): ClearRow {
  return {
    number: Number(row['number']),
    line: Number(row['line']),
    endpointId: String(row['endpoint_id']),
    sum: sumOf(row),
  };
}

export function stateOf({ state }: Row): State {
  if (typeof state === 'string' && isState(state)) return state;
  throw new Error('the gate holds an unknown state');
}

function sumOf({ minor, currency }: Row): Sum | undefined {
  return minor === null || currency === null ? undefined : { minor: String(minor), currency: String(currency) };
}

function outcomeOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

/** The id that a second request for a row would have as well. */
export interface RowOrder extends Pick<BatchRow, 'number' | 'endpointId' | 'sum'> {
  readonly name: string;
}

/** Which orders the rows of a batch are about, in their order, after a number. */
export async function ordersAfter(
  query: Query,
  batch: string,
  after: number,
  max: number,
): Promise<readonly RowOrder[]> {
  const rows = await query(
    `SELECT ${clearColumns}, CASE kind WHEN 'opening' THEN client_order_id ELSE order_id END AS name FROM paycli.gate
     WHERE batch = $1 AND number > $2 ORDER BY number LIMIT $3`,
    [batch, after, max],
  );
  return rows.map((row) => {
    const { number, endpointId, sum } = clearRowFrom(row);
    return { number, endpointId, sum, name: String(row['name'] ?? '') };
  });
}

/** Rows of a batch from a number on, as far as they stand there in the clear: nobody says where they pay to. */
export async function clearRows(query: Query, batch: string, from: number, max: number): Promise<readonly BatchRow[]> {
  const rows = await query(
    `SELECT ${clearColumns}, kind, client_order_id, order_id FROM paycli.gate WHERE batch = $1 AND number >= $2
     ORDER BY number LIMIT $3`,
    [batch, from, max],
  );
  return rows.map((row) => {
    const named = {
      clientOrderId: row['client_order_id'],
      orderId: row['kind'] === 'opening' ? null : row['order_id'],
    };
    const values = Object.entries(named).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]]));
    return { ...clearRowFrom(row), values: Object.fromEntries(values), destination: '' };
  });
}

/** The part of a plan that a worker without the file was given. Nothing of it is written down here. */
export class RemotePlan implements PlanStore {
  readonly head: PlanHead;
  readonly #cipher: RowCipher;
  readonly #rows = new Map<number, BatchRow>();

  constructor(head: PlanHead, cipher: RowCipher) {
    this.head = head;
    this.#cipher = cipher;
  }

  /** Throws STORAGE when a row was changed in the database. */
  async load(numbers: readonly number[], query: Query): Promise<void> {
    const missing = numbers.filter((number) => !this.#rows.has(number));
    if (missing.length === 0) return;
    const found = await query(
      `SELECT ${clearColumns}, sealed FROM paycli.gate WHERE batch = $1 AND number = ANY($2::int[])`,
      [this.head.id, missing],
    );
    for (const row of found) {
      const { sealed } = row;
      if (sealed instanceof Uint8Array)
        this.#rows.set(Number(row['number']), this.#cipher.decrypt(clearRowFrom(row), sealed));
    }
  }

  rows(from: number, max: number): readonly BatchRow[] {
    return [...this.#rows.values()]
      .filter(({ number }) => number >= from)
      .sort((one, other) => one.number - other.number)
      .slice(0, max);
  }

  row(number: number): BatchRow | undefined {
    return this.#rows.get(number);
  }

  noted(): ReadonlyMap<number, State> {
    return new Map<number, State>();
  }

  note(): void {}

  /** A row that has its end needs no room any more. */
  forget(number: number): void {
    this.#rows.delete(number);
  }

  events(): readonly BatchEvent[] {
    return [];
  }

  addEvent(): void {}

  close(): void {
    this.#rows.clear();
  }
}

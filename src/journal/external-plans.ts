import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { gatewayName } from '../wire/address.js';
import type { IntentPlace } from './query.js';

/** A plan whose rows another engine than this journal sends. */
export interface ExternalPlan {
  readonly plan: string;
  readonly base: string;
  /** Of its rows. */
  readonly kind: 'opening' | 'follow-up';
  /** The engine in words, fit for messages. */
  readonly engine: string;
  /** Data of the code that binds plans; not read here. */
  readonly binding: string;
}

/** The order of one of its rows; `name` is the client order id of a row that makes an order, else the order id. */
export interface ExternalOrder {
  readonly name: string;
  readonly endpointId: string;
  readonly number: number;
}

/** The row that an order belongs to. */
export interface FoundExternalOrder {
  readonly plan: string;
  readonly number: number;
  readonly engine: string;
}

/** The access it has to the journal. */
interface ExternalPlansPorts {
  readonly database: Database;
  change<T>(work: () => T): T;
  /** Adds a line to the chain that is about no entry. */
  line(what: string, facts: object): void;
}

// Created when the first plan is bound to another engine: most journals never have them.
const tables = `
  CREATE TABLE IF NOT EXISTS plans_elsewhere (
    id INTEGER PRIMARY KEY, plan TEXT NOT NULL UNIQUE, base TEXT NOT NULL, kind TEXT NOT NULL, engine TEXT NOT NULL, binding TEXT NOT NULL,
    is_whole INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS orders_elsewhere (
    name TEXT NOT NULL, plan INTEGER NOT NULL, number INTEGER NOT NULL, endpoint_id TEXT NOT NULL, PRIMARY KEY (name, plan, number)
  ) WITHOUT ROWID;
`;

const boundReason = 'plan bound to another engine';

/**
 * The orders that another engine may send: this journal sends nothing under them. A plan has one line in the chain; its
 * orders are only in a table, as there may be a million of them.
 */
export class ExternalPlans {
  readonly #ports: ExternalPlansPorts;

  constructor(ports: ExternalPlansPorts) {
    this.#ports = ports;
  }

  /** Whether any plan was ever bound to another engine. */
  get isUsed(): boolean {
    return this.#has();
  }

  /** The binding of the plan; undefined until all of its orders are recorded. */
  binding(plan: string): string | undefined {
    const found = this.#has()
      ? this.#ports.database.get('SELECT binding, is_whole FROM plans_elsewhere WHERE plan = ?', plan)
      : undefined;
    return found?.['is_whole'] === 1 ? String(found['binding']) : undefined;
  }

  /** Every plan that is bound to another engine, oldest first. */
  all(): readonly Pick<ExternalPlan, 'plan' | 'engine' | 'binding'>[] {
    const rows = this.#has()
      ? this.#ports.database.all('SELECT plan, engine, binding FROM plans_elsewhere WHERE is_whole = 1 ORDER BY id')
      : [];
    return rows.map((row) => ({
      plan: String(row['plan']),
      engine: String(row['engine']),
      binding: String(row['binding']),
    }));
  }

  /**
   * The orders may come in several calls; the plan counts as bound after the one with `isWhole`. Repeating a call
   * changes nothing.
   */
  bind({ plan, base, kind, engine, binding }: ExternalPlan, orders: Iterable<ExternalOrder>, isWhole: boolean): void {
    const { database, change, line } = this.#ports;
    change(() => {
      if (!this.#has()) database.exec(tables);
      const known = database.get('SELECT binding, is_whole FROM plans_elsewhere WHERE plan = ?', plan);
      if (known === undefined)
        database.run(
          'INSERT INTO plans_elsewhere VALUES (NULL, ?, ?, ?, ?, ?, 0)',
          plan,
          gatewayName(base),
          kind,
          engine,
          binding,
        );
      const id = Number(database.get('SELECT id FROM plans_elsewhere WHERE plan = ?', plan)?.['id']);
      for (const { name, number, endpointId } of orders)
        database.run('INSERT OR IGNORE INTO orders_elsewhere VALUES (?, ?, ?, ?)', name, id, number, endpointId);
      if (!isWhole || (known?.['is_whole'] === 1 && known['binding'] === binding)) return;
      database.run(
        'UPDATE plans_elsewhere SET is_whole = 1, engine = ?, binding = ? WHERE id = ?',
        engine,
        binding,
        id,
      );
      line(boundReason, { plan, engine });
    });
  }

  /** How many rows of the plan there are whose outcome the journal does not have. */
  countOf(plan: string): number {
    if (!this.#has()) return 0;
    const found = this.#ports.database.get(
      'SELECT count(*) AS count FROM orders_elsewhere WHERE plan = (SELECT id FROM plans_elsewhere WHERE plan = ?)',
      plan,
    );
    return Number(found?.['count'] ?? 0);
  }

  /** Removes rows whose outcome the journal now has: it decides about their orders again. */
  forget(plan: string, orders: readonly Pick<ExternalOrder, 'name' | 'number'>[]): void {
    const { database, change } = this.#ports;
    if (orders.length === 0 || !this.#has()) return;
    change(() => {
      for (const { name, number } of orders)
        database.run(
          'DELETE FROM orders_elsewhere WHERE name = ? AND number = ? AND plan = (SELECT id FROM plans_elsewhere WHERE plan = ?)',
          ...[name, number, plan],
        );
    });
  }

  /**
   * The row of another engine that a request would repeat, at whatever endpoint; `except` is a plan to ignore. The
   * content of a row is only in its plan, so a new order under the same id counts as the same payment.
   */
  find({ kind, base, clientOrderId, orderId }: IntentPlace, except = ''): FoundExternalOrder | undefined {
    const name = kind === 'opening' ? clientOrderId : orderId;
    if (kind === 'other' || name === undefined || !this.#has()) return undefined;
    const found = this.#ports.database.get(
      `SELECT plans.plan, own.number, plans.engine FROM orders_elsewhere AS own JOIN plans_elsewhere AS plans ON plans.id = own.plan
       WHERE own.name = ? AND plans.base = ? AND plans.kind = ? AND plans.plan <> ? ORDER BY own.number`,
      ...[name, gatewayName(base), kind, except],
    );
    return found === undefined
      ? undefined
      : { plan: String(found['plan']), number: Number(found['number']), engine: String(found['engine']) };
  }

  /** The plan of a row that is about an order of one of these names, whichever kind of row it is. */
  planOf(base: string, names: readonly string[]): string | undefined {
    if (!this.#has()) return undefined;
    const found = this.#ports.database.get(
      `SELECT plans.plan FROM orders_elsewhere AS own JOIN plans_elsewhere AS plans ON plans.id = own.plan
       WHERE own.name IN (SELECT value FROM json_each(?)) AND plans.base = ? ORDER BY plans.id DESC`,
      ...[JSON.stringify(names), gatewayName(base)],
    );
    return found === undefined ? undefined : String(found['plan']);
  }

  /** Throws ORDER_ELSEWHERE. */
  check(wanted: IntentPlace): void {
    const found = this.find(wanted);
    if (found !== undefined) throw externalOrderError(wanted, found, 'it was not sent from here');
  }

  #has(): boolean {
    return (
      this.#ports.database.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'orders_elsewhere'") !==
      undefined
    );
  }
}

/** `said` is a clause for the message, such as 'it was not sent from here'. */
export function externalOrderError(
  { clientOrderId, orderId }: Pick<IntentPlace, 'clientOrderId' | 'orderId'>,
  { plan, number, engine }: FoundExternalOrder,
  clause: string,
): Error {
  const name = clientOrderId ?? orderId ?? '';
  return fail('ORDER_ELSEWHERE', { order: name, row: number, plan, engine, clause });
}

import type { Clock, Database, SqlRow, SqlValue } from '../runtime/ports.js';
import { gatewayName } from '../wire/address.js';
import { Chain, factsIn } from './chain.js';
import type { Sender } from './intent.js';
import { addToDay, countedInLine, countedValues, isSpent, spendingTables } from './spending.js';

const immutableColumnsOfVersion1 = 16;

/**
 * The immutable values in a line of version 1, as version 2 has them: the gateway by its normalised name, in the key as
 * well, and no digits, which means those of ISO 4217. Those in a line of version 2 stay as they are.
 */
export function upgradedImmutable(values: readonly SqlValue[]): readonly SqlValue[] {
  if (values.length !== immutableColumnsOfVersion1) return values;
  const [key, kind, operation, effect, base, ...rest] = values;
  return [
    upgradedKey(String(key)),
    kind ?? null,
    operation ?? null,
    effect ?? null,
    gatewayName(String(base)),
    ...rest,
    null,
  ];
}

function upgradedKey(key: string): string {
  const [base, ...rest] = partsOf(key);
  return JSON.stringify([gatewayName(String(base)), ...rest]);
}

/**
 * Two entries of version 1 may get the same key in version 2: the second one's number is appended to its key, so that
 * neither is lost.
 */
export function keyWithEntry(key: string, id: number): string {
  return JSON.stringify([...partsOf(key), { entry: id }]);
}

function partsOf(key: string): readonly unknown[] {
  const parts: unknown = JSON.parse(key);
  return Array.isArray(parts) ? parts : [];
}

interface MigrationPorts {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly sender: Sender;
}

/**
 * Brings a journal of version 1 to version 2, in a transaction of the caller. Every line stays as it was written; one
 * is added.
 */
export function migrateToVersion2({ database, clock, sender }: MigrationPorts): void {
  for (const column of newColumns) database.exec(`ALTER TABLE intents ADD COLUMN ${column}`);
  database.exec(`DROP INDEX IF EXISTS moves_to_sending; ${spendingTables}`);
  for (const { base } of database.all('SELECT DISTINCT base FROM intents')) nameGateway(database, String(base));
  countAll(database);
  const facts = JSON.stringify({ ...sender, from: 1, to: 2 });
  const line = {
    intentId: undefined,
    from: '',
    to: '',
    at: clock.now(),
    reason: 'journal brought to version 2',
    facts,
  };
  new Chain(database).add(line);
  database.exec('PRAGMA user_version = 2');
}

const newColumns = [
  'digits INTEGER',
  'boot TEXT',
  'namespace TEXT',
  'started TEXT',
  'counted_day INTEGER',
  'counted_units TEXT',
  'counted_currency TEXT',
];

function nameGateway(database: Database, base: string): void {
  const name = gatewayName(base);
  if (name === base) return;
  for (const row of paged(database, 'SELECT id, key FROM intents WHERE base = ?', base)) {
    const id = Number(row['id']);
    const key = upgradedKey(String(row['key']));
    const isTaken = database.get('SELECT id FROM intents WHERE key = ?', key) !== undefined;
    database.run('UPDATE intents SET base = ?, key = ? WHERE id = ?', name, isTaken ? keyWithEntry(key, id) : key, id);
  }
}

/** Fills in what each intent counts by its newest attempt, and the day totals. */
function countAll(database: Database): void {
  for (const intent of paged(database, "SELECT * FROM intents WHERE effect = 'money'")) {
    const id = Number(intent['id']);
    const line = database.get(
      "SELECT at, facts FROM moves WHERE intent_id = ? AND to_state = 'sending' AND from_state <> 'sending' ORDER BY id DESC LIMIT 1",
      id,
    );
    const counted =
      line === undefined ? undefined : countedInLine(intent, Number(line['at']), factsIn(String(line['facts'])));
    if (counted === undefined) continue;
    database.run(
      'UPDATE intents SET counted_day = ?, counted_units = ?, counted_currency = ? WHERE id = ?',
      ...countedValues(counted),
      id,
    );
    if (isSpent(intent['state'])) addToDay(database, String(intent['profile']), counted, 1n);
  }
}

const rowsPerPage = 1000;

/** Rows in the order of their ids, a page at a time: the caller may change each of them. */
function* paged(database: Database, sql: string, ...values: SqlValue[]): Generator<SqlRow> {
  const page = `${sql}${sql.includes('WHERE') ? ' AND' : ' WHERE'} id > ? ORDER BY id LIMIT ${rowsPerPage}`;
  for (let after = 0; ; ) {
    const rows = database.all(page, ...values, after);
    yield* rows;
    after = Number(rows.at(-1)?.['id'] ?? after);
    if (rows.length < rowsPerPage) return;
  }
}

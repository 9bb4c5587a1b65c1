import { fail } from '../../../errors/index.js';
import { pinSearchPath, type Query } from './database.js';

/** Their own triggers, as `triggersSql` says them. */
const triggers = { unsent: '', batches: '', gate: 'gate_forward paycli.forward O, gate_stays paycli.stays O' };

/** Those of foreign keys run nothing but PostgreSQL's own. */
const triggersSql = `(SELECT coalesce(string_agg(tgname::text || ' ' || tgfoid::regproc::text || ' ' || tgenabled::text, ', ' ORDER BY tgname), '')
  FROM pg_trigger WHERE tgrelid = known.oid AND NOT tgisinternal)`;

const indexesSql = (condition: string) => `(SELECT ${condition} FROM pg_index WHERE indrelid = known.oid)`;

/**
 * Nothing runs with a change of it, nothing else stands behind its name, and no row of it can be hidden for a while.
 */
const plainSql = `relkind = 'r' AND NOT relhasrules AND NOT relrowsecurity AND NOT relispartition
  AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = known.oid)
  AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = known.oid OR inhparent = known.oid)
  AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = known.oid AND attgenerated <> '')
  AND ${indexesSql('coalesce(bool_and(indexprs IS NULL), true)')}`;

const shapes = {
  /** A row is renamed by no change of the columns, and stands there once. */
  unsent: `(SELECT string_agg(attname::text || ' ' || atttypid::regtype::text || ' ' || attcollation::text || ' ' || atthasdef::text, ', ' ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = known.oid AND attnum > 0) = 'batch text 100 false, number integer 0 false, proof text 100 false'
    AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = known.oid)
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = known.oid AND contype NOT IN ('p', 'n'))
    AND ${indexesSql(
      "count(*) = 1 AND bool_and(indisprimary AND indisunique AND indisvalid AND indimmediate AND indkey::text = '1 2' AND indpred IS NULL)",
    )}`,
  batches: "NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = known.oid AND contype = 'c')",
  gate: 'true',
};

type TableName = keyof typeof shapes;

/**
 * Also where the name of the schema was given to another one in between: what this transaction used stays locked by it.
 */
const viewsUsedSql = `EXISTS (SELECT FROM pg_locks JOIN pg_class AS used ON used.oid = relation
  WHERE locktype = 'relation' AND pid = pg_backend_pid() AND used.relkind IN ('v', 'm', 'f') AND used.relnamespace <> 'pg_catalog'::regnamespace)`;

/**
 * In the transaction that reads or writes it, and after that, so that nobody changes it any more: it is the table that
 * paycli made, and so are those of `also`. Gives its number, which no other table gets. Throws STORAGE.
 *
 * Prepared, the statement would take a third of its time; but code of the database that runs in this session, such as a
 * trigger, could put another one under its name.
 */
export async function checkTable(query: Query, name: TableName, also: readonly TableName[] = []): Promise<string> {
  await pinSearchPath(query);
  const names = [name, ...also];
  const checks = names.map(
    (each) => `SELECT '${each}' AS name, oid::text AS id,
       ${plainSql} AND ${triggersSql} = '${triggers[each]}' AND ${shapes[each]} AND NOT ${viewsUsedSql} AS is_plain
     FROM pg_class AS known WHERE oid = 'paycli.${each}'::regclass`,
  );
  const tables = await query(checks.join(' UNION ALL '));
  for (const each of names)
    if (tables.find((table) => table['name'] === each)?.['is_plain'] !== true)
      throw fail('tableNotPlain', { table: each });
  return String(tables.find((table) => table['name'] === name)?.['id']);
}

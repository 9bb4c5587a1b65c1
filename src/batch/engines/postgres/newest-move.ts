import type { Query } from './database.js';

/**
 * A mark is one row of the table `moves` (the state changes of all rows) as a text that no other row of it ever has.
 * Moves are only added, so a database that lacks one which somebody saw has gone back to an earlier time, by a restored
 * backup for example, whatever name, number and timeline it has.
 */
const markSql = "id || ' ' || (extract(epoch FROM at) * 1000000)::bigint";

/** In a statement: the mark as it is now; null before the first move. */
export const newestMarkSql = `(SELECT ${markSql} FROM paycli.moves ORDER BY id DESC LIMIT 1)`;

/** In a statement: whether a mark, given as this parameter, is still there; true for none. */
export const holdsMarkSql = (parameter: string) =>
  `(${parameter}::text IS NULL OR EXISTS (SELECT FROM paycli.moves WHERE id = split_part(${parameter}, ' ', 1)::bigint AND ${markSql} = ${parameter}))`;

/** The mark of the newest move; undefined before the first. */
export async function readNewestMark(query: Query): Promise<string | undefined> {
  const [found] = await query(`SELECT ${newestMarkSql} AS mark`);
  return typeof found?.['mark'] === 'string' ? found['mark'] : undefined;
}

/** Whether the database still holds a move that was seen in it. */
export async function hasMark(query: Query, mark: string): Promise<boolean> {
  const [found] = await query(`SELECT ${holdsMarkSql('$1')} AS held`, [mark]);
  return found?.['held'] === true;
}

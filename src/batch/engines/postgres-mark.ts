import type { Query } from './postgres-database.js';

/**
 * The newest move of a database, as a text that no other move ever has: moves are only added, so a database that lacks one which
 * somebody saw is older than it was then, whatever name, number and timeline it has.
 */
const markOf = "id || ' ' || (extract(epoch FROM at) * 1000000)::bigint";

/** In a statement: the mark as it is now; null before the first move. */
export const newestMark = `(SELECT ${markOf} FROM paycli.moves ORDER BY id DESC LIMIT 1)`;

/** In a statement: whether a mark, given as this parameter, is still there; true for none. */
export const holdsMark = (parameter: string) =>
  `(${parameter}::text IS NULL OR EXISTS (SELECT FROM paycli.moves WHERE id = split_part(${parameter}, ' ', 1)::bigint AND ${markOf} = ${parameter}))`;

export async function markNow(query: Query): Promise<string | undefined> {
  const [found] = await query(`SELECT ${newestMark} AS mark`);
  return typeof found?.['mark'] === 'string' ? found['mark'] : undefined;
}

/** Whether the database still holds a move that was seen in it. */
export async function isHeldMark(query: Query, mark: string): Promise<boolean> {
  const [found] = await query(`SELECT ${holdsMark('$1')} AS held`, [mark]);
  return found?.['held'] === true;
}

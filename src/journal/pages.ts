import type { Filter, Journal, Request } from './port.js';

const pageSize = 500;

/** Everything that a filter finds, oldest first, a page in memory at a time: all of it may not fit. */
export async function* findPages(journal: Pick<Journal, 'find'>, filter: Filter): AsyncGenerator<readonly Request[]> {
  for (let after = 0; ; ) {
    const page = await journal.find(filter, { after, limit: pageSize });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = filter.batch === undefined ? last.id : (last.number ?? last.id);
  }
}

/** Request by request. */
export async function* findAll(journal: Pick<Journal, 'find'>, filter: Filter): AsyncGenerator<Request> {
  for await (const page of findPages(journal, filter)) yield* page;
}

/** All of it at once, where it is shown in one piece. */
export async function listAll(journal: Pick<Journal, 'find'>, filter: Filter): Promise<readonly Request[]> {
  const found: Request[] = [];
  for await (const page of findPages(journal, filter)) found.push(...page);
  return found;
}

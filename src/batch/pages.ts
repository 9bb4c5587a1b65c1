import type { Clock } from '../runtime/ports.js';
import type { BatchRow, PlanStore } from './plan.js';

export const pageSize = 500;

/** Every row of a plan in its order, a page in memory at a time; others get their turn in between. */
export async function* pagesOf(plan: Pick<PlanStore, 'rows'>, clock: Pick<Clock, 'sleep'>): AsyncGenerator<BatchRow> {
  for (let from = 1; ; ) {
    const page = plan.rows(from, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    from = (page.at(-1)?.number ?? from) + 1;
    await clock.sleep(0);
  }
}

import { batchMethods } from './batches.js';
import { beginning, beginUnlessEqual } from './begin.js';
import { ask } from './dialect.js';
import { findMethods } from './find.js';
import { Gather } from './gather.js';
import type { Journal } from './port.js';
import { settleGone, settling } from './settle.js';
import { assertNotRestored, type Store } from './store.js';
import { change } from './working-set.js';

const acceptedSql = `INSERT INTO meta VALUES ('accepted', ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING 1 AS done`;

/** The journal in a database, whichever it is. */
export function openJournal(store: Store): Journal {
  const { tables, worker, role, secrets, mark } = store;
  const gather = new Gather(store);
  const flush = async () => {
    await gather.made;
    mark?.catchUp();
  };
  return {
    ...{ worker, role },
    hash: (parts) => secrets.hash(parts),
    get restored() {
      return mark?.restored;
    },
    assertNotRestored: () => assertNotRestored(store),
    ...batchMethods(store),
    ...requestMethods(store, gather),
    ...findMethods(store),
    async acceptRestored(facts) {
      await change(store, function* (set) {
        yield* set.load();
        yield* tables.accept();
        yield* ask(acceptedSql, String(set.now));
        set.events.push({ reason: 'restored-accepted', facts });
      });
      mark?.accept();
    },
    check: async () => tables.check?.() ?? [],
    flush,
    close: () => flush().finally(() => tables.close()),
  };
}

/** Attempts, results and evidence of one moment are one transaction. */
function requestMethods(store: Store, gather: Gather) {
  return {
    async begin(attempts) {
      assertNotRestored(store);
      const begun = await Promise.all(
        attempts.map((attempt) => {
          const { equalSince: since } = attempt;
          if (since === undefined) return gather.add(beginning(attempt));
          return change(store, (set) => beginUnlessEqual(set, attempt, since));
        }),
      );
      // It may have turned out within this very transaction that the store is a copy.
      assertNotRestored(store);
      return begun.filter((each) => each !== undefined);
    },
    settle: (evidence) => Promise.all(evidence.map((one) => gather.add(settling(one)))),
    record: ({ request, batch }, reason, facts) =>
      gather.add({
        decide: ({ events }) =>
          void events.push({ request, reason, facts: batch === undefined ? facts : { ...facts, batch } }),
      }),
    beat: () =>
      gather.add({
        decide(set) {
          set.isWorkerSeen = true;
        },
      }),
    markGone: () => change(store, settleGone),
  } satisfies Partial<Journal>;
}

import { batchMethods } from './batches.js';
import { beginAttempt, beginUnlessEqual } from './begin.js';
import { findMethods } from './find.js';
import { Gather } from './gather.js';
import type { Journal } from './port.js';
import { endAttempt, settleGone, settleRequest } from './settle.js';
import { assertNotRestored, read, type Store } from './store.js';
import { newestFrom, newestSql } from './tables.js';
import { change } from './working-set.js';

/** The journal in a database, whichever it is. */
export function openJournal(store: Store): Journal {
  const { tables, worker, role, secrets } = store;
  const gather = new Gather(store);
  const flush = async () => {
    await gather.finish();
    if (store.restored === undefined) store.mark?.catchUp();
  };
  return {
    ...{ worker, role },
    hash: (parts) => secrets.hash(parts),
    get restored() {
      return store.restored;
    },
    assertNotRestored: () => assertNotRestored(store),
    ...batchMethods(store),
    ...requestMethods(store, gather),
    ...findMethods(store),
    acceptRestored: (facts) => acceptRestored(store, facts),
    check: () => tables.check(),
    flush,
    close: () => flush().finally(() => tables.close()),
  };
}

async function acceptRestored(store: Store, facts: Readonly<Record<string, unknown>>): Promise<void> {
  await change(store, function* (set) {
    yield* store.tables.accept();
    set.events.push({ reason: 'restored-accepted', facts });
  });
  const newest = newestFrom((await read(store, newestSql))[0]);
  if (newest !== undefined) store.mark?.accept(newest);
  store.restored = undefined;
}

/** Attempts, results and evidence of one moment are one transaction. */
function requestMethods(store: Store, gather: Gather) {
  return {
    async begin(attempts) {
      assertNotRestored(store);
      const begun = await Promise.all(
        attempts.map((attempt) => {
          const { equalSince: since } = attempt;
          return since === undefined
            ? gather.add((set) => beginAttempt(set, attempt))
            : change(store, (set) => beginUnlessEqual(set, attempt, since));
        }),
      );
      // It may have turned out within this very transaction that the store is a copy.
      assertNotRestored(store);
      return begun.filter((each) => each !== undefined);
    },
    end: (results) => Promise.all(results.map((one) => gather.add((set) => endAttempt(set, one)))),
    settle: (evidence) => Promise.all(evidence.map((one) => gather.add((set) => settleRequest(set, one)))),
    record: ({ request, batch }, reason, facts) =>
      gather.add(function* (set) {
        yield [];
        set.events.push({ request, reason, facts: batch === undefined ? facts : { ...facts, batch } });
      }),
    beat: () =>
      gather.add(function* (set) {
        yield [];
        set.isWorkerSeen = true;
      }),
    markGone: () => change(store, settleGone),
  } satisfies Partial<Journal>;
}

import { fail } from '../errors/index.js';
import * as batches from './batches.js';
import { beginAttempt, needsOfAttempt } from './begin.js';
import * as find from './find.js';
import { Gather, type Work } from './gather.js';
import type { Journal } from './port.js';
import { newestFrom, newestSql } from './rows.js';
import { endAttempt, needsOfEvidence, settleGone, settleRequest } from './settle.js';
import { read, type Store } from './store.js';
import { change } from './working-set.js';

/** The journal in a database, whichever it is. */
export function openJournal(store: Store): Journal {
  const { secrets, tables } = store;
  const gather = new Gather(store);
  const flush = async () => {
    await gather.finish();
    if (store.restored === undefined) store.mark?.catchUp();
  };
  return {
    ...{ worker: store.worker, role: store.role },
    get restored() {
      return store.restored;
    },
    assertNotRestored: () => assertNotRestored(store),
    hash: (parts) => secrets.hash(parts),
    ...batchMethods(store),
    ...requestMethods(store, gather),
    ...readMethods(store),
    acceptRestored: (facts) => acceptRestored(store, facts),
    check: () => tables.check(),
    flush,
    close: () => flush().finally(() => tables.close()),
  };
}

function assertNotRestored({ restored }: Store): void {
  if (restored === undefined) return;
  throw fail('STORAGE', {
    what: 'the journal',
    why: 'it lacks what this machine recorded in it: an older copy was restored, or the file was lost',
    how: 'nothing was sent; `paycli journal --accept-restored` asks the gateway about what is open, and accepts it',
  });
}

async function acceptRestored(store: Store, facts: Readonly<Record<string, unknown>>): Promise<void> {
  await change(store, function* (set) {
    yield* store.tables.accept();
    yield* set.read([]);
    set.addEvent({ reason: 'restored-accepted', facts });
  });
  const newest = newestFrom((await read(store, newestSql))[0]);
  if (newest !== undefined) store.mark?.accept(newest);
  store.restored = undefined;
}

type BatchMethods = 'addBatch' | 'addRows' | 'changeBatch' | 'takeToSend' | 'giveBack' | 'approve' | 'purgePayloads';

function batchMethods(store: Store): Pick<Journal, BatchMethods> {
  return {
    addBatch: (batch) => change(store, (set) => batches.insertBatch(set, batch)),
    addRows: (batch, rows) => change(store, (set) => batches.insertRows(set, batch, rows)),
    async changeBatch(id, from, to, facts) {
      // Rows that it takes for unsent may have been sent.
      if (to.state === 'cancelled') assertNotRestored(store);
      return change(store, (set) => batches.updateBatch(set, { id, from, change: to, facts }));
    },
    takeToSend: (batch, limit) => change(store, (set) => batches.takeToSend(set, batch, limit)),
    giveBack: (batch) => change(store, (set) => batches.giveBack(set, batch)),
    approve: (approval) => change(store, (set) => batches.insertApproval(set, approval)),
    purgePayloads: (batch) => change(store, () => batches.clearPayloads(batch)),
  };
}

type RequestMethods = 'begin' | 'end' | 'settle' | 'record' | 'beat' | 'markGone' | 'takeToAsk' | 'see';

/** Attempts, results and evidence of one moment are one transaction. */
function requestMethods(store: Store, gather: Gather): Pick<Journal, RequestMethods> {
  return {
    async begin(attempts) {
      assertNotRestored(store);
      const added = attempts.map((attempt) =>
        gather.add({
          needs: { ids: listed(attempt.id), batches: listed(attempt.batch) },
          further: (set) => needsOfAttempt(set, attempt),
          // It may have turned out within this very transaction that the store is a copy.
          make: (set) => (store.restored === undefined ? beginAttempt(set, attempt) : undefined),
        }),
      );
      const begun = await Promise.all(added);
      assertNotRestored(store);
      return begun.filter((each) => each !== undefined);
    },
    end: (results) =>
      Promise.all(
        results.map((result) => gather.add({ ...evidenceOn(result.id), make: (set) => endAttempt(set, result) })),
      ),
    settle: (evidence) =>
      Promise.all(evidence.map((one) => gather.add({ ...evidenceOn(one.id), make: (set) => settleRequest(set, one) }))),
    async record({ request, batch }, reason, facts) {
      const about = batch === undefined ? facts : { ...facts, batch };
      await gather.add({ needs: {}, make: (set) => set.addEvent({ request, reason, facts: about }) });
    },
    beat: () => gather.add({ needs: {}, make: (set) => set.seeWorker() }),
    markGone: () => change(store, settleGone),
    takeToAsk: (filter, limit, pause) =>
      change(store, ({ now }) => find.takeToAsk(store.tables, now, { filter, limit, pause })),
    see: (orders) => change(store, () => find.saveSeen(orders)),
  };
}

function evidenceOn(id: number): Pick<Work<unknown>, 'needs' | 'further'> {
  return { needs: { ids: [id], raised: [id] }, further: (set) => needsOfEvidence(set, id) };
}

function listed<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}

type ReadMethods = 'find' | 'total' | 'findEqual' | 'events' | 'spent' | 'findSeen';
type BatchReadMethods = 'findBatches' | 'areRowsHeld' | 'approvals' | 'readPayloads';

function readMethods(store: Store): Pick<Journal, ReadMethods | BatchReadMethods> {
  return {
    find: (filter, page) => find.findRequests(store, filter, page),
    total: (filter) => find.totalRequests(store, filter),
    findEqual: (requests, since) => find.findEqual(store, requests, since),
    events: (about) => find.readEvents(store, about),
    spent: async (merchant, at) => find.readSpent(store, merchant, at ?? (await store.tables.now())),
    findSeen: (filter, page) => find.findSeenOrders(store, filter, page),
    findBatches: (id) => batches.readBatches(store, id),
    areRowsHeld: (batch) => batches.areRowsHeld(store, batch),
    approvals: (batch) => batches.readApprovals(store, batch),
    readPayloads: (ids) => batches.decryptPayloads(store, ids),
  };
}

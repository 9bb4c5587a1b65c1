// @module-tag openssl
// @module-tag strace
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program, quoted } from '../e2e/program.js';
import { openJournalOf } from '../support/user-journal.js';
import { CachedDisk, type Files, filesBelow, type View, writeFiles } from './cached-disk.js';
import { type Call, callsIn, recording } from './calls.js';
import { expectFinished, type Payouts, type Planned, runFlags, startPayouts } from './payouts.js';

// Every cut in a long run.
const isLong = process.env['EVERY_CUT'] !== undefined;
const rows = isLong ? 6 : 3;
const cutEvery = isLong ? 1 : 10;
const resumeEvery = isLong ? 1 : 60;

/** The whole of a disk, nothing but what was flushed, and the two things a file system may make of it. */
const views: readonly View[] = [
  { names: 'written', bytes: 'written' },
  { names: 'flushed', bytes: 'flushed' },
  { names: 'written', bytes: 'flushed' },
  { names: 'flushed', bytes: 'written' },
];

let payouts: Payouts;
let planned: Planned;
let disk: CachedDisk;
let calls: readonly Call[];

beforeAll(async () => {
  payouts = await startPayouts();
  const { home } = payouts;
  planned = await payouts.plan(rows);
  disk = new CachedDisk(home.path);
  const file = join(home.path, 'trace');
  const words = [...recording(file), process.execPath, await program(), 'batch', 'run', planned.id, ...runFlags];
  const { exit, err } = await home.shell(`exec ${words.map(quoted).join(' ')}`);
  expect(exit, err).toBe(0);
  calls = callsIn(readFileSync(file, 'latin1'));
  rmSync(file);
});

afterAll(() => payouts.close());

/** The order whose payout leaves with a call. */
function payoutIn(call: Call): string | undefined {
  if (call.kind !== 'send' || !call.socket.endsWith(`:${payouts.port}]`)) return undefined;
  const [head = '', body = ''] = call.bytes.toString('latin1').split('\r\n\r\n');
  return /^POST \S*\/payout\//.test(head) ? String(new URLSearchParams(body).get('client_orderid')) : undefined;
}

/** Orders whose `sending` stands in a journal, which opens without a remark and has nothing wrong. */
async function begunIn(files: Files): Promise<string[]> {
  const { path: home } = payouts.home;
  const folder = mkdtempSync(join(tmpdir(), 'paycli-cut-'));
  try {
    const wanted = ['state/requests.db', 'config/journal'].map((name) => join(home, name));
    const parts = [...files].filter(([path]) => wanted.some((start) => path.startsWith(start)));
    writeFiles(new Map(parts.map(([path, bytes]) => [path.replace(home, folder), bytes])));
    const journal = openJournalOf(folder);
    const begun: string[] = [];
    for (const { id, clientOrderId } of await journal.find({}, { after: 0, limit: 1000 })) {
      const events = await journal.events({ request: id });
      if (events.some(({ to }) => to === 'sending')) begun.push(String(clientOrderId));
    }
    expect([journal.restored, await journal.check()]).toEqual([undefined, []]);
    await journal.close();
    return begun;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The merchant wakes up with this disk, and the gateway has what had left. */
async function expectResumed(files: Files, sent: ReadonlySet<string>): Promise<void> {
  const { home, paid } = payouts;
  for (const name of readdirSync(home.path)) rmSync(join(home.path, name), { recursive: true, force: true });
  writeFiles(files);
  paid.clear();
  for (const order of sent) paid.set(order, 1);
  await expectFinished(payouts, planned);
}

/** Paths only: some of the files are keys. */
function differing(some: Files, others: Files): string[] {
  const paths = new Set([...some.keys(), ...others.keys()]);
  return [...paths].filter((path) => some.get(path)?.equals(others.get(path) ?? Buffer.of(0)) !== true);
}

test('F36 whenever the power is cut, what had left stands in the journal, and no row is sent twice', {
  timeout: isLong ? 3_600_000 : 120_000,
}, async () => {
  const sent = new Set<string>();
  const real = filesBelow(payouts.home.path);
  let resumed = 0;
  for (const [at, call] of calls.entries()) {
    const order = payoutIn(call);
    if (order !== undefined) sent.add(order);
    disk.apply(call);
    const isAround = order !== undefined || payoutIn(calls[at + 1] ?? call) !== undefined;
    if (at % cutEvery > 0 && !isAround) continue;
    for (const view of views) {
      const begun = await begunIn(disk.files(view));
      const missing = [...sent].filter((each) => !begun.includes(each));
      expect(missing, `cut after call ${at} with ${JSON.stringify(view)}`).toEqual([]);
    }
    if (at % resumeEvery === 0 || order === planned.orders.at(-1)) {
      await expectResumed(disk.files(views[resumed % views.length] ?? { names: 'flushed', bytes: 'flushed' }), sent);
      resumed += 1;
    }
    // So that the gateway and the runner get their turn.
    await turn();
  }
  expect([...sent].sort()).toEqual(planned.orders);
  // The model made of the calls what the system made of them.
  expect(differing(disk.files({ names: 'written', bytes: 'written' }), real)).toEqual([]);
});

// @module-tag openssl
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFinished, type Payouts, runFlags, startPayouts } from './payouts.js';
import { answer, type Fault, faults, redirect } from './server.js';

// 100,000 rows before a release.
const rows = Number(process.env['RELEASE_ROWS'] ?? 24);
const kills = 3;

/** What a gateway answers instead, to a payout that it made or did not make. */
const answers: readonly Fault[] = [
  ...[faults.resetAfterBody, faults.closeAfterBody, faults.truncated, faults.brokenJson, faults.html, faults.empty],
  ...[faults.plainText, faults.gzipHeader, faults.notHttp, answer('', { status: 500 })],
  ...[answer('', { status: 429, headers: ['retry-after: 0'] }), redirect(307, 'http://127.0.0.1:9/')],
];

let payouts: Payouts;
beforeAll(async () => {
  payouts = await startPayouts();
});
afterAll(() => payouts.close());

test(`F70 ${rows} payouts through every fault and ${kills} kills: none is paid twice, and none is lost`, {
  timeout: 120_000 + rows * 120,
}, async () => {
  const { home, paid } = payouts;
  const plan = await payouts.plan(rows);
  let arrived = 0;
  let isOver = () => {};
  let stop = rows;
  // The last fifth has no faults: a row that a kill kept back never arrives.
  payouts.onFault(() => {
    arrived += 1;
    if (arrived >= stop) isOver();
    if (arrived % 3 !== 0 || arrived > rows * 0.8) return undefined;
    return { wasMade: arrived % 2 === 0, fault: answers[(arrived / 3) % answers.length] ?? faults.silence };
  });
  for (let kill = 1; kill <= kills; kill += 1) {
    stop = (rows * kill) / (kills + 1);
    const running = await home.start(['batch', 'run', plan.id, ...runFlags]);
    isOver = () => running.signal('SIGKILL');
    const { exit, err } = await running.done;
    expect([null, 8, 12], err).toContain(exit);
    expect([...paid].filter(([, times]) => times !== 1)).toEqual([]);
  }
  payouts.onFault(() => undefined);
  await expectFinished(payouts, plan);
});

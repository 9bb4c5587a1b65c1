// A large batch: time and most memory of its plan and of its run, at a tenth of the rows and at all of them, and how soon
// `batch run` asks the gateway something after the run was killed in the middle.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { paycli, payoutPlanFlags, peakIn, recordingPeak, row, scratch, startSandbox } from './harness.mjs';

export const title = 'Large batch';

const flags = ['--no-wait', '--concurrency', '16', '--rate', '10000/s', '--quiet'];
let files = 0;

export async function measure({ manyRows: all }) {
  const sandbox = await startSandbox();
  const [few, many] = [await planAndRun(Math.ceil(all / 10), sandbox), await planAndRun(all, sandbox)];
  const { killedAt, firstRequestMs, firstPayoutMs } = await killed(all, sandbox);
  const compared = (what, unit, of) =>
    row({
      what,
      unit,
      values: [of(many)],
      beside: `with ${few.count.toLocaleString('en')} rows`,
      besideValues: [of(few)],
    });
  return {
    method: `${all.toLocaleString('en')} payouts, once`,
    rows: [
      compared('rows planned', '/s', ({ count, plan }) => count / plan.seconds),
      compared('rows run', '/s', ({ count, run }) => count / run.seconds),
      compared('memory of the plan', 'MiB', ({ plan }) => plan.mebibytes),
      compared('memory of the run', 'MiB', ({ run }) => run.mebibytes),
      row({
        what: 'most memory of both',
        unit: 'MiB',
        values: [Math.max(many.plan.mebibytes, many.run.mebibytes)],
        goal: { atMost: 200 },
      }),
      row({
        what: `\`batch run\` after a kill at row ${killedAt.toLocaleString('en')}: to its first request`,
        unit: 'ms',
        values: [firstRequestMs],
      }),
      row({ what: 'the same, to its first new row', unit: 'ms', values: [firstPayoutMs] }),
    ],
  };
}

async function planAndRun(count, sandbox) {
  const { plan, ...planned } = await planRows(count, sandbox);
  const run = await runRows(plan, count, sandbox);
  return { count, plan: planned, run };
}

/** Runs paycli to its end; what it printed, how long it took and its most memory. */
function measureRun(argv, env, allowed) {
  const began = performance.now();
  const child = spawn(process.execPath, [...recordingPeak, paycli, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  child.stderr.on('data', (piece) => {
    err += piece;
  });
  return new Promise((resolve, reject) => {
    child.once('close', (exit) => {
      if (!allowed.includes(exit)) return reject(new Error(`${argv.slice(0, 2).join(' ')} ended with ${exit}: ${err}`));
      resolve({ out, seconds: (performance.now() - began) / 1000, mebibytes: peakIn(err) });
    });
  });
}

async function planRows(count, { settings }) {
  files += 1;
  const path = join(scratch, `payouts-${files}.csv`);
  const file = openSync(path, 'w', 0o600);
  writeSync(file, 'client_orderid,amount,currency,account_number,bank_name,bank_branch\n');
  for (let at = 1; at <= count; at += 1)
    writeSync(file, `large-${files}-${at},1.00,EUR,DE02120300000000${at},Bank,Main\n`);
  closeSync(file);
  const { out, ...figures } = await measureRun(['batch', 'plan', path, ...payoutPlanFlags(count)], settings, [0]);
  return { plan: JSON.parse(out).plan, ...figures };
}

async function runRows(plan, count, sandbox) {
  const before = payouts(sandbox);
  const { seconds, mebibytes } = await measureRun(['batch', 'run', plan, ...flags], sandbox.settings, [0, 7]);
  if (payouts(sandbox) - before !== count)
    throw new Error(`${payouts(sandbox) - before} payouts came of ${count} rows`);
  return { seconds, mebibytes };
}

async function killed(count, sandbox) {
  const { plan } = await planRows(count, sandbox);
  const before = payouts(sandbox);
  await runUntil(() => payouts(sandbox) - before >= count / 2, plan, sandbox);
  const killedAt = payouts(sandbox) - before;
  const { last } = query(sandbox, 'SELECT max(id) AS last FROM events');
  const began = Date.now();
  // Asked while it runs: the sandbox keeps its newest events only.
  const since = async (title) => {
    for (;;) {
      const { at } = query(
        sandbox,
        'SELECT min(machine_at) AS at FROM events WHERE id > ? AND title LIKE ?',
        last,
        title,
      );
      if (at !== null) return at - began;
      await pause(50);
    }
  };
  const resumed = measureRun(['batch', 'run', plan, ...flags], sandbox.settings, [0, 7, 8]);
  const [firstRequestMs, firstPayoutMs] = await Promise.all([since('%'), since('PAYOUT accepted'), resumed]);
  const paid = payouts(sandbox) - before;
  if (paid > count) throw new Error(`${paid} payouts came of ${count} rows`);
  return { killedAt, firstRequestMs, firstPayoutMs };
}

async function runUntil(isTime, plan, { settings }) {
  const running = spawn(process.execPath, [paycli, 'batch', 'run', plan, ...flags], { env: settings, stdio: 'ignore' });
  const over = new Promise((resolve) => running.once('exit', resolve));
  while (!isTime() && running.exitCode === null) await pause(50);
  running.kill('SIGKILL');
  await over;
  if (running.exitCode !== null) throw new Error(`the run ended with ${running.exitCode} before it was killed`);
  // What was on its way still arrives.
  await pause(500);
}

function payouts(sandbox) {
  return query(sandbox, "SELECT count(*) AS n FROM transactions WHERE kind = 'payout'").n;
}

/** In the sandbox's own file. */
function query({ settings }, sql, ...values) {
  const database = new DatabaseSync(join(settings.PAYCLI_STATE_DIR, 'sandbox/default.db'), { readOnly: true });
  try {
    return database.prepare(sql).get(...values);
  } finally {
    database.close();
  }
}

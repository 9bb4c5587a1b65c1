// A large batch: time and peak memory of its plan and of its run, at a tenth of the rows and at all of them, and how soon
// `batch resume` asks the gateway something after the run was killed in the middle.
// Run after `npm run build`: node test/bench/batch-large.mjs [rows] [--json]; 100,000 rows when left out.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';

const root = fileURLToPath(new URL('../..', import.meta.url));
const given = process.argv.slice(2);
const rows = Number(given.find((word) => /^\d+$/.test(word)) ?? 100_000);
const scratch = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
const env = { ...process.env, PAYCLI_STATE_DIR: join(scratch, 'state'), PAYCLI_CONFIG_DIR: join(scratch, 'config') };
const paycli = join(root, 'bin/paycli.js');
const flags = ['--no-wait', '--concurrency', '16', '--rate', '10000/s', '--quiet'];
// Told by the program itself at its end: nothing else on the machine counts.
const peak = "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS))";
const measured = ['--import', `data:text/javascript,${encodeURIComponent(peak)}`, paycli];
let files = 0;
let sandbox;

try {
  const settings = await startSandbox();
  const figures = [];
  for (const count of [Math.ceil(rows / 10), rows]) {
    const { plan, ...planned } = await planRows(count, settings);
    tell('plan', count, planned);
    const run = await runRows(plan, count, settings);
    tell('run ', count, run);
    figures.push({ rows: count, plan: planned, run });
  }
  report(figures, await killed(settings));
} finally {
  sandbox?.kill();
  rmSync(scratch, { recursive: true, force: true });
}

/** As it comes: all of it takes minutes. */
function tell(what, count, { seconds, mebibytes }) {
  if (given.includes('--json')) return;
  console.log(`${what} ${count} rows: ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)} rows/s, peak ${mebibytes} MiB`);
}

function report(figures, resume) {
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.versions.node}`;
  if (given.includes('--json')) return console.log(JSON.stringify({ figures, resume, machine }, null, 2));
  const { killedAt, firstRequestMs, firstPayoutMs, inDoubt } = resume;
  console.log(`killed at ${killedAt} of ${rows} rows: \`batch resume\` sends its first request after ${firstRequestMs} ms,`);
  console.log(`its first row after ${firstPayoutMs} ms; ${inDoubt} rows stay in doubt`);
  console.log(machine);
}

async function startSandbox() {
  sandbox = spawn(process.execPath, [paycli, 'sandbox', 'start', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    const listen = (piece) => {
      said += piece;
      const ready = /sandbox ready: (\S+)/.exec(said);
      if (ready !== null) resolve(ready[1]);
    };
    sandbox.stdout.on('data', listen);
    sandbox.stderr.on('data', listen);
    sandbox.once('exit', () => reject(new Error(said)));
  });
  const { merchants } = JSON.parse(execFileSync(process.execPath, [paycli, 'sandbox', 'status', '--json'], { env, encoding: 'utf8' }));
  const key = join(scratch, 'control.key');
  writeFileSync(key, merchants[0].controlKey, { mode: 0o600 });
  const place = { PAYCLI_BASE_URL: url, PAYCLI_LOGIN: merchants[0].login, PAYCLI_ENDPOINT_ID: '4001', PAYCLI_CONTROL_KEY_FILE: key };
  return { ...env, ...place };
}

/** Runs paycli to its end; what it printed, how long it took and its peak memory. */
function measure(argv, settings, allowed) {
  const began = performance.now();
  const child = spawn(process.execPath, [...measured, ...argv], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
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
      const mebibytes = Math.round(Number(/peak (\d+)/.exec(err)?.[1]) / 1024);
      resolve({ out, seconds: (performance.now() - began) / 1000, mebibytes });
    });
  });
}

async function planRows(count, settings) {
  files += 1;
  const path = join(scratch, `payouts-${files}.csv`);
  const file = openSync(path, 'w', 0o600);
  writeSync(file, 'client_orderid,amount,currency,account_number,bank_name,bank_branch\n');
  for (let row = 1; row <= count; row += 1) writeSync(file, `large-${files}-${row},1.00,EUR,DE02120300000000${row},Bank,Main\n`);
  closeSync(file);
  const words = ['--operation', 'payout', '--expect-count', String(count), '--expect-total', `EUR=${count}.00`];
  const { out, ...figures } = await measure(['batch', 'plan', path, ...words, '--template', '{{plan}}'], settings, [0]);
  return { plan: out.trim(), ...figures };
}

async function runRows(plan, count, settings) {
  const before = payouts();
  const { seconds, mebibytes } = await measure(['batch', 'run', plan, ...flags], settings, [0, 7]);
  if (payouts() - before !== count) throw new Error(`${payouts() - before} payouts came of ${count} rows`);
  return { seconds, mebibytes };
}

async function killed(settings) {
  const { plan } = await planRows(rows, settings);
  const before = payouts();
  const running = spawn(process.execPath, [paycli, 'batch', 'run', plan, ...flags], { env: settings, stdio: 'ignore' });
  const over = new Promise((resolve) => running.once('exit', resolve));
  while (payouts() - before < rows / 2 && running.exitCode === null) await pause(100);
  running.kill('SIGKILL');
  await over;
  if (running.exitCode !== null) throw new Error(`the run ended with ${running.exitCode} before it was killed`);
  // What was on its way still arrives.
  await pause(500);
  const killedAt = payouts() - before;
  const { last } = query('SELECT max(id) AS last FROM events');
  const began = Date.now();
  // Asked while it runs: the sandbox keeps its newest events only.
  const since = async (title) => {
    for (;;) {
      const { at } = query('SELECT min(machine_at) AS at FROM events WHERE id > ? AND title LIKE ?', last, title);
      if (at !== null) return at - began;
      await pause(50);
    }
  };
  const resumed = measure(['batch', 'resume', plan, ...flags], settings, [0, 7, 8]);
  const [firstRequestMs, firstPayoutMs] = await Promise.all([since('%'), since('PAYOUT accepted'), resumed]);
  const paid = payouts() - before;
  if (paid > rows) throw new Error(`${paid} payouts came of ${rows} rows`);
  return { killedAt, firstRequestMs, firstPayoutMs, inDoubt: rows - paid };
}

function payouts() {
  return query("SELECT count(*) AS n FROM transactions WHERE kind = 'payout'").n;
}

/** In the sandbox's own file. */
function query(sql, ...values) {
  const database = new DatabaseSync(join(scratch, 'state/data/sandbox/default.db'), { readOnly: true });
  try {
    return database.prepare(sql).get(...values);
  } finally {
    database.close();
  }
}

// Payouts per second of one batch in PostgreSQL, its fsync on, that two `paycli batch run` send together, and the statements of its
// server for each row. Database, gateway and both workers share this machine.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { bare } from './batch.mjs';
import { paycli, payoutPlanFlags, row, scratch, startSandbox } from './harness.mjs';

export const title = 'Shared batch';

const workers = 2;
const lanes = 32;
const rounds = 3;
const port = 21_432;
const installed = '/usr/lib/postgresql';
// A server refuses to run as root.
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
let made = 0;

export async function measure({ rows: count }) {
  const database = await startDatabase();
  const sandbox = await startSandbox('--settle-ms', '0');
  const [rates, floor, statements] = [[], [], []];
  for (let turn = 0; turn < rounds; turn += 1) {
    await query('SELECT pg_stat_statements_reset()');
    const plan = newPlan(sandbox, database, count);
    await query('SELECT pg_stat_statements_reset()');
    const began = performance.now();
    await Promise.all(plan.homes.map((env) => run(['batch', 'run', plan.id, ...flags], env)));
    rates.push((count / (performance.now() - began)) * 1000);
    const [{ calls }] = await query('SELECT sum(calls)::int AS calls FROM pg_stat_statements');
    statements.push(calls / count);
    floor.push(await bare(sandbox, count));
  }
  return {
    method: `${count.toLocaleString('en')} payouts, ${workers} workers of ${lanes} at once, final replies, ${rounds} turns`,
    rows: [
      row({ what: 'two `paycli batch run` on one journal', unit: '/s', values: rates, goal: { atLeast: 1000 } }),
      row({ what: 'the same', unit: '/s', values: rates, beside: 'a bare undici loop', besideValues: floor }),
      row({ what: 'statements of the server for a row', unit: '', values: statements, goal: { atMost: 0.3 } }),
    ],
  };
}

const flags = ['--no-wait', '--concurrency', String(lanes), '--rate', '10000/s', '--quiet'];

async function startDatabase() {
  const version = existsSync(installed) ? readdirSync(installed).toSorted((a, b) => b - a)[0] : undefined;
  if (version === undefined) throw new Error('PostgreSQL is not installed');
  const tool = (name) => join(installed, version, 'bin', name);
  chmodSync(scratch, 0o755);
  const folder = mkdtempSync(join(scratch, 'postgres-'));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  execFileSync(tool('initdb'), ['-A', 'trust', '-U', 'postgres', '-D', data], { ...owner, cwd: folder, stdio: 'pipe' });
  const settings = ['shared_preload_libraries=pg_stat_statements', `unix_socket_directories=${folder}`];
  const words = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
  const server = spawn(tool('postgres'), words, { ...owner, cwd: folder, stdio: 'ignore' });
  // It lives as long as the bench, and the bench ends without it.
  server.unref();
  process.once('exit', () => server.kill('SIGQUIT'));
  for (let left = 100; ; left -= 1) {
    try {
      await query('CREATE EXTENSION pg_stat_statements');
      return `postgres://postgres@127.0.0.1:${port}/postgres`;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

async function query(sql) {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A plan, and the settings of two machines that may send it. */
function newPlan({ url, login, keyFile, env }, journal, count) {
  made += 1;
  const homes = Array.from({ length: workers }, () => {
    const home = mkdtempSync(join(scratch, 'machine-'));
    mkdirSync(join(home, 'config'));
    writeFileSync(join(home, 'config/team.key'), 'k'.repeat(40), { mode: 0o600 });
    const profile = `class: sandbox, base-url: "${url}", login: ${login}, endpoint-id: 4001, control-key: {file: ${keyFile}}`;
    const shared = `journal: "${journal}", journal-key: {file: team.key}`;
    writeFileSync(
      join(home, 'config/config.yaml'),
      `default-profile: shop\nprofiles:\n  shop: {${profile}, ${shared}}\n`,
    );
    return {
      ...{ ...env, HOME: home, PAYCLI_PROFILE: undefined },
      ...{ PAYCLI_CONFIG_DIR: join(home, 'config'), PAYCLI_STATE_DIR: join(home, 'state') },
    };
  });
  const lines = Array.from({ length: count }, (_, at) => `s${process.pid}-${made}-${at},1.00,EUR,DE${at},DKB,Berlin`);
  const file = join(scratch, `shared-${made}.csv`);
  writeFileSync(file, ['client_orderid,amount,currency,account_number,bank_name,bank_branch', ...lines, ''].join('\n'));
  const words = [paycli, 'batch', 'plan', file, ...payoutPlanFlags(count)];
  const { plan: id } = JSON.parse(execFileSync(process.execPath, words, { env: homes[0], encoding: 'utf8' }));
  return { id, homes };
}

function run(words, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [paycli, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (piece) => {
      said += piece;
    });
    child.once('exit', (code) =>
      [0, 7].includes(code) ? resolve() : reject(new Error(`ended with ${code}: ${said}`)),
    );
  });
}

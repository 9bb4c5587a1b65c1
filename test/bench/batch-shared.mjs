// A batch that several machines send: rows in a second of one, two and four workers, what each row costs the database, and how
// long a large plan takes to be put there.
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  freshSettings,
  leftOut,
  paycli,
  payoutPlanFlags,
  peakIn,
  recordingPeak,
  row,
  scratch,
  startSandbox,
} from './harness.mjs';

export const title = 'Shared batch';

const port = 25_432;
const ticksPerSecond = 100;
let made = 0;

export async function measure({ rows, manyRows }) {
  const tools = toolsFolder();
  if (tools === undefined) {
    leftOut.push({ peer: 'PostgreSQL', why: 'it is not installed' });
    return { method: 'left out', rows: [] };
  }
  const server = await startServer(tools);
  try {
    const sandbox = await startSandbox();
    const runs = [];
    for (const workers of [1, 2, 4]) runs.push(await work(workers, rows, sandbox));
    const kept = await archive(runs[0], rows, sandbox);
    const large = await putIn(manyRows, sandbox);
    const [alone] = runs;
    return {
      method: `${rows.toLocaleString('en')} payouts, 16 at once for each worker; ${manyRows.toLocaleString('en')} put in`,
      rows: [
        ...runs.map(({ workers, perSecond }) =>
          row({
            what: `rows sent, workers: ${workers}`,
            unit: '/s',
            values: [perSecond],
            beside: 'one worker',
            besideValues: [alone.perSecond],
          }),
        ),
        ...runs.flatMap(({ workers, cpu }) =>
          Object.entries(cpu).map(([who, ms]) =>
            row({ what: `processor time of a row, ${who}, workers: ${workers}`, unit: 'ms', values: [ms] }),
          ),
        ),
        row({ what: 'statements of a row, one worker', unit: '', values: [alone.statements] }),
        row({ what: 'transactions of a row, one worker', unit: '', values: [alone.transactions] }),
        ...Object.entries({ ...kept, ...large }).map(([what, [value, unit]]) => row({ what, unit, values: [value] })),
      ],
    };
  } finally {
    server.kill('SIGQUIT');
  }
}

function toolsFolder() {
  const root = '/usr/lib/postgresql';
  const found = existsSync(root) ? readdirSync(root).sort().reverse() : [];
  return found.map((version) => join(root, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')));
}

async function startServer(tools) {
  const folder = join(scratch, 'postgres');
  mkdirSync(folder);
  // A server refuses to run as root.
  const owner = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  if (owner !== undefined) for (const path of [scratch, folder]) chownSync(path, owner.uid, owner.gid);
  const data = join(folder, 'data');
  execFileSync(join(tools, 'initdb'), ['-A', 'trust', '-E', 'UTF8', '--locale=C', '-U', 'postgres', '-D', data], {
    ...owner,
    cwd: folder,
    stdio: 'pipe',
  });
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'shared_preload_libraries=pg_stat_statements',
  ];
  const server = spawn(
    join(tools, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])],
    {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
    },
  );
  process.once('exit', () => server.kill('SIGQUIT'));
  for (let tries = 0; ; tries += 1) {
    try {
      await query('SELECT 1', 'postgres');
      return server;
    } catch (error) {
      if (tries > 100) throw error;
      await pause(100);
    }
  }
}

async function query(sql, database, values = []) {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

async function newDatabase() {
  made += 1;
  const name = `bench_${made}`;
  await query(`CREATE DATABASE ${name}`, 'postgres');
  await query('CREATE EXTENSION pg_stat_statements', name);
  return name;
}

/** Plans so many rows; the plan, and what it took. */
async function planRows(count, settings) {
  const path = join(settings.HOME, 'payouts.csv');
  const file = openSync(path, 'w', 0o600);
  writeSync(file, 'client_orderid,amount,currency,account_number,bank_name,bank_branch\n');
  for (let at = 1; at <= count; at += 1)
    writeSync(file, `shared-${made}-${at},1.00,EUR,DE02120300000000${at},Bank,Main\n`);
  closeSync(file);
  return run(['batch', 'plan', path, ...payoutPlanFlags(count)], settings).done;
}

/** Starts paycli; `done` is what it printed, its time and most memory. */
function run(argv, env, allowed = [0]) {
  const began = performance.now();
  const child = spawn(process.execPath, [...recordingPeak, paycli, ...argv], {
    env,
    cwd: env.HOME,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  child.stderr.on('data', (piece) => {
    err += piece;
  });
  const done = new Promise((resolve, reject) =>
    child.once('close', (exit) =>
      allowed.includes(exit)
        ? resolve({ out: out.trim(), seconds: (performance.now() - began) / 1000, mebibytes: peakIn(err) })
        : reject(new Error(`${argv.slice(0, 2).join(' ')} ended with ${exit}: ${err}`)),
    ),
  );
  return { pid: child.pid, done };
}

function way(database, settings) {
  const key = join(settings.HOME, 'rows.key');
  writeFileSync(key, 'ab'.repeat(32), { mode: 0o600 });
  return ['--engine', `postgres://postgres@127.0.0.1:${port}/${database}`, '--row-key-file', key];
}

/** Milliseconds of processor time that the processes whose command line holds this took so far. */
function cpuOf(...texts) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      if (!texts.some((text) => line.includes(text))) continue;
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile.
    }
  }
  return (ticks * 1000) / ticksPerSecond;
}

async function work(workers, count, sandbox) {
  const database = await newDatabase();
  const { settings } = sandbox;
  const { out: plan } = await planRows(count, settings);
  const flags = ['--concurrency', '16', '--rate', '10000/s', '--quiet'];
  // The first row alone, so that all start at one moment.
  await run(['batch', 'run', plan, ...way(database, settings), '--max-rows', '1', ...flags], settings, [12]).done;
  await query('DELETE FROM paycli.run_limits', database);
  const homes = Array.from({ length: workers - 1 }, () => {
    const { HOME, PAYCLI_CONFIG_DIR, PAYCLI_STATE_DIR } = freshSettings();
    return { ...settings, HOME, PAYCLI_CONFIG_DIR, PAYCLI_STATE_DIR };
  });
  await query('SELECT pg_stat_statements_reset()', database);
  const [{ xact: before }] = await query(
    `SELECT xact_commit AS xact FROM pg_stat_database WHERE datname = '${database}'`,
    database,
  );
  const gatewayBefore = cpuOf('sandbox start');
  const serverBefore = cpuOf(`postgres 127.0.0.1`, `postgres: postgres ${database}`);
  const running = [
    run(['batch', 'resume', plan, ...way(database, settings), ...flags], settings),
    ...homes.map((home) => run(['batch', 'work', plan, ...way(database, home), ...flags], home)),
  ];
  let [gateway, server, own] = [0, 0, 0];
  const watch = setInterval(() => {
    gateway = Math.max(gateway, cpuOf('sandbox start') - gatewayBefore);
    server = Math.max(server, cpuOf(`postgres: postgres ${database}`) - serverBefore);
    own = Math.max(own, cpuOf('batch resume', 'batch work'));
  }, 200);
  await Promise.all(running.map(({ done }) => done));
  clearInterval(watch);
  const [{ seconds }] = await query(
    "SELECT extract(epoch FROM max(at) - min(at))::float8 AS seconds FROM paycli.moves WHERE to_state = 'done' AND id > 3",
    database,
  );
  const [{ calls }] = await query(
    `SELECT sum(calls)::int AS calls FROM pg_stat_statements JOIN pg_database ON oid = dbid WHERE datname = '${database}'`,
    database,
  );
  await pause(1000);
  const [{ xact }] = await query(
    `SELECT xact_commit AS xact FROM pg_stat_database WHERE datname = '${database}'`,
    database,
  );
  return {
    ...{ workers, plan, database },
    perSecond: (count - 1) / seconds,
    statements: calls / count,
    transactions: (xact - before) / count,
    cpu: { sandbox: gateway / count, PostgreSQL: server / count, workers: own / count },
  };
}

/** What a finished batch takes before and after it is archived, both without what the next rows would fill. */
async function archive({ plan, database }, count, { settings }) {
  const live = async () => {
    await query('VACUUM FULL', database);
    const tables = await query(
      `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
       WHERE oid IN ('paycli.gate'::regclass, 'paycli.moves'::regclass) ORDER BY 1`,
      database,
    );
    return tables.map(({ name, bytes }) => [name, (bytes / 2 ** 20) * (1_000_000 / count)]);
  };
  const named = (when, tables) =>
    Object.fromEntries(tables.map(([name, size]) => [`${name} ${when}, a million rows`, [size, 'MiB']]));
  const before = await live();
  const archived = await run(['batch', 'archive', plan, ...way(database, settings)], settings).done;
  return {
    ...named('of a finished batch', before),
    ...named('once it is archived', await live()),
    'time to archive, a million rows': [(archived.seconds * 1_000_000) / count, 's'],
  };
}

/** A large plan: made, put in, and one row of it sent. */
async function putIn(count, { settings }) {
  const database = await newDatabase();
  const planned = await planRows(count, settings);
  const put = await run(
    ['batch', 'run', planned.out, ...way(database, settings), '--max-rows', '1', '--rate', '10000/s', '--quiet'],
    settings,
    [12],
  ).done;
  const sizes = await query(
    `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes, pg_indexes_size(oid)::float8 AS indexes FROM pg_class
     WHERE relkind = 'r' AND relnamespace IN ('paycli'::regnamespace, 'paycli_jobs'::regnamespace)
     AND pg_total_relation_size(oid) > 1000000 ORDER BY 2 DESC`,
    database,
  );
  const indexes = await query(
    `SELECT indexrelid::regclass::text AS name, pg_relation_size(indexrelid)::float8 AS bytes FROM pg_index
     WHERE indrelid = 'paycli.gate'::regclass ORDER BY 2 DESC`,
    database,
  );
  const perMillion = (bytes) => (bytes / 2 ** 20) * (1_000_000 / count);
  return {
    'large plan: made': [planned.seconds, 's'],
    'its memory': [planned.mebibytes, 'MiB'],
    'put into the database, one row sent': [put.seconds, 's'],
    'its memory ': [put.mebibytes, 'MiB'],
    ...Object.fromEntries(sizes.map(({ name, bytes }) => [`${name}, a million rows`, [perMillion(bytes), 'MiB']])),
    ...Object.fromEntries(
      indexes.map(({ name, bytes }) => [`index ${name}, a million rows`, [perMillion(bytes), 'MiB']]),
    ),
  };
}

// What paycli takes from the call to its end, beside `node -e 0`, in turns: medians, and how many times the floor that is.
// Run after `npm run build`: node test/bench/startup.mjs [pairs] [--json]. Another process on the machine shows in every figure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const given = process.argv.slice(2);
const pairs = Number(given.find((word) => /^\d+$/.test(word)) ?? 21);
const program = fileURLToPath(new URL('../../bin/paycli.js', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
const env = { PATH: process.env.PATH, PAYCLI_CONFIG_DIR: join(scratch, 'config'), PAYCLI_STATE_DIR: join(scratch, 'state') };

const sale = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'];
/** Each sale makes an order of its own, so the sandbox grows as it would with a user. */
const commands = [
  ['--version', ['--version']],
  ['--help', ['--help']],
  ['sale --help', ['sale', '--help']],
  ['__complete profiles', ['__complete', '--', 'profiles']],
  ['__complete orders capture', ['__complete', '--', 'orders', 'capture']],
  ['sign sale --json', ['sign', 'sale', ...sale, '--json']],
  ['sale, sandbox in the process', ['sale', ...sale, '--json']],
];

try {
  const rows = commands.map(([name, argv]) => measured(name, argv));
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}, Node ${process.versions.node}`;
  if (given.includes('--json')) console.log(JSON.stringify({ schema: 'paycli.bench-startup/1', machine, pairs, rows }, null, 2));
  else print(machine, rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Floor and command by turns: a busy moment hits both. */
function measured(name, argv) {
  const took = { floor: [], paycli: [] };
  took.floor.push(time(['-e', '0']));
  time([program, ...argv]);
  for (let pair = 0; pair < pairs; pair += 1) {
    took.floor.push(time(['-e', '0']));
    took.paycli.push(time([program, ...argv]));
  }
  const [floorMs, paycliMs] = [median(took.floor), median(took.paycli)];
  return {
    name,
    floorMs: round(floorMs),
    paycliMs: round(paycliMs),
    beyondFloorMs: round(paycliMs - floorMs),
    timesFloor: round(paycliMs / floorMs),
  };
}

function time(argv) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, argv, { env, encoding: 'utf8' });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`exit ${status} of ${argv.join(' ')}\n${stderr}`);
  return ms;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function print(machine, rows) {
  console.log(`${machine}; medians of ${pairs} pairs\n`);
  console.log('command                        node -e 0     paycli    beyond  times');
  for (const { name, floorMs, paycliMs, beyondFloorMs, timesFloor } of rows)
    console.log(
      `${name.padEnd(28)} ${[floorMs, paycliMs, beyondFloorMs].map((ms) => `${ms.toFixed(1)} ms`.padStart(9)).join('  ')}  ${timesFloor.toFixed(2).padStart(5)}`,
    );
}

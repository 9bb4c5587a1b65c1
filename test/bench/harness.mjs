// What the parts of the bench stand on: turns and medians, the machine, a temporary folder, servers and peers.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const paycli = join(root, 'bin/paycli.js');
export const scratch = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
/** The flags under which a Node program tells at its end how much memory it held at most. */
export const recordingPeak = ['--require', join(root, 'test/bench/peak.cjs')];
const servers = new Set();
const peers = new Map();
/** Peers that npm could not install, and what it said. */
export const leftOut = [];

process.once('exit', () => {
  stopServers();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

export function machine() {
  const processor = cpus()[0]?.model ?? 'unknown processor';
  const named = Object.keys(process.env).filter((name) => name.startsWith('NODE_'));
  const variables = named.join(', ');
  return {
    processor,
    cores: availableParallelism(),
    load: Number(loadavg()[0].toFixed(1)),
    node: process.versions.node,
    variables,
  };
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Every subject once in a turn, forth and back, so that a busy moment hits none of them alone: a list of values for each. */
export async function inTurns(turns, subjects) {
  const values = subjects.map(() => []);
  const order = [...subjects.keys()];
  for (let turn = 0; turn < turns; turn += 1) {
    for (const at of order) values[at].push(await subjects[at]());
    order.reverse();
    // Programs were waited for in place: signals are heard now.
    await pause(1);
  }
  return values;
}

/**
 * One line of a table from values taken in turns. The ratio is the median of the ratios of each turn; a goal, `{ atMost }` or
 * `{ atLeast }`, is held against it as printed, or against the figure where there is nothing to compare with.
 */
export function row({ what, unit, values, beside, besideValues, goal = null }) {
  const figure = rounded(median(values), 3);
  if (beside === undefined) return { what, unit, figure, goal, met: isMet(goal, figure) };
  const ratio = rounded(median(values.map((value, turn) => value / besideValues[turn])), 2);
  return {
    what,
    unit,
    figure,
    beside,
    besideFigure: rounded(median(besideValues), 3),
    ratio,
    goal,
    met: isMet(goal, ratio),
  };
}

function rounded(value, digits) {
  return Number(value.toFixed(digits));
}

function isMet(goal, value) {
  return goal && value <= (goal.atMost ?? Infinity) && value >= (goal.atLeast ?? -Infinity);
}

/** Settings of a user who has chosen the sandbox. Of the variables of whoever measures, those that Node goes by come through. */
export function freshSettings() {
  const home = mkdtempSync(join(scratch, 'home-'));
  mkdirSync(join(home, 'config'));
  const ofNode = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('NODE_')));
  return {
    ...ofNode,
    PATH: process.env.PATH,
    HOME: home,
    PAYCLI_CONFIG_DIR: join(home, 'config'),
    PAYCLI_STATE_DIR: join(home, 'state'),
    PAYCLI_PROFILE: 'sandbox',
  };
}

/** Milliseconds from the call of a program to its end. */
export function time([program, ...args], env) {
  const began = performance.now();
  const ran = spawnSync(program, args, { env, encoding: 'utf8' });
  const took = performance.now() - began;
  expectSuccess(ran, [program, ...args]);
  return took;
}

/** Mebibytes of memory a Node program held at most. */
export function peak(argv, env) {
  const ran = spawnSync(process.execPath, [...recordingPeak, ...argv], { env, encoding: 'utf8' });
  expectSuccess(ran, argv);
  return peakIn(ran.stderr);
}

/** In what it wrote to standard error. */
export function peakIn(text) {
  const told = /^peak (\d+) KiB$/m.exec(text);
  if (told === null) throw new Error(`no peak of memory was told: ${text}`);
  return Number(told[1]) / 1024;
}

function expectSuccess({ status, error, stderr }, words) {
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status ?? error}: ${stderr}`);
}

/** Starts a server and waits for its line of readiness; gives what the pattern captured. */
export function startServer([program, ...args], ready, env) {
  const child = spawn(program, args, { env, cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  servers.add(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (piece) => {
      if (text.length < 10_000) text += piece;
      const found = ready.exec(text);
      if (found !== null) resolve(found[1]);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${text}`)));
  });
}

export function stopServers() {
  for (const server of servers) server.kill('SIGKILL');
  servers.clear();
}

/** A listening sandbox in a process of its own; `settings` connect paycli to it. */
export async function startSandbox(...flags) {
  const env = freshSettings();
  const url = await startServer(
    [process.execPath, paycli, 'sandbox', 'start', '--port', '0', ...flags],
    /sandbox ready: (\S+)/,
    env,
  );
  const said = execFileSync(process.execPath, [paycli, 'sandbox', 'status', '--json'], { env, encoding: 'utf8' });
  const [{ login, controlKey: key }] = JSON.parse(said).merchants;
  const keyFile = join(env.HOME, 'control.key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const connection = {
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: login,
    PAYCLI_ENDPOINT_ID: '4001',
    PAYCLI_CONTROL_KEY_FILE: keyFile,
  };
  return { url, login, key, keyFile, env, settings: { ...env, PAYCLI_PROFILE: undefined, ...connection } };
}

/** A package from npm in the temporary folder, installed when first wanted; undefined, and noted, where npm fails. */
export function peer(wanted) {
  if (!peers.has(wanted)) peers.set(wanted, install(wanted));
  return peers.get(wanted);
}

function install(wanted) {
  const prefix = mkdtempSync(join(scratch, 'peer-'));
  const words = [
    'install',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
    '--ignore-scripts',
    wanted,
  ];
  const { status, stderr } = spawnSync('npm', words, { encoding: 'utf8' });
  if (status !== 0) {
    leftOut.push({
      peer: wanted,
      why: stderr.split('\n').find((line) => line.startsWith('npm error')) ?? 'npm did not say why',
    });
    return undefined;
  }
  const [name] = /^@?[^@]+/.exec(wanted);
  const folder = join(prefix, 'node_modules', name);
  const { bin = {}, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const program = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return { name: `${name} ${version}`, folder, program: join(folder, program ?? '') };
}

/** The flags that plan so many payouts of 1.00 EUR and print the plan as JSON; each turn pays the same accounts again. */
export function payoutPlanFlags(count) {
  const expected = ['--expect-count', String(count), '--expect-total', `EUR=${count}.00`];
  return ['--operation', 'payout', '--again', ...expected, '--json', '--fields', 'plan'];
}

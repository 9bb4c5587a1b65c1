// Holds what each command loads against .ci/budgets.json: files of the program and of packages, their bytes, and those modules of Node
// that take a while. Counts do not depend on how busy a machine is. node .ci/budgets.mjs [--renew]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import usual from './usual-commands.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const budgetsFile = join(root, '.ci/budgets.json');
const scratch = mkdtempSync(join(tmpdir(), 'paycli-budgets-'));
/** Other ones are part of every start, or cheap. */
const slow = new Set(['child_process', 'crypto', 'dns', 'http', 'http2', 'https', 'net', 'stream', 'tls', 'worker_threads', 'zlib']);

const sale = [...usual.sale, '--json'];
const { payer } = usual;
/** With its settings, and the exit code it has to end with. */
const commands = {
  'paycli --version': [['--version']],
  'paycli --help': [['--help']],
  'paycli sale --help': [['sale', '--help']],
  'paycli batch run --help': [['batch', 'run', '--help']],
  'completion of a profile': [['__complete', '--', 'profiles']],
  'paycli sign sale, no settings': [['sign', 'sale', ...sale]],
  'paycli sign sale, config.json': [['sign', 'sale', ...sale, ...payer], 'json'],
  'paycli sign sale, config.yaml': [['sign', 'sale', ...sale, ...payer], 'yaml'],
  'paycli sale, sandbox in the process': [['sale', ...sale]],
  'completion of an order': [['__complete', '--', 'orders', 'capture']],
  'paycli sale over HTTP, nobody listens': [['sale', ...sale, ...payer], 'json', 6],
  'paycli journal list': [['journal', 'list']],
};

try {
  const measured = Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, measure(name, command)]));
  if (process.argv.includes('--renew')) writeFileSync(budgetsFile, `${JSON.stringify(measured, null, 2)}\n`);
  else compare(measured, JSON.parse(readFileSync(budgetsFile, 'utf8')));
} finally {
  rmSync(scratch, { recursive: true });
}

function measure(name, [argv, settings, exit = 0]) {
  const program = ['--require', join(root, '.ci/loaded.cjs'), join(root, 'bin/paycli.js'), ...argv];
  const env = { PATH: process.env.PATH, PAYCLI_STATE_DIR: join(scratch, 'state'), PAYCLI_CONFIG_DIR: configured(settings) };
  const once = () => spawnSync(process.execPath, program, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  // The first one makes the sandbox and the journal.
  once();
  const { status, stderr, output } = once();
  if (status !== exit) throw new Error(`${name} ended with ${status}: ${stderr}`);
  const { modules, bytes, builtins } = JSON.parse(output[3]);
  return { modules, kilobytes: Math.ceil(bytes / 1000), slow: builtins.filter((each) => slow.has(each)).join(' ') };
}

/** A folder of settings of this kind; one without any when it is undefined. */
function configured(kind) {
  const folder = join(scratch, `config-${kind ?? 'none'}`);
  if (kind !== undefined) usual.writeSettings(folder, kind);
  return folder;
}

/** A twentieth more code is growth that may pass; another file, or a slow module, is a decision. */
function compare(measured, budgets) {
  const faults = Object.entries(measured).flatMap(([name, { modules, kilobytes, slow: loaded }]) => {
    const budget = budgets[name] ?? { modules: 0, kilobytes: 0, slow: '' };
    const more = loaded.split(' ').filter((each) => each !== '' && !budget.slow.split(' ').includes(each));
    return [
      ...(modules > budget.modules ? [`${name} loads ${modules} files, not ${budget.modules}`] : []),
      ...(kilobytes > budget.kilobytes * 1.05 ? [`${name} loads ${kilobytes} kB, not ${budget.kilobytes}`] : []),
      ...(more.length > 0 ? [`${name} loads ${more.join(', ')}`] : []),
    ];
  });
  console.log(faults.length === 0 ? `${Object.keys(measured).length} commands within their budgets` : faults.join('\n'));
  if (faults.length === 0) return;
  console.log('What is loaded is start-up time of every call. Load it later, or renew the budgets: node .ci/budgets.mjs --renew');
  process.exitCode = 1;
}

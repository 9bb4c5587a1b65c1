// Runs the usual commands in this one process, so that V8 compiles what they use, and keeps that code beside the bundles:
// node .ci/compile-code.cjs DIST. State and settings are those of the environment, which are temporary folders.
const { spawn } = require('node:child_process');
const { mkdirSync, readFileSync, realpathSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { join, sep } = require('node:path');
const v8 = require('node:v8');
const { Script } = require('node:vm');
const { payer, sale, writeSettings } = require('./usual-commands.cjs');

const dist = realpathSync(process.argv[2]);
const entry = join(dist, 'entry.cjs');
const home = process.env.PAYCLI_CONFIG_DIR;
const sends = (id) => [
  ['sale', ...sale, '--client-order-id', id, '--json'],
  ['status', '--client-order-id', id, '--json'],
  ['status', '--client-order-id', id],
];
const inProcess = [
  ['__complete', '--', 'profiles'],
  ['sale', ...sale, '--wait'],
  ['__complete', '--', 'orders', 'capture'],
  ['sign', 'sale', ...sale, '--json'],
  ['sign', 'sale', ...sale, '--explain'],
  ...sends('compile-1'),
  ['journal', 'list'],
];

// The HTTP client sets a flag on Node 20. V8 takes code only under the flags it was made with, and a command begins without any.
v8.setFlagsFromString = () => undefined;

const scripts = new Map();
const load = require.extensions['.js'];
require.extensions['.cjs'] = (module, filename) => {
  if (!filename.startsWith(dist + sep) || filename === entry) return load(module, filename);
  const name = filename.slice(dist.length + 1);
  // Kept with the code: stack traces show it wherever the package lies. As a string of its own, not as a slice of the path here.
  const shown = Buffer.from(`dist/${name}`).toString();
  const script = scripts.get(name) ?? new Script(wrap(readFileSync(filename, 'utf8')), { filename: shown });
  scripts.set(name, script);
  return script.runInThisContext()(module.exports, (id) => module.require(id), module, filename, dist);
};

process.setMaxListeners(0);
void compile();

async function compile() {
  for (const line of inProcess) await run(line);
  for (const ending of ['json', 'yaml']) {
    process.env.PAYCLI_CONFIG_DIR = join(home, ending);
    writeSettings(process.env.PAYCLI_CONFIG_DIR, ending);
    await run(['sign', 'sale', ...sale, ...payer, '--json']);
  }
  process.env.PAYCLI_CONFIG_DIR = home;
  const sandbox = await startSandbox();
  try {
    for (const line of sends('compile-2')) await run(line);
  } finally {
    sandbox.kill();
  }
  const folder = join(dist, 'code', `${process.platform}-${process.arch}-${process.versions.v8}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of scripts) writeFileSync(join(folder, name), script.createCachedData());
  process.reallyExit(0);
}

/** As a process of its own would, but with what is compiled already. */
function run(line) {
  process.argv = [process.execPath, entry, ...line];
  for (const file of Object.keys(require.cache)) if (file.startsWith(dist + sep)) delete require.cache[file];
  return new Promise((resolve) => {
    process.exit = (code) => {
      if (code === 0) return resolve();
      process.stderr.write(`\`${line.join(' ')}\` ended with ${code}\n`);
      process.reallyExit(1);
    };
    require(entry);
  });
}

function startSandbox() {
  const child = spawn(process.execPath, [entry, 'sandbox', 'start', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (piece) => {
      said += piece;
      if (said.includes('sandbox ready')) resolve(child);
    });
    child.once('exit', () => reject(new Error(said)));
  });
}

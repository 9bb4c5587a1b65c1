// `npm run bench`: what paycli costs, beside a floor and beside peers from npm, in one run. It is no gate: it ends with 0 once all is measured.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as batch from './batch.mjs';
import * as batchLarge from './batch-large.mjs';
import * as batchShared from './batch-shared.mjs';
import * as client from './client.mjs';
import { leftOut, machine, root, stopServers } from './harness.mjs';
import * as journal from './journal.mjs';
import * as memory from './memory.mjs';
import * as sandbox from './sandbox.mjs';
import * as signing from './signing.mjs';
import * as size from './size.mjs';
import * as startup from './startup.mjs';
import { machineLine, textTable } from './table.mjs';

const parts = {
  startup,
  memory,
  client,
  signing,
  sandbox,
  batch,
  size,
  'batch-shared': batchShared,
  'batch-large': batchLarge,
  journal,
};
/** Takes many minutes: only when named. */
const onRequest = ['batch-shared', 'batch-large', 'journal'];
const full = { pairs: 41, seconds: 5, rows: 10_000, manyRows: 100_000, entries: 200_000 };
const quick = { pairs: 5, seconds: 1, rows: 100, manyRows: 5000, entries: 5000 };

const usage = `npm run bench -- [NAME …] [flags]

parts: ${Object.keys(parts).join(' ')}; all but ${onRequest} when none is named, \`all\` with it

  --pairs N     turns of start-up, memory, client and signing (${full.pairs})
  --seconds N   seconds of a round of the sandbox (${full.seconds})
  --rows N      rows of batch (${full.rows}) and batch-large (${full.manyRows}), entries of journal (${full.entries})
  --quick       little of everything: a look, no measurement
  --no-peers    without what comes from npm
  --json        one document; \`npm run --silent bench -- --json > FILE\`
`;

const asked = read();
if (asked !== undefined) await bench(asked);

function read() {
  try {
    const flags = {
      quick: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
      'no-peers': { type: 'boolean' },
    };
    const amounts = { pairs: { type: 'string' }, seconds: { type: 'string' }, rows: { type: 'string' } };
    const { values, positionals } = parseArgs({ options: { ...flags, ...amounts }, allowPositionals: true });
    if (values.help) return void console.log(usage);
    const wrong = positionals.find((name) => name !== 'all' && !Object.hasOwn(parts, name));
    if (wrong !== undefined) throw new Error(`there is no part named ${wrong}`);
    if (!existsSync(join(root, 'dist/paycli.cjs'))) throw new Error('dist/ is missing: run `npm run build` first');
    return { names: positionals, isJson: values.json === true, options: optionsOf(values) };
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}

function optionsOf({ quick: isQuick = false, 'no-peers': withoutPeers = false, pairs, seconds, rows }) {
  const amounts = { pairs, seconds, rows, manyRows: rows, entries: rows };
  for (const [name, text = '1'] of Object.entries(amounts))
    if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} wants a number`);
  const given = Object.entries(amounts).flatMap(([name, text]) => (text === undefined ? [] : [[name, Number(text)]]));
  return { ...(isQuick ? quick : full), ...Object.fromEntries(given), isQuick, withPeers: !withoutPeers };
}

async function bench({ names, isJson, options }) {
  const all = Object.keys(parts);
  const wanted = names.includes('all')
    ? all
    : all.filter((name) => (names.length === 0 ? !onRequest.includes(name) : names.includes(name)));
  const results = {
    schema: 'paycli.bench/1',
    date: new Date().toISOString(),
    machine: machine(),
    quick: options.isQuick,
    parts: [],
    leftOut,
  };
  if (!isJson) console.log(`${machineLine(results)}\n`);
  for (const name of wanted) {
    const part = await measured(name, options);
    if (part === undefined) continue;
    results.parts.push(part);
    if (!isJson) console.log(`${textTable(part)}\n`);
  }
  if (isJson) console.log(JSON.stringify(results, null, 2));
  else for (const { peer, why } of leftOut) console.log(`left out: ${peer}, which npm could not install: ${why}`);
}

async function measured(name, options) {
  console.error(`measuring ${name} …`);
  try {
    const { title, measure } = parts[name];
    return { name, title, ...(await measure(options)) };
  } catch (error) {
    // After Ctrl-C this is only its echo: the handler ends the process meanwhile.
    await pause(50);
    console.error(`${name} could not be measured: ${error.message}`);
    process.exitCode = 1;
    return undefined;
  } finally {
    stopServers();
  }
}

// Requests per second of a verified sale against the listening sandbox, state on disk, beside a bare Hono echo and beside Prism.
// Run after `npm run build`: node test/bench/sandbox.mjs [seconds]. Prism is installed into a temporary folder; --no-prism leaves it out.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const root = fileURLToPath(new URL('../..', import.meta.url));
const given = process.argv.slice(2);
const seconds = Number(given.find((word) => /^\d+$/.test(word)) ?? 5);
const withPrism = !given.includes('--no-prism');
const scratch = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
const children = [];
const connections = 32;
const rounds = 3;
let count = 0;

const echoSource = `
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
const app = new Hono();
app.post('*', async (c) => c.body(await c.req.text()));
const server = createServer(getRequestListener(app.fetch));
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

const openapi = {
  openapi: '3.0.3',
  info: { title: 'one operation', version: '1' },
  paths: {
    '/gateway/api/v2/sale/{endpointId}': {
      post: {
        parameters: [{ name: 'endpointId', in: 'path', required: true, schema: { type: 'integer' } }],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['client_orderid', 'amount', 'currency', 'control'],
                properties: Object.fromEntries(
                  ['client_orderid', 'amount', 'currency', 'email', 'control'].map((name) => [name, { type: 'string' }]),
                ),
              },
            },
          },
        },
        responses: {
          200: {
            description: 'accepted',
            content: {
              'application/vnd.pay+json': {
                schema: { type: 'object', properties: { type: { type: 'string', example: 'async-response' } } },
              },
            },
          },
        },
      },
    },
  },
};

try {
  const sandbox = await startSandbox();
  const echo = await start([process.execPath, '--input-type=module', '--eval', echoSource], /(http\S+)/);
  const targets = [
    { name: 'bare Hono echo', url: `${echo}/gateway/api/v2/sale/4001` },
    { name: 'sandbox sale', url: `${sandbox.url}/api/v2/sale/4001`, isVerified: true },
  ];
  if (withPrism) targets.push({ name: 'Prism', url: `${await startPrism()}/gateway/api/v2/sale/4001` });
  for (const target of targets) await measure(target, sandbox.key, 1);
  const best = new Map();
  // Turn by turn, so that a busy moment of the machine does not hit one of them only.
  for (let round = 0; round < rounds; round += 1)
    for (const target of targets) {
      const rate = await measure(target, sandbox.key, seconds);
      best.set(target.name, [...(best.get(target.name) ?? []), rate]);
    }
  report(best);
} finally {
  for (const child of children) child.kill();
  await pause(200);
  rmSync(scratch, { recursive: true, force: true });
}

function report(best) {
  const median = (name) => best.get(name)?.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
  const sale = median('sandbox sale');
  for (const name of best.keys()) console.log(`${name.padEnd(16)} ${Math.round(median(name)).toString().padStart(7)} requests/s`);
  console.log(`sandbox / echo   ${(sale / median('bare Hono echo')).toFixed(2)}   (goal 0.40)`);
  if (withPrism) console.log(`sandbox / Prism  ${(sale / median('Prism')).toFixed(1)}   (goal 10)`);
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.versions.node}, ${connections} connections, ${rounds} rounds of ${seconds} s, medians`,
  );
}

/** One signed sale; each has an id of its own, or it would be refused as a repetition. */
function sale(key) {
  count += 1;
  const id = `bench-${process.pid}-${count}`;
  const email = 'jane@example.com';
  const control = createHash('sha1').update(`4001${id}1042${email}${key}`).digest('hex');
  return (
    `client_orderid=${id}&amount=10.42&currency=USD&credit_card_number=4444333322221111&card_printed_name=JANE%20DOE&expire_month=12` +
    `&expire_year=2035&cvv2=123&order_desc=Order&email=jane%40example.com&phone=%2B4930123456&address1=Street%201&city=Berlin&zip_code=10115` +
    `&country=DE&ipaddress=192.0.2.1&redirect_url=https%3A%2F%2Fshop.example%2Fr&control=${control}`
  );
}

/** Requests per second over the given time; every reply must be a 200. */
async function measure({ name, url, isVerified = false }, key, time) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = { accept: 'application/vnd.pay+json', 'content-type': 'application/x-www-form-urlencoded' };
  const began = performance.now();
  let done = 0;
  const work = async () => {
    while (performance.now() - began < time * 1000) {
      const { statusCode, body } = await pool.request({ path: pathname, method: 'POST', headers, body: sale(key) });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${name} answered ${statusCode}: ${text.slice(0, 200)}`);
      if (isVerified && !text.includes('paynet-order-id')) throw new Error(`${name} made no order: ${text.slice(0, 200)}`);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const rate = (done / (performance.now() - began)) * 1000;
  await pool.close();
  return rate;
}

async function startSandbox() {
  const env = { ...process.env, PAYCLI_STATE_DIR: join(scratch, 'state'), PAYCLI_CONFIG_DIR: join(scratch, 'config') };
  const paycli = join(root, 'bin/paycli.js');
  const url = await start([process.execPath, paycli, 'sandbox', 'start', '--port', '0'], /sandbox ready: (\S+)/, env);
  const { merchants } = JSON.parse(execFileSync(process.execPath, [paycli, 'sandbox', 'status', '--json'], { env, encoding: 'utf8' }));
  return { url, key: merchants[0].controlKey };
}

async function startPrism() {
  const home = join(scratch, 'prism');
  execFileSync('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', '--silent', '@stoplight/prism-cli'], { stdio: 'inherit' });
  const file = join(scratch, 'openapi.json');
  writeFileSync(file, JSON.stringify(openapi));
  const { bin } = JSON.parse(readFileSync(join(home, 'node_modules/@stoplight/prism-cli/package.json'), 'utf8'));
  const program = join(home, 'node_modules/@stoplight/prism-cli', typeof bin === 'string' ? bin : bin.prism);
  const port = await freePort();
  await start([process.execPath, program, 'mock', '--port', String(port), '--verboseLevel', 'info', file], /is listening on/);
  return `http://127.0.0.1:${port}`;
}

/** Starts a server and waits for its line of readiness; gives what the pattern captured. */
function start([program, ...args], ready, env = process.env) {
  const child = spawn(program, args, { env, cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (piece) => {
      if (text.length < 10_000) text += piece;
      const found = ready.exec(text);
      if (found !== null) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${text}`)));
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

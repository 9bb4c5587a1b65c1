// Payouts per second of `paycli batch run`, both flushes of the journal included, beside a bare undici loop, beside newman and beside
// xargs with curl and openssl, all against one listening sandbox. Run after `npm run build`: node test/bench/batch.mjs [rows] [--json].
// Newman is installed into a temporary folder; --no-newman leaves it out.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const root = fileURLToPath(new URL('../..', import.meta.url));
const given = process.argv.slice(2);
const rows = Number(given.find((word) => /^\d+$/.test(word)) ?? 3000);
const fewer = Math.min(rows, 200);
const rounds = 3;
const lanes = 16;
const scratch = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
const env = { ...process.env, PAYCLI_STATE_DIR: join(scratch, 'state'), PAYCLI_CONFIG_DIR: join(scratch, 'config') };
const paycli = join(root, 'bin/paycli.js');
const bank = { account_number: 'DE02120300000000202051', bank_name: 'DKB', bank_branch: 'Berlin' };
let made = 0;
let sandbox;

try {
  const { url, login, key } = await startSandbox();
  const settings = connectionOf(url, login, key);
  const runners = {
    'undici, 16 connections': () => bare(url, login, key, rows),
    'paycli batch run': () => batch(settings, rows),
    'xargs -P, curl, openssl': () => shell(url, login, key, fewer),
  };
  if (!given.includes('--no-newman')) runners.newman = newman(url, login, key, fewer);
  const rates = Object.fromEntries(Object.keys(runners).map((name) => [name, []]));
  // Turn by turn, so that a busy moment of the machine does not hit one of them only.
  for (let round = 0; round < rounds; round += 1)
    for (const [name, run] of Object.entries(runners)) {
      const { count, seconds } = await run();
      rates[name].push(count / seconds);
    }
  report(rates);
} finally {
  sandbox?.kill();
  rmSync(scratch, { recursive: true, force: true });
}

function report(rates) {
  const medians = Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, all.toSorted((a, b) => a - b)[rounds >> 1]]));
  const own = medians['paycli batch run'];
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.versions.node}`;
  if (given.includes('--json')) return console.log(JSON.stringify({ rows, lanes, rounds, perSecond: medians, machine }, null, 2));
  for (const [name, rate] of Object.entries(medians)) console.log(`${name.padEnd(24)} ${rate.toFixed(0).padStart(6)} payouts/s`);
  const goals = { 'undici, 16 connections': 0.3, newman: 10, 'xargs -P, curl, openssl': 10 };
  for (const [name, goal] of Object.entries(goals))
    if (medians[name] !== undefined) console.log(`batch / ${name.padEnd(24)} ${(own / medians[name]).toFixed(2)}   (goal ${goal})`);
  console.log(`${machine}, ${rows} rows (${fewer} for newman and xargs), ${lanes} at once, ${rounds} rounds in turn, medians`);
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
  return { url, login: merchants[0].login, key: merchants[0].controlKey };
}

function connectionOf(url, login, key) {
  const file = join(scratch, 'control.key');
  writeFileSync(file, key, { mode: 0o600 });
  return { ...env, PAYCLI_BASE_URL: url, PAYCLI_LOGIN: login, PAYCLI_ENDPOINT_ID: '4001', PAYCLI_CONTROL_KEY_FILE: file };
}

function ids(count) {
  made += 1;
  return Array.from({ length: count }, (_, at) => `b${process.pid}-${made}-${at}`);
}

/** The whole process, its questions and its first row to the end included; the plan is made before. */
function batch(settings, count) {
  const file = join(scratch, `payouts-${made}.csv`);
  const lines = ids(count).map((id) => [id, '1.00', 'EUR', ...Object.values(bank)].join(','));
  writeFileSync(file, [`client_orderid,amount,currency,${Object.keys(bank).join(',')}`, ...lines, ''].join('\n'));
  const words = ['--operation', 'payout', '--expect-count', String(count), '--expect-total', `EUR=${count}.00`, '--template', '{{plan}}'];
  const plan = execFileSync(process.execPath, [paycli, 'batch', 'plan', file, ...words], { env: settings, encoding: 'utf8' }).trim();
  const began = performance.now();
  const run = ['batch', 'run', plan, '--no-wait', '--concurrency', String(lanes), '--rate', '10000/s', '--quiet'];
  const ran = spawnSync(process.execPath, [paycli, ...run], { env: settings, encoding: 'utf8' });
  const seconds = (performance.now() - began) / 1000;
  if (ran.status !== 0 && ran.status !== 7) throw new Error(`batch run ended with ${ran.status}: ${ran.stderr}`);
  return { count, seconds };
}

function rfc3986(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function signed(url, login, key, id) {
  const body = Object.entries({ client_orderid: id, amount: '1.00', currency: 'EUR', ...bank, order_desc: 'Order' });
  const oauth = {
    oauth_consumer_key: login,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    oauth_version: '1.0',
  };
  const pairs = [...body, ...Object.entries(oauth)].map(([name, value]) => `${rfc3986(name)}=${rfc3986(value)}`).sort();
  const base = `POST&${rfc3986(url)}&${rfc3986(pairs.join('&'))}`;
  const signature = createHmac('sha1', `${rfc3986(key)}&`)
    .update(base)
    .digest('base64');
  const header = Object.entries({ ...oauth, oauth_signature: signature }).map(([name, value]) => `${name}="${rfc3986(value)}"`);
  return {
    body: body.map(([name, value]) => `${rfc3986(name)}=${rfc3986(value)}`).join('&'),
    headers: {
      accept: 'application/vnd.pay+json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `OAuth ${header.join(', ')}`,
    },
  };
}

async function bare(url, login, key, count) {
  const target = `${url}/api/v2/payout/4001`;
  const { origin, pathname } = new URL(target);
  const pool = new Pool(origin, { connections: lanes, pipelining: 1 });
  const left = ids(count);
  const began = performance.now();
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { statusCode, body } = await pool.request({ path: pathname, method: 'POST', ...signed(target, login, key, id) });
      const text = await body.text();
      if (statusCode !== 200 || !text.includes('paynet-order-id')) throw new Error(`${statusCode}: ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  const seconds = (performance.now() - began) / 1000;
  await pool.close();
  return { count, seconds };
}

/** What a careful person writes in an afternoon: sorts, encodes and signs one row with openssl, and sends it with curl. */
function shell(url, login, key, count) {
  const script = join(scratch, 'pay.sh');
  writeFileSync(
    script,
    `#!/bin/bash
enc() { local LC_ALL=C s=$1 o= c; while [ -n "$s" ]; do c=\${s:0:1}; s=\${s:1}; case $c in [A-Za-z0-9._~-]) o+=$c;; *) printf -v c '%%%02X' "'$c"; o+=$c;; esac; done; printf %s "$o"; }
url=${url}/api/v2/payout/4001; nonce=$(openssl rand -hex 16); now=$(date +%s)
pairs="account_number=${bank.account_number}&amount=1.00&bank_branch=${bank.bank_branch}&bank_name=${bank.bank_name}&client_orderid=$1&currency=EUR&oauth_consumer_key=${login}&oauth_nonce=$nonce&oauth_signature_method=HMAC-SHA1&oauth_timestamp=$now&oauth_version=1.0&order_desc=Order"
sig=$(printf 'POST&%s&%s' "$(enc "$url")" "$(enc "$pairs")" | openssl dgst -sha1 -hmac '${rfc3986(key)}&' -binary | openssl base64 -A)
curl -sS -f -H 'Accept: application/vnd.pay+json' -H "Authorization: OAuth oauth_consumer_key=\\"${login}\\", oauth_nonce=\\"$nonce\\", oauth_signature_method=\\"HMAC-SHA1\\", oauth_timestamp=\\"$now\\", oauth_version=\\"1.0\\", oauth_signature=\\"$(enc "$sig")\\"" \\
  -d "client_orderid=$1&amount=1.00&currency=EUR&account_number=${bank.account_number}&bank_name=${bank.bank_name}&bank_branch=${bank.bank_branch}&order_desc=Order" "$url" | grep -q paynet-order-id
`,
  );
  chmodSync(script, 0o700);
  const began = performance.now();
  const ran = spawnSync('xargs', ['-P', String(lanes), '-n', '1', script], { input: ids(count).join('\n'), encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`xargs ended with ${ran.status}: ${ran.stderr}`);
  return { count, seconds: (performance.now() - began) / 1000 };
}

/** A collection with one request, signed in its pre-request script, over a data file. */
function newman(url, login, key, count) {
  const home = join(scratch, 'newman');
  execFileSync('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', '--silent', 'newman'], { stdio: 'inherit' });
  const sign = `
const enc = (t) => encodeURIComponent(t).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
const id = pm.iterationData.get('id'); const url = '${url}/api/v2/payout/4001';
const oauth = { oauth_consumer_key: '${login}', oauth_nonce: id + Math.random().toString(36).slice(2), oauth_signature_method: 'HMAC-SHA1', oauth_timestamp: String(Math.floor(Date.now() / 1000)), oauth_version: '1.0' };
const body = ${JSON.stringify({ amount: '1.00', currency: 'EUR', ...bank, order_desc: 'Order' })}; body.client_orderid = id;
const pairs = [...Object.entries(body), ...Object.entries(oauth)].map(([n, v]) => enc(n) + '=' + enc(v)).sort().join('&');
const sig = CryptoJS.enc.Base64.stringify(CryptoJS.HmacSHA1('POST&' + enc(url) + '&' + enc(pairs), enc('${key}') + '&'));
pm.request.headers.upsert({ key: 'Authorization', value: 'OAuth ' + Object.entries({ ...oauth, oauth_signature: sig }).map(([n, v]) => n + '="' + enc(v) + '"').join(', ') });
pm.request.body.urlencoded.clear(); for (const [key, value] of Object.entries(body)) pm.request.body.urlencoded.add({ key, value });`;
  const collection = {
    info: { name: 'payouts', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: [
      {
        name: 'payout',
        event: [
          { listen: 'prerequest', script: { exec: sign.split('\n') } },
          { listen: 'test', script: { exec: ["pm.test('made', () => pm.expect(pm.response.text()).to.include('paynet-order-id'));"] } },
        ],
        request: {
          method: 'POST',
          url: `${url}/api/v2/payout/4001`,
          header: [{ key: 'Accept', value: 'application/vnd.pay+json' }],
          body: { mode: 'urlencoded', urlencoded: [{ key: 'amount', value: '1.00' }] },
        },
      },
    ],
  };
  const file = join(scratch, 'collection.json');
  writeFileSync(file, JSON.stringify(collection));
  return () => {
    const data = join(scratch, `data-${made}.json`);
    writeFileSync(data, JSON.stringify(ids(count).map((id) => ({ id }))));
    const began = performance.now();
    const ran = spawnSync(join(home, 'node_modules/.bin/newman'), ['run', file, '-d', data, '--silent'], { encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`newman ended with ${ran.status}: ${ran.stdout.slice(-500)}${ran.stderr}`);
    return { count, seconds: (performance.now() - began) / 1000 };
  };
}

// Payouts per second of `paycli batch run`, both flushes of the journal included, beside a bare undici loop, beside newman and beside
// xargs with curl and openssl, all against one listening sandbox.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { inTurns, paycli, payoutPlanFlags, peer, row, scratch, startSandbox } from './harness.mjs';

export const title = 'Batch';

const lanes = 16;
/** More on their way at once share a flush of the journal. */
const manyLanes = 64;
const rounds = 3;
const bank = { account_number: 'DE02120300000000202051', bank_name: 'DKB', bank_branch: 'Berlin' };
let made = 0;

export async function measure({ rows, withPeers }) {
  const sandbox = await startSandbox();
  const fewer = Math.min(rows, 200);
  const others = [
    { beside: 'a bare undici loop', goal: { atLeast: 0.3 }, work: () => bare(sandbox, rows) },
    { beside: 'xargs, curl and openssl', goal: { atLeast: 10 }, work: () => shell(sandbox, fewer) },
  ];
  const postman = withPeers ? peer('newman') : undefined;
  if (postman !== undefined)
    others.push({ beside: postman.name, goal: { atLeast: 10 }, work: newman(postman, sandbox, fewer) });
  const [values, wide, ...rates] = await inTurns(rounds, [
    () => batch(sandbox, rows, lanes),
    () => batch(sandbox, rows, manyLanes),
    ...others.map(({ work }) => work),
  ]);
  const [loop] = others;
  const widely = { what: `\`paycli batch run --concurrency ${manyLanes}\``, unit: '/s', values: wide };
  return {
    method: `${rows.toLocaleString('en')} payouts, ${fewer} for xargs and newman, ${lanes} at once, ${rounds} turns`,
    rows: [
      ...others.map(({ beside, goal }, at) =>
        row({ what: '`paycli batch run`', unit: '/s', values, beside, besideValues: rates[at], goal }),
      ),
      row({ ...widely, beside: loop.beside, besideValues: rates[0], goal: loop.goal }),
    ],
  };
}

function ids(count) {
  made += 1;
  return Array.from({ length: count }, (_, at) => `b${process.pid}-${made}-${at}`);
}

function rateSince(began, count) {
  return (count / (performance.now() - began)) * 1000;
}

/** The whole process, its questions and its first row to the end included; the plan is made before. */
function batch({ settings: env }, count, concurrency) {
  const lines = ids(count).map((id) => [id, '1.00', 'EUR', ...Object.values(bank)].join(','));
  const file = join(scratch, `payouts-${made}.csv`);
  writeFileSync(file, [`client_orderid,amount,currency,${Object.keys(bank).join(',')}`, ...lines, ''].join('\n'));
  const planned = execFileSync(process.execPath, [paycli, 'batch', 'plan', file, ...payoutPlanFlags(count)], { env });
  const { plan } = JSON.parse(planned.toString());
  const run = ['batch', 'run', plan, '--no-wait', '--concurrency', String(concurrency), '--rate', '10000/s', '--quiet'];
  const began = performance.now();
  const ran = spawnSync(process.execPath, [paycli, ...run], { env, encoding: 'utf8' });
  if (ran.status !== 0 && ran.status !== 7) throw new Error(`batch run ended with ${ran.status}: ${ran.stderr}`);
  return rateSince(began, count);
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
  const header = Object.entries({ ...oauth, oauth_signature: signature }).map(
    ([name, value]) => `${name}="${rfc3986(value)}"`,
  );
  return {
    body: body.map(([name, value]) => `${rfc3986(name)}=${rfc3986(value)}`).join('&'),
    headers: {
      accept: 'application/vnd.pay+json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `OAuth ${header.join(', ')}`,
    },
  };
}

/** The floor: one connection a lane, nothing written down. */
export async function bare({ url, login, key }, count) {
  const target = `${url}/api/v2/payout/4001`;
  const { origin, pathname } = new URL(target);
  const pool = new Pool(origin, { connections: lanes, pipelining: 1 });
  const left = ids(count);
  const began = performance.now();
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { statusCode, body } = await pool.request({
        path: pathname,
        method: 'POST',
        ...signed(target, login, key, id),
      });
      const text = await body.text();
      if (statusCode !== 200 || !text.includes('paynet-order-id'))
        throw new Error(`${statusCode}: ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  const rate = rateSince(began, count);
  await pool.close();
  return rate;
}

/** What a careful person writes in an afternoon: sorts, encodes and signs one row with openssl, and sends it with curl. */
function shell({ url, login, key }, count) {
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
  const ran = spawnSync('xargs', ['-P', String(lanes), '-n', '1', script], {
    input: ids(count).join('\n'),
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(`xargs ended with ${ran.status}: ${ran.stderr}`);
  return rateSince(began, count);
}

/** A collection with one request, signed in its pre-request script, over a data file. */
function newman({ program }, { url, login, key }, count) {
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
          {
            listen: 'test',
            script: { exec: ["pm.test('made', () => pm.expect(pm.response.text()).to.include('paynet-order-id'));"] },
          },
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
    const ran = spawnSync(process.execPath, [program, 'run', file, '-d', data, '--silent'], { encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`newman ended with ${ran.status}: ${ran.stdout.slice(-500)}${ran.stderr}`);
    return rateSince(began, count);
  };
}

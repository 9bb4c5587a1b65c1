// Time of one OAuth signature of a transfer request, beside the floor (the bare primitive over the ready string) and beside peers.
// Run after `npm run build`: node test/bench/signing.mjs [rounds]. The peers are installed into a temporary folder; --no-peers leaves them out.
import { execFileSync } from 'node:child_process';
import { constants, createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { signatureBaseString, signHmacSha1, signRsaSha256 } from '../../dist/lib/signing.js';

const given = process.argv.slice(2);
const rounds = Number(given.find((word) => /^\d+$/.test(word)) ?? 41);
const scratch = mkdtempSync(join(tmpdir(), 'paycli-bench-'));

const url = 'https://gate.example/pay/api/v4/transfer/4001';
const secret = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const body = Object.entries({
  client_orderid: '902B4FF5-2F3B',
  amount: '10.42',
  currency: 'USD',
  'source-card-no': '4444333322221111',
  destination_card_no: '4444333322221111',
  first_name: 'José',
  last_name: "O'Brien & Söhne",
  email: 'jane@example.com',
  phone: '+4930123456',
  order_desc: 'Invoice 17/2030 (final)',
});
const protocol = Object.entries({
  oauth_consumer_key: 'shop',
  oauth_nonce: 'kllo9940pd9333jhkllo9940pd9333jh',
  oauth_signature_method: 'HMAC-SHA1',
  oauth_timestamp: '1893456000',
  oauth_version: '1.0',
});
const pairs = [...protocol, ...body];
const ready = signatureBaseString('POST', url, pairs);
const expected = createHmac('sha1', `${secret}&`).update(ready).digest('base64');

const { privateKey: pem } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const key = createPrivateKey(pem);

try {
  const hmac = [
    { name: 'raw HMAC, ready string', work: () => createHmac('sha1', `${secret}&`).update(ready).digest('base64') },
    { name: 'paycli', work: () => signHmacSha1(signatureBaseString('POST', url, pairs), secret) },
    ...(given.includes('--no-peers') ? [] : peers()),
  ];
  for (const { name, work } of hmac) if (work() !== expected) throw new Error(`${name} gives another signature`);
  report('HMAC-SHA1, 15 fields', measure(hmac, 400), { goal: 4.5, isFasterThanPeers: true });
  const rsa = [
    {
      name: 'raw RSA-2048, ready string',
      work: () => sign('sha256', ready, { key, padding: constants.RSA_PKCS1_PADDING }).toString('base64'),
    },
    { name: 'paycli', work: () => signRsaSha256(signatureBaseString('POST', url, pairs), key) },
  ];
  report('RSA-SHA256, 2048 bits', measure(rsa, 20), { goal: 1.15, isFasterThanPeers: false });
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.versions.node}, medians of ${rounds} interleaved rounds`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function peers() {
  const names = ['oauth-1.0a@2.2.6', 'node-oauth1@1.3.0', 'oauth-sign@0.9.0', 'oauth-signature@1.5.0'];
  execFileSync('npm', ['install', '--prefix', scratch, '--no-audit', '--no-fund', '--silent', '--ignore-scripts', ...names], {
    stdio: 'inherit',
  });
  const load = createRequire(join(scratch, 'package.json'));
  const OAuth = load('oauth-1.0a');
  const oauthSign = load('oauth-sign');
  const oauthSignature = load('oauth-signature');
  const oauth1 = load('node-oauth1');
  const all = Object.fromEntries(pairs);
  const data = Object.fromEntries(body);
  const oauthData = Object.fromEntries(protocol);
  const oauth = new OAuth({
    consumer: { key: 'shop', secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (text, with_) => createHmac('sha1', with_).update(text).digest('base64'),
  });
  return [
    { name: 'oauth-1.0a', work: () => oauth.getSignature({ url, method: 'POST', data }, '', oauthData) },
    { name: 'oauth-sign', work: () => oauthSign.hmacsign('POST', url, all, secret, '') },
    { name: 'oauth-signature', work: () => oauthSignature.generate('POST', url, all, secret, '', { encodeSignature: false }) },
    { name: 'node-oauth1', work: nodeOauth1(oauth1) },
  ];
}

/** It takes a message and an accessor and writes the signature into the message. */
function nodeOauth1(oauth1) {
  return () => {
    const message = { method: 'POST', action: url, parameters: pairs.map(([name, value]) => [name, value]) };
    oauth1.SignatureMethod.sign(message, { consumerKey: 'shop', consumerSecret: secret, tokenSecret: '' });
    return oauth1.getParameter(message.parameters, 'oauth_signature');
  };
}

/** Microseconds per call, a list of rounds for each, turn by turn. */
function measure(subjects, calls) {
  const times = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = -5; round < rounds; round += 1)
    for (const { name, work } of subjects) {
      const began = process.hrtime.bigint();
      for (let call = 0; call < calls; call += 1) work();
      const each = Number(process.hrtime.bigint() - began) / calls / 1000;
      if (round >= 0) times.get(name).push(each);
    }
  return times;
}

function report(title, times, { goal, isFasterThanPeers }) {
  console.log(title);
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
  const [[, floor]] = [...times];
  for (const [name, own] of times) {
    const ratio = median(own.map((time, at) => time / floor[at]));
    console.log(`  ${name.padEnd(28)} ${median(own).toFixed(2).padStart(8)} µs  ${ratio.toFixed(2).padStart(6)} times the floor`);
  }
  const own = median(times.get('paycli').map((time, at) => time / floor[at]));
  const others = [...times].filter(([name]) => name !== 'paycli' && !name.startsWith('raw')).map(([, list]) => median(list));
  console.log(`  goal at most ${goal}: ${own <= goal ? 'met' : 'missed'}`);
  if (isFasterThanPeers && others.length > 0)
    console.log(`  faster than all peers: ${others.every((time) => time > median(times.get('paycli'))) ? 'yes' : 'no'}`);
}

// One OAuth signature of a transfer request, beside the bare primitive over the ready string and beside libraries from npm.
import { constants, createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inTurns, peer, root, row } from './harness.mjs';

export const title = 'Signing';

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
const all = Object.fromEntries(pairs);
const data = Object.fromEntries(body);
const oauthData = Object.fromEntries(protocol);

export async function measure({ pairs: turns, withPeers }) {
  const paycli = await import(join(root, 'dist/signing.js'));
  const ready = paycli.signatureBaseString('POST', url, pairs);
  return {
    method: `${turns} turns`,
    rows: [...(await hmac(paycli, ready, turns, withPeers)), ...(await rsa(paycli, ready, turns))],
  };
}

async function hmac({ signatureBaseString, signHmacSha1 }, ready, turns, withPeers) {
  const raw = () => createHmac('sha1', `${secret}&`).update(ready).digest('base64');
  const own = () => signHmacSha1(signatureBaseString('POST', url, pairs), secret);
  const peers = withPeers ? libraries() : [];
  const expected = raw();
  for (const { name, work } of [{ name: 'paycli', work: own }, ...peers])
    if (work() !== expected) throw new Error(`${name} gives another signature`);
  const [floor, values, ...others] = await signaturesPerSecond(turns, 400, [
    raw,
    own,
    ...peers.map(({ work }) => work),
  ]);
  const what = 'HMAC-SHA1, 15 fields';
  return [
    row({
      what,
      unit: 'µs',
      values: values.map(each),
      beside: 'bare HMAC',
      besideValues: floor.map(each),
      goal: { atMost: 4.5 },
    }),
    ...peers.map(({ name }, at) =>
      row({ what, unit: '/s', values, beside: name, besideValues: others[at], goal: { atLeast: 1.8 } }),
    ),
  ];
}

async function rsa({ signatureBaseString, signRsaSha256 }, ready, turns) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const raw = () => sign('sha256', ready, { key, padding: constants.RSA_PKCS1_PADDING }).toString('base64');
  const own = () => signRsaSha256(signatureBaseString('POST', url, pairs), key);
  if (own() !== raw()) throw new Error('paycli gives another RSA signature');
  const [floor, values] = await signaturesPerSecond(turns, 20, [raw, own]);
  const what = 'RSA-SHA256, 2048 bits';
  return [
    row({
      what,
      unit: 'µs',
      values: values.map(each),
      beside: 'bare RSA',
      besideValues: floor.map(each),
      goal: { atMost: 1.15 },
    }),
  ];
}

function each(rate) {
  return 1e6 / rate;
}

/** Each gives the same signature of the same request. */
function libraries() {
  const wanted = {
    'oauth-1.0a@2.2.6': oauth10a,
    'node-oauth1@1.3.0': nodeOauth1,
    'oauth-sign@0.9.0': oauthSign,
    'oauth-signature@1.5.0': oauthSignature,
  };
  return Object.entries(wanted).flatMap(([name, signer]) => {
    const found = peer(name);
    return found === undefined
      ? []
      : [{ name: found.name, work: signer(createRequire(import.meta.url)(found.folder)) }];
  });
}

function oauth10a(OAuth) {
  const oauth = new OAuth({
    consumer: { key: 'shop', secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (text, with_) => createHmac('sha1', with_).update(text).digest('base64'),
  });
  return () => oauth.getSignature({ url, method: 'POST', data }, '', oauthData);
}

function oauthSign(library) {
  return () => library.hmacsign('POST', url, all, secret, '');
}

function oauthSignature(library) {
  return () => library.generate('POST', url, all, secret, '', { encodeSignature: false });
}

/** It takes a message and an accessor and writes the signature into the message. */
function nodeOauth1(oauth1) {
  return () => {
    const message = { method: 'POST', action: url, parameters: pairs.map(([name, value]) => [name, value]) };
    oauth1.SignatureMethod.sign(message, { consumerKey: 'shop', consumerSecret: secret, tokenSecret: '' });
    return oauth1.getParameter(message.parameters, 'oauth_signature');
  };
}

async function signaturesPerSecond(turns, calls, works) {
  const rates = works.map((work) => () => {
    const began = performance.now();
    for (let call = 0; call < calls; call += 1) work();
    return (calls / (performance.now() - began)) * 1000;
  });
  await inTurns(20, rates);
  return inTurns(turns, rates);
}

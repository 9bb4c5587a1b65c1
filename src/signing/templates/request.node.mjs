// {{#introduction}}
// {{{.}}}
// {{/introduction}}

// {{#usesKey}}
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';

// {{/usesKey}}
// {{#asks}}
function fromEnvironment(name) {
  const value = process.env[name] ?? '';
  if (value !== '') return value;
  console.error(`${name} must be set`);
  process.exit(2);
}

// {{/asks}}
// Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986).
function encode(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function encodeForm(pairs) {
  return pairs.map((pair) => pair.map(encode).join('=')).join('&');
}

// {{#oauth}}
// RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
function baseString(url, pairs) {
  const compare = (one, other) => Number(one > other) - Number(one < other);
  const encoded = pairs.map(([name, value]) => [encode(name), encode(value)]);
  encoded.sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue));
  const parameters = encoded.map((pair) => pair.join('=')).join('&');
  return ['POST', url, parameters].map(encode).join('&');
}

// {{/oauth}}
// {{#controlKey}}
const keyFile = process.env.CONTROL_KEY_FILE ?? '';
const key = keyFile === '' ? process.env.CONTROL_KEY : readFileSync(keyFile, 'utf8').replace(/[\r\n]+$/, '');
if (!key) {
  console.error('CONTROL_KEY_FILE must name the file with the merchant control key');
  process.exit(2);
}

// {{/controlKey}}
// {{#rsa}}
let privateKey;
try {
  privateKey = crypto.createPrivateKey(readFileSync(process.env.PRIVATE_KEY_FILE ?? ''));
} catch {
  console.error('PRIVATE_KEY_FILE must name the PEM file with the RSA private key');
  process.exit(2);
}

// {{/rsa}}
// {{#usesLogin}}
const login = '{{login}}';
// {{/usesLogin}}
const endpointId = '{{endpointId}}';
const url = '{{address}}' + endpointId;
const fields = [
  // {{#fields}}
  // {{^isAsked}}
  ['{{wire}}', '{{text}}'],
  // {{/isAsked}}
  // {{#isAsked}}
  ['{{wire}}', fromEnvironment('{{variable}}')],
  // {{/isAsked}}
  // {{/fields}}
];
const headers = {
  // {{#headers}}
  '{{name}}': '{{value}}',
  // {{/headers}}
};
// {{#control}}

// SHA-1 over these values without separators; one that is not sent is empty.
const value = (name) => fields.find(([each]) => each === name)?.[1] ?? '';
const checked = [
  // {{#slots}}
  // {{#isEndpoint}}
  endpointId,
  // {{/isEndpoint}}
  // {{#isLogin}}
  login,
  // {{/isLogin}}
  // {{#minor}}
  '{{minor}}', // the amount in minor units
  // {{/minor}}
  // {{#field}}
  value('{{field}}'),
  // {{/field}}
  // {{/slots}}
  key,
];
const digest = crypto.createHash('sha1').update(checked.join(''));
// {{#hexLower}}
fields.push(['control', digest.digest('hex')]);
// {{/hexLower}}
// {{#hexUpper}}
fields.push(['control', digest.digest('hex').toUpperCase()]);
// {{/hexUpper}}
// {{#base64}}
fields.push(['control', digest.digest('base64')]);
// {{/base64}}
// {{/control}}
// {{#oauth}}

const oauth = [
  ['oauth_consumer_key', login],
  ['oauth_nonce', crypto.randomBytes(16).toString('hex')],
  ['oauth_signature_method', '{{method}}'],
  ['oauth_timestamp', String(Math.floor(Date.now() / 1000))],
  ['oauth_version', '1.0'],
];
const text = baseString(url, [...fields, ...oauth]);
let signature;
// {{#hmac}}
let secret = encode(key);
// {{#rawKey}}
secret = key;
// {{/rawKey}}
signature = crypto.createHmac('sha1', `${secret}&`).update(text).digest('base64');
// {{/hmac}}
// {{#rsa}}
signature = crypto.sign('sha256', Buffer.from(text), privateKey).toString('base64');
// {{/rsa}}
const header = [...oauth, ['oauth_signature', signature]].map(([name, value]) => `${name}="${encode(value)}"`);
headers.Authorization = `OAuth ${header.join(', ')}`;
// {{#inBody}}
fields.push(...oauth);
// {{/inBody}}
// {{/oauth}}

try {
  const body = encodeForm(fields);
  const signal = AbortSignal.timeout(60_000);
  const reply = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  console.log(await reply.text());
  console.error(`HTTP ${reply.status}`);
  process.exitCode = reply.status === 200 ? 0 : 1;
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}

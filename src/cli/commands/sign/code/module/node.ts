import { baseString, encode, quoted, written } from '../node.js';
import { paragraphs } from '../plan.js';
import { type ModulePlan, moduleIntroduction, vectors } from './plan.js';

/** The signer as an ECMAScript module. */
export function nodeModule({ baseUrl, operations, encoding, keyForm, repeatsInBody }: ModulePlan): string {
  const pair = (texts: readonly string[]) => `[${texts.map(quoted).join(', ')}]`;
  return paragraphs([
    moduleIntroduction('//', 'Node.js 18 or later', 'node gateway-signer.mjs'),
    `import { createHash, createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';`,
    `const baseUrl = ${quoted(baseUrl)};`,
    [
      '// Operation: scheme, path, what the checksum covers, whether the body contains the login.',
      'export const operations = new Map([',
      ...operations.map(({ id, scheme, path, values, sendsLogin }) => {
        return `  [${quoted(id)}, [${quoted(scheme)}, ${quoted(path)}, ${pair(values)}, ${sendsLogin}]],`;
      }),
      ']);',
    ],
    `// A request before it is signed. Fields are an array of [name, value].
export function prepareRequest(operation, endpointId, login, fields, nonce, timestamp) {
  const [scheme, path, values, sendsLogin] = operations.get(operation);
  const url = baseUrl + path + endpointId;
  const isMissing = sendsLogin && !fields.some(([name]) => name === 'login');
  const all = isMissing ? [...fields, ['login', login]] : fields;
  if (scheme === 'none') return { scheme, url, fields: all, oauth: [], baseString: '' };
  if (scheme === 'control') {
    const text = controlText(values, endpointId, login, all);
    return { scheme, url, fields: all, oauth: [], baseString: text };
  }
  const oauth = [
    ['oauth_consumer_key', login],
    ['oauth_nonce', nonce ?? randomBytes(16).toString('hex')],
    ['oauth_signature_method', scheme],
    ['oauth_timestamp', timestamp ?? String(Math.floor(Date.now() / 1000))],
    ['oauth_version', '1.0'],
  ];
  return { scheme, url, fields: all, oauth, baseString: baseString(url, [...all, ...oauth]) };
}`,
    `// Address, headers and body to send. The key is the control key, or for RSA-SHA256 a KeyObject.
export function signRequest({ scheme, url, fields, oauth, baseString: text }, key) {
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/vnd.pay+json',
    'Accept-Encoding': 'identity',
  };
  if (scheme === 'none') return { url, headers, body: encodeForm(fields) };
  if (scheme === 'control') return { url, headers, body: encodeForm([...fields, ['control', checksum(text, key)]]) };
  const signature = scheme === 'HMAC-SHA1' ? hmacSha1(text, key) : rsaSha256(text, key);
  const header = [...oauth, ['oauth_signature', signature]].map(([name, value]) => \`\${name}="\${encode(value)}"\`);
  headers.Authorization = \`OAuth \${header.join(', ')}\`;
  return { url, headers, body: encodeForm(${
    repeatsInBody ? "scheme === 'HMAC-SHA1' ? [...fields, ...oauth] : fields" : 'fields'
  }) };
}`,
    encode,
    `function minorUnits(amount) {
  return amount.replace('.', '').replace(/^0+/, '');
}

function controlText(values, endpointId, login, fields) {
  const known = new Map([...fields, ['endpoint_id', endpointId], ['login', login]]);
  return values.map((name) => (name === 'amount' ? minorUnits(known.get(name) ?? '') : known.get(name) ?? '')).join('');
}

function checksum(text, key) {
  return createHash('sha1').update(text + key)${written[encoding]};
}`,
    baseString,
    `function hmacSha1(text, key) {
  return createHmac('sha1', \`\${${keyForm === 'raw' ? 'key' : 'encode(key)'}}&\`).update(text).digest('base64');
}

function rsaSha256(text, key) {
  return sign('sha256', Buffer.from(text), key).toString('base64');
}`,
    `function privateKey() {
  try {
    return createPrivateKey(readFileSync(process.env.PRIVATE_KEY_FILE ?? ''));
  } catch {
    return giveUp('PRIVATE_KEY_FILE must name the PEM file with the RSA private key');
  }
}

function controlKey() {
  const file = process.env.CONTROL_KEY_FILE ?? '';
  const key = file === '' ? process.env.CONTROL_KEY : readFileSync(file, 'utf8').replace(/[\\r\\n]+$/, '');
  return key || giveUp('CONTROL_KEY_FILE must name the file with the merchant control key');
}

function giveUp(why) {
  console.error(why);
  process.exit(2);
}`,
    `// The expected values come from openssl.
function selfTest() {
  const key = ${quoted(vectors.key)};
  const amounts = [${vectors.amounts.map(pair).join(', ')}];
  const pairs = [
${vectors.pairs.map((each) => `    ${pair(each)},`).join('\n')}
  ];
  const text = [
${vectors.baseString.map((part) => `    ${quoted(part)},`).join('\n')}
  ].join('');
  return (
    amounts.every(([amount, minor]) => minorUnits(amount) === minor) &&
    checksum(${quoted(vectors.controlText)}, key) === ${quoted(vectors.control[encoding])} &&
    baseString(${quoted(vectors.url)}, pairs) === text &&
    hmacSha1(text, key) === ${quoted(vectors.hmac[keyForm])}
  );
}`,
    `function main([command, operation, endpointId, login, nonce, timestamp]) {
  if (command === '--self-test') {
    const passed = selfTest();
    console.log(passed ? 'passed' : 'FAILED');
    return passed ? 0 : 1;
  }
  if (!['--base-string', '--request'].includes(command) || !operations.has(operation) || login === undefined)
    giveUp('usage: --self-test | --base-string or --request, OPERATION, ENDPOINT_ID, LOGIN [NONCE TIMESTAMP]');
  const lines = readFileSync(0, 'utf8').split('\\n').filter((line) => line !== '');
  const fields = lines.map((line) => [line.split('=', 1)[0], line.split('=').slice(1).join('=')]);
  const prepared = prepareRequest(operation, endpointId, login, fields, nonce, timestamp);
  if (command === '--base-string') {
    process.stdout.write(prepared.baseString);
    return 0;
  }
  const readKey = { none: () => undefined, 'RSA-SHA256': privateKey }[prepared.scheme] ?? controlKey;
  const { url, headers, body } = signRequest(prepared, readKey());
  const lined = Object.entries(headers).map(([name, value]) => \`\${name}: \${value}\\n\`);
  process.stdout.write(\`POST \${url} HTTP/1.1\\n\${lined.join('')}\\n\${body}\`);
  return 0;
}`,
    "if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));",
  ]);
}

import type { ControlEncoding } from '../../../../signing/index.js';
import { plainHeaders } from '../../../../signing/schemes/request.js';
import { type CodePlan, type OauthPlan, type PlannedSigning, paragraphs } from './plan.js';
import { camelCase, programParts, type Syntax } from './program-parts.js';

/** A JavaScript program for Node.js without any package. */
export function nodeProgram(plan: CodePlan, run: string): string {
  const { address, signing } = plan;
  const parts = programParts(plan, syntax, { needs: 'Node.js 18 or later', run, cards: 'read from the variables' });
  return paragraphs([
    parts.introduction,
    imports(signing),
    parts.asks ? fromEnvironment : '',
    encode,
    parts.isOauth ? baseString : '',
    parts.key,
    [...parts.assignments, `const url = ${quoted(address)} + endpointId;`],
    ['const fields = [', ...parts.pairs.map((pair) => `  ${pair},`), '];'],
    [
      'const headers = {',
      ...Object.entries(plainHeaders).map(
        ([name, value]) => `  ${/^\w+$/.test(name) ? name : quoted(name)}: ${quoted(value)},`,
      ),
      '};',
    ],
    parts.signing,
    post,
  ]);
}

/** As people write it, where that means the same as JSON. */
export function quoted(text: string): string {
  const json = JSON.stringify(text);
  return /['\\\p{Cc}]/u.test(text) || json.includes('\\u') ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}

function imports(signing: PlannedSigning): readonly string[] {
  const crypto = {
    control: ['createHash'],
    'hmac-sha1': ['createHmac', 'randomBytes'],
    'rsa-sha256': ['createPrivateKey', 'randomBytes', 'sign'],
    none: [],
  }[signing.scheme];
  if (crypto.length === 0) return [];
  return [`import { ${crypto.join(', ')} } from 'node:crypto';`, "import { readFileSync } from 'node:fs';"];
}

const fromEnvironment = `function fromEnvironment(name) {
  const value = process.env[name] ?? '';
  if (value !== '') return value;
  console.error(\`\${name} must be set\`);
  process.exit(2);
}`;

export const encode = `// Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986).
function encode(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => \`%\${mark.charCodeAt(0).toString(16).toUpperCase()}\`);
}

function encodeForm(pairs) {
  return pairs.map((pair) => pair.map(encode).join('=')).join('&');
}`;

export const baseString = `// RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
function baseString(url, pairs) {
  const compare = (one, other) => Number(one > other) - Number(one < other);
  const encoded = pairs.map(([name, value]) => [encode(name), encode(value)]);
  encoded.sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue));
  const parameters = encoded.map((pair) => pair.join('=')).join('&');
  return ['POST', url, parameters].map(encode).join('&');
}`;

export const controlKey = `const keyFile = process.env.CONTROL_KEY_FILE ?? '';
const key = keyFile === '' ? process.env.CONTROL_KEY : readFileSync(keyFile, 'utf8').replace(/[\\r\\n]+$/, '');
if (!key) {
  console.error('CONTROL_KEY_FILE must name the file with the merchant control key');
  process.exit(2);
}`;

const privateKey = `let key;
try {
  key = createPrivateKey(readFileSync(process.env.PRIVATE_KEY_FILE ?? ''));
} catch {
  console.error('PRIVATE_KEY_FILE must name the PEM file with the RSA private key');
  process.exit(2);
}`;

export const written = {
  'hex-lower': ".digest('hex')",
  'hex-upper': ".digest('hex').toUpperCase()",
  base64: ".digest('base64')",
} as const;

function control(variables: readonly string[], encoding: ControlEncoding): readonly string[] {
  const text = [...variables, 'key'].join(' + ');
  return [
    `const control = createHash('sha1').update(${text})${written[encoding]};`,
    "fields.push(['control', control]);",
  ];
}

/** RFC 5849 3.4 and 3.5.1. */
function oauth(signing: OauthPlan): readonly string[] {
  return [
    `const oauth = [
  ['oauth_consumer_key', login],
  ['oauth_nonce', randomBytes(16).toString('hex')],
  ['oauth_signature_method', '${signing.method}'],
  ['oauth_timestamp', String(Math.floor(Date.now() / 1000))],
  ['oauth_version', '1.0'],
];
const text = baseString(url, [...fields, ...oauth]);`,
    signature(signing),
    `const header = [...oauth, ['oauth_signature', signature]].map(([name, value]) => \`\${name}="\${encode(value)}"\`);
headers.Authorization = \`OAuth \${header.join(', ')}\`;`,
  ];
}

function signature(signing: OauthPlan): string {
  if (signing.scheme === 'rsa-sha256')
    return "const signature = sign('sha256', Buffer.from(text), key).toString('base64');";
  const secret = signing.keyForm === 'raw' ? 'key' : 'encode(key)';
  return `const signature = createHmac('sha1', \`\${${secret}}&\`).update(text).digest('base64');`;
}

const post = `try {
  const body = encodeForm(fields);
  const signal = AbortSignal.timeout(60_000);
  const reply = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  console.log(await reply.text());
  console.error(\`HTTP \${reply.status}\`);
  process.exitCode = reply.status === 200 ? 0 : 1;
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}`;

const syntax: Syntax = {
  mark: '//',
  name: camelCase,
  quoted,
  asked: (variable) => `fromEnvironment('${variable}')`,
  assignment: (name, value) => `const ${name} = ${value};`,
  pair: (name, value) => `[${name}, ${value}]`,
  readControlKey: controlKey,
  readPrivateKey: privateKey,
  control,
  oauth,
  oauthIntoBody: 'fields.push(...oauth);',
};

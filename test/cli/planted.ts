import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Published test numbers that paycli does not know as such, and texts nobody else uses: a find is a leak. */
export const card = '6759649826438453';
export const otherCard = '5425233430109903';
export const mistyped = '6759649826438454';
// It begins with 0, so that no count or size in an output is taken for it.
export const code = '0947';
export const controlKey = 'CANARY-5D41-402A-BC4B-2A76B9719D91';
export const passphrase = 'canary phrase 7 of 9';
export const proxyWord = 'canaryProxyWord';

/** Files with the secrets, made once for a test file; outside every folder that is searched. */
export function plantFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-planted-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const text = (key: KeyObject, cipher = {}) =>
    String(key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem', ...cipher }));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsa = text(privateKey);
  return {
    folder,
    put,
    phrase: put('phrase', `${passphrase}\n`),
    rsa: put('rsa.pem', rsa),
    /** What of that key must stand nowhere: a piece of each of its lines. */
    rsaParts: rsa
      .split('\n')
      .slice(2, -3)
      .map((line) => line.slice(8, 56)),
    locked: put('locked.pem', text(privateKey, { cipher: 'aes-256-cbc', passphrase })),
    weak: put('weak.pem', text(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)),
    public: put('rsa.pub.pem', text(publicKey)),
    key: put('control.key', `${controlKey}\n`),
    card: put(
      'card',
      JSON.stringify({
        ...{ credit_card_number: card, card_printed_name: 'PAT PAYER' },
        ...{ expire_month: '12', expire_year: '2035', cvv2: code },
      }),
    ),
  };
}

export type Planted = ReturnType<typeof plantFiles>;

/** A profile `shop` that uses every kind of key file, in a home of its own. */
export function writeProfile(home: string, { key, locked, phrase }: Planted): void {
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  const lines = [
    'default-profile: shop',
    'profiles:',
    '  shop:',
    '    class: test',
    '    ask-first: off',
    '    base-url: https://gate.example',
    '    login: my-shop',
    '    endpoint-id: 1144',
    `    control-key: { file: ${key} }`,
    `    private-key: { file: ${locked} }`,
    `    passphrase: { file: ${phrase} }`,
  ];
  writeFileSync(join(home, 'config', 'config.yaml'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

const secrets = Object.entries({
  'control key': controlKey,
  passphrase,
  'proxy password': proxyWord,
  card,
  'other card': otherCard,
}).map(([name, secret]) => ({
  name,
  secret,
  hex: Buffer.from(secret).toString('hex'),
  parts: /^\d+$/.test(secret) ? windows(secret, 9) : undefined,
}));
// Digests and ids hold any four digits sooner or later.
const codeAlone = new RegExp(`(?<![\\da-f.:])${code}(?![\\da-f])`, 'i');

/** What of the planted secrets stands in a text, plainly or in any usual encoding. */
export function leaksIn(text: string, planted: Planted): string[] {
  const plain = decoded(text);
  const lower = plain.toLowerCase();
  const digits = plain.replace(/(?<=\d)[ +-](?=\d)/g, '');
  const inside = insideBase64(text).join('\n');
  const found = secrets.flatMap(({ name, secret, hex, parts }) => {
    const isThere =
      parts === undefined ? lower.includes(secret.toLowerCase()) : parts.some((part) => digits.includes(part));
    return isThere || lower.includes(hex) || inside.includes(secret) ? [name] : [];
  });
  if (codeAlone.test(plain)) found.push('security code');
  if (planted.rsaParts.some((part) => text.includes(part))) found.push('private key');
  return found;
}

/** With escapes taken off, also several times over. */
function decoded(text: string): string {
  const once = text
    .replace(/%([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\u00([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[０-９]/g, (digit) => String(digit.charCodeAt(0) & 15));
  return once === text ? text : decoded(once);
}

function windows(text: string, size: number): string[] {
  return Array.from({ length: text.length - size + 1 }, (_, at) => text.slice(at, at + size));
}

function insideBase64(text: string): string[] {
  const runs = text.match(/[\w+/-]{16,}/g) ?? [];
  return runs.flatMap((run) => [0, 1, 2, 3].map((shift) => Buffer.from(run.slice(shift), 'base64').toString('latin1')));
}

const searched = new WeakMap<Planted, Map<string, string[]>>();

/** Each content is searched once: most files stay as they are from one command to the next. */
function leaksInBytes(bytes: Buffer, planted: Planted): string[] {
  const known = searched.get(planted) ?? new Map<string, string[]>();
  searched.set(planted, known);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const leaks = known.get(digest) ?? leaksIn(bytes.toString('latin1'), planted);
  known.set(digest, leaks);
  return leaks;
}

/** The files below a folder of a home whose text holds a secret. */
export function leakyFiles(home: string, planted: Planted): string[] {
  return ['config', 'state'].flatMap((folder) => {
    if (!existsSync(join(home, folder))) return [];
    const entries = readdirSync(join(home, folder), { recursive: true, withFileTypes: true });
    return entries.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile()) return [];
      const leaks = leaksInBytes(readFileSync(path), planted);
      return leaks.length === 0 ? [] : [`${path.slice(home.length)}: ${leaks.join(', ')}`];
    });
  });
}

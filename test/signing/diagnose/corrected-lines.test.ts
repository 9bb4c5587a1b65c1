/**
 * The corrected lines of every language, each put where its program needs it, compiled and run. By day the languages
 * that need no compiler; SIGN_LANGUAGES=1 adds the others.
 *
 * @module-tag php
 * @module-tag python3
 * @module-tag openssl
 */
import { execFileSync } from 'node:child_process';
import { createHash, createHmac, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hmac } from '../../../src/cli/commands/sign/code/shell.js';
import { correctedLines } from '../../../src/signing/diagnose/corrected-lines.js';
import type { CodeLanguage } from '../../../src/signing/diagnose/diagnosis.js';
import { rsaPairs } from '../../support/rsa-pairs.js';

interface Language {
  readonly language: CodeLanguage;
  readonly template?: string;
  readonly file: string;
  readonly compile?: readonly [string, ...string[]];
  readonly run: readonly [string, ...string[]];
}

const byDay: readonly Language[] = [
  { language: 'php', file: 'lines.php', run: ['php', '-d', 'error_reporting=-1', 'lines.php'] },
  { language: 'python', file: 'lines.py', run: ['python3', '-W', 'error', 'lines.py'] },
  { language: 'node', file: 'lines.mjs', run: [process.execPath, 'lines.mjs'] },
  { language: 'shell', file: 'lines.sh', run: ['sh', '-eu', 'lines.sh'] },
];
// Their compilers and packages are large, so .ci/nightly installs them.
const byNight: readonly Language[] = [
  { language: 'python', template: 'python-rsa', file: 'rsa.py', run: ['/usr/bin/python3', '-W', 'error', 'rsa.py'] },
  { language: 'ruby', file: 'lines.rb', run: ['ruby', '-w', 'lines.rb'] },
  {
    language: 'java',
    file: 'Lines.java',
    compile: ['javac', '--release', '11', '-Xlint:all', '-Werror', '-encoding', 'UTF-8', 'Lines.java'],
    run: ['java', 'Lines'],
  },
  {
    language: 'csharp',
    file: 'lines.cs',
    compile: ['mcs', '-warnaserror', '-r:System.Net.Http.dll', 'lines.cs'],
    run: ['mono', 'lines.exe'],
  },
  { language: 'go', file: 'lines.go', compile: ['go', 'build', '-o', 'lines', 'lines.go'], run: ['./lines'] },
];

const folder = mkdtempSync(join(tmpdir(), 'lines-'));
const { privateKey, publicKey } = rsaPairs()();
const key = 'B17F-é';
const value = "a b!*'()~+/&=%é€😀-._";
const addresses: readonly (readonly [url: string, address: string])[] = [
  ['HTTPS://Pay.Example:8443/a%2fb/c?x=1#f', 'https://pay.example:8443/a%2fb/c'],
  ['https://Pay.Example:443/x', 'https://pay.example/x'],
  ['http://pay.example:80/x?y=http://Z', 'http://pay.example/x'],
  ['http://Pay.Example', 'http://pay.example/'],
];
// Sorted as joined texts, a-b would come before a.
const joined = 'B%5B%5D=%C3%A9&a=&a-b=x&b=10&b=2&oauth_nonce=n%20n';
const base =
  'POST&https%3A%2F%2Fpay.example%2Fx&B%255B%255D%3D%25C3%25A9%26a%3D%26a-b%3Dx%26b%3D10%26b%3D2%26oauth_nonce%3Dn%2520n';
const digest = (encoding: 'hex' | 'base64') => createHash('sha1').update(`a b${key}`).digest(encoding);
const signed = (secret: string) => createHmac('sha1', secret).update(base).digest('base64');

const expected: Readonly<Record<string, readonly string[]>> = {
  encode: ['a%20b%21%2A%27%28%29~%2B%2F%26%3D%25%C3%A9%E2%82%AC%F0%9F%98%80-._'],
  address: addresses.map(([, address]) => address),
  // 10.42 USD, leading zeros, 5 cents, 100 JPY and 1.500 KWD.
  minor: ['1042', '1040', '5', '100', '1500'],
  joined: [joined],
  base: [base],
  key: [key],
  hmac: [signed('B17F-%C3%A9&')],
  hmacRaw: [signed('B17F-é&')],
  header: ['OAuth oauth_nonce="n", oauth_signature="a%2B%2F%3D"'],
  control: [digest('hex')],
  controlUpper: [digest('hex').toUpperCase()],
  controlBase64: [digest('base64')],
  orEmpty: ['<77>', '<>', '<>'],
  utf8: ['c3a9'],
};
const form: Readonly<Partial<Record<CodeLanguage, string>>> = {
  php: 'a=x%20y&b=',
  python: 'a=x%20y&b=',
  // A publisher of Java tells its length alone.
  java: 'application/x-www-form-urlencoded 10',
  shell: '<--data-raw><a=x%20y&b=><-H><Content-Type: application/x-www-form-urlencoded><https://pay.example/x>',
};

beforeAll(() => {
  writeFileSync(join(folder, 'control.key'), `${key}\n`);
  writeFileSync(join(folder, 'value.txt'), value);
  writeFileSync(join(folder, 'base.txt'), base);
  writeFileSync(join(folder, 'rsa.pem'), privateKey);
  writeFileSync(join(folder, 'rsa.xml'), xmlOf(privateKey));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** As .NET writes a key. */
function xmlOf(pem: string): string {
  const { n, e, d, p, q, dp, dq, qi } = createPrivateKey(pem).export({ format: 'jwk' });
  const parts = { Modulus: n, Exponent: e, P: p, Q: q, DP: dp, DQ: dq, InverseQ: qi, D: d };
  const text = (part: string | undefined) => Buffer.from(part ?? '', 'base64url').toString('base64');
  return `<RSAKeyValue>${Object.entries(parts)
    .map(([name, part]) => `<${name}>${text(part)}</${name}>`)
    .join('')}</RSAKeyValue>`;
}

const languages = process.env['SIGN_LANGUAGES'] === undefined ? byDay : [...byDay, ...byNight];

test.each(languages)('$file', { timeout: 120_000 }, ({ language, template = language, file, compile, run }) => {
  const printed = runLines(language, template, file, compile, run);
  const { rsa: [signature = ''] = [], timestamp: [timestamp = ''] = [], form: [body] = [], ...rest } = printed;
  if (template !== 'python')
    expect(verify('sha256', Buffer.from(base), createPublicKey(publicKey), Buffer.from(signature, 'base64'))).toBe(
      true,
    );
  if (template === 'python-rsa') return;
  expect(rest).toEqual(expected);
  expect(body).toBe(form[language] ?? 'application/x-www-form-urlencoded a=x%20y&b=');
  expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(120);
  expect(timestamp).toMatch(/^\d{10}$/);
});

/** What the program of a language prints, by name. */
function runLines(
  language: CodeLanguage,
  template: string,
  file: string,
  compile: Language['compile'],
  [program, ...flags]: Language['run'],
): Readonly<Partial<Record<string, readonly string[]>>> {
  const text = readFileSync(new URL(`../corrected-lines/${template}.template`, import.meta.url), 'utf8');
  const lines: Readonly<Record<string, Readonly<Record<CodeLanguage, string>>>> = correctedLines;
  const filled = text
    .replace('{{hmacFunction}}', () => hmac)
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => lines[name]?.[language] ?? `no line ${name}`);
  writeFileSync(join(folder, file), filled);
  const settings = {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8', HOME: folder, GOFLAGS: '-mod=mod', GO111MODULE: 'off' },
  } as const;
  if (compile !== undefined) execFileSync(compile[0], compile.slice(1), settings);
  const printed = execFileSync(program, [...flags, value, ...addresses.map(([url]) => url)], settings);
  const found: Record<string, string[]> = {};
  for (const line of printed.trimEnd().split('\n')) {
    const [name = '', ...rest] = line.split('\t');
    found[name] = [...(found[name] ?? []), rest.join('\t')];
  }
  return found;
}

test('every line stands in every program', () => {
  for (const { language, template = language } of [...byDay, ...byNight.slice(1)]) {
    const text = readFileSync(new URL(`../corrected-lines/${template}.template`, import.meta.url), 'utf8');
    const names = Object.keys(correctedLines).filter((name) => template !== 'python' || name !== 'rsa');
    for (const name of names) expect(text.includes(`{{${name}}}`), `${template} ${name}`).toBe(true);
  }
});

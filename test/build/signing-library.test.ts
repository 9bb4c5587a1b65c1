import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { installed } from '../support/installed.js';

// Its dependencies are left out, so whatever needs one of them fails.
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = installed();
afterAll(() => rmSync(folder, { recursive: true }));

/** All of it. A name that comes or goes is a change of the interface. */
const names = [
  'PaycliError',
  'authorizationHeader',
  'baseStringUri',
  'controlChecksum',
  'decodeForm',
  'normalizeParameters',
  'parseAuthorizationHeader',
  'percentEncode',
  'signHmacSha1',
  'signRequest',
  'signRsaSha256',
  'signatureBaseString',
  'verifyCallback',
  'verifyControl',
  'verifyHmacSha1',
  'verifyRequest',
  'verifyRsaSha256',
];

function run(file: string, text: string, ...words: string[]): string {
  writeFileSync(join(folder, file), text);
  const { status, stdout, stderr } = spawnSync('node', [...words, file], { cwd: folder, encoding: 'utf8' });
  expect([status, stderr], stdout).toEqual([0, '']);
  return stdout;
}

test.each([
  ['import of paycli/signing', 'face.mjs', "import * as face from 'paycli/signing';"],
  ['require of paycli/signing', 'face.cjs', "const face = require('paycli/signing');"],
  ['import of paycli', 'whole.mjs', "import * as face from 'paycli';"],
])('%s gives these names and no other, and they work', (_, file, load) => {
  const script = `${load}
    const control = face.controlChecksum(['4001', 'order-2', '1042', 'payer@example.com'], 'key');
    console.log(JSON.stringify([Object.keys(face), control]));`;
  const [given, control] = JSON.parse(run(file, script, '--no-warnings'));
  expect(given.filter((name: string) => !['default', '__esModule', 'module.exports'].includes(name)).sort()).toEqual(
    names,
  );
  // printf %s '4001order-21042payer@example.comkey' | openssl dgst -sha1
  expect(control).toBe('c772468e3618498a03d8dbfbf6796fc5aa6b6e7c');
});

test('they have types, which need none of Node', () => {
  const program = `import { controlChecksum, PaycliError, signHmacSha1, signRequest, type SignedRequest, verifyCallback, verifyRequest } from 'paycli/signing';
    const request: SignedRequest = signRequest({
      scheme: 'HMAC-SHA1', url: 'https://gateway.example/a/1', fields: { a: '1', b: ['2', '3'] },
      keys: { login: 'shop', controlKey: 'key' },
    });
    const verdict = verifyRequest({
      scheme: 'RSA-SHA256', url: request.url, fields: 'a=1', authorization: request.headers['Authorization'],
      keys: { login: 'shop', publicKey: 'PEM' },
    });
    const callback = verifyCallback('a=1', ['key', 'old']);
    const text: string = (verdict.ok ? (verdict.nonce ?? '') : verdict.reason) + (callback.ok ? callback.orderId : callback.detail);
    const error: unknown = new Error(text + controlChecksum(['1'], 'key', { encoding: 'base64' }));
    if (error instanceof PaycliError) throw new Error(error.code);
    // @ts-expect-error a key that may be undefined
    signHmacSha1('base', undefined);
    // @ts-expect-error RSA needs a private key
    signRequest({ scheme: 'RSA-SHA256', url: 'https://a/', fields: {}, keys: { login: 'shop' } });`;
  writeFileSync(join(folder, 'consumer.mts'), program);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022'];
  const tsc = `${root}/node_modules/typescript/bin/tsc`;
  const compiled = spawnSync('node', [tsc, ...options, 'consumer.mts'], { cwd: folder, encoding: 'utf8' });
  expect(compiled.stdout).toBe('');
});

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { pem } from '../signing/support.js';
import { isEvery } from '../support/every.js';
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

const ways = [
  { way: 'import', file: 'face.mjs', load: "const face = await import('paycli/signing');" },
  { way: 'require', file: 'face.cjs', load: "const face = require('paycli/signing');" },
];

describe.each(ways)('the installed package, by $way', ({ file, load }) => {
  test('exports these names and no other', () => {
    expect(JSON.parse(run(file, `${load}\nconsole.log(JSON.stringify(Object.keys(face)));`)).sort()).toEqual(names);
  });

  test('loads its own files and node:crypto, and nothing native', () => {
    const { added, files, shared } = JSON.parse(
      run(
        file,
        `const bare = new Set(process.moduleLoadList);
        const { createRequire, builtinModules } = process.getBuiltinModule('node:module');
        const before = new Set(process.moduleLoadList);
        ${load}
        const added = process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.split(' ').pop());
        const own = createRequire(${JSON.stringify(join(folder, 'x.cjs'))});
        console.log(JSON.stringify({
          added: added.filter((name) => builtinModules.includes(name)),
          files: Object.keys(own.cache),
          shared: process.report.getReport().sharedObjects.filter((name) => name.endsWith('.node')),
        }));`,
      ),
    );
    expect(shared).toEqual([]);
    expect(added).toContain('crypto');
    expect(added.filter((name: string) => /sqlite|http|^net$|tls|worker|child_process/.test(name))).toEqual([]);
    const outside = files.filter(
      (name: string) => name.includes('node_modules/') && !name.includes('/paycli/dist/lib/'),
    );
    expect(outside).toEqual([]);
  });

  test('signs what openssl signs', () => {
    // printf %s '4001order-21042payer@example.comkey' | openssl dgst -sha1
    const script = `${load}
      console.log(face.controlChecksum(['4001', 'order-2', '1042', 'payer@example.com'], 'key'));`;
    expect(run(file, script)).toBe('c772468e3618498a03d8dbfbf6796fc5aa6b6e7c\n');
  });
});

test('nothing that it loads names a file outside of its folder, by import or by require', () => {
  const texts = readdirSync(join(folder, 'node_modules/paycli/dist/lib'), { encoding: 'utf8' })
    .filter((name) => name === 'signing.js' || name.startsWith('part-'))
    .map((name) => readFileSync(join(folder, 'node_modules/paycli/dist/lib', name), 'utf8'));
  texts.push(readFileSync(join(folder, 'node_modules/paycli/dist/lib/cjs/signing.js'), 'utf8'));
  expect(texts.length).toBeGreaterThan(1);
  const named = texts.flatMap((text) =>
    [...text.matchAll(/^(?:\} from|import|import .* from|.*\brequire\() ?"([^"]+)"/gm)].map(([, name]) => name),
  );
  expect([...new Set(named)].filter((name) => !name?.startsWith('./part-'))).toEqual(['node:crypto']);
});

test('an error of the one copy is an instance of the class of the other, and a strange one of neither', () => {
  const script = `import { createRequire } from 'node:module';
    import * as imported from 'paycli/signing';
    const required = createRequire(import.meta.url)('paycli/signing');
    const caught = (face) => { try { face.baseStringUri('ftp://a/'); } catch (error) { return error; } };
    console.log(JSON.stringify([
      caught(imported) instanceof required.PaycliError, caught(required) instanceof imported.PaycliError,
      caught(required).code, new TypeError('x') instanceof imported.PaycliError, null instanceof required.PaycliError,
    ]));`;
  expect(JSON.parse(run('both.mjs', script))).toEqual([true, true, 'URL_INVALID', false, false]);
});

if (isEvery)
  describe('types', () => {
    const program = `
    const request: SignedRequest = signRequest({
      scheme: 'control', url: 'https://gateway.example/a/1', fields: { a: '1', b: ['2', '3'] }, values: ['1'],
      keys: { controlKey: 'key' },
    });
    const again = signRequest({
      scheme: 'HMAC-SHA1', url: request.url, fields: new Map([['a', '1']]), keys: { login: 'shop', controlKey: 'key' },
      nonce: 'n', timestamp: 1, realm: 'r', keyForm: 'raw', oauthInBody: true,
    });
    const header: string | undefined = again.headers['Authorization'];
    const verdict = verifyRequest({
      scheme: 'RSA-SHA256', url: request.url, fields: 'a=1', authorization: header,
      keys: { login: 'shop', publicKey: 'PEM' },
    });
    const why: string = verdict.ok ? (verdict.nonce ?? '') : verdict.reason;
    const callback = verifyCallback('a=1', ['key', 'old']);
    const order: string = callback.ok ? callback.orderId : callback.detail;
    const fits: boolean = verifyControl(['1'], controlChecksum(['1'], 'key', { encoding: 'base64' }), 'key');
    const error: unknown = new Error(why + order + String(fits));
    if (error instanceof PaycliError) throw new Error(error.code);
    // @ts-expect-error a key that may be undefined
    signHmacSha1('base', undefined);
    // @ts-expect-error RSA needs a private key
    signRequest({ scheme: 'RSA-SHA256', url: 'https://a/', fields: {}, keys: { login: 'shop' } });
    // @ts-expect-error a scheme that is not there
    signRequest({ scheme: 'PLAINTEXT', url: 'https://a/', fields: {}, keys: { login: 'shop', controlKey: 'key' } });`;
    const used =
      'PaycliError, type SignedRequest, controlChecksum, signHmacSha1, signRequest, verifyCallback, verifyControl, verifyRequest';

    const consumers = {
      'consumer.mts': `import { ${used} } from 'paycli/signing';`,
      'consumer.cts': `import { ${used} } from 'paycli/signing';`,
      'required.cts': `import signing = require('paycli/signing');
      type SignedRequest = signing.SignedRequest;
      const { ${used.replace('type SignedRequest, ', '')} } = signing;`,
    };
    // By night: a compiler each.
    const modules = isEvery ? ['node16', 'nodenext'] : [];
    test.each(modules)('compile under %s by import and by require, without the types of Node', (module) => {
      for (const [file, head] of Object.entries(consumers)) writeFileSync(join(folder, file), `${head}${program}\n`);
      // Without `types` none are loaded, and skipLibCheck is off: the declarations themselves must stand alone.
      const options = ['--strict', '--module', module, '--target', 'es2022', '--lib', 'es2022'];
      expect(compiled(...options, ...Object.keys(consumers))).toBe('');
    });

    // By night: a compiler of its own.
    test.each(isEvery ? ['nodenext'] : [])(
      'under %s a KeyObject of Node is one of ours, and a signed request is one for fetch',
      (module) => {
        mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
        for (const name of ['@types/node', 'undici-types'])
          symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
        writeFileSync(
          join(folder, 'keys.mts'),
          `import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
      import { signRequest, signRsaSha256, verifyRsaSha256 } from 'paycli/signing';
      const key: KeyObject = createPrivateKey('');
      verifyRsaSha256('a', signRsaSha256('a', key), createPublicKey(key));
      const signed = signRequest({
        scheme: 'RSA-SHA256', url: 'https://a/', fields: new URLSearchParams('a=1'), keys: { login: 'a', privateKey: key },
      });
      export const reply = await fetch(signed.url, signed);`,
        );
        // The declarations themselves were checked above, and those of Node are not ours.
        const options = ['--strict', '--skipLibCheck', '--exactOptionalPropertyTypes', '--target', 'es2022'];
        expect(compiled(...options, '--module', module, '--types', 'node', 'keys.mts')).toBe('');
      },
    );

    /** What the compiler has to say. */
    function compiled(...words: string[]): string {
      const tsc = `${root}/node_modules/typescript/bin/tsc`;
      return spawnSync('node', [tsc, '--noEmit', ...words], { cwd: folder, encoding: 'utf8' }).stdout;
    }
  });

describe('examples of the doc comments', () => {
  const sources = readdirSync(join(root, 'src/signing/library')).map((name) =>
    readFileSync(join(root, 'src/signing/library', name), 'utf8'),
  );
  const documented = sources.flatMap((text) =>
    [...text.matchAll(/\/\*\*\n((?: \*.*\n)+) \*\/\nexport function (\w+)/g)].map(([, comment = '', name = '']) => ({
      name,
      comment: comment.replace(/^ \* ?/gm, ''),
    })),
  );

  test.each(names.filter((name) => name !== 'PaycliError'))('%s has one, and names its errors', (name) => {
    const comment = documented.find((each) => each.name === name)?.comment ?? '';
    expect(comment).toContain('@throws {TypeError} `ERR_PAYCLI_ARGUMENT`');
    expect(comment.match(/^```js$/gm)).toHaveLength(1);
    expect(comment).toMatch(/assert\.\w+\(/);
  });

  test('all of them hold', () => {
    const examples = documented.flatMap(({ name, comment }) =>
      [...comment.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => `{\n${code}ran.push('${name}');\n}\n`),
    );
    const script = `const assert = require('node:assert/strict');
      const { generateKeyPairSync } = require('node:crypto');
      const { ${names.join(', ')} } = require('paycli/signing');
      const ran = [];
      ${examples.join('')}
      console.log(JSON.stringify(ran));`;
    expect(JSON.parse(run('examples.cjs', script)).sort()).toEqual(names.filter((name) => name !== 'PaycliError'));
  });
});

describe('examples of the help topic', () => {
  const topic = readFileSync(join(root, 'src/cli/docs/topics/signing.md'), 'utf8');
  const [sale = '', check = '', server = '', verify = '', ...others] = [...topic.matchAll(/```js\n([\s\S]*?)```/g)].map(
    ([, code]) => code,
  );

  test('there are four', () => {
    expect([verify === '', others]).toEqual([false, []]);
  });

  test('a sale is sent with its checksum', () => {
    const prelude = `globalThis.fetch = async (url, { method, headers, body }) => {
      console.log(JSON.stringify({ url, method, headers, body }));
    };`;
    writeFileSync(join(folder, 'prelude.mjs'), prelude);
    const sent = JSON.parse(run('sale.mjs', sale, '--import', './prelude.mjs'));
    // printf %s '4001order-21042payer@example.comkey' | openssl dgst -sha1
    expect(sent).toEqual({
      url: 'https://gateway.example/paynet/api/v2/sale/4001',
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/vnd.pay+json',
        'Accept-Encoding': 'identity',
      },
      body: 'client_orderid=order-2&amount=10.42&currency=USD&email=payer%40example.com&control=c772468e3618498a03d8dbfbf6796fc5aa6b6e7c',
    });
  });

  test('a payout check is signed by RSA, as openssl confirms', () => {
    writeFileSync(join(folder, 'rsa.pem'), pem('test-rsa-2048.pkcs8'));
    execFileSync('openssl', ['pkey', '-in', 'rsa.pem', '-pubout', '-out', 'public.pem'], { cwd: folder });
    const [header = '', baseString = ''] = run('check.cjs', check)
      .trim()
      .split(/ (?=POST&)/);
    expect(baseString).toMatch(/^POST&https%3A%2F%2Fgateway\.example%2Fpaynet%2Fapi%2Fv4%2Fpayout-check%2F4001&amount/);
    const signature = decodeURIComponent(/oauth_signature="([^"]+)"/.exec(header)?.[1] ?? '');
    writeFileSync(join(folder, 'signature'), Buffer.from(signature, 'base64'));
    writeFileSync(join(folder, 'base-string'), baseString);
    const openssl = ['dgst', '-sha256', '-verify', 'public.pem', '-signature', 'signature', 'base-string'];
    expect(execFileSync('openssl', openssl, { cwd: folder, encoding: 'utf8' })).toBe('Verified OK\n');
  });

  test('a server answers callbacks by their checksum', () => {
    const script = server.replace(
      '.listen(8080);',
      `.listen(0, '127.0.0.1', async function () {
        const address = 'http://127.0.0.1:' + this.address().port;
        const query = 'status=approved&orderid=77001&client_orderid=order-2&control=';
        for (const control of ['6174f28a3dbfcfceed47ff6929d299cbc8067c33', '6174f28a', '']) {
          const reply = await fetch(address + '/callback?' + query + control);
          console.log(reply.status, await reply.text());
        }
        this.close();
        this.closeAllConnections();
      });`,
    );
    expect(script).not.toBe(server);
    // printf %s 'approved77001order-2key' | openssl dgst -sha1
    expect(run('server.mjs', script)).toBe('200 77001\n403 control-wrong\n403 control-missing\n');
  });

  test('a request without a signature is refused with the reason', () => {
    expect(run('verify.mjs', verify)).toBe('oauth_nonce is missing\n');
  });
});

/** What a program beside the installed package prints. It must print nothing else and end well. */
function run(file: string, text: string, ...flags: string[]): string {
  writeFileSync(join(folder, file), text);
  const env = { PATH: process.env['PATH'], CONTROL_KEY: 'key' };
  const { status, stdout, stderr } = spawnSync('node', [...flags, file], { cwd: folder, env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

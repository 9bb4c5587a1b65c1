import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { rsaKey } from './profiles.js';
import { digestOf, hmacOf, put, rsaOf } from './signing-files.js';

// The request of RFC 5849 3.4.1.1, with the base string printed there.
const rfcUrl = 'http://example.com/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b';
const rfcParams = '[["c2",""],["a3","2 q"]]';
const rfcBase =
  'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7';

function rfcFlags(home: string): string[] {
  return [
    ...['--method', 'POST', '--url', rfcUrl, '--signature-method', 'HMAC-SHA1', '--consumer-key', '9djdj82h48djs9d2'],
    ...[
      '--key-file',
      put(home, 'key', 'j49sk3j29djd\n'),
      '--token-secret-file',
      put(home, 'token', 'dh893hdasih9\r\n'),
    ],
    ...['--nonce', '7d8f3e4a', '--timestamp', '137131201', '--token', 'kkk9d7dh3k39sjv7', '--no-version'],
    ...['--params-file', put(home, 'params.json', rfcParams)],
  ];
}

const raw = (argv: readonly string[], home: string) => paycli(['sign', 'raw', ...argv], { home });

describe('sign raw', () => {
  test('the example of RFC 5849 3.4.1.1, its keys dropped exactly one line end', async () => {
    const home = temporaryHome();
    const ran = await raw([...rfcFlags(home), '--realm', 'Example', '--json'], home);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    const signature = hmacOf(rfcBase, 'j49sk3j29djd&dh893hdasih9');
    expect(JSON.parse(ran.out)).toEqual({
      baseString: rfcBase,
      signature,
      authorization: `OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", oauth_nonce="7d8f3e4a", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_token="kkk9d7dh3k39sjv7", oauth_signature="${encodeURIComponent(signature)}"`,
      parameters: [
        ['a2', 'r%20b'],
        ['a3', '2%20q'],
        ['a3', 'a'],
        ['b5', '%3D%253D'],
        ['c%40', ''],
        ['c2', ''],
        ['oauth_consumer_key', '9djdj82h48djs9d2'],
        ['oauth_nonce', '7d8f3e4a'],
        ['oauth_signature_method', 'HMAC-SHA1'],
        ['oauth_timestamp', '137131201'],
        ['oauth_token', 'kkk9d7dh3k39sjv7'],
      ],
    });
  });

  test('RSA-SHA256 with each form of the key, and an encrypted one', { tags: 'openssl' }, async () => {
    const home = temporaryHome();
    const key = rsaKey(home);
    execFileSync('openssl', ['rsa', '-in', key, '-traditional', '-out', join(home, 'pkcs1.pem')], { stdio: 'ignore' });
    execFileSync('openssl', [
      'pkcs8',
      '-topk8',
      '-in',
      key,
      '-v2',
      'aes256',
      '-passout',
      'pass:wort',
      '-out',
      join(home, 'enc.pem'),
    ]);
    const flags = (file: string) => [
      ...[
        '--url',
        'https://gate.example/api/v4/transfer/1144',
        '--signature-method',
        'RSA-SHA256',
        '--consumer-key',
        'my-shop',
      ],
      ...['--key-file', file, '--nonce', 'n', '--timestamp', '1', '--json'],
    ];
    const base =
      'POST&https%3A%2F%2Fgate.example%2Fapi%2Fv4%2Ftransfer%2F1144&oauth_consumer_key%3Dmy-shop%26oauth_nonce%3Dn%26oauth_signature_method%3DRSA-SHA256%26oauth_timestamp%3D1%26oauth_version%3D1.0';
    const expected = { baseString: base, signature: rsaOf(base, key) };
    const phrase = put(home, 'phrase', 'wort\n');
    for (const argv of [
      flags(key),
      flags(join(home, 'pkcs1.pem')),
      [...flags(join(home, 'enc.pem')), '--passphrase-file', phrase],
    ]) {
      const ran = await raw(argv, home);
      expect(ran.exit, ran.err).toBe(0);
      expect(JSON.parse(ran.out)).toMatchObject(expected);
    }
    const locked = await raw(flags(join(home, 'enc.pem')), home);
    expect([locked.exit, locked.out, JSON.parse(locked.err).message]).toEqual([
      3,
      '',
      expect.stringMatching(/enc\.pem: it is encrypted/),
    ]);
  });

  const good = (home: string) => ({
    url: 'https://a.example/',
    'signature-method': 'HMAC-SHA1',
    'consumer-key': 'c',
    'key-file': put(home, 'key', 'k'),
  });
  const bad: readonly [
    change: Record<string, string | undefined>,
    files: Record<string, string>,
    exit: number,
    says: string,
  ][] = [
    [{ url: undefined }, {}, 2, 'missing: --url'],
    [{ url: undefined, 'key-file': undefined }, {}, 2, 'missing: --url, --key-file'],
    [{ 'signature-method': 'PLAINTEXT' }, {}, 2, '--signature-method: use one of HMAC-SHA1, RSA-SHA256'],
    [{ url: 'https://me:pass@a.example/' }, {}, 2, 'user name or password'],
    [{ url: 'ftp://a.example/' }, {}, 2, 'begin it with http'],
    [{ url: 'https://a.example/?x=%zz' }, {}, 2, 'query of the url'],
    [{ method: 'P OST' }, {}, 2, 'not a valid HTTP method'],
    [{ 'key-file': 'nowhere' }, {}, 3, 'file nowhere: there is no such file'],
    [{ 'key-file': 'empty' }, { empty: '\n' }, 3, 'file empty: it is empty'],
    [{ 'key-file': 'k', 'signature-method': 'RSA-SHA256' }, { k: 'no pem' }, 3, 'file k: it is not PEM text'],
    [{ 'params-file': 'nowhere' }, {}, 2, 'file nowhere: there is no such file'],
    [{ 'params-file': 'p' }, { p: '[[1' }, 2, 'file p: it is not JSON'],
    [{ 'params-file': 'p' }, { p: '{"a":"1"}' }, 2, 'file p: write it as a JSON array of pairs'],
    [{ 'params-file': 'p' }, { p: '[["a","1"],["amount",10.42]]' }, 2, 'file p: write item 2 as two strings'],
    [{ 'params-file': 'p' }, { p: '[["a","1","2"]]' }, 2, 'file p: write item 1 as two strings'],
    [{ 'params-file': 'p' }, { p: '[["name","\\ud800"]]' }, 2, 'name: it contains an unpaired surrogate'],
  ];
  test.each(bad)('%j with %j: exit %i, %s', async (change, files, exit, says) => {
    const home = temporaryHome();
    for (const [name, text] of Object.entries(files)) put(home, name, text);
    const flags = Object.entries({ ...good(home), ...change }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    );
    const ran = await raw([...flags, '--json'], home);
    expect([ran.exit, ran.out]).toEqual([exit, '']);
    expect(JSON.parse(ran.err).message).toContain(says);
  });
});

describe('sign control', () => {
  const key = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
  const values = ['1144', '902B4FF5', '', 'jane@example.com', 'é'];
  const sha1 = digestOf(`1144902B4FF5jane@example.comé${key}`);
  const control = (argv: readonly string[], home: string) => paycli(['sign', 'control', ...argv], { home });

  test.each([
    [[], sha1],
    [['--encoding', 'hex-lower'], sha1],
    [['--encoding', 'hex-upper'], sha1.toUpperCase()],
    [['--encoding', 'base64'], Buffer.from(sha1, 'hex').toString('base64')],
  ])('%j', async (flags, expected) => {
    const home = temporaryHome();
    const files = ['--values-file', put(home, 'v', JSON.stringify(values)), '--key-file', put(home, 'k', `${key}\n`)];
    const ran = await control([...files, ...flags, '--json'], home);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(JSON.parse(ran.out)).toEqual({ string: '1144902B4FF5jane@example.comé', control: expected });
  });

  test.each([
    ['{"a":1}', 2, 'file v: write it as a JSON array of strings'],
    ['["a",1]', 2, 'file v: item 2 is not a string'],
    ['["\\udc00"]', 2, 'an unpaired surrogate'],
    ['[', 2, 'file v: it is not JSON'],
  ])('%s: exit %i, %s', async (text, exit, says) => {
    const home = temporaryHome();
    put(home, 'v', text);
    const ran = await control(['--values-file', 'v', '--key-file', put(home, 'k', key)], home);
    expect([ran.exit, ran.out, ran.err]).toEqual([exit, '', expect.stringContaining(says)]);
  });
});

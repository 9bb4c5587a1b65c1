import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { controlKey, homeWithProfile, rsaKey, saleFlags } from './profiles.js';
import { digestOf, hmacOf, put, rsaOf } from './signing-files.js';

const url = 'https://gate.example/prefix/api/v2/sale/1144';
const fields = {
  client_orderid: '902B4FF5',
  amount: '10.42',
  currency: 'USD',
  email: 'jane@example.com',
  credit_card_number: '4444333322221111',
};
const right = digestOf(`1144902B4FF51042jane@example.com${controlKey}`);
const decimal = digestOf(`1144902B4FF510.42jane@example.com${controlKey}`);
const accept = 'Accept: application/vnd.pay+json';

/** The sale as somebody pastes it, in each of the three forms. */
function pasted(control: string): Readonly<Record<'curl' | 'http' | 'json', string>> {
  const all = { ...fields, control };
  const form = Object.entries(all).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return {
    curl: `curl -sS '${url}' \\\n  -H '${accept}' \\\n${form.map((pair) => `  -d '${pair}'`).join(' \\\n')}\n`,
    http: `POST /prefix/api/v2/sale/1144 HTTP/1.1\r\nHost: gate.example\r\n${accept}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n${form.join('&')}\r\n`,
    json: JSON.stringify({ method: 'POST', url, headers: { Accept: 'application/vnd.pay+json' }, fields: all }),
  };
}

const verify = (argv: readonly string[], home: string, stdin?: string) =>
  paycli(['sign', 'verify', ...argv], { home, ...(stdin === undefined ? {} : { stdin }) });

describe.each(['curl', 'http', 'json'] as const)('a pasted request: %s', (format) => {
  test('a right control valid', async () => {
    const home = homeWithProfile();
    const ran = await verify(['--request-file', put(home, 'r', pasted(right)[format])], home);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(ran.out).toMatch(
      /^✓ the control matches\n {2}operation {2}sale \(SALE\)\n {2}recipe {5}SHA-1 over endpointId, client_orderid, amount in minor units, email/,
    );
    expect(ran.out).toMatch(/key {8}control key fingerprint [0-9a-f]{8} of profile shop/);
  });

  test('a wrong one is named, from standard input as well', async () => {
    const home = homeWithProfile();
    const text = pasted(decimal)[format];
    for (const ran of [
      await verify(['--request-file', put(home, 'r', text), '--json'], home),
      await verify(['--request-file', '-', '--format', format, '--json'], home, text),
    ]) {
      expect(ran.exit, ran.err).toBe(11);
      expect(JSON.parse(ran.out)).toMatchObject({
        match: false,
        operation: 'SALE',
        scheme: 'control',
        profile: 'shop',
        mistakes: [{ name: 'decimal-amount' }],
        reason: expect.stringContaining('control does not match'),
      });
      expect(ran.out + ran.err).not.toMatch(/4444333322221111|B17F59B4/);
    }
  });
});

describe('a control that cannot be right', () => {
  test.each([
    ['it is not there', (text: string) => text.replace(/&control=\w+/, ''), 'the field control is missing'],
    ['it is given twice', (text: string) => `${text.trimEnd()}&control=x`, 'the field control was sent more than once'],
    ['the amount is none', (text: string) => text.replace('amount=10.42', 'amount=ten'), 'amount is not an amount'],
    [
      'the request was no POST',
      (text: string) => text.replace('POST', 'GET'),
      'every operation must be a POST, in upper case; this was GET',
    ],
  ])('%s', async (_, change, says) => {
    const home = homeWithProfile();
    const ran = await verify(['--request-file', put(home, 'r', change(pasted(right).http))], home);
    expect(ran.exit, ran.err).toBe(11);
    expect(ran.out).toContain('✗ the control does not match');
    expect(ran.out).toContain(says);
    expect(ran.out).not.toContain('None of the known mistakes');
  });
});

describe('OAuth', () => {
  const transferUrl = 'https://gate.example/prefix/api/v2/payout/1144';
  const protocol = (method: string) =>
    [
      ['oauth_consumer_key', 'my-shop'],
      ['oauth_nonce', 'n1'],
      ['oauth_signature_method', method],
      ['oauth_timestamp', '1894017500'],
      ['oauth_version', '1.0'],
    ] as const;
  const base = (at: string, method: string, body: string) => {
    const pairs = [...body.split('&'), ...protocol(method).map((pair) => pair.join('='))];
    return `POST&${encodeURIComponent(at)}&${encodeURIComponent(pairs.sort().join('&'))}`;
  };
  const header = (method: string, signature: string) =>
    `OAuth ${[...protocol(method), ['oauth_signature', signature] as const].map(([name, value]) => `${name}="${encodeURIComponent(value)}"`).join(', ')}`;
  const body = 'amount=50.00&client_orderid=a&currency=EUR&receiver_phone=%2B4930123456';
  const signature = hmacOf(base(transferUrl, 'HMAC-SHA1', body), `${controlKey}&`);
  const http = (authorization: string, host = 'gate.example') =>
    `POST /prefix/api/v2/payout/1144 HTTP/1.1\nHost: ${host}\nAuthorization: ${authorization}\n${accept}\n\n${body}`;

  test('HMAC-SHA1: a right header fits; a raw one is named', async () => {
    const home = homeWithProfile();
    const good = await verify(['--request-file', put(home, 'r', http(header('HMAC-SHA1', signature)))], home);
    expect([good.exit, good.err]).toEqual([0, '']);
    const raw = header('HMAC-SHA1', signature).replaceAll('%3D', '=').replaceAll('%2B', '+').replaceAll('%2F', '/');
    const bad = await verify(['--request-file', put(home, 'r', http(raw)), '--json'], home);
    expect([bad.exit, JSON.parse(bad.out).mistakes[0].name]).toEqual([11, 'header-not-encoded']);
  });

  test('by the flags of the operation: from the header, or signature, nonce and timestamp', async () => {
    const home = homeWithProfile();
    const flags = [
      'payout',
      '--client-order-id',
      'a',
      '--amount',
      '50',
      '--currency',
      'EUR',
      '--receiver-phone',
      '+4930123456',
      '--bank-id',
      '1',
    ];
    const all =
      'amount=50.00&bank_id=1&client_orderid=a&currency=EUR&receiver_phone=%2B4930123456&redirect_url=https%3A%2F%2Fshop.example%2Freturn';
    const text = base(transferUrl, 'HMAC-SHA1', all);
    const made = hmacOf(text, `${controlKey}&`);
    for (const more of [
      ['--signature', made, '--nonce', 'n1', '--timestamp', '1894017500'],
      ['--authorization-file', put(home, 'h', `Authorization: ${header('HMAC-SHA1', made)}\n`)],
    ]) {
      const ran = await verify([...flags, ...more], home);
      expect(ran.exit, ran.out + ran.err).toBe(0);
    }
    const keyAlone = hmacOf(text, controlKey);
    const wrong = await verify([...flags, '--signature', keyAlone, '--nonce', 'n1', '--timestamp', '1894017500'], home);
    expect([wrong.exit, wrong.out]).toEqual([11, expect.stringContaining('signing-key')]);
    const lacking = await verify(flags, home);
    expect([lacking.exit, lacking.err]).toEqual([
      2,
      expect.stringContaining('missing: --signature, --nonce, --timestamp'),
    ]);
  });

  test('another consumer, no header, no OAuth header', async () => {
    const home = homeWithProfile();
    const asked = async (authorization: string) => {
      const request = put(home, 'r', http(authorization));
      const ran = await verify(['--request-file', request, '--json'], home);
      expect(ran.exit, ran.err).toBe(11);
      return JSON.parse(ran.out).reason;
    };
    expect(await asked(header('HMAC-SHA1', signature).replace('my-shop', 'other'))).toContain('oauth_consumer_key');
    expect(await asked('Bearer x')).toContain('does not start with "OAuth"');
    const none = await verify(
      ['--request-file', put(home, 'r', http('x').replace(/Authorization.*\n/, '')), '--json'],
      home,
    );
    expect(JSON.parse(none.out)).toMatchObject({
      match: false,
      mistakes: [],
      reason: 'the Authorization header is missing',
    });
  });

  test('RSA-SHA256 with the public key alone', async () => {
    const home = homeWithProfile();
    const key = rsaKey(home);
    const { createPublicKey } = await import('node:crypto');
    const { readFileSync } = await import('node:fs');
    const pub = put(
      home,
      'pub.pem',
      String(createPublicKey(readFileSync(key)).export({ type: 'spki', format: 'pem' })),
    );
    const at = 'https://gate.example/prefix/api/v4/transfer/1144';
    const made = rsaOf(base(at, 'RSA-SHA256', 'amount=1.00'), key);
    const request = JSON.stringify({
      url: at,
      headers: { Authorization: header('RSA-SHA256', made) },
      fields: { amount: '1.00' },
    });
    const ran = await verify(['--request-file', put(home, 'r', request), '--public-key-file', pub], home);
    expect(ran.exit, ran.out + ran.err).toBe(0);
    expect(ran.out).toMatch(/key {8}public key fingerprint SHA256:[0-9a-f]{64}\n/);
    const without = await verify(['--request-file', put(home, 'r', request)], home);
    expect([without.exit, without.err]).toEqual([3, expect.stringContaining('lacks a private key')]);
  });

  test('what is no matter of the signature is remarked on', async () => {
    const home = homeWithProfile();
    const old = http(header('HMAC-SHA1', signature).replace('1894017500', '1594017500'), 'other.example').replace(
      `${accept}\n`,
      '',
    );
    const ran = await verify(['--request-file', put(home, 'r', old)], home);
    expect(ran.err).toContain("a different address from this profile's https://gate.example/prefix/api/v2/payout/1144");
    expect(ran.err).toContain('Accept: application/vnd.pay+json');
    expect(ran.err).toContain("oauth_timestamp is 300000100 seconds off this machine's clock");
  });

  test('an address of no operation is verified with a key that is named', async () => {
    const home = temporaryHome();
    const at = 'https://a.example/other';
    const made = hmacOf(base(at, 'HMAC-SHA1', 'x=1'), 'k&');
    const request = (sign: string) => `curl ${at} -H '${`Authorization: ${header('HMAC-SHA1', sign)}`}' -d x=1`;
    const key = put(home, 'k', 'k\n');
    expect((await verify(['--request-file', put(home, 'r', request(made)), '--key-file', key], home)).exit).toBe(0);
    const wrong = await verify(
      [
        '--request-file',
        put(home, 'r', request(hmacOf(base(at, 'HMAC-SHA1', 'x=1'), 'k'))),
        '--key-file',
        key,
        '--json',
      ],
      home,
    );
    expect([wrong.exit, JSON.parse(wrong.out).mistakes[0].name]).toEqual([11, 'signing-key']);
    const keyless = await verify(['--request-file', put(home, 'r', request(made))], home);
    expect([keyless.exit, keyless.err]).toEqual([2, expect.stringContaining('--key-file or --public-key-file')]);
  });
});

describe('by the flags of a sale', () => {
  test.each([
    [right, 0, /^$/],
    [decimal, 11, /^error: a check failed: the control does not match: /],
  ])('%s: exit %i', async (control, exit, why) => {
    const ran = await verify([...saleFlags, '--control', control], homeWithProfile());
    expect([ran.exit, ran.err]).toEqual([exit, expect.stringMatching(why)]);
  });
});

test.each(['--request-file', '--body-file'])(
  '%s: a body alone with its address, from a file or standard input',
  async (flag) => {
    const home = homeWithProfile();
    const body = new URLSearchParams({ ...fields, control: right }).toString();
    const fromFile = await verify([flag, put(home, 'body.txt', body), '--url', url], home);
    expect([fromFile.exit, fromFile.err]).toEqual([0, '']);
    expect(await verify([flag, '-', '--url', url], home, body)).toEqual(fromFile);
  },
);

describe('wrong usage', () => {
  test.each([
    [[], 2, 'missing: --request-file'],
    [['--request-file', 'nowhere'], 2, 'file nowhere: there is no such file'],
    [['--request-file', 'r', '--format', 'yaml'], 2, '--format: use one of curl, har, json, '],
    [['--request-file', 'r'], 2, 'form body: a body alone does not say where it goes; name the address with --url'],
    [[...saleFlags], 2, 'missing: --control'],
    [[...saleFlags, '--control', 'x', '--public-key-file', 'k'], 2, 'sale is not signed with RSA'],
  ])('%j: exit %i, %s', async (argv, exit, says) => {
    const home = homeWithProfile();
    put(home, 'r', 'amount=1');
    const ran = await verify(argv, home);
    expect([ran.exit, ran.out, ran.err]).toEqual([exit, '', expect.stringContaining(says)]);
  });
});

test('a request the sandbox takes verifies, and one it refuses does not', async () => {
  const home = temporaryHome();
  const shown = JSON.parse((await paycli(testSale('--client-order-id', 'x', '--dry-run', '--json'), { home })).out);
  const request = (change: string) =>
    JSON.stringify({
      url: shown.request.url,
      headers: shown.request.headers,
      fields: shown.request.fields.map(([name, value]: [string, string]) => [name, name === 'amount' ? change : value]),
    });
  expect((await verify(['--request-file', put(home, 'r', request('10.42'))], home)).exit).toBe(0);
  const other = put(home, 'r', request('10.43'));
  expect((await verify(['--request-file', other], home)).exit).toBe(11);
});

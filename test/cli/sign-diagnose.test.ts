import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { controlKey, homeWithProfile, rsaKey, saleFlags } from './profiles.js';
import { digestOf, hmacOf, put, rsaOf } from './signing-files.js';

// An independent signer: RFC 3986 by hand, so that a mistake can be planted in any step.
const rfc3986 = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

interface Plan {
  readonly url?: string;
  readonly encode?: (text: string) => string;
  readonly key?: string;
  readonly withoutBody?: boolean;
}

const payoutUrl = 'https://gate.example/prefix/api/v2/payout/1144';
const body: readonly (readonly [string, string])[] = [
  ['client_orderid', 'a b(1)'],
  ['amount', '50.00'],
  ['currency', 'EUR'],
  ['credit_card_number', '4444333322221111'],
  ['redirect_url', 'https://shop.example/return'],
];
const payoutFlags = [
  'payout',
  '--client-order-id',
  'a b(1)',
  '--amount',
  '50.00',
  '--currency',
  'EUR',
  '--card-number',
  '4444333322221111',
];

/** What another program made of the payout. */
function signed(
  { url = payoutUrl, encode = rfc3986, key = `${controlKey}&`, withoutBody = false }: Plan = {},
  fields: readonly (readonly [string, string])[] = body,
) {
  const protocol = [
    ['oauth_consumer_key', 'my-shop'],
    ['oauth_nonce', 'n1'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1894017500'],
    ['oauth_version', '1.0'],
  ] as const;
  const pairs = (withoutBody ? protocol : [...protocol, ...fields]).map(
    ([name, value]) => `${encode(name)}=${encode(value)}`,
  );
  const baseString = `POST&${rfc3986(url)}&${rfc3986(pairs.sort().join('&'))}`;
  const signature = hmacOf(baseString, key);
  const header = `OAuth ${[...protocol, ['oauth_signature', signature] as const].map(([name, value]) => `${name}="${rfc3986(value)}"`).join(', ')}`;
  return { baseString, signature, header };
}

const planted: readonly [name: string, plan: Plan, inText: boolean][] = [
  ['reserved-characters', { encode: encodeURIComponent }, true],
  ['space-plus', { encode: (text) => rfc3986(text).replaceAll('%20', '+') }, true],
  ['body-left-out', { withoutBody: true }, true],
  ['signing-key', { key: controlKey }, false],
  ['scheme-host-port', { url: payoutUrl.replace('https', 'http') }, true],
];
const fresh = ['--nonce', 'n1', '--timestamp', '1894017500'];

describe('OAuth, for an operation', () => {
  test('a right signature fits, in all four ways of asking', async () => {
    const home = homeWithProfile();
    const { signature, header, baseString } = signed();
    const [headerFile, baseFile] = [put(home, 'h', `Authorization: ${header}\r\n`), put(home, 'b', `${baseString}\n`)];
    for (const argv of [
      ['find-mistake', ...payoutFlags, '--signature', signature, ...fresh],
      ['diff', ...payoutFlags, '--theirs-signature', signature, ...fresh],
      ['diff', ...payoutFlags, '--theirs-header', headerFile],
      ['diff', ...payoutFlags, '--theirs-base-string', baseFile],
    ]) {
      const ran = await paycli(['sign', ...argv, '--json'], { home });
      expect(ran.exit, ran.err).toBe(0);
      expect(JSON.parse(ran.out)).toMatchObject({ match: true, mistakes: [] });
      expect((await paycli(['sign', ...argv], { home })).out).toMatch(/^✓ the (signature|base string) matches/);
    }
  });

  test.each(planted)('%s is named by diff and by find-mistake', async (name, plan, inText) => {
    const home = homeWithProfile();
    const { signature, header, baseString } = signed(plan);
    const found = async (...argv: string[]) => {
      const ran = await paycli(['sign', ...argv, '--json'], { home });
      expect(ran.exit, ran.err).toBe(11);
      const { match, mistakes, operation, profile, scheme, key } = JSON.parse(ran.out);
      expect({ match, operation, profile, scheme, key }).toEqual({
        match: false,
        operation: 'PAYOUT',
        profile: 'shop',
        scheme: 'hmac-sha1',
        key: expect.stringMatching(/^control key fingerprint [0-9a-f]{8} of profile shop$/),
      });
      for (const mistake of mistakes)
        expect(mistake).toEqual({ name: expect.any(String), variant: expect.any(String), detail: expect.any(String) });
      expect(`${ran.out}${ran.err}`).not.toMatch(/4444333322221111|B17F59B4/);
      return mistakes.map((mistake: { name: string }) => mistake.name);
    };
    expect(await found('find-mistake', ...payoutFlags, '--signature', signature, ...fresh)).toContain(name);
    expect(await found('diff', ...payoutFlags, '--theirs-signature', signature, ...fresh)).toContain(name);
    expect(await found('diff', ...payoutFlags, '--theirs-header', put(home, 'h', header))).toContain(name);
    if (inText)
      expect(await found('diff', ...payoutFlags, '--theirs-base-string', put(home, 'b', baseString))).toContain(name);
  });

  test('of a card number that differs only the last four digits are shown outside the sandbox', async () => {
    const home = homeWithProfile();
    const other = put(home, 'b', signed().baseString.replace('4444333322221111', '4444333322220000'));
    const asked = ['sign', 'diff', ...payoutFlags, '--theirs-base-string', other];
    for (const form of [[], ['--json']]) {
      const ran = await paycli([...asked, ...form], { home });
      expect(ran.exit).toBe(11);
      expect(ran.out).toContain('credit_card_number');
      expect(ran.out).not.toMatch(/2222|4444|3333|\*\*\*/);
      for (const mask of ['•••• 1111', '•••• 0000']) expect(ran.out).toContain(mask);
    }
    expect((await paycli(asked, { home })).out).toContain('inside card data, which is masked here');
  });

  test('RSA: opened with the public half; SHA-1 for SHA-256 is named', async () => {
    const home = homeWithProfile();
    const key = rsaKey(home);
    const flags = ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', key];
    const shown = JSON.parse((await paycli(['sign', ...flags, '--json'], { home })).out).signature;
    const { oauth_nonce: nonce, oauth_timestamp: timestamp } = Object.fromEntries(shown.encoded);
    const asked = async (signature: string) =>
      paycli(
        [
          'sign',
          'find-mistake',
          ...flags,
          '--signature',
          signature,
          '--nonce',
          nonce,
          '--timestamp',
          timestamp,
          '--json',
        ],
        { home },
      );
    expect((await asked(rsaOf(shown.baseString, key))).exit).toBe(0);
    const wrong = await asked(rsaOf(shown.baseString, key, 'sha1'));
    expect([wrong.exit, JSON.parse(wrong.out).mistakes[0].name]).toEqual([11, 'rsa-key-or-method']);
  });

  test.each([
    [['diff', ...payoutFlags], 'exactly one of --theirs-signature, --theirs-base-string, --theirs-header'],
    [['diff', ...payoutFlags, '--theirs-signature', 'x', '--theirs-header', 'h'], 'exactly one of'],
    [['diff', ...payoutFlags, '--theirs-signature', 'x'], 'missing: --nonce, --timestamp'],
    [
      ['diff', ...payoutFlags, '--theirs-control', 'x'],
      '--theirs-control does not apply: this operation is protected by an OAuth signature',
    ],
    [['find-mistake', ...payoutFlags], 'missing: --signature, --nonce, --timestamp'],
    [['find-mistake', ...payoutFlags, '--control', 'x'], '--control does not apply'],
    [
      ['find-mistake', ...saleFlags, '--signature', 'x'],
      '--signature does not apply: this operation is protected by a control',
    ],
    [['find-mistake', ...saleFlags], 'missing: --control'],
    [['diff', ...saleFlags], 'exactly one of --theirs-control, --theirs-string'],
    [['diff', ...payoutFlags, '--theirs-header', 'nowhere'], 'file nowhere: there is no such file'],
    [
      [
        'find-mistake',
        'form',
        'payout',
        '--client-order-id',
        'a',
        '--amount',
        '1',
        '--currency',
        'EUR',
        '--control',
        'x',
      ],
      'carries no signature',
    ],
    [['find-mistake', 'slae'], 'did you mean `paycli sign find-mistake sale`?'],
  ])('%j is wrong usage: %s', async (argv, says) => {
    const ran = await paycli(['sign', ...argv], { home: homeWithProfile() });
    expect([ran.exit, ran.out, ran.err]).toEqual([2, '', expect.stringContaining(says)]);
  });

  test('values that no gateway takes are compared as they were signed, with a warning', async () => {
    const home = homeWithProfile();
    const odd = [
      ['client_orderid', 'a b(1)'],
      ['amount', '50.005'],
      ['currency', 'EUR'],
      ['account_number', 'FR7630006000011234567890189'],
      ['bank_name', 'Bank'],
      ['bank_branch', 'Main'],
      ['email', 'nobody'],
      ['redirect_url', 'https://shop.example/return'],
    ] as const;
    const flags = odd
      .slice(0, -1)
      .flatMap(([name, value]) => [`--${name.replace('client_orderid', 'client-order-id').replace('_', '-')}`, value]);
    for (const [mistakes, base] of [
      [[], signed({}, odd).baseString],
      [['scheme-host-port'], signed({ url: payoutUrl.replace('https', 'http') }, odd).baseString],
    ] as const)
      for (const command of ['find-mistake', 'verify']) {
        const signature = ['--signature', hmacOf(base, `${controlKey}&`)];
        const ran = await paycli(['sign', command, 'payout', ...flags, ...signature, ...fresh, '--json'], { home });
        expect(ran.exit, ran.err).toBe(mistakes.length === 0 ? 0 : 11);
        expect(JSON.parse(ran.out).mistakes.map(({ name }: { name: string }) => name)).toEqual(mistakes);
        expect(ran.err).toContain('--account-number: use at most 24 characters');
        expect(ran.err).toContain('--email: use an e-mail address');
        expect(ran.err).toContain('--amount');
      }
  });
});

describe('control, for an operation', () => {
  const [id, order, minor, email] = ['1144', '902B4FF5', '1042', 'jane@example.com'];
  const mistakes: readonly [name: string, control: string][] = [
    ['decimal-amount', digestOf(`${id}${order}10.42${email}${controlKey}`)],
    ['missing-email', digestOf(`${id}${order}${minor}${controlKey}`)],
    ['endpoint-login', digestOf(`my-shop${order}${minor}${email}${controlKey}`)],
    ['order', digestOf(`${order}${id}${minor}${email}${controlKey}`)],
    ['amount-currency', digestOf(`${id}${order}${email}${controlKey}`)],
    ['key-whitespace', digestOf(`${id}${order}${minor}${email}${controlKey}\n`)],
    ['upper-case', digestOf(`${id}${order}${minor}${email}${controlKey}`).toUpperCase()],
    ['base64', createHash('sha1').update(`${id}${order}${minor}${email}${controlKey}`).digest('base64')],
  ];

  test.each(mistakes)('%s is found', async (name, control) => {
    const ran = await paycli(['sign', 'find-mistake', ...saleFlags, '--control', control, '--json'], {
      home: homeWithProfile(),
    });
    expect(ran.exit, ran.err).toBe(11);
    const document = JSON.parse(ran.out);
    expect(document.match).toBe(false);
    expect(document.mistakes.map((mistake: { name: string }) => mistake.name)).toContain(name);
    const diff = await paycli(['sign', 'diff', ...saleFlags, '--theirs-control', control, '--json'], {
      home: homeWithProfile(),
    });
    expect(JSON.parse(diff.out).mistakes).toEqual(document.mistakes);
  });

  test('the values of the recipe are enough: neither card nor address is asked for', async () => {
    const flags = [
      'sale',
      '--client-order-id',
      '902B4FF5',
      '--amount',
      '10.42',
      '--currency',
      'USD',
      '--email',
      'jane@example.com',
    ];
    for (const [, control] of mistakes.slice(0, 2)) {
      const ran = await paycli(['sign', 'find-mistake', ...flags, '--control', control], { home: homeWithProfile() });
      expect([ran.exit, ran.err]).toEqual([
        11,
        expect.stringMatching(/^error: a check failed: the control does not match: \S.*\nnext: {2}\S/),
      ]);
    }
    const lacking = await paycli(['sign', 'find-mistake', ...flags.slice(0, -2), '--control', 'x'], {
      home: homeWithProfile(),
    });
    expect([lacking.exit, lacking.err]).toEqual([2, expect.stringMatching(/^error: missing: --email\n/)]);
  });

  test('the right one fits', async () => {
    const control = digestOf(`${id}${order}${minor}${email}${controlKey}`);
    for (const argv of [
      ['find-mistake', ...saleFlags, '--control', control],
      ['diff', ...saleFlags, '--theirs-control', control],
    ]) {
      const ran = await paycli(['sign', ...argv, '--json'], { home: homeWithProfile() });
      expect([ran.exit, JSON.parse(ran.out).mistakes]).toEqual([0, []]);
    }
  });

  test('the text they hashed: where it differs', async () => {
    const home = homeWithProfile();
    const ran = await paycli(
      ['sign', 'diff', ...saleFlags, '--theirs-string', put(home, 's', '1144902B4FF510.42jane@example.com\n')],
      {
        home,
      },
    );
    expect(ran.exit).toBe(11);
    expect(ran.out).toContain(
      'The first difference is at byte 14 of the control string\n  ours    1144902B4FF51042jane@example.com\n  theirs  1144902B4FF510.42jane@example.com\n                        ^\n',
    );
    const same = await paycli(
      ['sign', 'diff', ...saleFlags, '--theirs-string', put(home, 's', '1144902B4FF51042jane@example.com')],
      {
        home,
      },
    );
    expect([same.exit, same.out]).toEqual([
      0,
      expect.stringMatching(/^✓ the control string matches[\s\S]*so the mistake is in the key/),
    ]);
  });

  test('the key and the endpoint of another profile', async () => {
    const home = homeWithProfile();
    const other = '11111111-2222-3333-4444-555555555555';
    put(home, 'other.key', other);
    const config = join(home, 'config', 'config.yaml');
    const more = [
      '  second:',
      '    class: test',
      '    base-url: https://two.example/',
      '    login: second',
      '    endpoint-id: 2000',
      `    control-key: { file: ${join(home, 'other.key')} }`,
    ];
    // A key that cannot be read is passed over.
    const broken = [
      '  third:',
      '    class: test',
      '    base-url: https://three.example/',
      '    login: third',
      '    endpoint-id: 3000',
      '    control-key: { file: /nowhere/key }',
    ];
    writeFileSync(config, `${readFileSync(config, 'utf8')}${[...more, ...broken].join('\n')}\n`);
    const found = async (text: string) => {
      const ran = await paycli(['sign', 'find-mistake', ...saleFlags, '--control', digestOf(text), '--json'], { home });
      expect(ran.exit, ran.err).toBe(11);
      expect(ran.out + ran.err).not.toContain(other);
      return JSON.parse(ran.out).mistakes[0];
    };
    expect(await found(`${id}${order}${minor}${email}${other}`)).toMatchObject({
      name: 'other-key',
      detail: expect.stringContaining('second'),
    });
    expect(await found(`2000${order}${minor}${email}${controlKey}`)).toMatchObject({ name: 'endpoint-group' });
  });

  test('in the sandbox the key of the other merchant', async () => {
    const home = temporaryHome();
    const shown = JSON.parse((await paycli(['sandbox', 'status', '--json'], { home })).out);
    const key = shown.merchants.find(({ login }: { login: string }) => login === 'other-shop').controlKey;
    const flags = [
      'sale',
      '--client-order-id',
      'x',
      '--amount',
      '10.42',
      '--currency',
      'USD',
      '--test-card',
      'approved',
      '--email',
      email,
    ];
    const ran = await paycli(
      ['sign', 'find-mistake', ...flags, '--control', digestOf(`4001x1042${email}${key}`), '--json'],
      { home },
    );
    expect(JSON.parse(ran.out).mistakes[0]).toMatchObject({
      name: 'other-key',
      detail: expect.stringContaining('other-shop'),
    });
  });
});

describe('by hand', () => {
  const url = 'https://gate.example/api?x=1';
  const flags = (home: string) => [
    ...[
      '--method',
      'POST',
      '--url',
      url,
      '--signature-method',
      'HMAC-SHA1',
      '--consumer-key',
      'c',
      '--key-file',
      put(home, 'k', 'k+y'),
    ],
    ...['--params-file', put(home, 'p', '[["a","1"],["b","x y"]]')],
  ];
  const base = (parameters: string) => `POST&https%3A%2F%2Fgate.example%2Fapi&${rfc3986(parameters)}`;
  const protocol =
    'oauth_consumer_key=c&oauth_nonce=n&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1894017500&oauth_version=1.0';
  const right = base(`a=1&b=x%20y&${protocol}&x=1`);

  test('the fixed form: right is 0, a query left out is 11 and named', async () => {
    const home = temporaryHome();
    const ask = (argv: readonly string[]) =>
      paycli(['sign', ...argv, ...flags(home), '--nonce', 'n', '--timestamp', '1894017500', '--json'], { home });
    const wrong = base(`a=1&b=x%20y&${protocol}`);
    for (const [command, flag] of [
      ['find-mistake', '--signature'],
      ['diff', '--theirs-signature'],
    ] as const) {
      const good = await ask([command, flag, hmacOf(right, 'k%2By&')]);
      expect([good.exit, JSON.parse(good.out)]).toEqual([
        0,
        { schema: 'paycli.diagnosis/1', match: true, mistakes: [], explanations: [] },
      ]);
      const bad = await ask([command, flag, hmacOf(wrong, 'k%2By&')]);
      expect([bad.exit, JSON.parse(bad.out)]).toMatchObject([
        11,
        { match: false, mistakes: [{ name: 'query-left-out' }] },
      ]);
    }
    const text = await ask(['diff', '--theirs-base-string', put(home, 'b', wrong)]);
    expect([text.exit, JSON.parse(text.out)]).toMatchObject([
      11,
      { mistakes: [{ name: 'query-left-out' }], difference: { of: 'base string' }, differenceFrom: 'theirs' },
    ]);
  });

  test.each([
    ['1894014000', 'clock-off'],
    ['1894017500000', 'milliseconds'],
  ])('a right signature with the timestamp %s: nonce-timestamp, %s', async (timestamp, variant) => {
    const home = temporaryHome();
    const signature = hmacOf(right.replace('1894017500', timestamp), 'k%2By&');
    const ran = await paycli(
      [
        'sign',
        'find-mistake',
        ...flags(home),
        '--nonce',
        'n',
        '--timestamp',
        timestamp,
        '--signature',
        signature,
        '--json',
      ],
      { home },
    );
    expect([ran.exit, JSON.parse(ran.out).mistakes]).toMatchObject([11, [{ name: 'nonce-timestamp', variant }]]);
  });

  test('with RSA the public key is enough', async () => {
    const home = temporaryHome();
    const key = rsaKey(home);
    const text = `POST&https%3A%2F%2Fa.example%2F&${rfc3986('oauth_consumer_key=c&oauth_nonce=n&oauth_signature_method=RSA-SHA256&oauth_timestamp=1&oauth_version=1.0')}`;
    const { createPublicKey } = await import('node:crypto');
    const pub = put(
      home,
      'pub.pem',
      String(createPublicKey(readFileSync(key)).export({ type: 'spki', format: 'pem' })),
    );
    const ran = await paycli(
      [
        'sign',
        'find-mistake',
        '--url',
        'https://a.example/',
        '--signature-method',
        'RSA-SHA256',
        '--consumer-key',
        'c',
        '--key-file',
        pub,
        '--nonce',
        'n',
        '--timestamp',
        '1',
        '--signature',
        rsaOf(text, key),
      ],
      { home },
    );
    expect(ran.exit, ran.err + ran.out).toBe(0);
  });

  test.each([
    [['find-mistake'], 'missing: --signature'],
    [
      ['find-mistake', '--signature', 'x'],
      'missing: --url, --signature-method, --consumer-key, --key-file, --nonce, --timestamp',
    ],
    [['diff'], 'exactly one of'],
    [['diff', '--theirs-header', 'nowhere'], 'there is no such file'],
  ])('%j is wrong usage: %s', async (argv, says) => {
    const ran = await paycli(['sign', ...argv]);
    expect([ran.exit, ran.out, ran.err]).toEqual([2, '', expect.stringContaining(says)]);
  });
});

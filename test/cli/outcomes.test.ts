import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const neverSent: Delivery = { kind: 'never-sent', reason: 'connection refused' };
const html: Delivery = {
  kind: 'reply',
  reply: { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>login</html>') },
};
const refusal = {
  type: 'validation-error',
  'serial-number': '1',
  'error-message': 'INVALID_CONTROL_CODE',
  'error-code': '1',
};

describe('a sale without --wait', () => {
  const cases: readonly {
    readonly what: string;
    readonly replies: readonly Delivery[];
    readonly exit: number;
    readonly says: string;
  }[] = [
    { what: 'taken', replies: [reply(200, taken)], exit: 0, says: 'processing' },
    { what: 'refused', replies: [reply(400, refusal)], exit: 4, says: 'INVALID_CONTROL_CODE' },
    { what: 'refused by 401', replies: [reply(401, refusal)], exit: 4, says: 'INVALID_CONTROL_CODE' },
    {
      what: 'never sent, three times',
      replies: [neverSent, neverSent, neverSent],
      exit: 6,
      says: 'nothing was sent: connection refused',
    },
    { what: 'never sent, then taken', replies: [neverSent, reply(200, taken)], exit: 0, says: 'processing' },
    {
      what: 'a certificate',
      replies: [{ kind: 'certificate', reason: 'the certificate has expired', remedy: 'check the clock' }],
      exit: 3,
      says: 'no secure connection to gate.example: the certificate has expired\nnext:  nothing was sent; check the clock\n',
    },
    { what: 'a lost reply', replies: [lost], exit: 8, says: 'the outcome is unknown; money may have moved' },
    { what: 'a page of HTML', replies: [html], exit: 8, says: 'the outcome is unknown' },
    {
      what: 'HTTP 500',
      replies: [reply(500, { type: 'error', 'error-message': 'internal' })],
      exit: 8,
      says: 'do not send it again',
    },
    {
      what: 'HTTP 307',
      replies: [
        {
          kind: 'reply',
          reply: { status: 307, headers: { location: 'https://other.example/' }, body: Buffer.from('') },
        },
      ],
      exit: 8,
      says: 'the outcome is unknown',
    },
    {
      what: "another order's reply",
      replies: [reply(200, { ...taken, 'merchant-order-id': 'other' })],
      exit: 8,
      says: 'the outcome is unknown',
    },
    {
      what: 'a 3-D Secure redirect',
      replies: [reply(200, { ...taken, redirect_url: 'https://acs.example/x' })],
      exit: 0,
      says: 'the payer has to continue at https://acs.example/x',
    },
  ];

  test.each(cases)('$what: exit $exit', async ({ replies, exit, says }) => {
    const ran = await paycli([...saleFlags], { home: homeWithProfile(), network: replies.map((one) => () => one) });
    expect(ran.exit).toBe(exit);
    expect(ran.out + ran.err).toContain(says);
    expect(ran.requests).toHaveLength(replies.length);
  });

  test('an unknown outcome names the command that asks for it, and stdout stays empty', async () => {
    const ran = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network: [() => lost] });
    expect(ran.out).toBe('');
    expect(JSON.parse(ran.err)).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      exit: 8,
      next: expect.stringContaining('`paycli resolve --client-order-id 902B4FF5'),
    });
  });

  test('each attempt that follows one that never left is signed anew, with a nonce of its own', async () => {
    const argv = 'payout --client-order-id 7 --amount 1.00 --currency EUR --card-number 4444333322221111'.split(' ');
    const ran = await paycli(argv, {
      home: homeWithProfile(),
      network: [() => neverSent, () => reply(200, { ...taken, 'merchant-order-id': '7' })],
    });
    const nonces = ran.requests.map(
      (request) => /oauth_nonce="(\w+)"/.exec(request.headers['Authorization'] ?? '')?.[1],
    );
    expect(ran.exit, ran.err).toBe(0);
    expect(new Set(nonces).size).toBe(2);
  });
});

describe('--wait', () => {
  const waiting = (...statuses: readonly Readonly<Record<string, string>>[]) => ({
    home: homeWithProfile(),
    network: [taken, ...statuses].map((fields) => () => reply(200, fields)),
  });

  test.each([
    { words: ['processing', 'approved'], flags: [], exit: 0 },
    { words: ['declined'], flags: [], exit: 5 },
    { words: ['filtered'], flags: [], exit: 5 },
    { words: ['error'], flags: [], exit: 5 },
    { words: ['declined'], flags: ['--expect', 'declined'], exit: 0 },
    { words: ['approved'], flags: ['--expect', 'declined'], exit: 11 },
  ])('$words $flags: exit $exit', async ({ words, flags, exit }) => {
    const ran = await paycli([...saleFlags, '--wait', ...flags], waiting(...words.map((word) => statusReply(word))));
    expect(ran.exit, ran.err).toBe(exit);
    expect(ran.out).toContain(words.at(-1));
  });

  test.each([
    {
      step: {
        tds_status: 'MethodUrlFrame',
        'tds-method-url-frame-3ds-server-trans-id': '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
      },
      says: 'paycli upload-3ds method 12345 --tds-server-trans-id 8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
    },
    { step: { tds_status: 'CReqForm' }, says: 'paycli upload-3ds cres 12345 --c-res BASE64' },
    { step: { tds_status: 'PaReqForm' }, says: 'paycli upload-3ds pares 12345 --pa-res BASE64' },
    {
      step: { html: '<form>', 'redirect-to': 'https://gate.example/once' },
      says: 'the payer has to continue at https://gate.example/once',
    },
  ])('ends at once with 7 at a step: $says', async ({ step, says }) => {
    const ran = await paycli([...saleFlags, '--wait'], waiting(statusReply('processing', step)));
    expect(ran.exit).toBe(7);
    expect(ran.out).toContain(says);
  });

  test('gives up after --wait-timeout: still pending is 7, unknown and unlisted words are 8', async () => {
    // Asked at once, after about 3, 6 and 9 seconds, and at the very end.
    const many = (word: string) => Array.from({ length: 5 }, () => statusReply(word));
    for (const [word, exit] of [
      ['processing', 7],
      ['unknown', 8],
      ['frobnicated', 8],
    ] as const) {
      const replies = [taken, ...many(word)];
      const home = homeWithProfile();
      const ran = await paycli([...saleFlags, '--wait', '--wait-timeout', '11'], {
        home,
        network: replies.map((fields) => () => reply(200, fields)),
      });
      expect(ran.exit, `${word}: ${ran.err}`).toBe(exit);
    }
  });

  test.each([
    // Asked at once, after about 3 seconds, and at the very end.
    { class: 'test', baseUrl: 'https://gate.example/prefix', asked: 3 },
    { class: 'test', baseUrl: 'http://127.0.0.1:8485/gateway', asked: 3 },
    // At once, after 0.3, 0.9 and 2.1 seconds, and at the very end.
    { class: 'sandbox', baseUrl: 'http://127.0.0.1:8485/gateway', asked: 5 },
  ] as const)('a profile of class $class at $baseUrl asks $asked times in 4 seconds', async ({ asked, ...profile }) => {
    const replies = [taken, ...Array.from({ length: asked }, () => statusReply('processing'))];
    const ran = await paycli([...saleFlags, '--wait', '--wait-timeout', '4'], {
      home: homeWithProfile(profile),
      network: replies.map((fields) => () => reply(200, fields)),
    });
    expect(ran.exit, ran.err).toBe(7);
  });

  test('questions that go unanswered leave it pending, and say that the request was accepted', async () => {
    const failing = Array.from({ length: 9 }, () => () => lost);
    const ran = await paycli([...saleFlags, '--wait'], {
      home: homeWithProfile(),
      network: [() => reply(200, taken), ...failing],
    });
    expect(ran.exit).toBe(7);
    expect(ran.err).toContain('the request itself was accepted');
  });
});

describe('status', () => {
  const ask = ['status', '12345', '--client-order-id', '902B4FF5'];

  test.each(['approved', 'declined', 'processing', 'unknown', 'frobnicated'])(
    '%s: exit 0 when nothing was expected',
    async (word) => {
      const ran = await paycli(ask, { home: homeWithProfile(), network: [() => reply(200, statusReply(word))] });
      expect(ran.exit).toBe(0);
      expect(ran.out).toContain(word);
    },
  );

  test.each([
    { word: 'approved', expect: 'approved', exit: 0 },
    { word: 'declined', expect: 'approved', exit: 11 },
    { word: 'processing', expect: 'approved', exit: 7 },
    { word: 'processing', expect: 'processing', exit: 0 },
    { word: 'unknown', expect: 'approved', exit: 8 },
  ])('$word where $expect is expected: exit $exit', async ({ word, expect: wanted, exit }) => {
    const ran = await paycli([...ask, '--expect', wanted], {
      home: homeWithProfile(),
      network: [() => reply(200, statusReply(word))],
    });
    expect(ran.exit).toBe(exit);
  });

  test('is asked again when a reply is lost, and fails with 9 after three', async () => {
    const once = await paycli(ask, {
      home: homeWithProfile(),
      network: [() => lost, () => reply(200, statusReply('approved'))],
    });
    expect(once.exit).toBe(0);
    const never = await paycli(ask, { home: homeWithProfile(), network: [() => lost, () => lost, () => lost] });
    expect(never.exit).toBe(9);
    expect(never.err).toContain('nothing was changed');
  });
});

describe('a refused signature', () => {
  test('names the recipe, the key by its fingerprint and the way to debug it, never the key', async () => {
    const ran = await paycli([...saleFlags], { home: homeWithProfile(), network: [() => reply(400, refusal)] });
    expect(ran.err).toContain(
      'SHA-1 over endpointId, client_orderid, amount in minor units, email and the merchant control key',
    );
    expect(ran.err).toMatch(/control key fingerprint [0-9a-f]{8} of profile shop/);
    expect(ran.err).toContain('paycli sign sale --explain');
    expect(ran.out + ran.err).not.toContain('B17F59B4');
  });
});

test.each([
  [['status', '12345']],
  [['status', '12345', '--wait', '--wait-timeout', '1']],
  [['order', '12345']],
  [['card-ref', 'info', '--card-ref-id', '77']],
])('a read that was never sent ends as one without an answer, exit 9: %j', async (argv) => {
  const ran = await paycli(argv, {
    home: homeWithProfile(),
    outside: (usual) => ({
      ...usual,
      transport: async () => ({ post: async () => neverSent, close: async () => undefined }),
    }),
  });
  expect([ran.exit, ran.err]).toEqual([9, expect.stringContaining('no usable reply: ')]);
  expect(ran.err).toContain('nothing was changed; ');
});

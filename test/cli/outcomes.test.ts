import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, lost, saleFlags, statusReply, taken } from './profiles.js';

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
  const redirect: Delivery = {
    kind: 'reply',
    reply: { status: 307, headers: { location: 'https://other.example/' }, body: Buffer.from('') },
  };
  const certificate: Delivery = {
    kind: 'certificate',
    reason: 'the certificate has expired',
    remedy: 'check the clock',
  };

  test.each<readonly [what: string, replies: readonly Delivery[], exit: number, state: string, says: string]>([
    ['taken', [reply(200, taken)], 0, 'accepted 1', 'processing'],
    ['refused', [reply(400, refusal)], 4, 'refused 1', 'INVALID_CONTROL_CODE'],
    ['refused by 401', [reply(401, refusal)], 4, 'refused 1', 'INVALID_CONTROL_CODE'],
    ['never sent, three times', [neverSent, neverSent, neverSent], 6, 'not_sent 1', 'nothing was sent: connection'],
    ['never sent, then taken', [neverSent, reply(200, taken)], 0, 'accepted 1', 'processing'],
    ['a certificate', [certificate], 3, 'not_sent 1', 'nothing was sent; check the clock'],
    ['a lost reply', [lost], 8, 'unknown 1', 'the outcome is unknown; money may have moved'],
    ['a page of HTML', [html], 8, 'unknown 1', 'the outcome is unknown'],
    ['HTTP 500', [reply(500, { type: 'error', 'error-message': 'no' })], 8, 'unknown 1', 'do not send it again'],
    ['HTTP 307', [redirect], 8, 'unknown 1', 'the outcome is unknown'],
    ['of another order', [reply(200, { ...taken, 'merchant-order-id': 'other' })], 8, 'unknown 1', 'is unknown'],
    ['a redirect', [reply(200, { ...taken, redirect_url: 'https://acs.example/x' })], 0, 'accepted 1', 'acs.example/x'],
  ])('%s', async (_, replies, exit, state, says) => {
    const home = homeWithProfile();
    const ran = await paycli([...saleFlags], { home, network: replies.map((one) => () => one) });
    expect([ran.exit, ran.requests.length], ran.err).toEqual([exit, replies.length]);
    expect(ran.out + ran.err).toContain(says);
    const [entry] = JSON.parse((await paycli('journal --json', { home })).out).entries;
    expect(`${entry.state} ${entry.attempts}`).toBe(state);
  });

  test('an unknown outcome names the command that asks for it, and stdout stays empty', async () => {
    const ran = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network: [() => lost] });
    expect(ran.out).toBe('');
    expect(JSON.parse(ran.err)).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      exit: 8,
      next: expect.stringContaining('`paycli resolve 902B4FF5`'),
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

import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { encodeChallengeRequest } from '../../src/threeds/index.js';
import { paycli, reply } from '../support/runtime.js';
import { openListeningSandbox } from './listening-sandbox.js';
import { homeWithProfile } from './profiles.js';

const money = ['--amount', '10.42', '--currency', 'EUR'];
const payer = [
  ...[
    '--order-desc',
    'Two tickets',
    '--email',
    'jane@example.com',
    '--phone',
    '+4930123456',
    '--address1',
    'Example Street 1',
  ],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.10'],
];

/** Every operation whose payer may meet 3-D Secure outside a hosted page. */
const opening: Readonly<Record<string, readonly string[]>> = {
  SALE: ['sale', ...money, ...payer],
  PREAUTH: ['preauth', ...money, ...payer],
  ACCOUNT_VERIFICATION: ['account-verification', ...payer],
  TRANSFER_V4: ['transfer', ...money, '--destination-card-number', '5555666644441111', '--ip-address', '192.0.2.1'],
};

const paths = ['challenge', 'fail', 'timeout'] as const;
const walks = [
  ...['3ds-method', '3ds-challenge', '3ds-pares'].flatMap((card) => paths.map((path) => [card, path] as const)),
  ['3ds-simplified', 'challenge'] as const,
  ['3ds-frictionless', 'frictionless'] as const,
];
// The card payments need redirect_url, so only the others come without one.
const withoutAddress = ['ACCOUNT_VERIFICATION', 'TRANSFER_V4'];
const cases = Object.entries(opening).flatMap(([id, line]) =>
  ['with', ...(withoutAddress.includes(id) ? ['without'] : [])].flatMap((redirect) =>
    walks
      .filter(([, path]) => id === 'SALE' || path === 'challenge')
      .map(([card, path]) => ({ id, line, redirect, card, path })),
  ),
);

test.each(cases)(
  '3ds run ends $id $redirect redirect_url, card $card, path $path',
  async ({ line, redirect, card, path }) => {
    const sandbox = openListeningSandbox({ withoutRedirectUrl: redirect === 'without' });
    const made = await sandbox.run([...line, '--test-card', card, '--client-order-id', 'o', '--wait', '--json']);
    expect(made.exit, made.err).toBe(7);
    expect(
      sandbox.requests.some(({ body }) => String(body).includes('redirect_url=')),
      'redirect_url was sent',
    ).toBe(redirect === 'with');
    const ran = await sandbox.run(['3ds', 'run', '--client-order-id', 'o', '--path', path, '--json']);
    expect(ran.exit, ran.err).toBe(0);
    const isGood = path === 'challenge' || path === 'frictionless';
    expect(JSON.parse(ran.out).result).toMatchObject({
      status: isGood ? 'approved' : 'declined',
      'verified-3d-status': isGood ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED',
    });
  },
);

test.each(Object.entries(opening).filter(([id]) => !withoutAddress.includes(id)))(
  '%s is refused without redirect_url',
  async (_, line) => {
    const sandbox = openListeningSandbox({ withoutRedirectUrl: true });
    // A test card would bring a payer with it, and the address the payer comes back to.
    const card = ['--card-number', '4444000011118888', '--card-holder', 'A B', '--cvv', '123'];
    const ran = await sandbox.run([...line, ...card, '--expire-month', '12', '--expire-year', '2035', '--no-input']);
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--redirect-url')]);
    expect(sandbox.requests).toEqual([]);
  },
);

const html = (text: string): Delivery => ({
  kind: 'reply',
  reply: { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from(text) },
});
const bankPage = 'http://127.0.0.1:9/acs';
const uuid = '00000000-0000-4000-8000-00000000000';
const creq = encodeChallengeRequest({ tdsId: `${uuid}1`, acsId: `${uuid}2` });

test.each([
  [
    'CReqForm',
    { 'tds-creq-form-acs-url': bankPage, 'tds-creq-form-creq': creq },
    'returned no cres; nothing was uploaded',
  ],
  [
    'PaReqForm',
    { 'tds-pareq-form-acs-url': bankPage, 'tds-pareq-form-pareq': 'eJw=' },
    'returned no PaRes; nothing was uploaded',
  ],
] as const)('an empty answer of the bank is never uploaded: %s', async (step, more, words) => {
  const status = { type: 'status-response', status: 'processing', 'paynet-order-id': '1', tds_status: step, ...more };
  const ran = await paycli(['3ds', 'run', '--order', '1', '--client-order-id', 'o', '--path', 'challenge'], {
    home: homeWithProfile(),
    network: [() => reply(200, status), () => html('<main><h1>Thank you</h1></main>')],
  });
  expect([ran.exit, ran.err]).toEqual([9, expect.stringContaining(words)]);
  expect(ran.requests.filter(({ url }) => url.includes('/upload-'))).toEqual([]);
});

test.each([
  ['cres', '--cres', ''],
  ['pares', '--pares', ''],
  ['cres', '--field', 'cRes='],
  ['pares', '--field', 'paRes='],
])('upload-3ds %s refuses an empty message: %s "%s"', async (kind, flag, value) => {
  const ran = await paycli(['upload-3ds', kind, '1', '--client-order-id', 'o', flag, value, '--no-input'], {
    home: homeWithProfile(),
  });
  expect([ran.exit, ran.requests]).toEqual([2, []]);
});

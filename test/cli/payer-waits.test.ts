import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { at } from './live-at.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

/** Runs a command so many minutes after Monday, 2030-01-07 12:00:00 UTC. */
const run = (home: string, argv: string | readonly string[], replies: readonly Delivery[] = [], minutes = 0) =>
  paycli(argv, {
    home,
    network: replies.map((one) => () => one),
    outside: at(minutes),
  });

type Fields = Readonly<Record<string, string>>;
const status = (word: string, more: Fields = {}) =>
  reply(200, statusReply(word, { 'transaction-type': 'sale', ...more }));
const challenge: Fields = {
  tds_status: 'CReqForm',
  'tds-creq-form-acs-url': 'https://acs.example/x',
  'tds-creq-form-creq': 'e30',
};
/** The same steps by their fields alone. */
const unnamed = {
  challenge: { 'tds-creq-form-acs-url': 'https://acs.example/x', 'tds-creq-form-creq': 'e30' },
  pareq: { 'tds-pareq-form-acs-url': 'https://acs.example/x', 'tds-pareq-form-pareq': 'e30', 'tds-pareq-form-md': '1' },
  method: { 'tds-method-url-frame-3ds-method-url': 'https://acs.example/m' },
} as const satisfies Readonly<Record<string, Fields>>;
const processing = () => status('processing', { 'order-stage': 'sale_processing' });
const formFlags = [
  'form',
  'sale',
  ...saleFlags.slice(1).filter((word, index, all) => !isOfCard(word) && !isOfCard(all[index - 1] ?? '')),
];
const formTaken: Fields = {
  ...taken,
  type: 'async-form-response',
  'redirect-url': 'https://gate.example/form/SECRETPAGE',
};

function isOfCard(word: string): boolean {
  return ['--card-number', '--card-holder', '--expire-month', '--expire-year', '--cvv'].includes(word);
}

/** A sale whose status was asked by `status` five minutes later, with this answer. */
async function asked(answer: Delivery): Promise<string> {
  const home = homeWithProfile();
  await run(home, saleFlags, [reply(200, taken)]);
  await run(home, 'status 12345', [answer], 5);
  return home;
}

async function form(): Promise<string> {
  const home = homeWithProfile();
  const ran = await run(home, formFlags, [reply(200, formTaken)]);
  expect(ran.exit, ran.err).toBe(0);
  return home;
}

const listed = async (home: string, minutes = 60) => (await run(home, 'journal', [], minutes)).out;
const entries = async (home: string) => JSON.parse((await run(home, 'journal --json')).out).entries;

describe('an order that waits for its payer is said to, from the journal alone', () => {
  test.each<readonly [string, Fields, string, string]>([
    ['a challenge', challenge, 'challenge', '3-D Secure challenge'],
    ['the method step', { tds_status: 'MethodUrlFrame' }, 'method', '3-D Secure method step'],
    ['a PaReq', { tds_status: 'PaReqForm' }, 'pareq', '3-D Secure 1.0.2 authentication'],
    ['a step paycli does not know', { tds_status: 'NextForm' }, 'three-d-secure', '3-D Secure'],
    ['a page to visit', { 'redirect-to': 'https://gate.example/go/SECRETPAGE' }, 'three-d-secure', '3-D Secure'],
    [
      'a challenge behind a method URL',
      { ...unnamed.method, ...unnamed.challenge },
      'challenge',
      '3-D Secure challenge',
    ],
    ['the stage alone', { 'order-stage': 'SALE_3D_VALIDATING' }, 'three-d-secure', '3-D Secure'],
  ])('%s', async (_, fields, word, words) => {
    const home = await asked(status('processing', fields));
    const text = `waiting for the payer: ${words} (since 2030-01-07T12:00:00Z)`;
    expect(await listed(home)).toContain(text);
    expect(await entries(home)).toMatchObject([
      { state: 'accepted', waiting: { for: word, since: '2030-01-07T12:00:00.000Z' } },
    ]);
    const shown = await run(home, 'journal 12345');
    expect(shown.out).toContain(text);
    expect(shown.out).not.toContain('SECRETPAGE');
    const order = await run(home, 'order 12345', [status('processing', fields)], 5);
    expect(order.out).toContain(text);
    const timeline = await run(home, 'order 12345 --timeline');
    expect(timeline.out).toMatch(/12:05:00\.000.*sale 10\.42 USD: waiting for the payer/);
  });
});

describe('a status reply in which a payer is waited for, however it says so', () => {
  const page: Fields = { html: '<form action="https://gate.example/x"></form>' };
  const cases: readonly (readonly [string, Fields, string, RegExp])[] = [
    ['a challenge', challenge, '3-D Secure challenge', /next: paycli upload-3ds cres 12345/],
    ['a challenge without tds_status', unnamed.challenge, '3-D Secure challenge', /next: paycli upload-3ds cres 12345/],
    [
      'a PaReq without tds_status',
      unnamed.pareq,
      '3-D Secure 1.0.2 authentication',
      /next: paycli upload-3ds pares 12345/,
    ],
    [
      'a method URL without tds_status',
      unnamed.method,
      '3-D Secure method step',
      /next: paycli upload-3ds method 12345/,
    ],
    ['a page alone', page, '3-D Secure', /next: paycli status 12345/],
    ['an address alone', { 'redirect-to': 'https://gate.example/x' }, '3-D Secure', /next: paycli status 12345/],
  ];

  test.each(cases)('%s: a sale that waits ends there, and resolve says so', async (_, fields, words, next) => {
    const home = homeWithProfile();
    const sale = await run(home, [...saleFlags, '--wait'], [reply(200, taken), status('processing', fields)]);
    expect([sale.exit, sale.out]).toEqual([7, expect.stringMatching(next)]);
    expect(sale.out).not.toContain('not final yet');
    const resolved = await run(home, 'resolve 12345', [status('processing', fields)], 1);
    expect(resolved.err).toContain(`waiting for the payer: ${words} (since`);
  });
});

describe('a hosted form that nobody filled in', () => {
  test.each<readonly [string, Delivery]>([
    ['a card', status('processing', { 'last-four-digits': '1111' })],
    ['another stage', processing()],
  ])('is none any more once status tells of %s', async (_, answer) => {
    const home = await form();
    const ran = await run(home, 'status 12345', [answer], 3);
    expect(ran.out).not.toContain('filled in');
    expect(await entries(home)).toMatchObject([{ state: 'accepted', waiting: null }]);
  });
});

describe('what the journal knows of a payer follows the replies', () => {
  test('one step after the other, since the order was taken', async () => {
    const home = await asked(status('processing', { tds_status: 'MethodUrlFrame' }));
    await run(home, 'status 12345', [status('processing', { tds_status: 'MethodUrlFrame' })], 7);
    expect(await entries(home)).toMatchObject([{ waiting: { for: 'method', since: '2030-01-07T12:00:00.000Z' } }]);
    await run(home, 'status 12345', [status('processing', challenge)], 8);
    expect(await entries(home)).toMatchObject([{ waiting: { for: 'challenge', since: '2030-01-07T12:00:00.000Z' } }]);
    const { out } = await run(home, 'journal 12345 --json');
    const { events }: { readonly events: readonly { facts: unknown }[] } = JSON.parse(out).entries[0];
    expect(events.slice(-2)).toMatchObject([{ facts: { waitsFor: 'method' } }, { facts: { waitsFor: 'challenge' } }]);
  });
});

test('in the built-in sandbox, an order at a challenge and a form nobody filled in say so everywhere', async () => {
  const home = temporaryHome();
  const order = async (argv: readonly string[]) =>
    JSON.parse((await run(home, [...argv, '--json'])).out).order.orderId as string;
  const money = ['--amount', '10.42', '--currency', 'USD'];
  const cases = [
    [await order(['sale', ...money, '--test-card', '3ds-challenge', '--wait']), '3-D Secure challenge'],
    [await order(['form', 'sale', ...money]), 'form not filled in yet'],
  ] as const;
  for (const [id, words] of cases) {
    const text = `waiting for the payer: ${words} (since `;
    for (const argv of [
      ['journal', id],
      ['order', id],
      ['resolve', id],
    ]) {
      const { out, err } = await run(home, argv);
      expect((out + err).replaceAll(/\s+/g, ' '), argv.join(' ')).toContain(text);
    }
  }
});

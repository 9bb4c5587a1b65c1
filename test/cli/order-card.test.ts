import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, statusReply, taken } from './profiles.js';

const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

const status = (more: Readonly<Record<string, string>>) =>
  reply(200, statusReply('approved', { amount: '10.42', currency: 'USD', 'initial-amount': '10.42', ...more }));
const visa = { 'card-type': 'VISA', 'last-four-digits': '0077' };
const money = ['--amount', '10.42', '--currency', 'USD'];
const own = ['--client-order-id', '902B4FF5', '--no-input'];
const page = reply(200, { ...taken, type: 'async-form-response', 'redirect-url': 'https://gate.example/form/1' });

const payer = [
  ...['--email', 'jane@example.com', '--address1', 'Example Street 1', '--city', 'Berlin', '--zip-code', '10115'],
  ...['--country', 'DE', '--ip-address', '192.0.2.10', '--order-desc', 'Two tickets'],
];
const rebill = [
  ...['rebill', '--card-ref-id', '256127', ...money, ...own, '--order-desc', 'Two tickets'],
  ...['--ip-address', '192.0.2.10'],
];
const toCard = { 'transaction-type': 'payout', 'dest-card-type': 'VISA', 'dest-last-four-digits': '0077' };

/** Requests without a card number, the reply to each, and the status that names the card. */
const unnamed: readonly (readonly [what: string, argv: readonly string[], answer: Delivery, told: Delivery])[] = [
  ['a rebill', rebill, reply(200, taken), status({ 'transaction-type': 'sale', ...visa })],
  [
    'a payment on a hosted form',
    ['form', 'sale', ...money, ...own, ...payer],
    page,
    status({ 'transaction-type': 'sale', ...visa }),
  ],
  ['a payout on a hosted form', ['form', 'payout', ...money, ...own], page, status(toCard)],
];

test.each(unnamed)(
  '%s is found by the card that only its status named, and shows it',
  async (_, argv, answer, told) => {
    const home = homeWithProfile();
    const sent = await run(home, argv, answer);
    expect(sent.exit, sent.err).toBe(0);
    const found = async (card: string) =>
      JSON.parse((await run(home, ['orders', '--card', card, '--json'])).out).orders.map(
        (order: { readonly card: string }) => order.card,
      );
    expect(await found('0077')).toEqual([]);
    const before = await run(home, ['orders', '--card', '0077', '--amount', '10.42']);
    expect(before.err).toContain('1 order is left out because its card is not known yet; `paycli resolve --all`');
    expect((await run(home, ['orders', '--card', '0077', '--amount', '10.43'])).err).not.toContain('left out');
    expect((await run(home, ['orders', '--card', '0077', '--status', 'declined'])).err).not.toContain('left out');
    expect((await run(home, ['status', '902B4FF5'], told)).exit).toBe(0);
    expect(await found('0077')).toEqual(['0077']);
    expect((await run(home, ['orders', '--card', '0078'])).err).not.toContain('left out');
    expect(await found('77')).toEqual(['0077']);
    expect(await found('0078')).toEqual([]);
    expect((await run(home, ['orders'])).out).toMatch(/\bapproved +0077\b/);
    const offline = await run(home, ['order', '902B4FF5', '--offline']);
    expect(offline.out).toMatch(/^ {2}card +VISA •••• 0077$/m);
    expect((await run(home, ['order', '902B4FF5'], told)).out).toMatch(/^ {2}card +VISA •••• 0077$/m);
    const [entry] = JSON.parse((await run(home, ['journal', 'list', '--json'])).out).entries;
    expect(entry.card).toEqual({ lastFour: '0077' });
  },
);

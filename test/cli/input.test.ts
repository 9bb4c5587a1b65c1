import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arrowUp, paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, taken } from './profiles.js';

const without = (flag: string) => saleFlags.filter((_, at) => saleFlags[at] !== flag && saleFlags[at - 1] !== flag);
const instead = (flag: string, value: string) => [...without(flag), flag, value];
const bodyOf = (ran: { requests: readonly { body: string }[] }) => new URLSearchParams(ran.requests[0]?.body);

/** Without its card. */
const sale = ['--card-number', '--card-holder', '--expire-month', '--expire-year', '--cvv'].reduce<readonly string[]>(
  (left, flag) => left.filter((_, at) => left[at] !== flag && left[at - 1] !== flag),
  saleFlags,
);

describe('fields', () => {
  test('that are missing are all named, and nothing is sent', async () => {
    const ran = await paycli('sale --amount 10.42', { home: homeWithProfile() });
    expect(ran.exit).toBe(2);
    for (const flag of ['--currency', '--card-number', '--cvv', '--email', '--ip-address', '--order-desc'])
      expect(ran.err).toContain(flag);
    expect(ran.err).not.toContain('--client-order-id');
  });

  test('that are wrong are all reported at once, and no card number is repeated', async () => {
    const card = instead('--card-number', '4444333322221112');
    const argv = [...card.with(card.indexOf('jane@example.com'), 'nobody'), '--redirect-url', 'ftp://x'];
    const ran = await paycli(argv, { home: homeWithProfile() });
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain('3 problems');
    expect(ran.err).not.toContain('4444333322221112');
  });
});

describe('--field', () => {
  test('--allow-unknown-field sends it anyway, after the others', async () => {
    const ran = await paycli([...saleFlags, '--field', 'x-new=1', '--allow-unknown-field'], {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
    });
    expect([...bodyOf(ran).keys()].slice(-2)).toEqual(['x-new', 'control']);
  });
});

describe('amounts', () => {
  const refused: readonly (readonly [amount: string, currency: string, says: string])[] = [
    ['1,00', 'USD', 'use a decimal number'],
    ['10.005', 'USD', 'at most 2 digits'],
    ['100.00', 'JPY', 'no decimals'],
    ['10', 'usd', 'ISO 4217'],
  ];
  const withMoney = (amount: string, currency: string) => [
    ...instead('--amount', amount).filter((word) => word !== 'USD' && word !== '--currency'),
    '--currency',
    currency,
  ];

  test.each(refused)('%s %s is refused: %s', async (amount, currency, says) => {
    const ran = await paycli(withMoney(amount, currency), { home: homeWithProfile() });
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain(says);
  });

  // The checksum's minor units by hand: 1144 902B4FF5 MINOR jane@example.com KEY.
  test.each([
    ['10.42', 'USD', '10.42', '1042'],
    ['10.5', 'USD', '10.50', '1050'],
    ['100', 'JPY', '100', '100'],
    ['1.234', 'KWD', '1.234', '1234'],
  ])('%s %s is sent as %s and signed as %s', async (amount, currency, body, minor) => {
    const ran = await paycli(withMoney(amount, currency), {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
    });
    expect(bodyOf(ran).get('amount')).toBe(body);
    const { createHash } = await import('node:crypto');
    const text = `1144902B4FF5${minor}jane@example.comB17F59B4-A7DC-41B4-8FF9-37D986B43D20`;
    expect(bodyOf(ran).get('control')).toBe(createHash('sha1').update(text).digest('hex'));
  });
});

describe('card data', () => {
  const card = JSON.stringify({
    ...{ credit_card_number: '4444333322221111', cvv2: '123', card_printed_name: 'JANE DOE' },
    ...{ expire_month: '12', expire_year: '2034' },
  });

  test.each([
    ['a file of mode 0600', 'card', undefined],
    ['standard input', '-', card],
  ])('comes from %s', async (_, place, stdin) => {
    const home = homeWithProfile();
    writeFileSync(join(home, 'card'), card, { mode: 0o600 });
    const input = ['--input', place === '-' ? place : join(home, place)];
    const ran = await paycli([...sale, ...input], {
      ...{ home, network: [() => reply(200, taken)] },
      ...(stdin === undefined ? {} : { stdin }),
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(bodyOf(ran).get('credit_card_number')).toBe('4444333322221111');
  });

  test('from a file that others may read is refused', async () => {
    const home = homeWithProfile();
    writeFileSync(join(home, 'open'), card, { mode: 0o644 });
    const open = await paycli([...sale, '--input', join(home, 'open')], { home });
    expect([open.exit, open.err]).toEqual([3, expect.stringContaining('chmod 600')]);
  });
});

describe('prompts', () => {
  test('ask for what is missing, hide the code, and check each answer', async () => {
    const argv = [
      'sale',
      '--client-order-id',
      '902B4FF5',
      ...'--order-desc x --email jane@example.com --phone +4930123456 --address1 Street --city Berlin --zip-code 10115 --country US --ip-address 192.0.2.10'.split(
        ' ',
      ),
    ];
    const ran = await paycli(argv, {
      tty: true,
      home: homeWithProfile(),
      answers: [
        ['amount', '10.42'],
        ['currency', 'USD'],
        ['cardNumber', '4444333322221111'],
        ['cardHolder', 'JANE DOE'],
        ['expireMonth', '12'],
        ['expireYear', '2034'],
        ['cvv', '123'],
        ['state', 'NY'],
      ],
      network: [() => reply(200, taken)],
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.questions.filter((question) => question.hidden === true).map((question) => question.name)).toEqual([
      'cardNumber',
      'cvv',
    ]);
    expect(bodyOf(ran).get('state')).toBe('NY');
  });

  const toCard = ['sale', ...sale.slice(1), '--dry-run', '--json', '--no-color'];

  test('offer test cards with a profile of class sandbox, each with its outcome', async () => {
    const ran = await paycli(toCard, {
      home: homeWithProfile({ class: 'sandbox', baseUrl: 'http://127.0.0.1:8484' }),
      tty: true,
      answers: [['test-card', 'declined']],
    });
    expect(ran.exit, ran.err).toBe(0);
    const { choices = [], meanings = {} } = ran.questions[0] ?? {};
    expect(choices.filter((choice) => meanings[choice] === undefined)).toEqual([]);
    expect(meanings).toMatchObject({ approved: 'approved', declined: 'declined, no reason given' });
  });

  const toPay = ['payout', 'send', '--amount', '10.42', '--currency', 'USD', '--dry-run', '--json', '--no-color'];
  const destinations = ['card-number', 'destination-card-ref-id', 'account-number', 'receiver-phone', 'wallet-type'];

  test.each([
    ['card-number', [['cardNumber', '4444333322221111']], [['credit_card_number', 'masked']]],
    [
      'account-number',
      [
        ['accountNumber', 'DE02120300000000202051'],
        ['bankName', 'DKB'],
        ['bankBranch', 'Berlin'],
      ],
      [
        ['bank_name', 'DKB'],
        ['bank_branch', 'Berlin'],
      ],
    ],
  ] as const)('of a payout ask where the money goes: %s', async (choice, answers, sent) => {
    const ran = await paycli(toPay, { tty: true, answers: [['one-of', choice], ...answers] });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.questions[0]?.choices).toEqual(destinations);
    expect(Object.keys(ran.questions[0]?.meanings ?? {})).toEqual(destinations);
    expect(ran.questions.map(({ name }) => name)).toEqual(['one-of', ...answers.map(([name]) => name)]);
    const { fields } = JSON.parse(ran.out).request;
    for (const [name, value] of sent)
      expect(fields).toContainEqual([name, name.includes('card') ? expect.any(String) : value]);
  });

  test('go back at the arrow up: what was answered is asked again as editable text, to the choice itself', async () => {
    const ran = await paycli(['payout', 'send', '--dry-run', '--json', '--no-color'], {
      tty: true,
      answers: [
        ['amount', '10.42'],
        ['currency', arrowUp],
        ['amount', '10.43'],
        ['currency', 'USD'],
        ['one-of', 'account-number'],
        ['accountNumber', arrowUp],
        ['one-of', 'card-number'],
        ['cardNumber', '4444333322221111'],
      ],
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.questions.map(({ initial }) => initial)).toEqual([
      undefined,
      undefined,
      '10.42',
      ...Array(5).fill(undefined),
    ]);
    expect(ran.questions[0]?.goBack).toBeUndefined();
    const { fields } = JSON.parse(ran.out).request;
    for (const pair of [
      ['amount', '10.43'],
      ['currency', 'USD'],
    ])
      expect(fields).toContainEqual(pair);
    expect(JSON.stringify(fields)).not.toContain('account_number');
  });

  test('ask again for an amount that does not match the currency typed after it, and keep all else', async () => {
    const ran = await paycli('sale --test-card approved --dry-run --json --no-color', {
      tty: true,
      answers: [
        ['amount', '12.345'],
        ['currency', 'EUR'],
        ['amount', '12.34'],
      ],
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.questions[2]?.message).toMatch(/2 /);
    expect(JSON.parse(ran.out).request.fields).toContainEqual(['amount', '12.34']);
  });

  test.each([
    { flags: ['--no-input'], env: {} },
    { flags: [], env: { PAYCLI_NO_INPUT: '1' } },
  ])('never come with $flags $env', async ({ flags, env }) => {
    const ran = await paycli(['sale', ...flags], { tty: true, env });
    expect(ran.exit).toBe(2);
  });
});

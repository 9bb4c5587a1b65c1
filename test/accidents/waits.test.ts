import { describe, expect, test } from 'vitest';
import { homeWithProfile, rsaKey, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';

const lost = () => ({ kind: 'lost', reason: 'the connection was closed' }) as const;
const processing = () =>
  reply(200, statusReply('processing', { 'transaction-type': 'sale', 'order-stage': 'sale_bank_pending' }));
const approved = () =>
  reply(
    200,
    statusReply('approved', {
      ...{ 'transaction-type': 'sale', amount: '10.42', currency: 'USD', 'initial-amount': '10.42' },
    }),
  );
const noOrder = () => reply(400, { type: 'error', 'error-message': 'no such order' });

/** What the line of progress of a terminal said, in the order it was drawn. */
function drawn({ err }: Ran): readonly string[] {
  return err.split('\r\u001b[2K').filter((text) => text.includes('waiting for'));
}

const onTerminal = (argv: readonly string[], home: string, network: TestOptions['network']) =>
  paycli(argv, { home, tty: true, errColumns: 100, ...(network && { network }) });

describe('who waits at a terminal sees what the gateway answered last and the time left', () => {
  test('of a sale', async () => {
    const network = [() => reply(200, taken), processing, approved];
    const ran = await onTerminal([...saleFlags, '--wait', '--wait-timeout', '60'], homeWithProfile(), network);
    expect(ran.exit, ran.err).toBe(0);
    expect(drawn(ran)[0]).toContain('60 s left');
    expect(drawn(ran).at(-1)).toMatch(/60 s left.*processing.*sale_bank_pending/);
  });

  test('of status --wait', async () => {
    const home = homeWithProfile();
    const ran = await onTerminal(['status', '12345', '--client-order-id', '902B4FF5', '--wait'], home, [
      processing,
      approved,
    ]);
    expect(ran.exit, ran.err).toBe(0);
    expect(drawn(ran).at(-1)).toMatch(/(?:min|s) left.*processing.*sale_bank_pending/);
  });
});

const payer = [
  ...['--order-desc', 'Two tickets', '--email', 'jane@example.com', '--address1', 'Example Street 1'],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.10'],
];
const own = ['--client-order-id', '902B4FF5'];

/** What moves no money, and what it may have made. */
const moneyless: readonly (readonly [what: string, argv: readonly string[], made: RegExp])[] = [
  ['a card reference', ['card-ref', 'create', '12345', ...own], /card reference/],
  ['a card reference of v4', ['card-ref', 'create', '12345', ...own, '--api', 'v4'], /card reference/],
  ['the check of a card', ['account-verification', ...own, ...saleFlags.slice(7, 17), ...payer], /order/],
];

test.each(moneyless)('a lost reply to %s does not say that money may have moved', async (_, argv, made) => {
  const home = homeWithProfile();
  const run = async (words: readonly string[], ...network: NonNullable<TestOptions['network']>) => {
    const ran = await paycli(words, { home, network });
    expect(ran.out + ran.err).not.toMatch(/money may have moved/);
    return ran;
  };
  const ran = await run([...argv, '--private-key-file', rsaKey(home), '--json'], lost);
  expect([ran.exit, ran.requests.length], ran.err).toEqual([8, 1]);
  expect(JSON.parse(ran.err)).toMatchObject({ code: 'OUTCOME_UNKNOWN', message: expect.stringMatching(made) });
  expect((await run(['journal', '902B4FF5'])).out).toMatch(made);
  expect((await run(['doctor'])).out).toMatch(made);
  const asked = argv[0] === 'card-ref' ? [] : [noOrder];
  const resolved = await run(['resolve', '902B4FF5'], ...asked);
  expect(resolved.exit).toBe(8);
  expect(resolved.err).toMatch(made);
});

test('one to a sale does', async () => {
  const ran = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network: [lost] });
  expect([ran.exit, JSON.parse(ran.err).message]).toEqual([8, expect.stringContaining('money may have moved')]);
});

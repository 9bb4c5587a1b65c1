import { expect, test } from 'vitest';
import { homeWithProfile, rsaKey, saleFlags } from '../cli/profiles.js';
import { paycli, reply, type TestOptions } from '../support/runtime.js';

const lost = () => ({ kind: 'lost', reason: 'the connection was closed' }) as const;
const noOrder = () => reply(400, { type: 'error', 'error-message': 'no such order' });

const payer = [
  ...['--order-desc', 'Two tickets', '--email', 'jane@example.com', '--address1', 'Example Street 1'],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.10'],
];
const own = ['--client-order-id', '902B4FF5'];

/** What moves no money, and what it may have made. */
const moneyless: readonly (readonly [what: string, argv: readonly string[], made: RegExp])[] = [
  ['a card reference', ['card-ref', 'create', '12345', ...own], /card reference/],
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
  const asked = argv[0] === 'card-ref' ? [] : [noOrder];
  const resolved = await run(['resolve', '902B4FF5'], ...asked);
  expect(resolved.exit).toBe(8);
  expect(resolved.err).toMatch(made);
});

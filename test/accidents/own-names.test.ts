import { expect, test } from 'vitest';
import { homeWithProfile, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';

const mask = '\u2022';

/** An id, a file or a phone number, and a command line that is refused and names it. */
const named: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['b-20261128-4145', ['batch', 'show']],
  ['rows-4012888888881881.csv', ['batch', 'plan', '--operation', 'payout']],
  ['401288888888', ['resolve', '--order-id']],
];

const shown = (ran: Ran) => ran.out + ran.err;

test.each(named)('%s, which a person typed as one, stays whole in what is refused', async (name, words) => {
  for (const more of [[], ['--json']]) {
    const ran = await paycli([...words, name, ...more], { home: homeWithProfile() });
    expect([2, 3], shown(ran)).toContain(ran.exit);
    expect(shown(ran)).not.toContain(mask);
    expect(shown(ran)).toContain(name);
  }
});

test('the number by which the processor knows a payment is kept whole', async () => {
  const home = homeWithProfile();
  const told = statusReply('approved', {
    ...{ 'transaction-type': 'sale', amount: '10.42', currency: 'USD', 'initial-amount': '10.42' },
    ...{ 'processor-tx-id': '4012888888881881', 'processor-rrn': '123456789012' },
  });
  const sold = await paycli([...saleFlags, '--wait', '-v'], {
    home,
    network: [() => reply(200, taken), () => reply(200, told)],
  });
  expect(sold.exit, sold.err).toBe(0);
  expect(sold.err).toContain('< processor-tx-id = 4012888888881881');
  const kept = await paycli(['journal', '902B4FF5', '--json'], { home });
  expect(kept.out).toContain('"processor-tx-id": "4012888888881881"');
});

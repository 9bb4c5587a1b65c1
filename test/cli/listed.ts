import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { getOf, openFixture, openHistoryIn, saleFields } from '../callbacks/support.js';
import { copiesOf, paycli, type Ran, reply, type TestOptions, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { homeWithProfile, saleFlags } from './profiles.js';

export const sale = testSale('--client-order-id', 'order-1', '--wait');
/** Valid by its check digit, and no published test number. */
export const strangeCard = '4929618305724915';
const noon = Date.UTC(2030, 0, 7, 12);

export async function done(argv: readonly string[], options: TestOptions, exit = 0): Promise<Ran> {
  const ran = await paycli(argv, options);
  expect(ran.exit, ran.err + ran.out).toBe(exit);
  return ran;
}

/** A sandbox with an approved sale, whose callback nobody took yet, and a declined one. */
export const sandboxHome = copiesOf(async () => {
  const home = temporaryHome();
  await done([...sale, '--server-callback-url', 'http://127.0.0.1:9/callback'], { home });
  const declined = [
    'sale',
    '--amount',
    '7.00',
    '--currency',
    'EUR',
    '--test-card',
    'declined',
    '--client-order-id',
    'order-2',
    '--wait',
  ];
  await done(declined, { home }, 5);
  return home;
});

export async function callbackHome(): Promise<string> {
  const home = homeWithProfile();
  mkdirSync(join(home, 'state'));
  const store = openHistoryIn(home);
  const clock = { now: () => noon - 180_000, monotonic: () => 0, sleep: async () => undefined };
  const { receiver } = openFixture({ store, clock });
  await receiver.receive(getOf(saleFields()));
  await receiver.receive(getOf(saleFields({ type: 'reversal', amount: '1.00', control: 'f'.repeat(40) })));
  await receiver.idle();
  return home;
}

/** A sale whose outcome is unknown, for the connection broke. */
export async function openHome(): Promise<string> {
  const home = homeWithProfile();
  await done(saleFlags, { home, network: [() => ({ kind: 'lost', reason: 'the connection was reset' })] }, 8);
  return home;
}

export const stillUnknown = () => reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });

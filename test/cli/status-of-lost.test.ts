import { expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

/** A sale in the built-in sandbox that was lost on its way. */
async function lostSale(): Promise<string> {
  const home = temporaryHome();
  await paycli(['sandbox', 'outcomes', 'next', 'no-answer'], { home });
  const flags = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved', '--client-order-id', 'order-1'];
  expect((await paycli(['sale', ...flags], { home })).exit).toBe(8);
  return home;
}

test.each([
  ['once', ['status', 'order-1']],
  ['with --wait', ['status', 'order-1', '--wait']],
])('status %s of an order in doubt that the gateway does not have: the outcome stays unknown', async (_, command) => {
  const ran = await paycli(command, { home: await lostSale() });
  expect(ran.exit).toBe(8);
  expect(ran.err).toContain(
    'error: the outcome is unknown; money may have moved: the gateway does not have order order-1',
  );
  expect(ran.err).toContain('next:  do not send it again; resolve it with `paycli resolve order-1`\n');
  expect(ran.out + ran.err).not.toContain('nothing took effect');
});

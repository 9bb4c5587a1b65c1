import { expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

/** The screen of an order that this command made in the built-in sandbox. */
async function shown(command: readonly string[], outcome: string): Promise<string> {
  const home = temporaryHome();
  await paycli(['sandbox', 'outcomes', 'next', outcome], { home });
  await paycli([...command, '--client-order-id', 'order-1', '--wait', '--wait-timeout', '1'], { home });
  return (await paycli(['order', 'order-1'], { home })).out;
}

const sale = ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'];

test.each([
  ['error', 'the sale ended with an error, and a return needs a final successful status'],
  ['unknown', 'the sale has an unknown outcome, and a return needs a final successful status'],
  ['declined', 'the sale is declined, and a return needs a final successful status'],
])('a sale whose status is %s says in a sentence why it cannot be returned', async (outcome, words) => {
  expect(await shown(sale, outcome)).toContain(words);
});

test('an order whose outcome the gateway does not know says so, and not to send it again', async () => {
  expect(await shown(sale, 'unknown')).toMatch(
    /^ {2}status +unknown: the gateway itself does not know the outcome; do not send it again$/m,
  );
});

test('an order that the gateway does not have names no command with a made-up id', async () => {
  const out = await shown(sale, 'no-answer');
  expect(out).toMatch(/^ {2}callbacks +none received here; the request named no address for them$/m);
  expect(out).toMatch(/^ {2}card +•••• 1111$/m);
});

test('a checked payout says that it is registered and that no money moved; a paid one that it is approved', async () => {
  const home = temporaryHome();
  const flags = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved', '--client-order-id', 'order-1'];
  await paycli(['payout', 'check', ...flags, '--wait'], { home });
  const checked = (await paycli(['order', 'order-1'], { home })).out;
  expect(checked).toMatch(/^ {2}status +checked: the payout is registered; the check moved no money$/m);
  expect(checked).toMatch(/^ {2}payment +none in this journal$/m);
  await paycli(['payout', 'pay', 'order-1', '--wait'], { home });
  const paid = (await paycli(['order', 'order-1'], { home })).out;
  expect(paid).toMatch(/^ {2}status +approved$/m);
  expect(paid).toMatch(/^ {2}payment +approved$/m);
});

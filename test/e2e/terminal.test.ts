// @module-tag tmux
import { afterAll, expect, test } from 'vitest';
import { Home } from './home.js';
import { homeAt, startGateway } from './shop.js';
import { Screen } from './terminal.js';

const money = ['--amount', '10.42', '--currency', 'USD'];
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
});

async function open(argv: readonly string[], home = new Home()): Promise<Screen> {
  const screen = await Screen.open(home, argv);
  closing.push(() => screen.close().finally(() => home.remove()));
  return screen;
}

test.concurrent('paycli payout send asks where the money goes, and a wrong card again with the other answers kept', async () => {
  const screen = await open(['payout', 'send', '--wait']);
  await screen.until(/\? the amount/);
  await screen.type('1O.42', 'Enter');
  await screen.until(/use a decimal number/);
  await screen.type('C-u', '10.42', 'Enter');
  await screen.until(/\? the currency/);
  await screen.type('usx', 'Enter');
  await screen.until(/use an ISO 4217 currency code/);
  await screen.type('C-w', 'usd', 'Enter');
  await screen.until(/▸ card-number +the card that receives the money\n/);
  await screen.type('Enter');
  await screen.until(/\? the card that receives the money/);
  await screen.type('4444333322221112', 'Enter');
  await screen.until(/check the number: its check digit is wrong/);
  await screen.type('C-u', '4444333322221111', 'Enter');
  expect(await screen.exit()).toBe(0);
  const text = await screen.text();
  expect(text).toMatch(/✓ paid 10\.42 USD to .*1111/);
  expect(text).not.toContain('444433332222111');
});

test.concurrent('Ctrl-C at a question ends it with exit 130, and nothing was sent', async () => {
  const screen = await open(['sale']);
  await screen.until(/\? (?:the amount|which test card)/);
  await screen.type('C-c');
  expect(await screen.exit()).toBe(130);
  const text = await screen.text();
  expect(text).toContain('interrupted; no payment was sent');
  expect(text).not.toContain('paynet-order-id');
});

test.concurrent('a card typed at the prompts of a test profile is never on the screen', async () => {
  const gateway = await startGateway();
  const home = homeAt(gateway);
  const screen = await open(['sale', ...money, '--wait'], home);
  await screen.until(/\? the card number/);
  await screen.type('4444333322221111', 'Enter');
  await screen.until(/\? the name printed on the card/);
  await screen.type('PAT PAYER', 'Enter');
  await screen.until(/\? the month/);
  await screen.type('12', 'Enter');
  await screen.until(/\? the year/);
  await screen.type('2035', 'Enter');
  await screen.until(/\? the security code/);
  await screen.type('1234', 'Enter');
  expect(await screen.exit()).toBe(0);
  const text = await screen.text();
  expect(text).toContain('✓ charged 10.42 USD');
  expect(text).not.toMatch(/4444333322221111|\b1234\b/);
  await gateway.close();
});

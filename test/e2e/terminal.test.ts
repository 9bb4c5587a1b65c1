// @module-tag tmux
import { afterAll, describe, expect, test } from 'vitest';
import { isEvery, oneIn } from '../support/every.js';
import { Home, type Variables } from './home.js';
import { profileText, startGateway } from './shop.js';
import { Screen } from './terminal.js';

const money = ['--amount', '10.42', '--currency', 'USD'];
const sale = ['sale', ...money, '--test-card', 'approved', '--wait'];
const sgr = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`);
const green = `${String.fromCharCode(27)}[32m`;

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
});

async function open(argv: readonly string[], env: Variables = {}, home = new Home()): Promise<Screen> {
  const screen = await Screen.open(home, argv, env);
  closing.push(() => screen.close().finally(() => home.remove()));
  return screen;
}

describe.concurrent('paycli sale without flags', () => {
  test('asks from start to end, and the last screen says approved', async () => {
    const screen = await open(['sale', '--wait']);
    await screen.until(/\? the amount in major units/);
    await screen.type('10.42', 'Enter');
    await screen.until(/\? the currency of the amount/);
    await screen.type('USD', 'Enter');
    const choice = await screen.until(/\? which test card[\s\S]* 3ds-challenge/);
    expect(choice).toMatch(/▸ approved +approved\n/);
    await screen.type('Enter');
    expect(await screen.exit()).toBe(0);
    const text = await screen.text();
    expect(text).toMatch(/amount +10\.42\n +currency +USD\n/);
    expect(text).toMatch(/^✓ approved\nnext: paycli order \d+$/m);
  });

  if (isEvery)
    test.each([40, 60])('on %i columns asks without a word in two', async (columns) => {
      const home = new Home();
      const screen = await Screen.run(home, 'paycli sale --test-card approved --wait --color', { columns });
      closing.push(() => screen.close().finally(() => home.remove()));
      await screen.until(/\? the amount in major units/);
      await screen.type('10,42', 'Enter');
      const wrong = await screen.until(/write 10\.42/);
      expect(wrong.replaceAll(/\n {2}/g, ' ')).toContain('use a point instead of the comma: write 10.42');
      await screen.type('BSpace', 'BSpace', 'BSpace', '.42', 'Enter');
      await screen.until(/\? the currency of the amount/);
      await screen.type('usx', 'Left', 'DC', 'BSpace', 'sd');
      await screen.until(/ USD$/m);
      await screen.type('Enter');
      expect(await screen.exit()).toBe(0);
      const text = await screen.text();
      // Each question is there once, and nothing is left of the reason.
      expect([text.split('the amount in').length, text.split('the currency of').length]).toEqual([2, 2]);
      expect(text).not.toContain('use a point');
    });

  if (isEvery)
    test('another test card can be chosen', async () => {
      const screen = await open(['sale', ...money, '--wait']);
      await screen.until(/▸ approved +approved\n/);
      await screen.type('Down', 'Down', 'Down');
      await screen.until(/▸ declined +declined/);
      await screen.type('Enter');
      expect(await screen.exit()).toBe(5);
      expect(await screen.text()).toContain('✗ declined by ');
    });

  if (isEvery)
    test('a wrong answer is explained and asked again', async () => {
      const screen = await open(['sale', '--test-card', 'approved', '--wait']);
      await screen.until(/\? the amount/);
      await screen.type('10,42', 'Enter');
      await screen.until(/use a point/);
      await screen.type('BSpace', 'BSpace', 'BSpace', '.42', 'Enter');
      await screen.until(/\? the currency/);
      await screen.type('EUR', 'Enter');
      expect(await screen.exit()).toBe(0);
    });

  if (isEvery)
    test('Enter alone is no answer to a question that needs one', async () => {
      const screen = await open(['sale', '--test-card', 'approved', '--wait']);
      await screen.until(/\? the amount/);
      await screen.type('Enter');
      await screen.until(/use a|example:|missing|needed/);
      await screen.type('10.42', 'Enter');
      await screen.until(/\? the currency/);
      await screen.type('EUR', 'Enter');
      expect(await screen.exit()).toBe(0);
    });

  if (isEvery)
    test('--no-input asks nothing', async () => {
      const screen = await open(['sale', '--no-input']);
      expect(await screen.exit()).toBe(2);
      expect(await screen.text()).toMatch(/missing: .*--amount/);
    });
});

test.concurrent('paycli payout send asks where the money goes, and a wrong card again with the other answers kept', async () => {
  const screen = await open(['payout', 'send', '--wait']);
  await screen.until(/\? the amount/);
  await screen.type('1O.42', 'Enter');
  await screen.until(/without the letter O/);
  await screen.type('C-u', '10.42', 'Enter');
  await screen.until(/\? the currency/);
  await screen.type('usx', 'Enter');
  await screen.until(/did you mean USD/);
  await screen.type('C-w', 'usd', 'Enter');
  await screen.until(/▸ card-number +the card that receives the money\n/);
  await screen.type('Enter');
  await screen.until(/\? the card that receives the money/);
  await screen.type('4444333322221112', 'Enter');
  await screen.until(/check the number: its check digit is wrong/);
  await screen.type('C-u', '4444333322221111', 'Enter');
  expect(await screen.exit()).toBe(0);
  const text = await screen.text();
  expect(text).toContain('✓ approved');
  expect(text).not.toContain('444433332222111');
});

if (isEvery)
  test.concurrent('paycli capture offers the holds, and asks about the amount', async () => {
    const home = new Home();
    const hold = ['preauth', ...money, '--test-card', 'approved', '--client-order-id', 'hold-1', '--wait'];
    await home.run(hold);
    const screen = await open(['capture', '--wait'], {}, home);
    await screen.until(/▸ hold-1 +10\.42 USD, preauth approved, /);
    await screen.type('Enter');
    await screen.until(/\? Capture 10\.42 USD, the remaining amount of order \d+ \(client\s+order id \S+\)\?/);
    await screen.type('y', 'Enter');
    expect(await screen.exit()).toBe(0);
  });

describe.concurrent('at a question', () => {
  test.each(
    oneIn(
      5,
      [
        ['C-c', ['sale']],
        ['C-c', ['sale', ...money]],
        ['C-d', ['sale']],
        ['C-d', ['sale', ...money]],
        ['Escape', ['sale']],
      ],
      0,
    ),
  )('%s ends %j with exit 130, and nothing was sent', async (key, argv) => {
    const screen = await open(argv);
    await screen.until(/\? (?:the amount|which test card)/);
    await screen.type(key);
    expect(await screen.exit()).toBe(130);
    const text = await screen.text();
    expect(text).toContain('interrupted; no payment was sent');
    expect(text).not.toContain('paynet-order-id');
  });
});

if (isEvery)
  test.concurrent('Ctrl-C during --wait ends with exit 7 and the command to ask with', async () => {
    const home = new Home();
    await home.run(['sandbox', 'outcomes', 'next', 'slow']);
    const screen = await open([...sale, '--verbose'], {}, home);
    await screen.until(/> POST .*\/status\//);
    await screen.type('C-c');
    expect(await screen.exit()).toBe(7);
    expect(await screen.text()).toMatch(/^next: paycli status /m);
  });

if (isEvery)
  test.concurrent('Ctrl-C while the sandbox listens stops it with exit 0', async () => {
    const screen = await open(['sandbox', 'start', '--port', '0']);
    await screen.until(/sandbox ready: http/);
    await screen.type('C-c');
    expect(await screen.exit()).toBe(0);
  });

test.concurrent('a card typed at the prompts of a test profile is never on the screen', async () => {
  const gateway = await startGateway();
  const home = new Home(`default-profile: shop\nprofiles:\n${profileText('shop', gateway.url, gateway.keys)}`);
  const screen = await open(['sale', ...money, '--wait'], {}, home);
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
  expect(text).toContain('✓ approved');
  expect(text).not.toMatch(/4444333322221111|\b1234\b/);
  await gateway.close();
});

describe.concurrent('colours', () => {
  const finalScreen = async (argv: readonly string[], env: Variables = {}) => {
    const screen = await open(argv, env);
    expect(await screen.exit()).toBe(0);
    return screen.text('coloured');
  };

  test('are there on a terminal', async () => {
    expect(await finalScreen(sale)).toContain(`${green}✓`);
  });

  test.each<[string, readonly string[], Variables]>(
    oneIn(
      3,
      [
        ['NO_COLOR', sale, { NO_COLOR: '1' }],
        ['CLICOLOR=0', sale, { CLICOLOR: '0' }],
        ['--no-color', [...sale, '--no-color'], {}],
      ],
      0,
    ),
  )('are not with %s', async (_, argv, env) => {
    expect(await finalScreen(argv, env)).not.toMatch(sgr);
  });

  if (isEvery)
    test.each<[string, readonly string[], Variables]>([
      ['NO_COLOR', [], { NO_COLOR: '1' }],
      ['--no-color', ['--no-color'], {}],
    ])('are not in questions with %s', async (_, flags, env) => {
      const screen = await open(['sale', '--wait', ...flags], env);
      await screen.until(/\? the amount/);
      await screen.type('10.42', 'Enter');
      await screen.until(/\? the currency/);
      await screen.type('USD', 'Enter');
      await screen.until(/▸ approved +approved\n/);
      const asked = await screen.text('coloured');
      await screen.type('Enter');
      expect(await screen.exit()).toBe(0);
      expect(asked + (await screen.text('coloured'))).not.toMatch(sgr);
    });
});

import { expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { openListeningSandbox } from './listening-sandbox.js';

const money = ['--amount', '10.00', '--currency', 'EUR', '--client-order-id', 'p-1'];
const sale = (card: string) => ['sale', ...money, '--test-card', card, '--wait', '--wait-timeout', '1'];
const page = /http:\/\/127\.0\.0\.1:8484\/gateway\/pages\//;

test.each(['3ds-challenge', '3ds-method', '3ds-pares', '3ds-simplified'])(
  'the page of a payment with %s is said to be served by nobody, and the command named does without it',
  async (card) => {
    const home = temporaryHome();
    const ran = await paycli(sale(card), { home });
    expect([ran.exit, ran.out]).toEqual([7, expect.stringMatching(page)]);
    const said =
      /^no sandbox is listening, so nothing serves that page: `paycli sandbox start` does; without a browser, `paycli (3ds run \d+ --path challenge)` performs the payer's steps$/m;
    const [, line = ''] = said.exec(ran.err) ?? expect.unreachable(ran.err);
    expect((await paycli(line.split(' '), { home })).exit).toBe(0);
    const after = await paycli(['status', '--client-order-id', 'p-1'], { home });
    expect([after.exit, after.err]).toEqual([0, expect.not.stringContaining('sandbox start')]);
  },
);

test('so is a hosted form', async () => {
  const home = temporaryHome();
  const ran = await paycli(['form', 'sale', ...money], { home });
  const address = /^ {2}redirect-url +(\S+)$/m.exec(ran.out)?.[1] ?? expect.unreachable(ran.out);
  expect(address).toMatch(page);
  expect(ran.err).toContain(
    'no sandbox is listening, so nothing serves that page: `paycli sandbox start` does; without a browser, `paycli form fill ADDRESS --test-card approved` fills it in\n',
  );
  expect((await paycli(['form', 'fill', address, '--test-card', 'approved'], { home })).exit).toBe(0);
});

const payer = [
  ...['--order-desc', 'x', '--email', 'jane@example.com', '--phone', '+4930123456', '--address1', 'Example Street 1'],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.10'],
];

test('where a sandbox listens nothing is said', async () => {
  const ran = await openListeningSandbox().run(['form', 'sale', ...money, ...payer]);
  expect([ran.exit, ran.out, ran.err]).toEqual([
    0,
    expect.stringContaining('/gateway/pages/form/'),
    expect.not.stringContaining('sandbox start'),
  ]);
});

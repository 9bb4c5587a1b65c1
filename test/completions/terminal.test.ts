import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isEvery, oneIn } from '../support/every.js';
import { openShop, type Shop, shells } from './shells.js';
import { Typing } from './typing.js';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
}, 60_000);
afterAll(() => shop.home.remove());

for (const [at, [name, tags]] of shells.entries())
  describe(`${name} at a terminal`, { tags: [...tags] }, () => {
    let typing: Typing;
    beforeAll(async () => {
      typing = await Typing.open(name, shop);
    });
    afterAll(() => typing.close());

    test.each(
      oneIn(
        9,
        [
          ['paycli preau', /> paycli preauth/],
          ['paycli sale --amo', /> paycli sale --amount/],
          ['paycli sale --curren', /> paycli sale --currency/],
          ['paycli sale --test-card 3ds-fo', /> paycli sale --test-card 3ds-form/],
          ['paycli sale --test-card=3ds-fo', /> paycli sale --test-card=3ds-form/],
          ['paycli sale --profile shop-l', /> paycli sale --profile shop-live/],
          ['paycli sandbox start --assume control-encoding=b', /--assume control-encoding=base64/],
          ['paycli capture --client-order-id shop:', /--client-order-id shop:17/],
          ['paycli sale --card-file ./bashr', /--card-file \.\/bashrc/],
        ],
        at,
      ),
    )('%s', async (line, awaited) => {
      await typing.tab(line, awaited);
    });

    if (isEvery || at === 0)
      test('an order for which the command is legal', async () => {
        const id = shop.orders['sold-1'];
        await typing.tab(
          `paycli return ${id.slice(0, -1)}`,
          new RegExp(`> paycli return ${id.slice(0, -1)}(${id.slice(-1)} |$|\\s)`, 'm'),
        );
      });

    if (isEvery)
      test('lists what there is', async () => {
        const screen = await typing.tab('paycli card-ref ', /create/, 2);
        expect(screen).toContain('info');
      });
  });

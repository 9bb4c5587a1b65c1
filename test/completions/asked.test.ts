import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../e2e/home.js';
import { bashOffers, fishOffers, openShop, type Shop, spy } from './shells.js';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
}, 60_000);
afterAll(() => shop.home.remove());

describe('what paycli is asked', () => {
  const line =
    'paycli card-ref create --card-holder 123 --card-number=4444333322221111 --profile shop-test 17 --client-order-id ';
  function expectOnlyNames(asked: string): void {
    expect(asked).toContain('<__complete><--><client-order-ids><card-ref><create><17><--profile><shop-test>');
    expect(asked).not.toMatch(/4444|123/);
  }

  test('by bash: the words of the command, the order and the profile; no card and no other value', () => {
    const { env, log } = spy(shop);
    bashOffers({ home: shop.home, env }, line);
    expectOnlyNames(readFileSync(log, 'utf8'));
  });

  test('by fish: the same', { tags: 'fish' }, () => {
    const { env, log } = spy(shop);
    fishOffers({ home: shop.home, env }, [line]);
    expectOnlyNames(readFileSync(log, 'utf8'));
  });

  test('nothing at all where the script knows the words', () => {
    const { env, log } = spy(shop);
    for (const line of [
      'paycli ',
      'paycli sale --',
      'paycli sale --test-card ',
      'paycli sale --amount 1',
      'paycli sale --card-file ',
    ])
      bashOffers({ home: shop.home, env }, line);
    expect(readFileSync(log, 'utf8')).toBe('');
  });
});

describe('paycli __complete', () => {
  test.each([
    { why: 'no such kind', words: ['frobnicate'] },
    { why: 'no words at all', words: [] },
    { why: 'no such profile', words: ['orders', 'capture', '--profile', 'nobody'] },
    { why: 'a profile that is not the sandbox', words: ['orders', 'capture', '--profile', 'shop-test'] },
  ])('says nothing when asked with $why', async ({ words }) => {
    expect(await shop.home.call(['__complete', '--', ...words])).toEqual({ exit: 0, out: '', err: '' });
  });

  test('says nothing when the configuration cannot be read, or the sandbox is no database', async () => {
    const env = { PAYCLI_CONFIG_DIR: join(shop.home.path, 'broken') };
    const folder = await shop.home.shell(
      'mkdir -p broken state2/sandbox && echo "}{" >broken/config.yaml && echo no >state2/sandbox/default.db && chmod 600 state2/sandbox/default.db',
    );
    expect(folder.exit).toBe(0);
    expect(await shop.home.run(['__complete', '--', 'profiles'], env)).toEqual({ exit: 0, out: '', err: '' });
    const state = { PAYCLI_STATE_DIR: join(shop.home.path, 'state2') };
    expect(await shop.home.run(['__complete', '--', 'orders', 'capture'], state)).toEqual({
      exit: 0,
      out: '',
      err: '',
    });
  });

  test('tells what each is behind a tab', async () => {
    const { out } = await shop.home.run(['__complete', '--', 'orders', 'capture']);
    expect(out).toMatch(new RegExp(`^${shop.orders['shop:17']}\\tpreauth approved, 25\\.00 EUR, `, 'm'));
  });

  test('a payment that is due counts as done before anybody has asked for its status', async () => {
    const made = await shop.home.run([
      'sale',
      '--amount',
      '10.42',
      '--currency',
      'EUR',
      '--test-card',
      'approved',
      '--json',
    ]);
    const order = /"orderId": ?"(\d+)"/.exec(made.out)?.[1] ?? 'none';
    const { out } = await eventually('the sale is due', async () => {
      const ran = await shop.home.run(['__complete', '--', 'orders', 'return']);
      return ran.out.includes(order) ? ran : undefined;
    });
    expect(out).toMatch(new RegExp(`^${order}\\tsale approved, 10\\.42 EUR, `, 'm'));
  });
});

import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneIn } from '../support/every.js';
import { bashOffers, fishOffers, openShop, type Shop, shells } from './shells.js';
import { Typing } from './typing.js';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
}, 60_000);
afterAll(() => shop.home.remove());

/** Each would leave the file X behind if anything of it were run or expanded. */
const hostile = [
  'paycli sale --amount $(touch X) --cur',
  'paycli sale --amount $(touch X) ',
  'paycli sale --amount `touch X` --cur',
  'paycli "$(touch X)" ',
  'paycli $(touch X) --',
  'paycli sale --profile "$(touch X)" --pro',
  'paycli sale --profile=`touch X` --test-card ',
  'paycli capture "$(touch X)" --client-order-id ',
  'paycli capture x[$(touch X)] --client-order-id ',
  'paycli sale --amount 1;touch X;paycli sale --cur',
  'paycli sale --amount <(touch X) --cur',
  'paycli sale --amount $((a[$(touch X)])) --cur',
  'paycli sale * ? [a-z] {a,b} ~ --cur',
  "paycli sale --order-desc 'a$(touch X)b' --cur",
];
/** The same in the very word that is completed. */
const hostileHere = [
  'paycli sale --amount $(touch X)',
  'paycli sale --test-card `touch X`',
  'paycli sale --test-card=$(touch X)',
  'paycli sale --$(touch X)',
  'paycli sale --card-file $(touch X)/',
  'paycli sale --card-file "$(touch X)/a',
  'paycli sale --card-file `touch X`/',
  'paycli capture $(touch X)',
  'paycli $(touch X)',
];

for (const [at, [name, tags]] of shells.entries())
  describe(`a TAB in ${name} never runs anything`, { tags: [...tags] }, () => {
    // By default a TAB of zsh expands the word itself before it asks any completion, for every command.
    const extra = name === 'zsh' ? "bindkey '^I' complete-word" : '';
    let typing: Typing;
    let before: readonly string[];
    beforeAll(async () => {
      typing = await Typing.open(name, shop, extra);
      before = readdirSync(shop.home.path).sort();
    });
    afterAll(() => typing.close());

    test.each(oneIn(12, [...hostile, ...hostileHere], at))('%s', async (line) => {
      await typing.tabOnly(line);
      expect(readdirSync(shop.home.path).filter((name) => !before.includes(name))).toEqual([]);
    });
  });

describe('a line with a newline, quotes and globs in its words', () => {
  const words = [
    'paycli',
    'sale',
    '--order-desc',
    '$(touch X)\n`touch X`;touch X',
    '--amount',
    '*',
    "'",
    '--client-order-id',
    'a[$(touch X)]',
  ];

  test('bash', () => {
    expect(bashOffers(shop, words.join(' '), [...words, '--cur'])).toEqual(['--currency']);
    expect(bashOffers(shop, words.join(' '), [...words, '$(touch X)\n*'])).toEqual([]);
  });

  test('fish', { tags: 'fish' }, () => {
    const [offers] = fishOffers(shop, ["paycli sale --order-desc '$(touch X)\n`touch X`;touch X' --amount '*' --cur"]);
    expect(offers).toEqual(['--currency']);
  });

  test('left nothing behind', () => {
    expect(readdirSync(shop.home.path)).not.toContain('X');
  });
});

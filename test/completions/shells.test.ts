import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bashOffers, fishOffers, openShop, requireCommands, type ShellName, type Shop, spy, Typing } from './shells.js';

let shop: Shop;
beforeAll(async () => {
  requireCommands('tmux', 'bash', 'zsh', 'fish');
  shop = await openShop();
}, 60_000);
afterAll(() => shop.home.remove());

/** The last word of each line is being typed. `PRE` stands for the id of an order that is held, `SOLD` for one that was sold. */
const cases: readonly {
  readonly line: string;
  readonly has: readonly string[];
  readonly hasNot?: readonly string[];
  readonly only?: true;
}[] = [
  { line: 'paycli ', has: ['sale', 'payout', 'sandbox', 'sign', 'help', 'completion'], hasNot: ['__generate', '__complete'] },
  { line: 'paycli preau', has: ['preauth'], only: true },
  { line: 'paycli card-ref ', has: ['create', 'info'] },
  { line: 'paycli sign card-ref cr', has: ['create', 'create-v4'], only: true },
  { line: 'paycli recipe upload-3ds ', has: ['cres', 'method', 'pares'], only: true },
  { line: 'paycli help exit', has: ['exit-codes'], only: true },
  { line: 'paycli sale --amo', has: ['--amount'], only: true },
  { line: 'paycli sale --amount 1 --cur', has: ['--currency'], only: true },
  { line: 'paycli payout --am', has: ['--amount'], only: true },
  { line: 'paycli verify --test', has: ['--test-card'], only: true },
  { line: 'paycli void --amo', has: [], only: true },
  { line: 'paycli sign sale --expl', has: ['--explain'], only: true },
  { line: 'paycli sale --explai', has: [], only: true },
  { line: 'paycli sale --test-card appr', has: ['approved', 'approved-mastercard'] },
  { line: 'paycli sale --test-card=3ds-c', has: ['3ds-challenge'], only: true },
  { line: 'paycli sale -o j', has: ['json'] },
  { line: 'paycli sale --currency KW', has: ['KWD'], only: true },
  { line: 'paycli sale --wait --expect ', has: ['approved', 'declined'], hasNot: ['processing'] },
  { line: 'paycli sandbox start --assume control-encoding=b', has: ['control-encoding=base64'], only: true },
  { line: 'paycli sandbox outcomes next decl', has: ['declined'], only: true },
  { line: 'paycli assumptions explain A07', has: ['A07'], only: true },
  { line: 'paycli request /api/v4/payout-p', has: ['/api/v4/payout-pay'], only: true },
  { line: 'paycli completion pow', has: ['powershell'], only: true },
  { line: 'paycli sale --profile shop', has: ['shop-live', 'shop-test'], only: true },
  { line: 'paycli sale --profile=shop-t', has: ['shop-test'], only: true },
  { line: 'paycli status -p sand', has: ['sandbox'], only: true },
  { line: 'paycli capture ', has: ['PRE'], hasNot: ['SOLD'] },
  { line: 'paycli return --order-id ', has: ['PRE', 'SOLD'] },
  { line: 'paycli can capture ', has: ['PRE'], hasNot: ['SOLD'] },
  { line: 'paycli capture --profile shop-test ', has: [], only: true },
  { line: 'paycli return SOLD --client-order-id ', has: ['sold-1'], only: true },
  { line: 'paycli capture --client-order-id shop:', has: ['shop:17'], only: true },
  { line: 'paycli sale --client-order-id ', has: [], only: true },
  { line: 'paycli sale --amount ', has: [], only: true },
  { line: 'paycli frobnicate ', has: [] },
];

function filled(text: string): string {
  return text.replace('PRE', shop.orders['shop:17']).replace('SOLD', shop.orders['sold-1']);
}

function check(offers: readonly string[], { has, hasNot = [], only }: (typeof cases)[number]): void {
  const wanted = has.map(filled);
  if (only) expect([...offers].sort()).toEqual([...wanted].sort());
  else expect(offers).toEqual(expect.arrayContaining(wanted));
  for (const word of hasNot) expect(offers).not.toContain(filled(word));
  // No id that a shell would run is ever offered.
  expect(offers.join('')).not.toMatch(/[$`]/);
}

/** Bash takes what is offered in place of the part behind the last ':' or '=' only. */
function whole(offers: readonly string[], line: string): string[] {
  const before = /(?:[^ ]*[:=])?(?=[^ :=]*$)/.exec(line)?.[0] ?? '';
  return offers.map((offer) => before + offer);
}

/** `--test-card=x` as a whole, or only what stands behind the '='. */
const value = (offers: readonly string[]) => offers.map((offer) => offer.replace(/^--[a-z-]+=/, ''));

describe('bash, by its own variables', () => {
  test.each(cases)('$line', (wanted) => {
    const line = filled(wanted.line);
    check(value(whole(bashOffers(shop, line), line)), wanted);
  });

  test.each([['-u'], ['-e'], ['-f'], ['--posix']])('works under bash %s', (flag) => {
    expect(bashOffers(shop, 'paycli sale --test-card=3ds-c', undefined, [flag])).toEqual(['3ds-challenge']);
    expect(bashOffers(shop, 'paycli sale --profile shop-l', undefined, [flag])).toEqual(['shop-live']);
    expect(bashOffers(shop, 'paycli sale --nothing-like-it', undefined, [flag])).toEqual([]);
  });

  test('a word in quotes is completed within them', () => {
    expect(bashOffers(shop, 'paycli capture --client-order-id "shop:', ['paycli', 'capture', '--client-order-id', '"shop:'])).toEqual([
      'shop:17',
    ]);
  });
});

test('fish, by its own driver', () => {
  const all = fishOffers(
    shop,
    cases.map(({ line }) => filled(line)),
  );
  expect(all.length).toBe(cases.length);
  cases.forEach((wanted, at) => {
    // Where nothing begins with what is typed, fish offers what only resembles it.
    const typed = wanted.line.split(' ').at(-1) ?? '';
    check(value((all[at] ?? []).filter((offer) => offer.startsWith(typed))), wanted);
  });
});

describe.each(['bash', 'zsh', 'fish'] as const)('%s at a terminal', (name: ShellName) => {
  let typing: Typing;
  beforeAll(async () => {
    typing = await Typing.open(name, shop);
  });
  afterAll(() => typing.close());

  test.each([
    ['paycli preau', /> paycli preauth/],
    ['paycli sale --amo', /> paycli sale --amount/],
    ['paycli sale --curren', /> paycli sale --currency/],
    ['paycli sale --test-card 3ds-fo', /> paycli sale --test-card 3ds-form/],
    ['paycli sale --test-card=3ds-fo', /> paycli sale --test-card=3ds-form/],
    ['paycli sale --profile shop-l', /> paycli sale --profile shop-live/],
    ['paycli sandbox start --assume control-encoding=b', /--assume control-encoding=base64/],
    ['paycli capture --client-order-id shop:', /--client-order-id shop:17/],
    ['paycli sale --card-file ./bashr', /--card-file \.\/bashrc/],
  ])('%s', async (line, awaited) => {
    await typing.tab(line, awaited);
  });

  test('an order for which the command is legal', async () => {
    const id = shop.orders['sold-1'];
    await typing.tab(`paycli return ${id.slice(0, -1)}`, new RegExp(`> paycli return ${id.slice(0, -1)}(${id.slice(-1)} |$|\\s)`, 'm'));
  });

  test('lists what there is', async () => {
    const screen = await typing.tab('paycli card-ref ', /create-v4/, 2);
    expect(screen).toContain('info');
  });
});

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
  'paycli sale --amount ${a:=$(touch X)} --cur',
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

describe.each(['bash', 'zsh', 'fish'] as const)('a TAB in %s never runs anything', (name: ShellName) => {
  // By default a TAB of zsh expands the word itself before it asks any completion, for every command.
  const extra = name === 'zsh' ? "bindkey '^I' complete-word" : '';
  let typing: Typing;
  let before: readonly string[];
  beforeAll(async () => {
    typing = await Typing.open(name, shop, extra);
    before = readdirSync(shop.home.path).sort();
  });
  afterAll(() => typing.close());

  test.each([...hostile, ...hostileHere])('%s', async (line) => {
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

  test('fish', () => {
    const [offers] = fishOffers(shop, ["paycli sale --order-desc '$(touch X)\n`touch X`;touch X' --amount '*' --cur"]);
    expect(offers).toEqual(['--currency']);
  });

  test('left nothing behind', () => {
    expect(readdirSync(shop.home.path)).not.toContain('X');
  });
});

describe('what paycli is asked', () => {
  test('the words of the command, the order and the profile; no card and no other value', () => {
    const { env, log } = spy(shop);
    const line = 'paycli card-ref create --card-holder 123 --card-number=4444333322221111 --profile shop-test 17 --client-order-id ';
    bashOffers({ home: shop.home, env }, line);
    fishOffers({ home: shop.home, env }, [line]);
    const asked = readFileSync(log, 'utf8');
    expect(asked).toContain('<__complete><--><client-order-ids><card-ref><create><17><--profile><shop-test>');
    expect(asked).not.toMatch(/4444|123/);
  });

  test('nothing at all where the script knows the words', () => {
    const { env, log } = spy(shop);
    for (const line of ['paycli ', 'paycli sale --', 'paycli sale --test-card ', 'paycli sale --amount 1', 'paycli sale --card-file '])
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
    expect(await shop.home.run(['__complete', '--', ...words])).toEqual({ exit: 0, out: '', err: '' });
  });

  test('says nothing when the configuration cannot be read, or the sandbox is no database', async () => {
    const env = { PAYCLI_CONFIG_DIR: join(shop.home.path, 'broken') };
    const folder = await shop.home.shell(
      'mkdir -p broken state2/sandbox && echo "}{" >broken/config.yaml && echo no >state2/sandbox/default.db && chmod 600 state2/sandbox/default.db',
    );
    expect(folder.exit).toBe(0);
    expect(await shop.home.run(['__complete', '--', 'profiles'], env)).toEqual({ exit: 0, out: '', err: '' });
    const state = { PAYCLI_STATE_DIR: join(shop.home.path, 'state2') };
    expect(await shop.home.run(['__complete', '--', 'orders', 'capture'], state)).toEqual({ exit: 0, out: '', err: '' });
  });

  test('tells what each is behind a tab', async () => {
    const { out } = await shop.home.run(['__complete', '--', 'orders', 'capture']);
    expect(out).toMatch(new RegExp(`^${shop.orders['shop:17']}\\tpreauth approved, 25\\.00 EUR, `, 'm'));
  });

  test('looks and writes nothing: a payment that is due stays to be settled by who asks for it', async () => {
    const before = await shop.home.run(['__complete', '--', 'orders', 'return']);
    expect((await shop.home.run(['__complete', '--', 'orders', 'return'])).out).toBe(before.out);
  });

  test('takes at most 100 ms more than Node itself', async () => {
    const quickest = async (argv: readonly string[]) => {
      const times: number[] = [];
      for (let i = 0; i < 7; i++) {
        const begin = performance.now();
        await shop.home.run(argv);
        times.push(performance.now() - begin);
      }
      return Math.min(...times);
    };
    // The version is answered by the entry alone.
    const bare = await quickest(['--version']);
    for (const words of [['profiles'], ['orders', 'capture'], ['client-order-ids', 'return']])
      expect((await quickest(['__complete', '--', ...words])) - bare).toBeLessThan(100);
  });
});

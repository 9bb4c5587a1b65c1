import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bashOffers, fishOffers, openShop, type Shop } from './shells.js';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
}, 60_000);
afterAll(() => shop.home.remove());

/**
 * The last word of each line is being typed. `PRE` stands for the id of an order that is held, `SOLD` for one that was
 * sold.
 */
const cases: readonly {
  readonly line: string;
  readonly has: readonly string[];
  readonly hasNot?: readonly string[];
  readonly only?: true;
}[] = [
  {
    line: 'paycli ',
    has: ['sale', 'payout', 'sandbox', 'sign', 'help', 'completion'],
    hasNot: ['__generate', '__complete'],
  },
  { line: 'paycli preau', has: ['preauth'], only: true },
  { line: 'paycli card-ref ', has: ['create', 'info'] },
  { line: 'paycli sign card-ref cr', has: ['create'], only: true },
  { line: 'paycli help exit', has: ['exit-codes'], only: true },
  { line: 'paycli sale --amo', has: ['--amount'], only: true },
  { line: 'paycli sale --amount 1 --cur', has: ['--currency'], only: true },
  { line: 'paycli payout --am', has: ['--amount'], only: true },
  { line: 'paycli verify --test', has: ['--test-card', '--test-payer'], only: true },
  { line: 'paycli void --amo', has: [], only: true },
  { line: 'paycli sign sale --expl', has: ['--explain'], only: true },
  { line: 'paycli sale --explai', has: [], only: true },
  { line: 'paycli sign diff sale --theirs-c', has: ['--theirs-control'], only: true },
  { line: 'paycli sign diff sale --amo', has: ['--amount'], only: true },
  { line: 'paycli sign diff --theirs-c', has: [], only: true },
  { line: 'paycli sign verify sale --test-card=3ds-c', has: ['3ds-challenge'], only: true },
  { line: 'paycli sign verify --request-f', has: ['--request-file'], only: true },
  { line: 'paycli sign verify sale --expl', has: ['--explain'], only: true },
  { line: 'paycli sign raw --expl', has: [], only: true },
  { line: 'paycli sign find-mistake card-ref cr', has: ['create'], only: true },
  { line: 'paycli sign php capture ', has: ['PRE'], hasNot: ['SOLD'] },
  { line: 'paycli sign php status ', has: ['PRE', 'SOLD'] },
  { line: 'paycli help stat', has: ['states', 'status'], only: true },
  { line: 'paycli journal list --state un', has: ['unknown'], only: true },
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
  { line: 'paycli order ', has: ['PRE', 'SOLD'] },
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
    expect(
      bashOffers(shop, 'paycli capture --client-order-id "shop:', ['paycli', 'capture', '--client-order-id', '"shop:']),
    ).toEqual(['shop:17']);
  });
});

test('fish, by its own driver', { tags: 'fish' }, () => {
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

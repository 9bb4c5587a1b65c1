import { expect, test } from 'vitest';
import { diagnoseOauth } from '../../../src/signing/diagnose/index.js';
import { requestOf, rich } from './orders.js';
import { basePlants, hmacPlants, type Plant } from './plants.js';
import { baseString, hmac, type Order, type Steps } from './signer.js';

/** Holds something for each of the commonest mistakes. */
const busy: Order = {
  ...rich,
  host: 'Pay.Example',
  path: '/api/v2/transfer/17',
  query: 'x=1',
  queryPairs: [['x', '1']],
  body: [
    ['client_orderid', 'a-1'],
    ['amount', '10.42'],
    ['order_desc', "it's two + (a*b)!"],
    ['c@', '1'],
    ['c2', '2'],
    ['d', '1'],
    ['d-e', '2'],
    ['item', 'b'],
    ['item', 'a'],
    ['empty', ''],
  ],
};

const commonest: readonly Plant[] = [
  ['all five left, encodeURIComponent inside', 'blank as +', 'lower-case escapes inside', "like PHP's urlencode"],
  ['parameters twice', 'parameters not at all', 'third element not at all', 'a plus sign read as a blank'],
  ['unsigned', 'query neither', 'oauth_token added', 'first only', '13 digits', 'timestamp not signed'],
  ['before encoding', 'as joined text', 'http for https', 'default port kept', 'slash added', 'path only'],
  ['GET', 'lower case', 'without &', 'a line feed behind it', 'a line end of Windows behind it', 'with its quotes'],
  ['no secret', 'hexadecimal', 'SHA-256', 'Base64 for addresses'],
]
  .flat()
  .flatMap((what) => [...basePlants, ...hmacPlants].find((plant) => plant.what === what) ?? []);

const apart = (one: Partial<Steps>, other: Partial<Steps>) => Object.keys(one).every((step) => !(step in other));
/** What is left out cannot be encoded or sorted badly as well. */
const showsBoth = (one: Partial<Steps>, other: Partial<Steps>) =>
  ![hmac(busy, one), hmac(busy, other)].includes(hmac(busy, { ...one, ...other }));
const pairs = commonest.flatMap((one, at) =>
  commonest
    .slice(at + 1)
    .filter((other) => apart(one.steps, other.steps) && showsBoth(one.steps, other.steps))
    .map((other) => [one.what, other.what, one, other] as const),
);

test('thirty mistakes are the commonest', () => expect(commonest).toHaveLength(30));

test.each(pairs)('both at once: %s, %s', (_, __, one, other) => {
  const steps = { ...one.steps, ...other.steps };
  const { mistakes, signed } = diagnoseOauth(requestOf(busy), { signature: hmac(busy, steps) });
  expect(mistakes.map(({ name }) => name).sort()).toEqual([one.name, other.name].sort());
  expect(signed).toBe(baseString(busy, steps));
});

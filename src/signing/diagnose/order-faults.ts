import type { Item, OauthParts, Wrong } from './oauth-parts.js';
import { permutations } from './permutations.js';

type Compare = (one: Item, other: Item) => number;

const byCodeUnit = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
const byText =
  (textOf: (item: Item) => string): Compare =>
  (one, other) =>
    byCodeUnit(textOf(one), textOf(other));
const byBoth =
  (pairOf: (item: Item) => readonly [string, string], compare: (one: string, other: string) => number = byCodeUnit): Compare =>
  (one, other) =>
    compare(pairOf(one)[0], pairOf(other)[0]) || compare(pairOf(one)[1], pairOf(other)[1]);
const lower = ({ encoded }: Item) => [encoded[0].toLowerCase(), encoded[1].toLowerCase()] as const;
const upper = ({ encoded }: Item) => [encoded[0].toUpperCase(), encoded[1].toUpperCase()] as const;
const inLocale = (one: string, other: string) => one.localeCompare(other, 'en');

const orders: readonly (readonly [variant: string, detail: string, compare: Compare])[] = [
  ['before-encoding', 'sorted before they were encoded', byBoth(({ plain }) => plain)],
  ['joined-text', 'sorted as joined text name=value', byText(({ encoded }) => encoded.join('='))],
  ['joined-text-raw', 'sorted as joined text name=value, before encoding', byText(({ plain }) => plain.join('='))],
  ['ignoring-case', 'sorted as joined text without regard to case', byText(({ encoded }) => encoded.join('=').toLowerCase())],
  ['ignoring-case', 'sorted without regard to case', byBoth(lower)],
  ['ignoring-case-upper', 'sorted as if all were upper case', byBoth(upper)],
  ['locale', 'sorted in the order of a language', byBoth(({ encoded }) => encoded, inLocale)],
  ['locale-raw', 'sorted in the order of a language, before encoding', byBoth(({ plain }) => plain, inLocale)],
  ['locale', 'sorted as joined text in the order of a language', (one, other) => inLocale(one.encoded.join('='), other.encoded.join('='))],
  ['by-value', 'sorted by value', byText(({ encoded }) => encoded[1])],
  ['descending', 'sorted backwards', (one, other) => byBoth(({ encoded }) => encoded)(other, one)],
];

/** Sorts that leave equal names as they came. */
const byNameOnly: readonly Compare[] = [
  byText(({ encoded }) => encoded[0]),
  byText(({ plain }) => plain[0]),
  byText(({ encoded }) => encoded[0].toLowerCase()),
  (one, other) => inLocale(one.encoded[0], other.encoded[0]),
];

const right = 'they are sorted by encoded name, then by encoded value, byte by byte';

/** 3.4.1.3.2: sorted by encoded name, then by encoded value. */
export function* orderFaults({ items }: OauthParts): Generator<Wrong> {
  const arrangements = arranged(items);
  for (const [variant, detail, compare] of orders) yield wrong(variant, detail, [...items].sort(compare));
  for (const compare of byNameOnly)
    for (const list of arrangements) yield wrong('by-name-only', 'equal names not sorted by their values', [...list].sort(compare));
  for (const list of arrangements) yield wrong('unsorted', 'not sorted', list);
  for (const list of arranged(items, (group) => [...group].sort(byBoth(({ encoded }) => encoded))))
    yield wrong('in-groups', 'oauth_ parameters, body and query sorted each by itself', list);
}

/** Not sorted, and the oauth_ parameters in an order of their own: many texts, for when nothing else explains it. */
export function* rareOrders({ items }: OauthParts): Generator<Wrong> {
  const protocol = items.filter(({ from }) => from === 'oauth');
  const rest = items.filter(({ from }) => from !== 'oauth');
  for (const own of permutations(protocol)) for (const list of arranged([...own, ...rest])) yield wrong('unsorted', 'not sorted', list);
}

function wrong(variant: string, detail: string, items: readonly Item[]): Wrong {
  const parameters = items.map(({ element }) => element).join('%26');
  return { name: 'sort-order', variant, detail: `${detail}; ${right}`, elements: { parameters } };
}

/** Every order of the groups. */
function arranged(items: readonly Item[], within: (group: readonly Item[]) => readonly Item[] = (group) => group): Item[][] {
  const groups = (['oauth', 'body', 'query'] as const).map((name) => items.filter(({ from }) => from === name));
  return permutations(groups.filter((group) => group.length > 0)).map((order) => order.flatMap(within));
}

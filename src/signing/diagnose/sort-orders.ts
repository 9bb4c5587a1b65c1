import { permutations } from './diagnosis.js';
import type { BaseStringMistake, OauthParts, SignedParameter } from './oauth-parts.js';

type Compare = (one: string, other: string) => number;
/** What is compared first, and what where that is equal. */
type Keys = readonly [first: string, second: string];
type KeysOf = (item: SignedParameter) => Keys;
type Items = readonly SignedParameter[];

const byCodeUnit: Compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
const backwards: Compare = (one, other) => byCodeUnit(other, one);
const inLocale: Compare = new Intl.Collator('en').compare;
const lower = (text: string) => text.toLowerCase();
const upper = (text: string) => text.toUpperCase();

const encoded: KeysOf = (item) => item.encoded;
const plain: KeysOf = (item) => item.plain;
const only = (textOf: (item: SignedParameter) => string): KeysOf => {
  return (item) => [textOf(item), ''];
};
const joined = only((item) => item.encoded.join('='));
const joinedPlain = only((item) => item.plain.join('='));
const changed = (keysOf: KeysOf, change: (text: string) => string): KeysOf => {
  return (item) => [change(keysOf(item)[0]), change(keysOf(item)[1])];
};

/** Every list sorted; where no two items are equal, all come to the same, and the first is enough. */
function sortedBy(lists: readonly Items[], keysOf: KeysOf, compare: Compare): SignedParameter[][] {
  const keys = new Map(lists[0]?.map((item) => [item, keysOf(item)]));
  const compareItems = (one: SignedParameter, other: SignedParameter) => {
    const [a = ['', ''], b = ['', '']] = [keys.get(one), keys.get(other)];
    return compare(a[0], b[0]) || compare(a[1], b[1]);
  };
  const sorted: SignedParameter[][] = [];
  for (const list of lists) {
    const made = [...list].sort(compareItems);
    sorted.push(made);
    if (made.every((item, at) => at === 0 || compareItems(made[at - 1] ?? item, item) !== 0)) break;
  }
  return sorted;
}

const orders: readonly (readonly [variant: string, detail: string, keysOf: KeysOf, compare: Compare])[] = [
  ['before-encoding', 'sorted before they were encoded', plain, byCodeUnit],
  ['joined-text', 'sorted as joined text name=value', joined, byCodeUnit],
  ['joined-text-raw', 'sorted as joined text name=value, before encoding', joinedPlain, byCodeUnit],
  ['ignoring-case', 'sorted as joined text ignoring case', changed(joined, lower), byCodeUnit],
  ['ignoring-case', 'sorted ignoring case', changed(encoded, lower), byCodeUnit],
  ['ignoring-case-upper', 'sorted as if all were upper case', changed(encoded, upper), byCodeUnit],
  ['locale', 'sorted in locale order', encoded, inLocale],
  ['locale-raw', 'sorted in locale order, before encoding', plain, inLocale],
  ['locale', 'sorted as joined text in locale order', joined, inLocale],
  ['by-value', 'sorted by value', only((item) => item.encoded[1]), byCodeUnit],
  ['descending', 'sorted backwards', encoded, backwards],
];

const encodedName = only((item) => item.encoded[0]);
const plainName = only((item) => item.plain[0]);

/** Sorts that leave equal names as they came. */
const byNameOnly: readonly (readonly [KeysOf, Compare])[] = [
  [encodedName, byCodeUnit],
  [plainName, byCodeUnit],
  [changed(encodedName, lower), byCodeUnit],
  [encodedName, inLocale],
];

const sortRule = 'they must be sorted by encoded name, then by encoded value, byte by byte';

/** 3.4.1.3.2: sorted by encoded name, then by encoded value. */
export function* sortOrderMistakes({ items }: OauthParts): Generator<BaseStringMistake> {
  const lists = arrangements(items);
  for (const [variant, detail, keysOf, compare] of orders)
    for (const list of sortedBy([items], keysOf, compare)) yield mistake(variant, detail, list);
  for (const [keysOf, compare] of byNameOnly)
    for (const list of sortedBy(lists, keysOf, compare))
      yield mistake('by-name-only', 'equal names not sorted by their values', list);
  for (const list of lists) yield mistake('unsorted', 'not sorted', list);
  const inOrder = (group: Items) => sortedBy([group], encoded, byCodeUnit)[0] ?? [];
  for (const list of arranged(items, inOrder))
    yield mistake('in-groups', 'oauth_ parameters, body and query each sorted separately', list);
  for (const name of ['query', 'body', 'oauth'] as const) {
    const added = items.filter(({ from }) => from === name);
    const rest = inOrder(items.filter(({ from }) => from !== name));
    for (const group of [added, inOrder(added)]) yield mistake('in-groups', addedBehind(name), [...rest, ...group]);
  }
}

function addedBehind(name: SignedParameter['from']): string {
  const added = name === 'oauth' ? 'oauth_ parameters' : `the parameters of the ${name}`;
  return `${added} added after the others were sorted`;
}

function mistake(variant: string, detail: string, items: Items): BaseStringMistake {
  const parameters = items.map(({ element }) => element).join('%26');
  return { name: 'sort-order', variant, detail: `${detail}; ${sortRule}`, elements: { parameters } };
}

/** Every order of the groups, and that with the oauth_ parameters in the order of the example in 3.1. */
function arrangements(items: Items): SignedParameter[][] {
  const rank = (item: SignedParameter) => exampleOrder.indexOf(item.plain[0].replace(/^oauth_/, ''));
  const protocol = items.filter(({ from }) => from === 'oauth').sort((one, other) => rank(one) - rank(other));
  return [...arranged(items), ...arranged([...protocol, ...items.filter(({ from }) => from !== 'oauth')])];
}

const exampleOrder = ['consumer_key', 'token', 'signature_method', 'timestamp', 'nonce', 'version'];

/** Every order of the groups. */
function arranged(items: Items, within: (group: Items) => Items = (group) => group): SignedParameter[][] {
  const groups = (['oauth', 'body', 'query'] as const).map((name) => items.filter(({ from }) => from === name));
  return permutations(groups.filter((group) => group.length > 0)).map((order) => order.flatMap(within));
}

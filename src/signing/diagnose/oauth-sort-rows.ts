import { byCodeUnit, type Encoded, type OauthRow, set, sortEncoded } from './oauth-recipe.js';
import { common, family, permutations } from './search.js';

type Key = (item: Encoded) => string;
type List = readonly Encoded[];
type Compare = (one: string, other: string) => number;

const inLocale: Compare = new Intl.Collator('en').compare;
const ignoringCase: Compare = (one, other) => byCodeUnit(one.toLowerCase(), other.toLowerCase());
const name: Key = (item) => item.name;
const value: Key = (item) => item.value;
const plainName: Key = (item) => item.plain.name;
const plainValue: Key = (item) => item.plain.value;
const joined: Key = (item) => `${item.name}=${item.value}`;

/** By these keys one after the other; equal ones stay as they came. */
const by = (keys: readonly Key[], compare: Compare = byCodeUnit) => {
  const order = (one: Encoded, other: Encoded) =>
    keys.reduce((found, key) => found || compare(key(one), key(other)), 0);
  return set({ sort: (list) => [...list].sort(order) });
};

const groups = ['oauth', 'body', 'query'] as const;
const asCame = (list: List): List => list;

/** The groups in this order, the parameters of each as `within` leaves them. */
const arranged = (order: readonly string[], within: (list: List) => List) =>
  set({ sort: (list) => order.flatMap((group) => within(list.filter(({ plain }) => plain.from === group))) });

const behind = (last: string, within: (list: List) => List) =>
  set({
    sort: (list) => [
      ...sortEncoded(list.filter(({ plain }) => plain.from !== last)),
      ...within(list.filter(({ plain }) => plain.from === last)),
    ],
  });

/** 3.4.1.3.2: sorted by encoded name, then by encoded value. */
export const sortRows: readonly OauthRow[] = family(
  'sort-order',
  'sort all parameters together, by encoded name and then by encoded value, comparing bytes',
  [
    ['unsorted', 'not sorted: header, body, query as they came', set({ sort: asCame }), common],
    ['before-encoding', 'sorted before they were encoded', by([plainName, plainValue]), common],
    ['joined-text', 'sorted as joined text name=value', by([joined]), common],
    ['ignoring-case', 'sorted ignoring case', by([name, value], ignoringCase)],
    ['locale', 'sorted in the order of a locale', by([name, value], inLocale)],
    ['locale', 'sorted in the order of a locale, before encoding', by([plainName, plainValue], inLocale)],
    ['locale', 'sorted as joined text in the order of a locale', by([joined], inLocale)],
    ['by-name-only', 'equal names not sorted by their values', by([name])],
    ['by-name-only', 'equal names not sorted by their values', by([plainName])],
    ...permutations(groups).flatMap((order) => [
      ['unsorted', `not sorted: ${order.join(', ')}`, arranged(order, asCame)] as const,
      ['in-groups', 'oauth_ parameters, body and query each sorted by itself', arranged(order, sortEncoded)] as const,
    ]),
    ...groups.flatMap((last) =>
      [asCame, sortEncoded].map(
        (within) => ['in-groups', `those of ${last} behind all others`, behind(last, within)] as const,
      ),
    ),
  ],
);

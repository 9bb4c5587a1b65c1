import type { Pair } from '../../wire/form.js';
import { otherCharsets } from './charset-faults.js';
import type { Item, OauthParts } from './oauth-parts.js';
import { badlyEncoded } from './rewritings.js';
import type { Mistake, OauthMistakeName } from './types.js';

type Found = Mistake<OauthMistakeName>;

/** Compares two lists of parameters pair by pair, for when several things went wrong at once. Each mistake gives at least one pair. */
export function pairMistakes({ items, sorted }: OauthParts, theirs: readonly Pair[]): Found[] {
  const missing = lacking(items, ({ encoded }) => joined(encoded), theirs.map(joined));
  const extra = lacking(theirs, joined, sorted.map(joined));
  if (missing.length === 0 && extra.length === 0)
    return isSame(sorted, theirs)
      ? []
      : [
          {
            name: 'sort-order',
            variant: 'other',
            detail: 'the same parameters in another order; they are sorted by encoded name, then by encoded value, byte by byte',
          },
        ];
  const changed = missing.flatMap((item) => {
    const other = extra.find(([name]) => name === item.encoded[0]);
    const mistake = other === undefined ? undefined : valueMistake(item, other[1]);
    return mistake === undefined ? [] : [mistake];
  });
  const gone = missing.filter(({ encoded }) => !theirs.some(([name]) => name === encoded[0]));
  return [...changed, ...goneMistakes(gone), ...extra.flatMap(extraMistakes)];
}

function valueMistake({ plain, encoded }: Item, theirs: string): Found | undefined {
  const ways = [...badlyEncoded({ plain: plain[1], encoded: encoded[1] }), ...otherCharsets(plain[1])];
  const way = ways.find(({ text }) => text === theirs && text !== encoded[1]);
  return way === undefined ? undefined : { name: way.name, variant: way.variant, detail: way.detail };
}

function goneMistakes(gone: readonly Item[]): Found[] {
  const some = (isOne: (item: Item) => boolean, name: OauthMistakeName, detail: string): Found[] =>
    gone.some(isOne) ? [{ name, variant: 'some', detail }] : [];
  const isEmpty = ({ plain }: Item) => plain[1] === '';
  return [
    ...some(isEmpty, 'empty-values', 'a field with an empty value left out; it is signed as name='),
    ...some((item) => !isEmpty(item) && item.from === 'body', 'body-left-out', 'some fields of the body not signed'),
    ...some((item) => !isEmpty(item) && item.from === 'query', 'query-left-out', 'some parameters of the query not signed'),
  ];
}

function extraMistakes([name, value]: Pair): Found[] {
  if (name === 'realm') return [{ name: 'realm', variant: 'signed', detail: 'the realm signed; it only stands in the header' }];
  if (name === 'oauth_token' && value === '')
    return [{ name: 'empty-values', variant: 'token-added', detail: 'an empty oauth_token signed that is not sent' }];
  return [];
}

/** Members whose key is not among these; equal ones are counted. */
function lacking<Member>(list: readonly Member[], keyOf: (member: Member) => string, keys: readonly string[]): Member[] {
  const left = new Map<string, number>();
  for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1);
  return list.filter((member) => {
    const key = keyOf(member);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

function joined([name, value]: Pair): string {
  return `${name}=${value}`;
}

function isSame(one: readonly Pair[], other: readonly Pair[]): boolean {
  return one.map(joined).join('&') === other.map(joined).join('&');
}

import { type Pair, percentEncode } from '../../wire/form.js';
import { encodePairs } from '../schemes/oauth1.js';
import {
  type BaseStringMistake,
  type OauthParts,
  parametersOf,
  parametersWith,
  type SignedParameter,
  wrong,
} from './oauth-parts.js';
import { arrangements } from './sort-orders.js';
import { swappedCase } from './writings/texts.js';

/** The fields of the body, the fields of the body and of the query, or all. */
export const scopes: readonly ((item: SignedParameter) => boolean)[] = [
  ({ from }) => from === 'body',
  ({ from }) => from !== 'oauth',
  () => true,
];

/** What programs call the object that holds the fields of a body. */
export const bodyNames: readonly string[] = [
  ...['body', 'data', 'payload', 'params', 'parameters', 'request', 'form', 'json', 'order', 'fields'],
];
const objectNames = [
  ...[...bodyNames, 'payment', 'transaction', 'transfer', 'payout', 'sale', 'card', 'customer', 'args'],
  ...['options', 'query', 'input', 'item', 'object', '0', 'oauth', 'post', 'values', 'attributes', ''],
];

/** Names otherwise than they are sent (3.4.1.3.1). */
export function* nameMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  yield* nested(parts);
  yield* numbered(parts);
  for (const isDue of scopes)
    for (const [detail, write] of nameWritings)
      yield mistake(
        'names-written',
        `names signed ${detail}`,
        parts.ordered.map((item): Pair => (isDue(item) ? renamed(item, write) : item.encoded)),
      );
  yield* nameWritten(parts, [
    ...nameWritings,
    ['with dashes between its words', dashed],
    ['with underscores between its words', underscored],
  ]);
}

function mistake(variant: string, detail: string, pairs: readonly Pair[]): BaseStringMistake {
  return wrong('repeated-or-nested-names', variant, `${detail}; they must be signed as they are sent`, {
    parameters: parametersOf(pairs),
  });
}

type NameWriting = readonly [detail: string, write: (name: string) => string];

const renamed = ({ plain, encoded }: SignedParameter, write: NameWriting[1]): Pair => [
  percentEncode(write(plain[0])),
  encoded[1],
];

const words = (name: string) => name.split(/[_-]/);
const title = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
const nameWritings: readonly NameWriting[] = [
  ['in upper case', (name) => name.toUpperCase()],
  ['in lower case', (name) => name.toLowerCase()],
  ['with upper and lower case swapped', swappedCase],
  ['with a capital first letter', title],
  ['with a capital at the start of each word', (name) => name.replace(/[^_-]+/g, title)],
  ['with a capital after each _', (name) => name.replace(/[^_]+/g, title)],
  [
    "with a capital after all but letters, as Python's title() writes them",
    (name) => name.toLowerCase().replace(/\p{L}+/gu, title),
  ],
  [
    'in camel case',
    (name) =>
      words(name)
        .map((word, at) => (at === 0 ? word : title(word)))
        .join(''),
  ],
  ['in Pascal case', (name) => words(name).map(title).join('')],
  ['with dashes', (name) => name.replaceAll('_', '-')],
  ['with dashes and capitals', (name) => words(name).map(title).join('-')],
  ['with underscores', (name) => name.replaceAll('-', '_')],
  ['without underscores', (name) => name.replaceAll('_', '')],
  ['with dots', (name) => name.replaceAll('_', '.')],
  ['with spaces', (name) => name.replaceAll('_', ' ')],
  ['trimmed', (name) => name.trim()],
  ['with [] after them', (name) => `${name}[]`],
  ['with [0] after them', (name) => `${name}[0]`],
  ['in quotes', (name) => JSON.stringify(name)],
  ['in single quotes', (name) => `'${name}'`],
  ['as Ruby symbols', (name) => `:${name}`],
  ['with a $ before them', (name) => `$${name}`],
  ['with a @ before them', (name) => `@${name}`],
  ['nested at their first _', (name) => name.replace(/_(.+)/, '[$1]')],
  ['nested at their last _', (name) => name.replace(/^(.+)_(.+)$/, '$1[$2]')],
  ['nested at each _', (name) => name.replace(/_([^_]+)/g, '[$1]')],
];

const nestings: readonly ((object: string, field: string) => string)[] = [
  (object, field) => `${object}[${field}]`,
  (object, field) => `${object}.${field}`,
  (object, field) => `${object}["${field}"]`,
  (object, field) => `${object}['${field}']`,
  (object, field) => `${object}[][${field}]`,
  (object, field) => `${object}[0][${field}]`,
  (object, field) => `${object}[0].${field}`,
  (object, field) => `${object}_${field}`,
  (object, field) => `${object}-${field}`,
  (object, field) => `${object}:${field}`,
  (object, field) => `${object}/${field}`,
];

/** Fields as those of an object, which may have the name of the operation. */
function* nested({ ordered, uri }: OauthParts): Generator<BaseStringMistake> {
  const segments = uri.split('/').slice(3);
  for (const name of new Set([...objectNames, ...segments.filter((segment) => /^[a-z][\w-]*$/i.test(segment))]))
    for (const nest of nestings)
      for (const isDue of scopes)
        yield mistake(
          'nested',
          `fields signed as nested in ${name === '' ? 'an object' : name}`,
          ordered.map((item): Pair => (isDue(item) ? renamed(item, (field) => nest(name, field)) : item.encoded)),
        );
}

/** Numbers for names, as of a list: those of the parameters as they come, or sorted. */
function* numbered({ items, sorted }: OauthParts): Generator<BaseStringMistake> {
  const lists = arrangements(items).map((list) => list.map(({ encoded }) => encoded));
  for (const list of [...lists, sorted])
    for (const first of [0, 1]) {
      const pairs = list.map(([, value], at): Pair => [String(at + first), value]);
      yield mistake('numbered', 'numbers signed instead of names', pairs);
      yield wrong(
        'repeated-or-nested-names',
        'numbered',
        'numbers signed instead of names, in numeric order; names must be signed as they are sent',
        { parameters: percentEncode(pairs.map((pair) => pair.join('=')).join('&')) },
      );
    }
  const body = items.filter(({ from }) => from === 'body');
  yield mistake('numbered', 'numbers signed instead of the names of the body', [
    ...items.filter(({ from }) => from !== 'body').map(({ encoded }) => encoded),
    ...encodePairs(body.map(({ plain }, at): Pair => [String(at), plain[1]])),
  ]);
}

const dashed = (name: string) => underscored(name).replaceAll('_', '-');

/** Of client_orderid, client_order_id: the names of orders and cards are spelled in both ways by the interface. */
function underscored(name: string): string {
  return name.replaceAll('-', '_').replace(/(order|card|ref)(id|ref)$/, '$1_$2');
}

const maxNames = 40;

/** One name alone. */
function* nameWritten({ items }: OauthParts, writings: readonly NameWriting[]): Generator<BaseStringMistake> {
  for (const due of items.slice(0, maxNames)) {
    const withPair = parametersWith(items.flatMap((item) => (item === due ? [] : [item.encoded])));
    for (const [detail, write] of writings)
      if (write(due.plain[0]) !== due.plain[0])
        yield wrong(
          'repeated-or-nested-names',
          'name-written',
          `the name of ${shown(due)} signed ${detail}; it must be signed as it is sent`,
          { parameters: withPair(renamed(due, write)) },
        );
  }
}

/** What a message says of a field; no name that may hold a card number. */
export function shown({ plain: [name] }: SignedParameter): string {
  return /^[A-Za-z][\w.-]{0,63}$/.test(name) && !/\d{6}/.test(name) ? name : 'a field';
}

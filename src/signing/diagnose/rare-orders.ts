import { permutations } from './diagnosis.js';
import type { BaseStringMistake, OauthParts, SignedParameter } from './oauth-parts.js';
import { arranged, likeTheExample, sortOrderMistake } from './parameter-mistakes.js';

/**
 * Not sorted, and the oauth_ parameters in an order of their own; sorted by another part of a parameter, in another
 * way, or backwards: many texts, for when nothing else explains a signature.
 */
export function* rareSortOrders({ items }: OauthParts): Generator<BaseStringMistake> {
  const protocol = items.filter(({ from }) => from === 'oauth');
  const rest = items.filter(({ from }) => from !== 'oauth');
  for (const own of permutations(protocol))
    for (const list of arranged([...own, ...rest])) yield sortOrderMistake('unsorted', 'not sorted', list);
  for (const list of arranged(items))
    yield sortOrderMistake('unsorted', 'in the order of a HashMap of Java', hashed(list));
  for (const list of [...arranged(items), ...arranged(likeTheExample(items))]) {
    yield sortOrderMistake('unsorted', 'not sorted, the last first', [...list].reverse());
    for (const [part, textOf] of sortedParts)
      for (const [way, compare] of comparisons)
        for (const isBackwards of [false, true])
          yield sortOrderMistake(
            part,
            `sorted ${partWords[part]}${way}${isBackwards ? ', backwards' : ''}`,
            [...list].sort((one, other) => compare(textOf(one), textOf(other)) * (isBackwards ? -1 : 1)),
          );
  }
}

const partWords = {
  'by-name-only': 'by name alone',
  'by-value': 'by value',
  'joined-text': 'as joined text name=value',
  'by-pair': 'by name and value',
} as const;

const sortedParts: readonly (readonly [keyof typeof partWords, (item: SignedParameter) => string])[] = [
  ['by-name-only', ({ encoded }) => encoded[0]],
  ['by-name-only', ({ plain }) => plain[0]],
  ['by-value', ({ encoded }) => encoded[1]],
  ['by-value', ({ plain }) => plain[1]],
  ['joined-text', ({ encoded }) => encoded.join('=')],
  ['joined-text', ({ plain }) => plain.join('=')],
  ['by-pair', ({ encoded }) => encoded.join('\0')],
  ['by-pair', ({ plain }) => plain.join('\0')],
];

type Compare = (one: string, other: string) => number;

const byCodeUnit: Compare = (one, other) => Number(one > other) - Number(one < other);
const isNumeric = (text: string) => /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text);
/** As PHP compares texts by < since 8.0. */
const loosely: Compare = (one, other) =>
  isNumeric(one) && isNumeric(other) ? Number(one) - Number(other) : byCodeUnit(one, other);
const naturally = new Intl.Collator('en', { numeric: true });

const comparisons: readonly (readonly [string, Compare])[] = [
  ['', byCodeUnit],
  [', numbers as numbers', loosely],
  [', ignoring case', (one, other) => byCodeUnit(one.toLowerCase(), other.toLowerCase())],
  [', ignoring case', (one, other) => byCodeUnit(one.toUpperCase(), other.toUpperCase())],
  [' in locale order', (one, other) => one.localeCompare(other, 'en')],
  [' in natural order', naturally.compare],
  [' in natural order', (one, other) => byCodeUnit(natural(one), natural(other))],
  [
    ' in natural order, ignoring case',
    (one, other) => byCodeUnit(natural(one.toLowerCase()), natural(other.toLowerCase())),
  ],
  [', the short ones first', (one, other) => one.length - other.length],
  [', the short ones first', (one, other) => one.length - other.length || byCodeUnit(one, other)],
];

const natural = (text: string) => text.replace(/\d+/g, (digits) => digits.padStart(20, '0'));

/** As a HashMap of Java goes through its keys: by the hash of a name in a table of at least 4/3 of their number. */
function hashed(items: readonly SignedParameter[]): SignedParameter[] {
  let size = 16;
  while (items.length > size * 0.75) size *= 2;
  const place = ({ encoded: [name] }: SignedParameter) => {
    let hash = 0;
    for (let at = 0; at < name.length; at += 1) hash = (Math.imul(31, hash) + name.charCodeAt(at)) | 0;
    return (hash ^ (hash >>> 16)) & (size - 1);
  };
  return [...items].sort((one, other) => place(one) - place(other));
}

import { createHash, createHmac } from 'node:crypto';
import { encodeForm, type Pair } from '../../wire/form.js';
import { charsets, formEncoded } from './charsets.js';
import { type ControlCase, type ControlRecipe, type ControlRow, type Slot, sentAs } from './control-recipe.js';
import { keyCases, keyEnds, keyTexts, type Spelling } from './key-spellings.js';
import { common, family, permutations } from './search.js';

type Change = ControlRow['change'];
const set = (steps: Partial<ControlRecipe>): Change => {
  return () => steps;
};

const asGiven =
  'use the control key of this endpoint exactly as it was given: without blanks, quotes or line breaks around it, in its own case';
const inOrder =
  'join the values in the order of the recipe with nothing in between, and the control key once after the last; `paycli sign OPERATION …` shows each step';
const plainHash = 'hash the values and the key once, with plain SHA-1';

/** Values and key joined otherwise, another key, other bytes, another hash. */
export function joinRows(given: ControlCase): ControlRow[] {
  return [
    ...keyRows(given),
    ...orderRows(given),
    ...recipeRows(given),
    ...hashRows,
    ...charsetRows,
    ...separatorRows,
    ...namedRows,
    ...bodyRows(given),
  ];
}

function keyRows({ otherKeys = [], login }: ControlCase): ControlRow[] {
  const spelt = (list: readonly Spelling[]) =>
    list.map(([variant, words, write, mark]) => {
      const change: Change = ({ key }) => ({ key: write(key) });
      return [variant, words, change, mark] as const;
    });
  return [
    ...family('key-whitespace', asGiven, spelt(keyEnds)),
    ...family('other-key', asGiven, [
      ...spelt(keyTexts),
      ...otherKeys.map(({ name, key }) => ['profile', `the control key of ${name}`, set({ key }), common] as const),
      ['login', 'the login in place of the key', set({ key: login })],
      ...spelt([['twice', 'the control key twice', (key) => key + key]]),
    ]),
    ...family('upper-case', asGiven, spelt(keyCases)),
  ];
}

const maxPermuted = 6;

/** The values in another order, or the key not behind them. */
function orderRows({ slots }: ControlCase): ControlRow[] {
  const wires = (list: readonly Slot[]) => list.map(({ wire }) => wire).join(', ');
  const keyAt = (at: number) => set({ join: (values, key) => values.toSpliced(at, 0, key).join('') });
  const [, ...others] = slots.length > maxPermuted ? [] : permutations(slots);
  const moved = (list: readonly Slot[]) => list.filter((slot, at) => slot !== slots[at]).length;
  const nearest = others.sort((one, other) => moved(one) - moved(other));
  return family('order', inOrder, [
    ['key-first', 'the key before the values', keyAt(0), common],
    ...nearest.map(
      (list) => ['permuted', `signed as ${wires(list)}; it must be ${wires(slots)}`, arrangement(list)] as const,
    ),
    ...slots.slice(1).map((_, at) => ['key-inside', 'the key among the values', keyAt(at + 1)] as const),
    ['key-twice', 'the key before and after the values', set({ join: (values, key) => key + values.join('') + key })],
  ]);
}

function arrangement(wanted: readonly Slot[]): Change {
  const ranks = new Map(wanted.map(({ name }, rank) => [name, rank]));
  const rankOf = ({ name }: Slot) => ranks.get(name) ?? wanted.length;
  return ({ slots }) => ({ slots: [...slots].sort((one, other) => rankOf(one) - rankOf(other)) });
}

/** The values of the other operations, by the names of the slots. */
const recipes: Readonly<Record<string, readonly string[]>> = {
  'sale and preauth': ['endpointId', 'clientOrderId', 'amount', 'email'],
  'capture and return': ['login', 'clientOrderId', 'orderId', 'amount', 'currency'],
  'status and void': ['login', 'clientOrderId', 'orderId'],
  'account verification': ['endpointId', 'clientOrderId', 'email'],
  rebill: ['login', 'clientOrderId', 'cardRefId', 'amount', 'currency'],
};

/** Values that this operation does not have are empty then, as they are sent, or those of the order. */
function recipeRows(given: ControlCase): ControlRow[] {
  const { slots, original, login, endpointId } = given;
  const own = Object.fromEntries(slots.map(({ name, value }) => [name, value]));
  const sent = (wire: string) => sentAs(given, wire) ?? '';
  const known = {
    ...{ login, endpointId, email: sent('email'), currency: sent('currency') },
    ...{ amount: sent('amount').replace('.', ''), ...own },
  };
  const filled = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ''));
  const sources: Readonly<Record<string, string>>[] = [known, ...(original ? [{ ...original, ...filled }] : [])];
  const others = Object.entries(recipes).filter(([, names]) => names.join() !== Object.keys(own).join());
  const lines = sources.flatMap((values) =>
    others.map(([words, names]) => {
      const taken = names.map((name): Slot => ({ name, wire: name, value: values[name] ?? '' }));
      const detail = `the recipe of ${words} used: ${names.join(', ')}`;
      return ['other-operation', detail, set({ slots: taken }), common] as const;
    }),
  );
  return family('order', inOrder, lines);
}

const hashOf = (hash: string, data: Buffer | string) => createHash(hash).update(data).digest();
const digested = (digest: ControlRecipe['digest']) => set({ digest });
const macOf = (hash: string, key: string, data: Buffer | string) => createHmac(hash, key).update(data).digest();

const hashRows: readonly ControlRow[] = family('digest', plainHash, [
  ...['md5', 'sha256', 'sha512', 'sha384'].map((hash) => {
    const mark = hash === 'md5' || hash === 'sha256' ? common : undefined;
    return [hash, `${hash.toUpperCase()} used`, digested((data) => hashOf(hash, data)), mark] as const;
  }),
  ...['sha1', 'sha256', 'md5'].map((hash) => {
    const change = digested((_, { string, key }) => macOf(hash, key, string));
    const mark = hash === 'sha1' ? common : undefined;
    return [`hmac-${hash}`, `an HMAC with ${hash.toUpperCase()} used`, change, mark] as const;
  }),
  ['hmac-sha1', 'an HMAC over values and key', digested((data, { key }) => macOf('sha1', key, data))],
  ['twice', 'hashed twice', digested((data) => hashOf('sha1', hashOf('sha1', data).toString('hex')))],
  ['twice', 'hashed twice', digested((data) => hashOf('sha1', hashOf('sha1', data)))],
]);

const withMark = (text: string) => Buffer.from(`\uFEFF${text}`);
const charsetRows: readonly ControlRow[] = family('charset', 'convert the text to UTF-8 once before hashing it (A02)', [
  ...charsets.map(
    ([variant, words, write]) => [variant, `the text hashed as ${words}`, set({ bytes: write })] as const,
  ),
  ['byte-order-mark', 'a byte order mark hashed before the text', set({ bytes: withMark })],
]);

/** What programmers put between values. */
const separators: Readonly<Record<string, string>> = {
  ...{ dash: '-', pipe: '|', comma: ',', colon: ':', semicolon: ';', underscore: '_', blank: ' ' },
  ...{ 'line-feed': '\n', ampersand: '&', plus: '+', slash: '/', point: '.' },
};
type Placing = (mark: string) => ControlRecipe['join'];
const placings: Readonly<Record<string, Placing>> = {
  'between the values and before the key': (mark) => (values, key) => [...values, key].join(mark),
  'between the values': (mark) => (values, key) => values.join(mark) + key,
  'after each value and the key': (mark) => (values, key) => [...values, key, ''].join(mark),
  'before the key': (mark) => (values, key) => values.join('') + mark + key,
};
const separatorRows: readonly ControlRow[] = Object.entries(placings).flatMap(([words, join]) => {
  const lines = Object.entries(separators).map(([name, mark]) => {
    const isCommon = name === 'dash' || name === 'pipe' ? common : undefined;
    return [`separator-${name}`, `a ${name} ${words}`, set({ join: join(mark) }), isCommon] as const;
  });
  return family('order', inOrder, lines);
});

const asText =
  (write: (slots: readonly Slot[]) => string): Change =>
  ({ slots }) => ({ slots: [{ name: 'text', wire: 'text', value: write(slots) }] });
const joined = (pairs: readonly Pair[], within: string, between: string) =>
  pairs.map((pair) => pair.join(within)).join(between);
const pairsOf = (slots: readonly Slot[]) => slots.map(({ wire, value }): Pair => [wire, value]);
const named = (within: string, between: string, last = '') => {
  const change = asText((slots) => joined(pairsOf(slots), within, between) + last);
  return ['names-signed', 'names signed beside their values', change] as const;
};

/** Names signed beside their values, and values written as JSON. */
const namedRows: readonly ControlRow[] = family('order', inOrder, [
  named('', ''),
  ...['=', ':'].flatMap((within) =>
    ['', '&', ';', ','].flatMap((mark) => [named(within, mark), named(within, mark, mark)]),
  ),
  ['json', 'the values as a JSON object', asText((slots) => JSON.stringify(Object.fromEntries(pairsOf(slots))))],
  ['json', 'the values as a JSON array', asText((slots) => JSON.stringify(slots.map(({ value }) => value)))],
]);

/** The whole body as text, as it is sent and sorted by name. */
function bodyRows({ body }: ControlCase): ControlRow[] {
  const sent = body.filter(([name]) => name !== 'control');
  const sorted = [...sent].sort(([one], [other]) => Number(one > other) - Number(one < other));
  const encoded = (pair: Pair): Pair => [formEncoded(pair[0]), formEncoded(pair[1])];
  const lists = sent.length === 0 ? [] : [sent, sorted];
  return lists.flatMap((pairs) => {
    const json = JSON.stringify(Object.fromEntries(pairs));
    const texts = [joined(pairs.map(encoded), '=', '&'), encodeForm(pairs), joined(pairs, '=', '&'), json];
    const values = asText(() => pairs.map(([, value]) => value).join(''));
    return family('order', inOrder, [
      ['all-fields', 'the values of all fields of the body signed', values],
      ...texts.map((text) => ['whole-body', 'the whole body signed', asText(() => text)] as const),
    ]);
  });
}

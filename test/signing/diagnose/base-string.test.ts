import { describe, expect, test } from 'vitest';
import { diffOauth } from '../../../src/signing/diagnose/index.js';
import { caseOf, plain, rich } from './orders.js';
import { baseString, type Order, type Pair, percent, protocol, right, type Steps, text } from './signer.js';

const given = caseOf(rich);
const names = (base: string, own = given) =>
  diffOauth(own, { baseString: base }).mistakes.map(({ name, variant }) => `${name} ${variant}`);

const backwards = (name: string) => [...name].reverse().join('');

describe('nonce and timestamp of their own', () => {
  const theirs: Order = { ...rich, nonce: 'theirs', timestamp: '1700001234' };

  test('are taken over, and nothing is wrong with them', () => {
    expect(diffOauth(given, { baseString: baseString(theirs) })).toEqual({
      match: true,
      mistakes: [],
      explanations: [],
      taken: ['nonce', 'timestamp'],
    });
  });

  test('do not hide another mistake', () => {
    const plus = { encode: (text: string) => percent(text).replaceAll('%20', '+') };
    expect(diffOauth(given, { baseString: baseString(theirs, plus) })).toMatchObject({
      mistakes: [{ name: 'space-plus', variant: 'plus' }],
      taken: ['nonce', 'timestamp'],
    });
    expect(names(baseString(theirs, { encode: (text) => percent(percent(text)) }))).toEqual([
      'encoded-twice-or-once parameters-twice',
    ]);
    expect(
      names(baseString(theirs, { whole: ([method, address, joined]) => `${method}&${percent(address)}&${joined}` })),
    ).toEqual(['encoded-twice-or-once element-raw']);
  });

  test.each([
    ['other-nonce', { nonce: 'theirs' }],
    ['time-zone', { timestamp: '1700007200' }],
    ['other-timestamp', { timestamp: '1700000007' }],
    ['milliseconds', { timestamp: '1700000000999' }],
    ['milliseconds', { nonce: 'theirs', timestamp: '1700000000999' }],
    ['fraction', { timestamp: '1700000000.25' }],
  ])('%s', (variant, change) => {
    const result = diffOauth(given, { baseString: baseString({ ...rich, ...change }) });
    expect(result.mistakes).toMatchObject([{ name: 'nonce-timestamp', variant }]);
    expect(result.difference?.pair?.theirs?.[0]).toMatch(/^oauth_(nonce|timestamp)$/);
  });
});

describe('several mistakes at once', () => {
  const all = (list: readonly Pair[]): Partial<Steps> => ({
    parameters: (order) => [...protocol(order), ...order.queryPairs, ...list],
  });

  test.each<readonly [string, Partial<Steps>, readonly string[]]>([
    [
      'method and address',
      { method: () => 'GET', uri: (order) => right.uri(order).replace('https', 'http') },
      ['method GET', 'scheme-host-port http-for-https'],
    ],
    [
      'address and parameters',
      { uri: (order) => `${right.uri(order)}/`, encode: (text) => percent(text).replaceAll('%20', '+') },
      ['scheme-host-port slash-added', 'space-plus plus'],
    ],
    [
      'query in the address, and the method',
      {
        method: () => 'PUT',
        uri: (order) => `${right.uri(order)}?${order.query}`,
        parameters: (order) => [...protocol(order), ...order.body],
      },
      ['method PUT', 'query-left-out in-address'],
    ],
    [
      'some fields left out',
      all(rich.body.filter(([name]) => name !== 'city' && name !== 'empty')),
      ['empty-values some', 'body-left-out some'],
    ],
    [
      'a realm and an empty token signed',
      all([...rich.body, ['realm', 'x'], ['oauth_token', '']]),
      ['empty-values token-added', 'realm signed'],
    ],
    [
      'two encodings of two fields',
      all(
        rich.body.map(
          ([name, value]): Pair => [
            name,
            name === 'city'
              ? Buffer.from(value).toString('latin1')
              : name === 'order_desc'
                ? value.replaceAll(' ', '+')
                : value,
          ],
        ),
      ),
      ['space-plus blank-as-encoded-plus', 'not-utf8 byte-by-byte'],
    ],
    [
      'an order of their own',
      { sort: (list) => [...list].sort((a, b) => text(backwards(a.name), backwards(b.name))) },
      ['sort-order other'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(names(baseString(rich, steps)).sort()).toEqual([...expected].sort());
  });

  test('make one explanation together', () => {
    const text = baseString(rich, { method: () => 'GET', uri: (order) => `${right.uri(order)}/` });
    expect(
      diffOauth(given, { baseString: text }).explanations.map((mistakes) => mistakes.map(({ name }) => name)),
    ).toEqual([['scheme-host-port', 'method']]);
  });
});

test('two mistakes that come to the same text are named side by side', () => {
  const own: Order = { ...plain, body: [['marks', 'a!']] };
  const { mistakes, explanations } = diffOauth(caseOf(own), {
    baseString: baseString(own, { encode: (text) => text }),
  });
  expect(mistakes.map(({ name }) => name)).toEqual(['reserved-characters', 'encoded-twice-or-once']);
  expect(explanations).toHaveLength(2);
});

describe('the first difference', () => {
  const own: Order = {
    ...plain,
    body: [
      ['a', 'x'],
      ['city', 'Köln'],
      ['z', '1'],
    ],
  };
  const differ = (body: readonly Pair[]) =>
    diffOauth(caseOf(own), { baseString: baseString({ ...own, body }) }).difference;

  test('is counted in bytes, with the text around it', () => {
    const text = baseString(own);
    const at = text.indexOf('K%25C3');
    const difference = diffOauth(caseOf(own), { baseString: `${text.slice(0, at)}k${text.slice(at + 1)}` }).difference;
    expect(difference).toEqual({
      of: 'base string',
      at,
      ours: text.slice(at - 24, at + 24),
      theirs: `${text.slice(at - 24, at)}k${text.slice(at + 1, at + 24)}`,
      pair: { ours: ['city', 'K%C3%B6ln'], theirs: ['city', 'k%C3%B6ln'] },
    });
  });

  test.each<readonly [string, readonly Pair[], unknown]>([
    [
      'a pair they lack',
      [
        ['a', 'x'],
        ['z', '1'],
      ],
      { ours: ['city', 'K%C3%B6ln'] },
    ],
    ['a pair they have besides', [...own.body, ['b', 'y']], { theirs: ['b', 'y'] }],
    [
      'another value',
      [
        ['a', 'x'],
        ['city', 'Bonn'],
        ['z', '1'],
      ],
      { ours: ['city', 'K%C3%B6ln'], theirs: ['city', 'Bonn'] },
    ],
  ])('%s', (_, body, pair) => {
    expect(differ(body)?.pair).toEqual(pair);
  });
});

test.each([
  '',
  '&',
  '&&',
  '&&&',
  '%',
  'POST&%&%',
  'POST&x&a%3Db',
  '\ud800',
  `POST&${'x'.repeat(100_000)}&${'a%3Db%26'.repeat(10_000)}`,
])('hostile text %#: no error, and no match', (text) => {
  expect(diffOauth(given, { baseString: text }).match).toBe(false);
});

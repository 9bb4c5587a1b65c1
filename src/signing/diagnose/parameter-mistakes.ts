import { createHash } from 'node:crypto';
import { encodeForm, type Pair, percentEncode } from '../../wire/form.js';
import { encodePairs, joinPairs, sortPairs } from '../schemes/oauth1.js';
import { type BaseStringMistake, type OauthParts, parametersOf, type SignedParameter } from './oauth-parts.js';

/** 3.4.1.3.1: the fields of the body and of the query are signed, each once. */
export function* leftOutMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  if (parts.items.some(({ from }) => from === 'body')) yield* withoutBody(parts);
  if (parts.queryText !== '') yield* withoutQuery(parts);
}

function* withoutBody({ items }: OauthParts): Generator<BaseStringMistake> {
  const wrong = (variant: string, detail: string, pairs: readonly Pair[]): BaseStringMistake => ({
    name: 'body-left-out',
    variant,
    detail,
    elements: { parameters: parametersOf(pairs) },
  });
  const rest = encodedOf(items.filter(({ from }) => from !== 'body'));
  const protocol = encodedOf(items.filter(({ from }) => from === 'oauth'));
  yield wrong('unsigned', 'the fields of the form body were not signed', rest);
  yield wrong(
    'oauth-only',
    'only the oauth_ parameters were signed, no field of the body and none of the query',
    protocol,
  );
  const body = items.filter(({ from }) => from === 'body').map(({ plain }) => plain);
  for (const [variant, detail, text] of bodyTexts(body)) {
    yield wrong(variant, `${detail} was signed as one parameter; sign the fields, and send them as a form`, [
      ...rest,
      ...encodePairs([[text, '']]),
    ]);
    for (const hash of ['sha1', 'sha256'])
      for (const others of variant === 'form-text' ? [rest, encodedOf(items)] : [rest])
        yield wrong(
          `hash-of-${variant}`,
          `an oauth_body_hash over ${detail} was signed; sign the fields, and send them as a form`,
          [...others, ['oauth_body_hash', percentEncode(createHash(hash).update(text, 'utf8').digest('base64'))]],
        );
  }
}

type BodyText = readonly [variant: string, detail: string, text: string];

function bodyTexts(body: readonly Pair[]): BodyText[] {
  const object = Object.fromEntries(body);
  // As JavaScript and PHP print it, and as Python does.
  const spaced = `{${Object.entries(object)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ')}}`;
  return [
    ['json', 'a JSON body', JSON.stringify(object)],
    ['json-spaced', 'a JSON body with spaces', spaced],
    ['form-text', 'the text of the form body', encodeForm(body)],
    [
      'form-text',
      'the text of the form body',
      new URLSearchParams(body.map(([name, value]): [string, string] => [name, value])).toString(),
    ],
  ];
}

function* withoutQuery({ items, queryText, uri, elements }: OauthParts): Generator<BaseStringMistake> {
  const wrong = (variant: string, detail: string, changed: BaseStringMistake['elements']): BaseStringMistake => ({
    name: 'query-left-out',
    variant,
    detail,
    elements: changed,
  });
  const rest = parametersOf(encodedOf(items.filter(({ from }) => from !== 'query')));
  const inAddress = percentEncode(`${uri}?${queryText}`);
  yield wrong('unsigned', 'the query of the address was not signed', { parameters: rest });
  yield wrong('in-address', 'the query was left in the address; it belongs among the parameters', {
    uri: inAddress,
    parameters: rest,
  });
  yield wrong('in-both', 'the query was signed twice, in the address and among the parameters', {
    uri: inAddress,
    parameters: elements.parameters,
  });
  const twice = encodedOf([...items, ...items.filter(({ from }) => from === 'query')]);
  yield wrong('twice', 'the query was signed twice among the parameters', { parameters: parametersOf(twice) });
}

function encodedOf(items: readonly SignedParameter[]): Pair[] {
  return items.map(({ encoded }) => encoded);
}

/** 3.4.1.3: empty values count, and what is not sent does not. */
export function* emptyValueMistakes({ sorted, items, given }: OauthParts): Generator<BaseStringMistake> {
  const wrong = (variant: string, detail: string, parameters: string): BaseStringMistake => ({
    name: 'empty-values',
    variant,
    detail,
    elements: { parameters: percentEncode(parameters) },
  });
  const normalised = (pairs: readonly Pair[]) => joinPairs(sortPairs(pairs));
  if (given.token === undefined)
    yield wrong(
      'token-added',
      'an empty oauth_token signed, although it is not sent',
      normalised([...sorted, ['oauth_token', '']]),
    );
  yield wrong(
    'signature-added',
    'an empty oauth_signature signed; it is not part of what is signed',
    normalised([...sorted, ['oauth_signature', '']]),
  );
  if (!sorted.some(([, value]) => value === '')) return;
  yield wrong(
    'dropped',
    'fields with an empty value left out; they must be signed as name=',
    normalised(sorted.filter(([, value]) => value !== '')),
  );
  const bodyOnly = items.filter(({ from, plain }) => from !== 'body' || plain[1] !== '').map(({ encoded }) => encoded);
  yield wrong(
    'dropped-from-body',
    'fields of the body with an empty value left out; they must be signed as name=',
    normalised(bodyOnly),
  );
  const bare = sorted.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&');
  yield wrong('without-equals', 'the = of an empty value left out', bare);
  for (const word of ['null', 'undefined', 'None', 'nil', 'false', '0'])
    yield wrong(
      word,
      `an empty value signed as ${word}`,
      normalised(sorted.map(([name, value]): Pair => [name, value === '' ? word : value])),
    );
}

/** What a program makes of several parameters that belong together, because it holds them as an object or an array. */
interface Folding {
  readonly variant: string;
  readonly detail: string;
  readonly fold: (name: string, values: readonly string[]) => readonly Pair[];
}

const foldings: readonly Folding[] = [
  { variant: 'first', detail: 'only the first', fold: (name, values) => [[name, values[0] ?? '']] },
  { variant: 'last', detail: 'only the last', fold: (name, values) => [[name, values.at(-1) ?? '']] },
  { variant: 'comma', detail: 'joined by commas', fold: (name, values) => [[name, values.join(',')]] },
  { variant: 'object', detail: 'signed as [object Object]', fold: (name) => [[name, '[object Object]']] },
  { variant: 'array', detail: 'signed as Array', fold: (name) => [[name, 'Array']] },
  { variant: 'json', detail: 'signed as JSON', fold: (name, values) => [[name, JSON.stringify(values)]] },
  {
    variant: 'brackets',
    detail: 'signed with [] after the name',
    fold: (name, values) => values.map((value) => [`${name}[]`, value]),
  },
  {
    variant: 'indices',
    detail: 'signed with [0], [1] after the name',
    fold: (name, values) => values.map((value, at) => [`${name}[${at}]`, value]),
  },
  {
    variant: 'bare',
    detail: 'signed without their brackets',
    fold: (name, values) => values.map((value) => [name, value]),
  },
  { variant: 'left-out', detail: 'left out', fold: () => [] },
];

/** 3.4.1.3.2: equal names are signed each, and a name with brackets is a name like any other. */
export function* repeatedNameMistakes({ items }: OauthParts): Generator<BaseStringMistake> {
  const pairs = items.map(({ plain }) => plain);
  yield* folded(
    pairs,
    ([name]) => name,
    'parameters with the same name',
    (members) => members.length > 1,
  );
  yield* folded(pairs, headOf, 'parameters with brackets in their names', (members) =>
    members.some(([name]) => headOf([name, '']) !== name),
  );
}

function* folded(
  pairs: readonly Pair[],
  keyOf: (pair: Pair) => string,
  what: string,
  isFolded: (members: readonly Pair[]) => boolean,
): Generator<BaseStringMistake> {
  const groups = new Map<string, Pair[]>();
  for (const pair of pairs) groups.set(keyOf(pair), [...(groups.get(keyOf(pair)) ?? []), pair]);
  if (![...groups.values()].some(isFolded)) return;
  for (const { variant, detail, fold } of foldings) {
    const changed = [...groups].flatMap(([name, members]) =>
      isFolded(members)
        ? fold(
            name,
            members.map(([, value]) => value),
          )
        : members,
    );
    yield {
      name: 'repeated-or-nested-names',
      variant,
      detail: `${what} ${detail}; each must be signed as it is sent`,
      elements: { parameters: parametersOf(encodePairs(changed)) },
    };
  }
}

/** The part before the brackets. */
function headOf([name]: Pair): string {
  return /^([^[\]]+)(?:\[[^\]]*\])+$/.exec(name)?.[1] ?? name;
}

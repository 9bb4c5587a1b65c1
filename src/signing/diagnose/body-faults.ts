import { createHash } from 'node:crypto';
import { encodeForm, type Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { encodePairs } from '../oauth1.js';
import type { Wrong } from './oauth-parts.js';
import { type Item, type OauthParts, parametersOf } from './oauth-parts.js';

/** 3.4.1.3.1: the fields of the body and of the query are signed, each once. */
export function* bodyFaults(parts: OauthParts): Generator<Wrong> {
  if (parts.items.some(({ from }) => from === 'body')) yield* withoutBody(parts);
  if (parts.queryText !== '') yield* withoutQuery(parts);
}

function* withoutBody({ items }: OauthParts): Generator<Wrong> {
  const wrong = (variant: string, detail: string, pairs: readonly Pair[]): Wrong => ({
    name: 'body-left-out',
    variant,
    detail,
    elements: { parameters: parametersOf(pairs) },
  });
  const rest = encodedOf(items.filter(({ from }) => from !== 'body'));
  const protocol = encodedOf(items.filter(({ from }) => from === 'oauth'));
  yield wrong('unsigned', 'the fields of the form body were not signed', rest);
  yield wrong('oauth-only', 'only the oauth_ parameters were signed, no field of the body and none of the query', protocol);
  const body = items.filter(({ from }) => from === 'body').map(({ plain }) => plain);
  for (const [variant, detail, text] of bodyTexts(body)) {
    yield wrong(variant, `${detail} was signed as one parameter; sign the fields, and send them as a form`, [
      ...rest,
      ...encodePairs([[text, '']]),
    ]);
    for (const hash of ['sha1', 'sha256'])
      yield wrong(`hash-of-${variant}`, `an oauth_body_hash over ${detail} was signed; sign the fields, and send them as a form`, [
        ...rest,
        ['oauth_body_hash', percentEncode(createHash(hash).update(text, 'utf8').digest('base64'))],
      ]);
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
    ['json-spaced', 'a JSON body with blanks', spaced],
    ['form-text', 'the text of the form body', encodeForm(body)],
  ];
}

function* withoutQuery({ items, queryText, uri, elements }: OauthParts): Generator<Wrong> {
  const wrong = (variant: string, detail: string, changed: Wrong['elements']): Wrong => ({
    name: 'query-left-out',
    variant,
    detail,
    elements: changed,
  });
  const rest = parametersOf(encodedOf(items.filter(({ from }) => from !== 'query')));
  const inAddress = percentEncode(`${uri}?${queryText}`);
  yield wrong('unsigned', 'the query of the address was not signed', { parameters: rest });
  yield wrong('in-address', 'the query was left in the address; it belongs among the parameters', { uri: inAddress, parameters: rest });
  yield wrong('in-both', 'the query was signed twice, in the address and among the parameters', {
    uri: inAddress,
    parameters: elements.parameters,
  });
  const twice = encodedOf([...items, ...items.filter(({ from }) => from === 'query')]);
  yield wrong('twice', 'the query was signed twice among the parameters', { parameters: parametersOf(twice) });
}

function encodedOf(items: readonly Item[]): Pair[] {
  return items.map(({ encoded }) => encoded);
}

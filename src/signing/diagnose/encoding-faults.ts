import type { Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { joinPairs, sortPairs } from '../oauth1.js';
import { type OauthParts, parametersOf, type Wrong } from './oauth-parts.js';
import { coarseRewritings, type Rewriting, rawSets, rewritings } from './rewritings.js';

/** Characters written otherwise than RFC 5849 3.6 has them, and things encoded too often or too little. */
export function* encodingFaults(parts: OauthParts): Generator<Wrong> {
  const all = `${parts.elements.uri} ${parts.parameters}`;
  for (const rewriting of [...rawSets(all), ...rewritings]) if (rewriting.needs.test(all)) yield* rewritten(parts, rewriting);
  yield* layers(parts);
  for (const rewriting of coarseRewritings) if (rewriting.needs.test(all)) yield* rewritten(parts, rewriting);
  yield* paths(parts);
}

/** The same encoder may have written the elements, too, or those alone. */
function* rewritten(parts: OauthParts, { rewrite, needs, ...mistake }: Rewriting): Generator<Wrong> {
  const changed: string[] = [];
  const pairs = parts.items.map(({ plain, encoded }): Pair => {
    const pair: Pair = [rewrite(encoded[0]), rewrite(encoded[1])];
    if (pair[0] !== encoded[0] || pair[1] !== encoded[1]) changed.push(plain[0]);
    return pair;
  });
  const { name, variant } = mistake;
  const detail = mistake.detail + where(changed);
  const inside = changed.length === 0 ? parts.elements.parameters : parametersOf(pairs);
  const uri = rewrite(parts.elements.uri);
  yield { name, variant, detail, elements: { parameters: rewrite(inside), ...(uri === parts.elements.uri ? {} : { uri }) } };
  if (changed.length > 0) yield { name, variant, detail, elements: { parameters: inside } };
  if (!needs.test(`${parts.elements.uri} ${parts.elements.parameters}`)) return;
  const outside = rewrite(parts.elements.parameters);
  yield { name, variant, detail: `${mistake.detail} (in the elements of the base string)`, elements: { uri, parameters: outside } };
}

const mostNamed = 3;

/** Names of fields, as far as they look like such. */
function where(names: readonly string[]): string {
  const shown = [...new Set(names)].filter((name) => /^[A-Za-z][\w.-]{0,63}$/.test(name) && !/\d{6}/.test(name));
  if (shown.length === 0) return '';
  return shown.length > mostNamed ? ` (${shown.slice(0, mostNamed).join(', ')} and others)` : ` (${shown.join(', ')})`;
}

/** 3.4.1.3.2 encodes names and values once, 3.4.1.1 every element once more. */
function* layers({ items, parameters, uri, elements, text }: OauthParts): Generator<Wrong> {
  const wrong = (variant: string, detail: string, changed: Wrong['elements']): Wrong => ({
    name: 'encoded-twice-or-once',
    variant,
    detail,
    elements: changed,
  });
  const each = (write: (pair: Pair, plain: Pair) => Pair) => parametersOf(items.map(({ plain, encoded }) => write(encoded, plain)));
  const raw = joinPairs(sortPairs(items.map(({ plain }) => plain)));
  yield wrong('parameters-twice', 'names and values encoded twice, %2525 where %25 is due', {
    parameters: each(([name, value]) => [percentEncode(name), percentEncode(value)]),
  });
  yield wrong('values-twice', 'values encoded twice, %2525 where %25 is due', {
    parameters: each(([name, value]) => [name, percentEncode(value)]),
  });
  yield wrong('parameters-raw', 'names and values not encoded before they were joined', { parameters: percentEncode(raw) });
  yield wrong('names-raw', 'names not encoded', { parameters: each(([, value], [name]) => [name, value]) });
  yield wrong('element-raw', 'the joined parameters not encoded once more: raw & and = in the third element', { parameters });
  yield wrong('elements-raw', 'address and joined parameters not encoded once more', { uri, parameters });
  yield wrong('everything-raw', 'nothing encoded at all', { uri, parameters: raw });
  yield wrong('element-twice', 'the joined parameters encoded twice more, not once', { parameters: percentEncode(elements.parameters) });
  yield wrong('elements-twice', 'address and joined parameters encoded twice more, not once', {
    uri: percentEncode(elements.uri),
    parameters: percentEncode(elements.parameters),
  });
  yield wrong('address-raw', 'the address not encoded', { uri });
  yield wrong('address-twice', 'the address encoded twice', { uri: percentEncode(elements.uri) });
  yield { ...wrong('whole-again', 'the whole base string encoded once more', {}), text: percentEncode(text) };
}

/** 3.4.1.2: the path is taken as it is sent. */
function* paths({ uri }: OauthParts): Generator<Wrong> {
  const start = uri.indexOf('/', uri.indexOf('//') + 2);
  const [origin, path] = [uri.slice(0, start), uri.slice(start)];
  const wrong = (variant: string, detail: string, changed: string): Wrong => ({
    name: 'encoded-twice-or-once',
    variant,
    detail,
    elements: { uri: percentEncode(origin + changed) },
  });
  yield wrong('path-decoded', 'the path decoded before it was signed; it is signed as it is sent', decoded(path));
  for (const encode of [encodeURI, encodeURIComponent, (segment: string) => percentEncode(segment)])
    yield wrong('path-again', 'the path encoded once more', path.split('/').map(encode).join('/'));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

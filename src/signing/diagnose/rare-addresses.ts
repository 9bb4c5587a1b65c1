import { decodedOrSame, percentEncode } from '../../wire/form.js';
import { placeOf } from './address-mistakes.js';
import { otherHosts, otherPathPieces, otherPorts, otherSchemes, type Piece } from './address-pieces.js';
import type { BaseStringMistake, OauthParts } from './oauth-parts.js';
import { parametersOf } from './oauth-parts.js';
import type { Place } from './other-paths.js';
import { printedMethods } from './printed-methods.js';

/** Addresses and methods that few programs sign: other parts of a URL, or its parts as a program prints them. */
export function* rareAddresses(parts: OauthParts): Generator<BaseStringMistake> {
  yield* pieced(parts);
  yield* withQuery(parts);
  yield* encodedAddresses(parts);
  yield* methods(parts);
}

interface Pieces {
  readonly schemes: readonly Piece[];
  readonly hosts: readonly Piece[];
  readonly ports: readonly Piece[];
  readonly paths: readonly Piece[];
}

/** The right one is the first of each list. */
function* combinations(place: Place, { schemes, hosts, ports, paths }: Pieces): Generator<readonly Piece[]> {
  const nothing = [right('')];
  const origin = `${place.scheme}://${place.host}${place.port}`;
  const local = ['', ':8080', ':3000', ':8000'].map((port) => ({ text: port, words: '' }));
  const products: readonly (readonly (readonly Piece[])[])[] = [
    [schemes.slice(0, 3), hosts.slice(0, 4), ports, paths.slice(0, 3)],
    [schemes, hosts.slice(0, likelyHosts), ports.slice(0, 3), paths.slice(0, 1)],
    [schemes.slice(0, 3), hosts, ports.slice(0, 3), paths.slice(0, 1)],
    [schemes.slice(0, 2), hosts.slice(0, 1), ports.slice(0, place.port === '' ? 1 : 2), paths],
    [schemes.slice(0, 1), hosts.slice(1, 4), ports.slice(0, 1), paths.slice(0, likelyPaths)],
    [[{ text: '', words: 'only the path' }], nothing, nothing, paths],
    [[{ text: 'http://localhost', words: 'the host of the machine' }], nothing, local, paths.slice(0, likelyPaths)],
    [[{ text: origin + origin, words: 'the origin twice' }], nothing, nothing, paths.slice(0, likelyPaths)],
  ];
  for (const [itsSchemes = [], itsHosts = [], itsPorts = [], itsPaths = []] of products)
    for (const scheme of itsSchemes)
      for (const host of itsHosts)
        for (const port of itsPorts) for (const path of itsPaths) yield [scheme, host, port, path];
}

const right = (text: string): Piece => ({ text, words: '' });
const likelyHosts = 12;
const likelyPaths = 40;

/** Any two of another scheme, host, port and path; of the likeliest, three. */
function* pieced(parts: OauthParts): Generator<BaseStringMistake> {
  const place = placeOf(parts);
  const { given, uri } = parts;
  const texts = textsOf(parts);
  const [, writtenHost = place.host] = /^[^/?#]*\/\/([^/?#:]*)/.exec(given.url) ?? [];
  const schemes = [right(`${place.scheme}://`), ...otherSchemes(place)];
  const hosts = [right(place.host), ...otherHosts(place, writtenHost, usersOf(parts, texts))];
  const ports = [right(place.port), ...otherPorts(place)];
  const paths = [right(place.path), ...otherPathPieces(place.path, texts)];
  const seen = new Set([uri]);
  const made = function* (...pieces: readonly Piece[]): Generator<BaseStringMistake> {
    const text = pieces.map((piece) => piece.text).join('');
    if (seen.has(text)) return;
    seen.add(text);
    const words = pieces.map((piece) => piece.words).filter((each) => each !== '');
    yield {
      name: 'scheme-host-port',
      variant: 'address-printed',
      detail: `an address signed other than the one the request is sent to: ${words.join(', and ')}`,
      elements: { uri: percentEncode(text.toWellFormed()) },
    };
  };
  for (const pieces of combinations(place, { schemes, hosts, ports, paths })) yield* made(...pieces);
}

const maxTexts = 40;

/** Short values that may have come into the path by mistake. */
function textsOf({ given, items }: OauthParts): string[] {
  const own = [given.consumerKey, given.nonce, given.timestamp, given.signatureMethod];
  const fields = items.filter(({ from }) => from !== 'oauth').map(({ encoded }) => encoded[1]);
  return [...new Set([...own, ...fields])].filter((text) => text !== '' && text.length <= maxTexts);
}

/** Whom an address may name, with a password or without. */
function usersOf({ given: { consumerKey, secret = '' }, uri }: OauthParts, texts: readonly string[]): string[] {
  const login = percentEncode(consumerKey);
  const end = /([^/]*)\/?$/.exec(uri)?.[1] ?? '';
  const users = [login, end, ...consumerKey.split(/[-_.]/), 'user', 'shop', 'merchant', 'admin', 'login', 'test', ''];
  const passwords = [percentEncode(secret), 'password', 'pass', 'secret', '', end, 'x', 'test', 'admin'];
  return [...new Set([...users.flatMap((user) => [user, ...passwords.map((word) => `${user}:${word}`)]), ...texts])];
}

/** Behind the path the query as it is written, and among the parameters or not. */
function* withQuery({ uri, queryText, items, elements, ...parts }: OauthParts): Generator<BaseStringMistake> {
  if (queryText === '') return;
  const { scheme, host, port, path } = placeOf({ uri, queryText, items, elements, ...parts });
  const unsigned = parametersOf(items.filter(({ from }) => from !== 'query').map(({ encoded }) => encoded));
  const other = scheme === 'https' ? 'http' : 'https';
  const sorted = queryText.split('&').sort().join('&');
  for (const start of [`${scheme}://${host}${port}`, `${other}://${host}${port}`, `${scheme}://${host}`, '', host])
    for (const itsPath of new Set([path, `${path}/`, path.replace(/\/+$/, ''), path.toLowerCase(), path.slice(1)]))
      for (const query of new Set([queryText, decodedOrSame(queryText), sorted, queryText.replaceAll('%20', '+'), '']))
        for (const mark of ['?', '&', '%3F', '/?'])
          for (const parameters of [unsigned, elements.parameters])
            yield {
              name: 'query-left-out',
              variant: 'address-printed',
              detail: 'the query signed as a part of the address; its fields belong among the parameters alone',
              elements: { uri: percentEncode(start + itsPath + mark + query), parameters },
            };
}

const addressEncodings: readonly (readonly [detail: string, write: (uri: string) => string])[] = [
  ['encoded twice', (uri) => percentEncode(percentEncode(uri))],
  ['not encoded', (uri) => uri],
  ['encoded except for its slashes', (uri) => percentEncode(uri).replaceAll('%2F', '/')],
  ['encoded with its slashes and colons left', (uri) => percentEncode(uri).replace(/%2F|%3A/g, decodeURIComponent)],
  ['encoded with lower-case escapes', (uri) => percentEncode(uri).replace(/%../g, (each) => each.toLowerCase())],
  ['encoded three times', (uri) => percentEncode(percentEncode(percentEncode(uri)))],
  ['encoded like a whole address', encodeURI],
];

/** Another address that is encoded otherwise as well. */
function* encodedAddresses(parts: OauthParts): Generator<BaseStringMistake> {
  const { scheme, host, port, path } = placeOf(parts);
  const other = scheme === 'https' ? 'http' : 'https';
  const usual = scheme === 'https' ? ':443' : ':80';
  const origins = [scheme, other].flatMap((each) => [port, '', usual].map((itsPort) => `${each}://${host}${itsPort}`));
  for (const origin of [...origins, '', host])
    for (const itsPath of [path, `${path}/`, path.toLowerCase(), '', `/${path}`])
      for (const [detail, write] of addressEncodings)
        yield {
          name: 'encoded-twice-or-once',
          variant: 'address-otherwise',
          detail: `the address ${detail}${origin + itsPath === parts.uri ? '' : `, and another one: ${origin}${itsPath}`}`,
          elements: { uri: write(origin + itsPath) },
        };
}

function* methods({ elements }: OauthParts): Generator<BaseStringMistake> {
  const { method } = elements;
  for (const word of printedMethods(elements.method))
    for (const written of [word, percentEncode(word)])
      yield {
        name: 'method',
        variant: 'printed',
        detail: `the method signed as ${word.trim()}; it must be ${method}, in upper case`,
        elements: { method: written },
      };
}

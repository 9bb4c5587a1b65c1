import { createHash } from 'node:crypto';
import { encodeForm, type Pair, percentEncode } from '../../wire/form.js';
import { authorizationHeader } from '../schemes/authorization-header.js';
import { elementsOtherwise, markWords } from './joining-mistakes.js';
import {
  type BaseStringMistake,
  type OauthParts,
  parametersWith,
  protocolPairs,
  type SignedParameter,
} from './oauth-parts.js';
import { encodedBy, percentEncoders } from './writings/percent-encoders.js';

/** Texts that are no base string: a body, a header, values alone, and elements with other marks between them. */
export function* wholeTexts(parts: OauthParts): Generator<BaseStringMistake> {
  yield* otherJoints(parts);
  yield* bodies(parts);
  yield* bodyHashes(parts);
}

const whole = (detail: string, text: string): BaseStringMistake => ({
  ...elementsOtherwise(detail),
  elements: {},
  text,
});

const marks = [
  ...[
    '& ',
    ' & ',
    ' &',
    '&\n',
    '\n&',
    '&\r\n',
    '&amp;',
    ', ',
    ' | ',
    '\t',
    ':',
    ';',
    '/',
    '+',
    '-',
    '_',
    '.',
    '#',
    '=',
  ],
  ...['\\n', '%0A', '||', '::', '%2526', '\n\n', '&&&', '\0', ' \n', ',\n', '~', '@', '*', '--', ' - ', '\\u0026'],
];

/** One of the marks between the elements, or both, and at times one before or behind the whole. */
function* otherJoints({ elements, uri, parameters }: OauthParts): Generator<BaseStringMistake> {
  for (const mark of marks)
    for (const [itsUri, rest] of [
      [elements.uri, elements.parameters],
      [uri, parameters],
      [elements.uri, parameters],
      [uri, elements.parameters],
    ] as const) {
      const detail = `the elements joined with ${markWords(mark)}`;
      yield whole(detail, [elements.method, itsUri, rest].join(mark));
      yield whole(`${detail} after the method`, `${elements.method}${mark}${itsUri}&${rest}`);
      yield whole(`${detail} after the address`, `${elements.method}&${itsUri}${mark}${rest}`);
      yield whole(
        `${detail}, and ${markWords(mark)} at the end`,
        `${[elements.method, itsUri, rest].join(mark)}${mark}`,
      );
      yield whole(`${detail}, and the method last`, [itsUri, rest, elements.method].join(mark));
    }
}

const json = (pairs: readonly Pair[]) => Object.fromEntries(pairs);
const spaced = (pairs: readonly Pair[]) =>
  `{${Object.entries(json(pairs))
    .map((pair) => pair.map((text) => JSON.stringify(text)).join(': '))
    .join(', ')}}`;
const unitHex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
const escaped = (text: string) => text.replace(/[^ -~]/g, (unit) => `\\u${unitHex(unit)}`);
const upperEscaped = (text: string) => text.replace(/[^ -~]|[<>&'+]/g, (unit) => `\\u${unitHex(unit).toUpperCase()}`);
const ofGo = (text: string) => text.replace(/[<>&\u2028\u2029]/g, (unit) => `\\u${unitHex(unit)}`);

type Print = (pairs: readonly Pair[]) => string;

const plainJson: readonly Print[] = [
  (pairs) => JSON.stringify(json(pairs)),
  spaced,
  ...[2, 4, '\t'].map(
    (indent): Print =>
      (pairs) =>
        JSON.stringify(json(pairs), undefined, indent),
  ),
];
const jsonForms = plainJson.flatMap((print): Print[] => [
  print,
  (pairs) => escaped(print(pairs)),
  (pairs) => escaped(print(pairs)).replaceAll('/', '\\/'),
  (pairs) => print(pairs).replaceAll('/', '\\/'),
  (pairs) => ofGo(print(pairs)),
  (pairs) => upperEscaped(print(pairs)),
]);

const formForms: readonly Print[] = [
  ...percentEncoders
    .filter(({ beyond, isOfAll }) => beyond === undefined && isOfAll !== true)
    .map(
      (encoder): Print =>
        (pairs) =>
          pairs.map((pair) => pair.map((text) => encodedBy(encoder, text)).join('=')).join('&'),
    ),
  (pairs) => pairs.map((pair) => pair.map((text) => percentEncode(text)).join('=')).join('&'),
  (pairs) => pairs.map((pair) => pair.join('=')).join('&'),
];

const valueForms: readonly Print[] = ['', '&', '|', ',', ';', ':', '\n', ' ', '-', '.', '+'].flatMap(
  (mark): Print[] => [
    (pairs) => pairs.map(([, value]) => value).join(mark),
    (pairs) => pairs.map((pair) => pair.join('')).join(mark),
    (pairs) => pairs.map((pair) => pair.join('=')).join(mark),
    (pairs) => pairs.map((pair) => pair.join(':')).join(mark),
  ],
);

/** The body, all parameters or the header as one text, alone or behind the method and the address. */
function* bodies({ items, elements, uri, given }: OauthParts): Generator<BaseStringMistake> {
  const of = (from: string) => items.filter((item) => item.from === from).map(({ plain }) => plain);
  const [body, own, query] = [of('body'), of('oauth'), of('query')];
  const sorted = (pairs: readonly Pair[]) =>
    [...pairs].sort(([one], [other]) => Number(one > other) - Number(one < other));
  const lists: readonly (readonly [string, readonly Pair[]])[] = [
    ['the fields of the body', body],
    ['the fields of the body, sorted,', sorted(body)],
    ['the fields of body and query', [...query, ...body]],
    ['the oauth_ parameters', own],
    ['the parameters', [...own, ...query, ...body]],
    ['the parameters', [...body, ...query, ...own]],
    ['the parameters, sorted,', sorted([...own, ...query, ...body])],
  ];
  const starts = [
    '',
    `${elements.method}&${elements.uri}&`,
    `${elements.method}&${uri}&`,
    elements.method + uri,
    uri,
  ].concat(`${elements.method}\n${uri}\n`, `${uri}?`, `${elements.method} ${uri}\n`, `${elements.method}&`, `${uri}&`);
  const seen = new Set<string>();
  for (const [words, pairs] of lists)
    for (const [kind, forms] of [
      ['as JSON', jsonForms],
      ['as a form', formForms],
      ['as values with separators between them', valueForms],
    ] as const)
      for (const print of forms) {
        const text = print(pairs);
        if (text === '' || seen.has(text)) continue;
        seen.add(text);
        for (const [at, start] of starts.entries())
          for (const each of at > 0 && kind !== 'as a form' ? [text, percentEncode(text)] : [text])
            yield whole(`${words} signed ${kind}${at === 0 ? '' : ' after the method or the address'}`, start + each);
      }
  yield* headers(own, given.realm, protocolPairs(given));
}

/** An oauth_body_hash over the body as one text, for the fields or beside them. */
function* bodyHashes({ items }: OauthParts): Generator<BaseStringMistake> {
  const body = items.filter(({ from }) => from === 'body').map(({ plain }) => plain);
  if (body.length === 0) return;
  const encoded = (isDue: (item: SignedParameter) => boolean) => items.filter(isDue).map((item) => item.encoded);
  const rests = [encoded(({ from }) => from !== 'body'), encoded(({ from }) => from === 'oauth'), encoded(() => true)];
  const adders = rests.map((rest) => parametersWith(rest));
  const texts = new Set([...formForms, ...jsonForms].map((print) => print(body)).concat('', encodeForm(body)));
  for (const text of texts)
    for (const hash of ['sha1', 'sha256', 'md5', 'sha512'])
      for (const form of ['base64', 'hex'] as const)
        for (const withPair of adders)
          yield {
            name: 'body-left-out',
            variant: 'hash-of-text',
            detail: 'an oauth_body_hash signed over the body as one text; sign the fields, and send them as a form',
            elements: {
              parameters: withPair(['oauth_body_hash', percentEncode(createHash(hash).update(text).digest(form))]),
            },
          };
}

function* headers(
  own: readonly Pair[],
  realm: string | undefined,
  sorted: readonly Pair[],
): Generator<BaseStringMistake> {
  for (const pairs of [own, sorted]) {
    const header = authorizationHeader(pairs, realm === undefined ? {} : { realm });
    for (const start of ['', 'Authorization: '])
      for (const text of [
        header,
        header.replace(/^OAuth /, ''),
        header.replaceAll(', ', ','),
        header.replaceAll('"', ''),
      ])
        yield whole('the Authorization header signed', start + text);
  }
}

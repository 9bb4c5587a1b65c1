import { type Pair, percentEncode } from '../../wire/form.js';
import { encodePairs } from '../schemes/oauth1.js';
import type { OauthMistakeName } from './diagnosis.js';
import { type BaseStringMistake, type OauthParts, parametersOf, type SignedParameter, wrong } from './oauth-parts.js';
import { withProtocolValue } from './protocol-mistakes.js';

/** Other parameters signed than those that are sent (3.4.1.3.1): one of them, or all written in another way. */
export function* sourceMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  yield* versions(parts);
  yield* withoutProtocol(parts);
  yield* protocolTwice(parts);
  yield* addedFields(parts);
  yield* queries(parts);
  yield* writtenValues(parts);
  yield* singleFields(parts);
}

const encodedPair = ([name, value]: Pair): Pair => [percentEncode(name), percentEncode(value)];
const signedPairs = (items: readonly SignedParameter[]) => items.map(({ encoded }) => encoded);

/** Required parameters, and oauth_version, which is signed when it is sent (3.1). */
function* versions(parts: OauthParts): Generator<BaseStringMistake> {
  const { given, items } = parts;
  const version = (variant: string, value: string | undefined) =>
    wrong(
      'empty-values',
      variant,
      value === undefined
        ? 'oauth_version not signed, although it is sent'
        : 'oauth_version signed with a different value',
      withProtocolValue(parts, 'oauth_version', value),
    );
  if (given.hasVersion) {
    yield version('version-left-out', undefined);
    for (const value of ['1', '1.0a', '2.0', '']) yield version('version-other', value);
  } else
    yield wrong('empty-values', 'version-added', 'oauth_version signed, although it is not sent', {
      parameters: parametersOf([...signedPairs(items), ['oauth_version', '1.0']]),
    });
  yield wrong(
    'empty-values',
    'consumer-key-left-out',
    'oauth_consumer_key not signed',
    withProtocolValue(parts, 'oauth_consumer_key', undefined),
  );
  if (/^\d+$/.test(given.timestamp))
    for (let tenth = 0; tenth < 10; tenth += 1)
      yield wrong(
        'nonce-timestamp',
        'fraction',
        'oauth_timestamp signed with a fraction; it must be a whole number of seconds',
        withProtocolValue(parts, 'oauth_timestamp', `${given.timestamp}.${tenth}`),
      );
}

/** The fields alone, or an endpoint id for the login. */
function* withoutProtocol(parts: OauthParts): Generator<BaseStringMistake> {
  const { items, uri } = parts;
  yield wrong('empty-values', 'oauth-left-out', 'the oauth_ parameters not signed; they belong among the others', {
    parameters: parametersOf(signedPairs(items.filter(({ from }) => from !== 'oauth'))),
  });
  const end = /\/([^/]+)\/?$/.exec(uri)?.[1];
  if (end !== undefined && end !== parts.given.consumerKey)
    yield wrong(
      'empty-values',
      'consumer-key-endpoint',
      'oauth_consumer_key signed as the end of the path, the endpoint id; it must be the merchant login',
      withProtocolValue(parts, 'oauth_consumer_key', end),
    );
}

function* protocolTwice({ items }: OauthParts): Generator<BaseStringMistake> {
  const protocol = items.filter(({ from }) => from === 'oauth');
  yield wrong(
    'repeated-or-nested-names',
    'oauth-twice',
    'the oauth_ parameters signed twice, as from the header and from the body',
    { parameters: parametersOf(signedPairs([...items, ...protocol])) },
  );
  const protocolAs = (change: (name: string, value: string) => Pair) => ({
    parameters: parametersOf(
      items.map(({ from, plain, encoded }) => (from === 'oauth' ? encodedPair(change(...plain)) : encoded)),
    ),
  });
  yield wrong(
    'nonce-timestamp',
    'nonce-empty',
    'an empty oauth_nonce signed',
    protocolAs((name, value) => [name, name === 'oauth_nonce' ? '' : value]),
  );
  yield wrong('encoded-twice-or-once', 'oauth-raw', 'the values of the oauth_ parameters not encoded', {
    parameters: parametersOf(
      items.map(({ from, plain, encoded }): Pair => (from === 'oauth' ? [encoded[0], plain[1]] : encoded)),
    ),
  });
}

// Fields that a client has a place for and sends only when they hold something.
const optionalNames = [
  ...['oauth_callback', 'oauth_verifier', 'client_orderid', 'orderid', 'login', 'control', 'amount', 'currency'],
  ...['order_desc', 'email', 'phone', 'ipaddress', 'redirect_url', 'server_callback_url', 'merchant_data'],
];
const emptyWords = ['', 'null', 'undefined', 'None'];

function* addedFields({ ordered, given }: OauthParts): Generator<BaseStringMistake> {
  const names = new Set(ordered.map(({ plain }) => plain[0]));
  const added = (variant: string, detail: string, pair: Pair) =>
    wrong('empty-values', variant, detail, { parameters: parametersOf([...signedPairs(ordered), pair]) });
  if (given.token === undefined)
    for (const word of emptyWords.slice(1))
      yield added('token-added', `an oauth_token signed as ${word}, although it is not sent`, ['oauth_token', word]);
  yield added('callback-added', 'an oauth_callback signed, although it is not sent', ['oauth_callback', 'oob']);
  for (const name of optionalNames)
    if (!names.has(name))
      for (const word of emptyWords)
        yield added('field-added', `an empty ${name} signed, although it is not sent`, [name, word]);
}

/** 3.4.1.3.1: a query is decoded like a form before its parameters are encoded. */
function* queries({ items, queryText }: OauthParts): Generator<BaseStringMistake> {
  if (queryText === '') return;
  const rest = signedPairs(items.filter(({ from }) => from !== 'query'));
  const split = queryText.split('&').map((piece): Pair => {
    const at = piece.indexOf('=');
    return at === -1 ? [piece, ''] : [piece.slice(0, at), piece.slice(at + 1)];
  });
  yield wrong('encoded-twice-or-once', 'query-as-written', 'the query encoded as it is written, without decoding it', {
    parameters: parametersOf([...rest, ...encodePairs(split)]),
  });
  yield wrong('encoded-twice-or-once', 'query-not-encoded', 'the query taken as it is written', {
    parameters: parametersOf([...rest, ...split]),
  });
  yield wrong('space-plus', 'query-plus', 'the + of the query read as a plus sign; it stands for a space', {
    parameters: parametersOf([...rest, ...split.map(([name, value]): Pair => [plusEncoded(name), plusEncoded(value)])]),
  });
}

function plusEncoded(written: string): string {
  return percentEncode(decodeURIComponent(written));
}

const htmlCodes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const html = (quote: string) => (text: string) =>
  text.replace(/[&<>"]/g, (char) => htmlCodes[char] ?? char).replaceAll("'", quote);

const writings: readonly (readonly [OauthMistakeName, string, string, (text: string) => string])[] = [
  ['encoded-twice-or-once', 'html', 'values escaped for HTML before they were signed', html('&#039;')],
  ['encoded-twice-or-once', 'html', 'values escaped for HTML before they were signed', html('&#x27;')],
  ['encoded-twice-or-once', 'html', 'values escaped for HTML before they were signed', html("'")],
  ['not-utf8', 'decomposed', 'accented letters signed in decomposed form (NFD)', (text) => text.normalize('NFD')],
  ['not-utf8', 'composed', 'accented letters signed in composed form (NFC)', (text) => text.normalize('NFC')],
  [
    'not-utf8',
    'unaccented',
    'letters signed without their accents',
    (text) => text.normalize('NFD').replace(/\p{Mn}/gu, ''),
  ],
  ['encoded-twice-or-once', 'quoted', 'values signed with quotes around them', (text) => JSON.stringify(text)],
  ['reserved-characters', 'all-values-lower-case', 'values signed in lower case', (text) => text.toLowerCase()],
  ['reserved-characters', 'all-values-upper-case', 'values signed in upper case', (text) => text.toUpperCase()],
];

function* writtenValues({ ordered }: OauthParts): Generator<BaseStringMistake> {
  for (const [name, variant, detail, write] of writings)
    for (const isDue of [(from: string) => from === 'body', () => true])
      yield wrong(name, variant, detail, {
        parameters: parametersOf(
          ordered.map(
            ({ from, plain, encoded }): Pair => (isDue(from) ? [encoded[0], percentEncode(write(plain[1]))] : encoded),
          ),
        ),
      });
}

type FieldChange = readonly [name: OauthMistakeName, variant: string, detail: string, values: readonly string[]];

function changesOf(value: string): FieldChange[] {
  const words = emptyWords
    .filter((word) => word !== value)
    .map(
      (word): FieldChange => [
        'empty-values',
        'field-emptied',
        `signed ${word === '' ? 'empty' : `as ${word}`} although it is not empty`,
        [word],
      ],
    );
  return [
    ['body-left-out', 'field', 'not signed', []],
    ...(value === '' ? [] : words),
    ['repeated-or-nested-names', 'field-twice', 'signed twice', [value, value]],
    ['repeated-or-nested-names', 'object', 'signed as [object Object]', ['[object Object]']],
    ...casesOf(value).map((text): FieldChange => ['body-left-out', 'other-case', 'signed in a different case', [text]]),
    ...numbersOf(value).map(
      (text): FieldChange => [
        'body-left-out',
        'other-number',
        // Of other digits than those of an amount, such as a security code, none is shown.
        `signed as a number written differently from the one sent${value.includes('.') ? `, ${text}` : ''}`,
        [text],
      ],
    ),
  ];
}

/** What languages make of the text of an amount when they hold it as a number, in units or in cents. */
function numbersOf(value: string): string[] {
  if (/^0\d{1,20}$/.test(value)) return [String(BigInt(value))];
  if (!/^\d{1,15}\.\d{1,4}$/.test(value)) return [];
  const number = Number(value);
  return [
    String(number),
    String(Math.round(number * 100)),
    number.toFixed(1),
    number.toFixed(2),
    number.toFixed(4),
    String(Math.trunc(number)),
    value.replace('.', ','),
  ].filter((text) => text !== value);
}

function casesOf(value: string): string[] {
  return [value.toLowerCase(), value.toUpperCase()].filter((text) => text !== value);
}

const maxFields = 40;

function* singleFields({ items, ordered }: OauthParts): Generator<BaseStringMistake> {
  const fields = items.filter(({ from }) => from !== 'oauth');
  const names = [...new Set(fields.map(({ encoded }) => encoded[0]))].slice(0, maxFields);
  for (const encodedName of names) {
    const [first] = fields.filter(({ encoded }) => encoded[0] === encodedName);
    if (first === undefined) continue;
    const shown =
      /^[A-Za-z][\w.-]{0,63}$/.test(first.plain[0]) && !/\d{6}/.test(first.plain[0]) ? first.plain[0] : 'a field';
    for (const [name, variant, detail, values] of changesOf(first.plain[1])) {
      const pairs = ordered.flatMap((item): readonly Pair[] =>
        item.from === 'oauth' || item.encoded[0] !== encodedName
          ? [item.encoded]
          : values.map((value): Pair => [encodedName, percentEncode(value)]),
      );
      const isQuery = first.from === 'query' && name === 'body-left-out';
      yield wrong(isQuery ? 'query-left-out' : name, variant, `${shown} ${detail}`, {
        parameters: parametersOf(pairs),
      });
    }
  }
}

/** More, or less, than the base string signed (3.4.1.1). */
export function* textMistakes({
  text,
}: {
  readonly text: string;
}): Generator<BaseStringMistake & { readonly text: string }> {
  const made = (name: OauthMistakeName, variant: string, detail: string, changed: string) => ({
    ...wrong(name, variant, detail, {}),
    text: changed,
  });
  for (const [variant, detail, rest] of [
    ['text-line-feed', 'a line feed after the base string was signed with it; echo adds one', '\n'],
    ['text-crlf', 'a carriage return and a line feed after the base string were signed with it', '\r\n'],
    ['text-blank', 'a space after the base string was signed with it', ' '],
    ['text-ampersand', 'an & after the base string was signed with it', '&'],
    ['text-zero', 'a zero byte after the base string was signed with it', '\0'],
  ] as const)
    yield made('digest', variant, detail, text + rest);
  yield made(
    'not-utf8',
    'byte-order-mark',
    'a byte order mark before the base string was signed with it',
    `\uFEFF${text}`,
  );
  yield made('reserved-characters', 'all-lower-case', 'the base string signed in lower case', text.toLowerCase());
  yield made('reserved-characters', 'all-upper-case', 'the base string signed in upper case', text.toUpperCase());
}

import { createHash } from 'node:crypto';
import { allFields } from '../../spec/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { formEncoded, htmlEscapes } from './charsets.js';
import {
  adding,
  keeping,
  type OauthCase,
  type OauthRow,
  onParameters,
  type Parameter,
  set,
  withValue,
} from './oauth-recipe.js';
import { common, family } from './search.js';

type Change = OauthRow['change'];

const everyField = 'sign every field of the form body together with the oauth_ parameters';
const asForm = 'send the fields as a form and sign each of them; the body itself, or a hash of it, is not signed';
const queryOnce = 'sign the fields of the query once among the parameters, and leave the query out of the address';
const emptyToo = 'sign an empty field as name=, and send it the same way';
const asSent = 'sign each field exactly as it is sent, and nothing that is not sent; keep amounts as text';
const asPairs = 'keep the fields as a list of pairs and sign each as it is sent; a map loses values';

/** Other parameters signed than those that are sent (3.4.1.3.1), likeliest first. */
export function parameterRows(given: OauthCase, parameters: readonly Parameter[]): OauthRow[] {
  return [
    ...bodyRows,
    ...queryRows(given),
    ...emptyRows(given),
    ...repeatedRows,
    ...protocolRows(given),
    ...fieldRows(parameters),
  ];
}

const field = (name: string, value = ''): Parameter => ({ from: 'body', name, value });
const of = (from: Parameter['from']) => (parameters: readonly Parameter[]) =>
  parameters.filter((each) => each.from === from);
const added = (name: string, value = '') => adding(() => [{ from: 'oauth', name, value }]);
const without = (name: string) => withValue(name, undefined);

type Text = (body: readonly Pair[]) => string;
const spaced: Text = (body) => {
  const pairs = Object.entries(Object.fromEntries(body)).map((pair) => pair.map((each) => JSON.stringify(each)));
  return `{${pairs.map((pair) => pair.join(': ')).join(', ')}}`;
};
const bodyTexts: Readonly<Record<string, Text>> = {
  json: (body) => JSON.stringify(Object.fromEntries(body)),
  'json-spaced': spaced,
  'form-text': (body) => body.map((pair) => pair.map(formEncoded).join('=')).join('&'),
  'form-percent': (body) => encodeForm(body),
};

/** The body as one parameter, in the place of its fields or beside them. */
const asOne =
  (write: (body: readonly Pair[]) => Parameter, isBeside = false): Change =>
  ({ parameters }) => {
    const body = of('body')(parameters).map(({ name, value }): Pair => [name, value]);
    return { parameters: [...parameters.filter(({ from }) => isBeside || from !== 'body'), write(body)] };
  };
const hashed = (text: Text, hash: string) => (body: readonly Pair[]) =>
  field('oauth_body_hash', createHash(hash).update(text(body)).digest('base64'));

const bodyRows: readonly OauthRow[] = [
  ...family('body-left-out', everyField, [
    ['unsigned', 'the fields of the form body were not signed', keeping(({ from }) => from !== 'body'), common],
    ['oauth-only', 'only the oauth_ parameters were signed', keeping(({ from }) => from === 'oauth'), common],
  ]),
  ...family(
    'body-left-out',
    asForm,
    Object.entries(bodyTexts).flatMap(([variant, write]) => [
      [variant, `the body as one text signed (${variant})`, asOne((body) => field(write(body)))] as const,
      ...['sha1', 'sha256'].flatMap((hash) =>
        [false, true].map(
          (isBeside) =>
            [`hash-of-${variant}`, 'an oauth_body_hash signed', asOne(hashed(write, hash), isBeside)] as const,
        ),
      ),
    ]),
  ),
];

function queryRows({ url }: OauthCase): OauthRow[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  if (query === '') return [];
  const unsigned = keeping(({ from }) => from !== 'query');
  const inAddress: Change = ({ address }) => ({ address: `${address}?${query}` });
  return family('query-left-out', queryOnce, [
    ['unsigned', 'the query of the address was not signed', unsigned, common],
    ['in-address', 'the query left in the address', (it) => ({ ...unsigned(it), ...inAddress(it) })],
    ['in-both', 'the query signed twice, in the address and among the parameters', inAddress],
    ['twice', 'the query signed twice among the parameters', adding(of('query'))],
  ]);
}

const isFilled = ({ value }: Parameter) => value !== '';
const joinBare = (list: readonly { readonly name: string; readonly value: string }[]) =>
  list.map(({ name, value }) => (value === '' ? name : `${name}=${value}`)).join('&');

/** Parameters that are empty, and those of the header that are signed or not, other than they are sent. */
function emptyRows({ protocol: sent }: OauthCase): OauthRow[] {
  const has = (name: string) => sent.some((pair) => pair[0] === name);
  return [
    ...family('empty-values', emptyToo, [
      ['dropped', 'fields with an empty value left out', keeping(isFilled), common],
      ['without-equals', 'the = of an empty value left out', set({ join: joinBare })],
      ...['null', 'undefined', 'None', '0'].map((value) => {
        const change = onParameters((each) => [isFilled(each) ? each : { ...each, value }]);
        return [value, `an empty value signed as ${value}`, change] as const;
      }),
    ]),
    ...family('empty-values', asSent, [
      ['token-added', 'an empty oauth_token signed', has('oauth_token') ? set({}) : added('oauth_token'), common],
      ['signature-added', 'an empty oauth_signature signed', added('oauth_signature')],
      has('oauth_version')
        ? ['version-left-out', 'oauth_version not signed, although it is sent', without('oauth_version')]
        : ['version-added', 'oauth_version signed that is not sent', added('oauth_version', '1.0')],
      ...['1', '1.0a', '2.0'].map(
        (value) => ['version-other', 'another oauth_version signed', withValue('oauth_version', value)] as const,
      ),
      ['consumer-key-left-out', 'oauth_consumer_key not signed', without('oauth_consumer_key')],
      ['oauth-left-out', 'the oauth_ parameters not signed', keeping(({ from }) => from !== 'oauth')],
    ]),
  ];
}

type Fold = (name: string, values: readonly string[]) => readonly Pair[];
const foldings: readonly (readonly [variant: string, words: string, fold: Fold])[] = [
  ['first', 'only the first', (name, [first = '']) => [[name, first]]],
  ['last', 'only the last', (name, values) => [[name, values.at(-1) ?? '']]],
  ['comma', 'joined by commas', (name, values) => [[name, values.join(',')]]],
  ['object', 'as [object Object]', (name) => [[name, '[object Object]']]],
  ['brackets', 'with [] after the name', (name, values) => values.map((value) => [`${name}[]`, value])],
  ['indices', 'with [0], [1] after the name', (name, values) => values.map((value, at) => [`${name}[${at}]`, value])],
  ['bare', 'without their brackets', (name, values) => values.map((value) => [name, value])],
];

const bareName = (name: string) => /^([^[\]]+)(?:\[[^\]]*\])+$/.exec(name)?.[1] ?? name;
const hasSeveral = (members: readonly Parameter[]) => members.length > 1;
const hasBrackets = (members: readonly Parameter[]) => members.some(({ name }) => bareName(name) !== name);

/** 3.4.1.3.2: equal names are signed each, and a name with brackets is a name like any other. */
const repeatedRows: readonly OauthRow[] = [
  ...foldings.flatMap(([variant, words, fold]) => {
    const mark = variant === 'first' ? common : undefined;
    return family('repeated-or-nested-names', asPairs, [
      [variant, `parameters with equal names signed ${words}`, folded((name) => name, hasSeveral, fold), mark],
      [variant, `parameters with brackets in their names signed ${words}`, folded(bareName, hasBrackets, fold)],
    ]);
  }),
  ...family('repeated-or-nested-names', asSent, [
    ['oauth-twice', 'the oauth_ parameters signed twice, as from the header and from the body', adding(of('oauth'))],
  ]),
];

function folded(keyOf: (name: string) => string, isDue: typeof hasSeveral, fold: Fold): Change {
  return ({ parameters }) => {
    const keys = [...new Set(parameters.map(({ name }) => keyOf(name)))];
    const foldOne = (key: string): readonly Parameter[] => {
      const members = parameters.filter(({ name }) => keyOf(name) === key);
      const { from } = members[0] ?? field('');
      if (!isDue(members)) return members;
      const values = members.map(({ value }) => value);
      return fold(key, values).map(([name, value]) => ({ from, name, value }));
    };
    return { parameters: keys.flatMap(foldOne) };
  };
}

const methodNames = ['HMAC-SHA1', 'RSA-SHA256', 'HMAC-SHA256', 'RSA-SHA1', 'PLAINTEXT', 'SHA256withRSA', 'RS256', ''];

function protocolRows({ signatureMethod, realm = '' }: OauthCase): OauthRow[] {
  const method = (value: string | undefined) => withValue('oauth_signature_method', value);
  const names = [...methodNames, signatureMethod.toLowerCase(), signatureMethod.replace('-', '')];
  return [
    ...family('rsa-key-or-method', `send and sign oauth_signature_method=${signatureMethod}`, [
      ...names.map(
        (name) => [`method-${name || 'empty'}`, `oauth_signature_method=${name} signed`, method(name)] as const,
      ),
      ['method-left-out', 'oauth_signature_method not signed', method(undefined)],
    ]),
    ...family('realm', 'leave the realm of the header out of the base string, and sign a field of that name', [
      ['signed', 'the realm signed', added('realm', realm)],
      ['signed', 'the realm signed', added('OAuth realm', realm)],
      ['field-left-out', 'a field named realm left out', keeping(({ name }) => name !== 'realm')],
    ]),
  ];
}

const maxFields = 30;
// Fields that a client has a place for and sends only when they hold something.
const optionalNames = new Set(['oauth_verifier', 'orderid', 'login', 'control', ...allFields.map(({ wire }) => wire)]);

/** One field of the body or the query signed otherwise than it is sent. */
function fieldRows(parameters: readonly Parameter[]): OauthRow[] {
  const fields = parameters.filter(({ from }) => from !== 'oauth').slice(0, maxFields);
  const missing = [...optionalNames].filter((each) => !parameters.some(({ name }) => name === each));
  const surplus = ['', 'null', 'undefined', 'None'].flatMap((word) => missing.map((name) => field(name, word)));
  return [
    ...fields.flatMap(oneField),
    ...family(
      'empty-values',
      asSent,
      surplus.map((each) => {
        const detail = `${each.name} signed as ${each.value || 'nothing'}, although it is not sent`;
        return ['field-added', detail, adding(() => [each])];
      }),
    ),
  ];
}

function oneField({ from, name, value }: Parameter): OauthRow[] {
  const shown = /^[A-Za-z][\w.-]{0,63}$/.test(name) && !/\d{6}/.test(name) ? name : 'a field';
  const isThis = (each: Parameter) => each.from !== 'oauth' && each.name === name;
  const as = (variant: string, words: string, ...values: readonly string[]) =>
    [
      variant,
      `${shown} signed ${words}`,
      onParameters((each) => (isThis(each) ? values.map((text) => ({ ...each, value: text })) : [each])),
    ] as const;
  const words = value === '' ? [] : ['', 'null', 'undefined', 'None'];
  return [
    ...family(from === 'query' ? 'query-left-out' : 'body-left-out', asSent, [
      as('field', 'not at all'),
      ...numbersOf(value).map((text) =>
        as('other-number', value.includes('.') ? `as ${text}` : 'as another number', text),
      ),
      as('other-case', 'in lower case', value.toLowerCase()),
      as('other-case', 'in upper case', value.toUpperCase()),
    ]),
    ...family(
      'empty-values',
      asSent,
      words.map((word) => as('field-emptied', `as ${word || 'nothing'}`, word)),
    ),
    ...family(
      'encoded-twice-or-once',
      asSent,
      htmlEscapes.map((write) => as('html', 'escaped for HTML', write(value))),
    ),
    ...family('repeated-or-nested-names', asSent, [
      as('field-twice', 'twice', value, value),
      as('object', 'as [object Object]', '[object Object]'),
    ]),
  ];
}

/** What languages make of an amount that they hold as a number, in units or in cents. */
function numbersOf(value: string): string[] {
  if (/^0\d{1,20}$/.test(value)) return [String(BigInt(value))];
  if (!/^\d{1,15}\.\d{1,4}$/.test(value)) return [];
  const number = Number(value);
  const [cents, whole] = [String(Math.round(number * 100)), String(Math.trunc(number))];
  return [String(number), cents, number.toFixed(1), number.toFixed(2), whole, value.replace('.', ',')];
}

import { type Pair, percentEncode } from '../../wire/form.js';
import { encodePairs } from '../schemes/oauth1.js';
import { inFields } from './encoding-mistakes.js';
import {
  type BaseStringMistake,
  type OauthParts,
  parametersOf,
  parametersWith,
  type SignedParameter,
  wrong,
} from './oauth-parts.js';

/**
 * Mistakes in which the client signed other fields than it sent: several left out, such as all fields of the customer,
 * others added, values exchanged or split, and two such changes at once. Each mistake is a base string to try.
 */
export function* fieldSets(parts: OauthParts): Generator<BaseStringMistake> {
  const fields = parts.items.filter(({ from }) => from !== 'oauth').slice(0, maxFields);
  yield* addedWithSentValues(parts);
  yield* severalLeftOut(parts, fields);
  yield* otherValues(parts, fields);
  yield* addedPairs(parts);
  yield* splitValues(parts, fields);
  yield* twoChanges(parts, fields);
}

/** Of more fields only the first are tried, since the number of combinations grows with the square. */
const maxFields = 40;

const pairsOf = (items: readonly SignedParameter[]): Pair[] => items.map(({ encoded }) => encoded);

function changed(variant: string, detail: string, pairs: readonly Pair[]): BaseStringMistake {
  return wrong('body-left-out', variant, `${detail}; the fields that are sent must be signed, and no others`, {
    parameters: parametersOf(pairs),
  });
}

/** Fields that a client builds from one object, by the names they have in clients; `.` stands for - or _. */
const fieldGroups: readonly (readonly [words: string, names: RegExp])[] = [
  [
    'the customer',
    /^(?:customer.)?(?:(?:\w+.)?name|ssn|birth.*|address.?\d?|city|state|zip.*|country|.*phone|e?.?mail)$/i,
  ],
  ['the address', /^(?:billing.|customer.)?(?:address.?\d?|street|city|state|zip.?(?:code)?|country)$/i],
  ['the name', /^(?:first.?name|last.?name|middle.?name)$/i],
  ['the contact', /^(?:phone|cell.?phone|e?mail|e-mail|ipaddress)$/i],
  ['the card', /^(?:credit.card.number|card.printed.name|expire.month|expire.year|cvv2?|card.*|expir.*)$/i],
  ['the expiry date', /^expire?.*(?:month|year)$/i],
  ['the recipient', /^(?:receiver|beneficiary|recipient|destination).*/i],
  ['the sender', /^(?:sender|sending).*/i],
  ['the account', /^(?:account|bank).*/i],
  ['the wallet', /^wallet.*/i],
  ['the amount', /^(?:amount.*|currency)$/i],
  ['the addresses of the shop', /(?:url|redirect)/i],
  ['the recurring payment', /^(?:rp.|recurring|interval|start|finish|amount.from|amount.to).*/i],
];

/** Several fields left out: a group, those with a common prefix, a run of neighbours, any two, any three. */
function* severalLeftOut({ items }: OauthParts, fields: readonly SignedParameter[]): Generator<BaseStringMistake> {
  const without = (gone: ReadonlySet<SignedParameter>) =>
    changed(
      'fields-left-out',
      `fields left out${inFields([...gone].map(({ plain }) => plain[0]))}`,
      pairsOf(items.filter((item) => !gone.has(item))),
    );
  for (const [words, names] of fieldGroups) {
    const gone = fields.filter(({ plain: [name] }) => names.test(name));
    if (gone.length < 2) continue;
    const group = new Set(gone);
    yield changed(
      'fields-left-out',
      `the fields of ${words} left out`,
      pairsOf(items.filter((item) => !group.has(item))),
    );
    yield without(new Set(fields.filter((field) => !group.has(field))));
  }
  for (const word of ['_', '-'])
    for (const prefix of new Set(fields.map(({ plain: [name] }) => name.split(word)[0] ?? '')))
      yield without(new Set(fields.filter(({ plain: [name] }) => name.startsWith(prefix + word))));
  for (let from = 0; from < fields.length; from += 1)
    for (let to = from + 2; to <= fields.length; to += 1) {
      yield without(new Set(fields.slice(from, to)));
      yield without(new Set([...fields.slice(0, from), ...fields.slice(to)]));
    }
  for (const [at, one] of fields.entries())
    for (const other of fields.slice(at + 1)) yield without(new Set([one, other]));
  if (fields.length > maxFieldsForTriples) return;
  for (const [at, one] of fields.entries())
    for (const [next, other] of fields.entries())
      for (const third of next > at ? fields.slice(next + 1) : []) yield without(new Set([one, other, third]));
}

/** Any three fields are tried of no more fields than this: 364 combinations. */
const maxFieldsForTriples = 14;

/** Fields signed empty, as after a form was reset, or with the value of another field. */
function* otherValues({ items }: OauthParts, fields: readonly SignedParameter[]): Generator<BaseStringMistake> {
  const withEmpty = (emptied: ReadonlySet<SignedParameter>) =>
    changed(
      'fields-emptied',
      `fields signed empty${inFields([...emptied].map(({ plain }) => plain[0]))}`,
      items.map((item): Pair => (emptied.has(item) ? [item.encoded[0], ''] : item.encoded)),
    );
  yield withEmpty(new Set(fields));
  for (const [, names] of fieldGroups) yield withEmpty(new Set(fields.filter(({ plain: [name] }) => names.test(name))));
  for (const [at, one] of fields.entries())
    for (const other of fields.slice(at + 1)) {
      yield withEmpty(new Set([one, other]));
      // The value of one field under the name of another, and the other way round.
      yield changed(
        'fields-swapped',
        `the values of two fields swapped${inFields([one.plain[0], other.plain[0]])}`,
        items.map((item): Pair => {
          if (item !== one && item !== other) return item.encoded;
          return [item.encoded[0], (item === one ? other : one).encoded[1]];
        }),
      );
      for (const [to, from] of [
        [one, other],
        [other, one],
      ] as const)
        yield changed(
          'field-of-another',
          `a field signed with the value of another${inFields([to.plain[0], from.plain[0]])}`,
          items.map((item): Pair => (item === to ? [item.encoded[0], from.encoded[1]] : item.encoded)),
        );
    }
}

/** Names of fields of the interface, and what a client has beside them. */
const otherNames = [
  ...['login', 'control', 'endpointid', 'endpoint_id', 'merchant', 'client_orderid', 'client-orderid', 'orderid'],
  ...['order_desc', 'amount', 'currency', 'email', 'phone', 'cell_phone', 'ipaddress', 'first_name', 'last_name'],
  ...['middle_name', 'address1', 'address2', 'city', 'state', 'zip_code', 'country', 'birthday', 'ssn', 'site_url'],
  ...['purpose', 'redirect_url', 'server_callback_url', 'notify_url', 'merchant_data', 'comment', 'cvv2', 'cvv'],
  ...['credit_card_number', 'card_printed_name', 'expire_month', 'expire_year', 'destination-card-no', 'bin', 'token'],
  ...['cardrefid', 'card-ref-id', 'destination-card-ref-id', 'sending-card-ref-id', 'source-card-ref-id', 'card_type'],
  ...['deposit2card', 'account_number', 'account_name', 'bank_name', 'bank_branch', 'bank_id', 'routing_number'],
  ...['receiver_phone', 'receiver_first_name', 'receiver_last_name', 'wallet_id', 'wallet_type', 'customer_id', 'sign'],
  ...['redirect_success_url', 'redirect_fail_url', 'preferred_language', 'customer_level', 'customer_accept_language'],
  ...['customer_user_agent', 'customer_localtime', 'customer_screen_size', 'browser_info', 'group_id', 'format', 'id'],
  ...['oauth_token', 'oauth_callback', 'oauth_verifier', 'oauth_signature', 'oauth_token_secret', 'realm', 'version'],
  ...['submit', 'action', 'button', '_method', '_token', 'csrf_token', 'nonce', 'timestamp', 'type', 'method', 'url'],
  ...[
    'by-request-sn',
    'serial-number',
    'sale-order-id',
    'tracking-id',
    'card-no',
    'description',
    'key',
    'debug',
    'test',
  ],
];

/** One or two fields that are signed but not sent: empty, or with a value that clients often give. */
function* addedPairs(parts: OauthParts): Generator<BaseStringMistake> {
  const { items, given, uri } = parts;
  const own = pairsOf(items);
  const names = otherNames.filter((name) => !items.some(({ plain }) => plain[0] === name));
  const id = /([^/]*)\/?$/.exec(uri)?.[1] ?? '';
  const withPair = parametersWith(own);
  const values = [
    '',
    given.consumerKey,
    id,
    given.timestamp,
    given.nonce,
    '0',
    '1',
    'true',
    'false',
    '0.00',
    'EUR',
    'USD',
  ];
  for (const name of names)
    for (const value of [...values, 'en', 'json', given.method, given.url, uri, '127.0.0.1', 'null', '1.0'])
      yield wrong(
        'empty-values',
        'fields-added',
        `${name} signed${value === '' ? ' empty' : ''}, although it is not sent`,
        {
          parameters: withPair([name, percentEncode(value)]),
        },
      );
  const likely = names.slice(0, namesInPairs);
  for (const [at, name] of likely.entries()) {
    const withOne = parametersWith([...own, [name, '']]);
    for (const other of likely.slice(at + 1))
      yield wrong('empty-values', 'fields-added', `${name} and ${other} signed empty, although they are not sent`, {
        parameters: withOne([other, '']),
      });
  }
}

/** How many of `otherNames`, the likeliest first, are tried two at once. */
const namesInPairs = 70;

/** A value of the request signed under one more name, which is not sent. */
function* addedWithSentValues({ items }: OauthParts): Generator<BaseStringMistake> {
  const withPair = parametersWith(pairsOf(items));
  for (const { plain, encoded } of items.filter(({ from }) => from === 'body').slice(0, maxFields))
    for (const name of otherNames.slice(0, 12))
      if (name !== plain[0])
        yield wrong(
          'empty-values',
          'fields-added',
          `${name} signed with the value of another field, although it is not sent`,
          {
            parameters: withPair([name, encoded[1]]),
          },
        );
}

/** A value split at a separator, as where it is read as a form once more. */
function* splitValues({ items }: OauthParts, fields: readonly SignedParameter[]): Generator<BaseStringMistake> {
  const splits = [[';'], ['&'], [',']].flatMap(([mark = '']) => [
    { mark, trim: false },
    { mark, trim: true },
  ]);
  for (const { mark, trim } of splits)
    for (const due of [...fields.map((field) => [field]), fields]) {
      if (!due.some(({ plain }) => plain[1].includes(mark))) continue;
      for (const isRepeated of [false, true]) {
        const pairs = items.flatMap((item): readonly Pair[] => {
          if (!due.includes(item) || !item.plain[1].includes(mark)) return [item.encoded];
          return item.plain[1].split(mark).map((piece, at): Pair => {
            const text = trim ? piece.trim() : piece;
            if (at === 0 || isRepeated) return encodePairs([[item.plain[0], text]])[0] ?? item.encoded;
            const equals = text.indexOf('=');
            const pair: Pair = equals === -1 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
            return encodePairs([pair])[0] ?? item.encoded;
          });
        });
        yield changed(
          'field-taken-apart',
          `a value taken apart at ${mark}${inFields(due.map(({ plain }) => plain[0]))}`,
          pairs,
        );
      }
    }
}

interface Change {
  readonly words: string;
  readonly apply: (items: readonly SignedParameter[]) => readonly SignedParameter[];
}

/** Two fields or kinds of fields at once. */
function* twoChanges({ items }: OauthParts, fields: readonly SignedParameter[]): Generator<BaseStringMistake> {
  const without = (words: string, isGone: (item: SignedParameter) => boolean): Change => ({
    words: `${words} left out`,
    apply: (list) => list.filter((item) => !isGone(item)),
  });
  const isNamed = (name: string) => (item: SignedParameter) => item.from === 'oauth' && item.plain[0] === name;
  const all: readonly Change[] = [
    without('the query', ({ from }) => from === 'query'),
    without('empty values', ({ plain }) => plain[1] === ''),
    without('oauth_version', isNamed('oauth_version')),
    without('oauth_signature_method', isNamed('oauth_signature_method')),
    without('oauth_consumer_key', isNamed('oauth_consumer_key')),
    without('oauth_timestamp', isNamed('oauth_timestamp')),
    without('oauth_nonce', isNamed('oauth_nonce')),
    without('the oauth_ parameters', ({ from }) => from === 'oauth'),
    without('the fields of the body', ({ from }) => from === 'body'),
    { words: 'the first of equal names alone', apply: (list) => firstOfEach(list) },
    { words: 'the last of equal names alone', apply: (list) => firstOfEach([...list].reverse()) },
  ];
  const general = all.filter(({ apply }) => apply(items).length < items.length);
  const single = fields.map(({ plain: [name] }) =>
    without(inFields([name]).replace(/[ ()]/g, '') || 'a field', (item) => item.plain[0] === name),
  );
  const spare = otherNames.slice(0, 40).filter((name) => !items.some(({ plain }) => plain[0] === name));
  for (const [at, one] of general.entries()) {
    const rest = one.apply(items);
    for (const other of [...general.slice(at + 1), ...single])
      yield changed('fields-left-out', `${one.words}, and ${other.words}`, pairsOf(other.apply(rest)));
    for (const name of spare)
      yield changed('fields-left-out', `${one.words}, and an empty ${name} added`, [...pairsOf(rest), [name, '']]);
  }
}

function firstOfEach(list: readonly SignedParameter[]): SignedParameter[] {
  const names = list.map(({ plain }) => plain[0]);
  return list.filter(({ plain }, at) => names.indexOf(plain[0]) === at);
}

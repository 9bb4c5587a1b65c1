import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { writtenMistakes } from '../../../src/signing/diagnose/control-written-mistakes.js';
import { hmacKeyMistakes } from '../../../src/signing/diagnose/hmac-key-mistakes.js';
import {
  type ControlCase,
  findControlMistakes,
  findOauthMistakes,
  type Mistake,
} from '../../../src/signing/diagnose/index.js';
import { decomposeRequest } from '../../../src/signing/diagnose/oauth-parts.js';
import { fewPrintedMistakes, manyPrintedMistakes } from '../../../src/signing/diagnose/printed-mistakes.js';
import { rareMakings } from '../../../src/signing/diagnose/rare-keys.js';
import { rowOf } from '../../../src/signing/diagnose/remedies.js';
import { oneIn } from '../../support/every.js';
import { atPlainAddress, caseOf, plain, rich } from './orders.js';
import { baseString, hmac, type Order, type Pair, percent, sha1 } from './signer.js';

// Expected texts as the languages print them, by their documentation or by running them.

const order: Order = {
  ...atPlainAddress,
  body: [
    ['client_orderid', 'Order 7'],
    ['amount', '1234.50'],
    ['note', `it's "5" < 6 & Zoë/`],
    ['item', 'b'],
    ['item', 'a'],
    ['city', ''],
  ],
  secret: 'b17f59b4-a7dc-41b4-8ff9-37d986b43d2a',
};
const html = 'encoded-twice-or-once values-html';
const key = `${order.secret}&`;
const base = baseString(order);
const named = (signature: string) =>
  findOauthMistakes(caseOf(order), signature).explanations.map((all) =>
    all.map(({ name, variant }) => `${name} ${variant}`),
  );
const withNote = (note: string): Order => ({
  ...order,
  body: order.body.map(([name, value]): Pair => [name, name === 'note' ? note : value]),
});
const withAmount = (amount: string): Order => ({
  ...order,
  body: order.body.map(([name, value]): Pair => [name, name === 'amount' ? amount : value]),
});
const mac = (secret: string | Buffer, text: string) => createHmac('sha1', secret).update(text).digest();

describe('what programs print is named', () => {
  const printed: readonly (readonly [string, string, string])[] = [
    ["Go's HTML", 'encoded-twice-or-once values-html', hmac(withNote('it&#39;s &#34;5&#34; &lt; 6 &amp; Zoë/'))],
    [
      ".NET's HTML",
      'encoded-twice-or-once values-html',
      hmac(withNote('it&#39;s &quot;5&quot; &lt; 6 &amp; Zo&#235;/')),
    ],
    ["Ruby's dump", 'encoded-twice-or-once value-quoted', hmac(withNote(String.raw`"it's \"5\" < 6 & Zo\u00EB/"`))],
    ["Go's %f", 'body-left-out number-digits', hmac(withAmount('1234.500000'))],
    ["Go's Rat", 'body-left-out number-fraction', hmac(withAmount('2469/2'))],
    ['%v of a slice', 'repeated-or-nested-names list-printed', hmac(order, { parameters: () => folded('[b a]') })],
    ['nil by %v', 'empty-values word', hmac(order, { parameters: () => folded(undefined, '<nil>') })],
    [
      'url.PathEscape',
      'reserved-characters safe-characters',
      hmac(order, { encode: (text) => percent(text).replaceAll('%26', '&').replaceAll('%24', '$') }),
    ],
    ["Go's Sum", 'digest appended', Buffer.concat([Buffer.from(base), mac(key, '')]).toString('base64')],
    ['%v of bytes', 'digest written-bytes', `[${[...mac(key, base)].join(' ')}]`],
    ['letters alone by xmlcharrefreplace', html, hmac(withNote(`it's "5" < 6 & Zo&#235;/`))],
    ['FILTER_SANITIZE_SPECIAL_CHARS', html, hmac(withNote('it&#39;s &#34;5&#34; &#60; 6 &#38; Zoë/'))],
    ['re.escape', 'encoded-twice-or-once value-slashes', hmac(withNote(String.raw`it's\ "5"\ <\ 6\ \&\ Zoë/`))],
    ['Regexp.escape', 'encoded-twice-or-once value-slashes', hmac(withNote(String.raw`it's\ "5"\ <\ 6\ &\ Zoë/`))],
    ['preg_quote', 'encoded-twice-or-once value-slashes', hmac(withNote(String.raw`it's "5" \< 6 & Zoë/`))],
    ['escapeshellarg', 'encoded-twice-or-once value-slashes', hmac(withNote(String.raw`'it'\''s "5" < 6 & Zoë/'`))],
    ['shlex.quote', 'encoded-twice-or-once value-slashes', hmac(withNote(`'it'"'"'s "5" < 6 & Zoë/'`))],
    [
      'quoted_printable_encode',
      'encoded-twice-or-once values-quoted-printable',
      hmac(withNote(`it's "5" < 6 & Zo=C3=AB/`)),
    ],
    ['a Java HashMap', 'sort-order unsorted', hmac(order, { sort: likeJava })],
    [
      'a map in the place of the parameters',
      'encoded-twice-or-once joined-otherwise',
      mac(key, base.replace(/[^&]*$/, percent(asJavaMap()))).toString('base64'),
    ],
    ['percent escapes of the bytes', 'digest written-raw', escaped(mac(key, base))],
    ['three digits for each byte', 'digest written-bytes', digits(mac(key, base))],
    ['UTF-16 with its mark', 'not-utf8 base-string-charset', wide()],
  ];

  test.each(oneIn(10, printed, 0))('%s', (_, expected, signature) => {
    expect(named(signature)).toEqual([[expected]]);
  });
});

function folded(items: string | undefined, nothing = ''): Pair[] {
  const fields = order.body.filter(([name]) => items === undefined || name !== 'item');
  const rest = fields.map(([name, value]): Pair => [name, value === '' ? nothing : value]);
  return [...protocolOf(), ...rest, ...(items === undefined ? [] : [['item', items] as const])];
}

function protocolOf(): Pair[] {
  return decomposeRequest(caseOf(order))
    .items.filter(({ from }) => from === 'oauth')
    .map(({ plain }) => plain);
}

// As Java printed the keys of a map of these.
const javaOrder = [
  ...['note', 'amount', 'item', 'oauth_nonce', 'client_orderid', 'city', 'oauth_token', 'oauth_consumer_key'],
  ...['oauth_signature_method', 'oauth_timestamp', 'oauth_version'],
];

function likeJava<Item extends { readonly name: string }>(list: readonly Item[]): Item[] {
  return [...list].sort((one, other) => javaOrder.indexOf(one.name) - javaOrder.indexOf(other.name));
}

function asJavaMap(): string {
  return `{${[...protocolOf(), ...order.body].map((pair) => pair.join('=')).join(', ')}}`;
}

function escaped(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[^\w.~-]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

function digits(bytes: Buffer): string {
  return [...bytes].map((byte) => String(byte).padStart(3, '0')).join('');
}

function wide(): string {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(base, 'utf16le')]);
  return createHmac('sha1', key).update(bytes).digest('base64');
}

// Each secret is left as it is by some of the writings: a case, dashes, an encoder.
const secrets: readonly (readonly [string, string])[] = [
  ['a UUID in lower case', 'b17f59b4-a7dc-41b4-8ff9-37d986b43d2a'],
  ['a UUID in upper case', 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'],
  ['digits', '1234567890123456'],
  ['letters', 'Abcdefghijkl'],
  ['32 digits in hexadecimal', '0123456789abcdef0123456789abcdef'],
];

test.each(oneIn(12, secrets, 4))(
  '%s without the & is named as that, whatever the signature is written in',
  (_, secret) => {
    const given: Order = { ...plain, secret };
    const bytes = mac(secret, baseString(given));
    const written: readonly (readonly [string, string])[] = [
      ['hex', bytes.toString('hex')],
      ['hex-upper', bytes.toString('hex').toUpperCase()],
      ['hex-in-base64', Buffer.from(bytes.toString('hex')).toString('base64')],
      ['url-safe-padded', bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')],
    ];
    expect(bytes.toString('base64')).toMatch(/[+/]/);
    for (const [variant, signature] of written)
      expect(findOauthMistakes(caseOf(given), signature).mistakes).toEqual([
        expect.objectContaining({ name: 'digest', variant }),
        expect.objectContaining({ name: 'signing-key', variant: 'no-ampersand' }),
      ]);
  },
);

test.each(['b17f59b4-a7dc-41b4-8ff9-37d986b43d2a', '1234567890123456', 'Abcdefghijkl', 'k e/y+ü'])(
  'no name of a key is given to the right key, or to that of another mistake: %s',
  (secret) => {
    const given: Order = { ...plain, secret };
    const usual = [...hmacKeyMistakes(caseOf(given), secret)].map((each) => mac(each.key, 'text').toString('hex'));
    const rare = [...rareMakings(caseOf(given), secret)]
      .filter(({ mistake }) => mistake?.name === 'signing-key')
      .map(({ bytesOf }) => Buffer.from(bytesOf('text'), 'latin1').toString('hex'));
    const right = mac(`${percent(secret)}&`, 'text').toString('hex');
    expect(new Set([right, ...usual, ...rare]).size).toBe(1 + usual.length + rare.length);
  },
);

const controlKey = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const sale: ControlCase = {
  key: controlKey,
  encoding: 'hex-lower',
  login: 'Shop',
  endpointId: '4001',
  slots: [
    ['endpointId', '4001'],
    ['clientOrderId', "0007 'ä"],
    ['amount', '123450'],
    ['email', ''],
  ].map(([name = '', value = '']) => ({ name, wire: name, value })),
  amountText: '1234.50',
  currency: 'USD',
};

const written: readonly (readonly [string, string, string])[] = [
  ['%v of a slice and the key', 'order list-printed', sha1(`[4001 0007 'ä 123450  ${controlKey}]`)],
  [
    'a Java map',
    'order map-printed',
    sha1(`{endpointId=4001, clientOrderId=0007 'ä, amount=123450, email=}${controlKey}`),
  ],
  [
    'pformat',
    'order map-printed',
    sha1(`{'amount': '123450',\n 'clientOrderId': "0007 'ä",\n 'email': '',\n 'endpointId': '4001'}${controlKey}`),
  ],
  [
    'XML and the key in it',
    'order map-printed',
    sha1(
      `<request><endpointId>4001</endpointId><clientOrderId>0007 'ä</clientOrderId><amount>123450</amount><email></email><control>${controlKey}</control></request>`,
    ),
  ],
  [
    'name=value;',
    'order map-printed',
    sha1(`endpointId=4001;clientOrderId=0007 'ä;amount=123450;email=;control=${controlKey};`),
  ],
  ["PHP's CSV", 'order list-printed', sha1(`4001,"0007 'ä",123450,,${controlKey}\n`)],
  ['three marks', 'order separator-other', sha1(`4001#|#0007 'ä#|#123450#|##|#${controlKey}`)],
  ['the bytes of an MD5', 'digest sha1-of-md5', sha1(md5(`40010007 'ä123450${controlKey}`))],
  ['the MD5 of the values', 'digest values-hashed-before', sha1(md5(`40010007 'ä123450`).toString('hex') + controlKey)],
  ['nil', 'missing-email word', sha1(`40010007 'ä123450<nil>${controlKey}`)],
  ['%e', 'decimal-amount exponent', sha1(`40010007 'ä1.234500e+03${controlKey}`)],
  ['HTML', 'charset values-html', sha1(`40010007 &#39;&#228;123450${controlKey}`)],
  ['lower hexadecimal of HttpUtility', 'charset values-percent-encoded', sha1(`40010007+%27%c3%a4123450${controlKey}`)],
  ['a UUID in braces', 'other-key key-uuid', sha1(`40010007 'ä123450{${controlKey.toLowerCase()}}`)],
  ['UTF-7', 'charset utf-7', sha1(`40010007 '+AOQ-123450${controlKey}`)],
  ['its bits', 'digest written-bits', bits(sha1(`40010007 'ä123450${controlKey}`))],
  ['a type', 'digest constant', 'System.Byte[]'],
];

test.each(oneIn(10, written, 1))('control: %s', (_, expected, control) => {
  const { explanations } = findControlMistakes(sale, control);
  expect(explanations.map((all) => all.map(({ name, variant }) => `${name} ${variant}`))).toEqual([[expected]]);
});

function md5(text: string): Buffer {
  return createHash('md5').update(text).digest();
}

function bits(hex: string): string {
  return (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16).toString(2).padStart(8, '0')).join('');
}

test('control: where the tries are bounded, nothing rare is tried', () => {
  const control = sha1(`40010007 &#39;&#228;123450${controlKey}`);
  expect(findControlMistakes(sale, control, { max: 1000 }).mistakes).toEqual([]);
});

test('what looks printed and is not equal is not named', () => {
  for (const text of oneIn(4, ['System.Byte[0]', '[B@1b6d3586', '[1 2 3]', 'Optional[abc]'], 2)) {
    expect(named(text)).toEqual([]);
    expect(findControlMistakes(sale, text).explanations).toEqual([]);
  }
  expect(named('System.Byte[]')).toEqual([['digest constant']]);
});

test('each has its advice, and a detail of one line', () => {
  const parts = decomposeRequest(caseOf(rich));
  const oauth = [
    ...[...fewPrintedMistakes, ...manyPrintedMistakes].flatMap((source) => [...source(parts)]),
    ...[...rareMakings(caseOf(rich), order.secret)].flatMap(({ mistake }) => mistake ?? []),
  ];
  const control = [...writtenMistakes(sale)].map(({ mistake }) => mistake);
  const without = (list: readonly Mistake[], scheme: 'HMAC-SHA1' | 'control') =>
    list.filter((mistake) => rowOf(mistake, { scheme }).name !== mistake.name);
  expect(without(oauth, 'HMAC-SHA1')).toEqual([]);
  expect(without(control, 'control')).toEqual([]);
  expect([...oauth, ...control].filter(({ detail }) => /\p{Cc}/u.test(detail ?? ''))).toEqual([]);
});

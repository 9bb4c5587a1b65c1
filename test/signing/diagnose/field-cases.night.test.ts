import { createHash, createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ControlCase,
  findControlMistakes,
  findOauthMistakes,
  type OauthCase,
  remedyFor,
} from '../../../src/signing/diagnose/index.js';
import { oneIn } from '../../support/every.js';
import { type Pair, percent } from './signer.js';

// What programs of merchants signed; every value is computed here with node:crypto alone.

const secret = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const sha1 = (text: string | Buffer) => createHash('sha1').update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const hex = (text: string) => sha1(text).toString('hex');
const slots = (values: readonly (readonly [string, string])[]): ControlCase['slots'] =>
  values.map(([name, value]) => ({ name, wire: name, value }));
const sale = (amount: string, currency: string, minor: string, order = 'INV-7'): ControlCase => ({
  slots: slots([
    ['endpointId', '6132'],
    ['clientOrderId', order],
    ['amount', minor],
    ['email', 'ken@example.jp'],
  ]),
  key: secret,
  encoding: 'hex-lower',
  amountText: amount,
  currency,
  email: 'ken@example.jp',
  login: 'acme-shop',
  endpointId: '6132',
});
const ofControl = (given: ControlCase, control: string) => {
  const [[mistake] = []] = findControlMistakes(given, control).explanations;
  return mistake;
};

describe('a control', () => {
  test('decimals of a currency that has none', () => {
    const found = ofControl(sale('1200', 'JPY', '1200'), hex(`6132INV-71200.00ken@example.jp${secret}`));
    expect(found?.detail).toContain('signed with 2 decimals, although JPY has none');
    const money = { amount: '1200', currency: 'JPY', minor: '1200', digits: 0 };
    expect(remedyFor({ name: 'decimal-amount', variant: found?.variant ?? '' }, { money }).change).toContain(
      '1200 JPY is 1200, since JPY has no decimals',
    );
    const dinars = { amount: '12.345', currency: 'KWD', minor: '12345', digits: 3 };
    expect(remedyFor({ name: 'decimal-amount', variant: 'as-sent' }, { money: dinars }).change).toContain(
      '12.345 KWD is 12345 (KWD has three decimals)',
    );
  });

  test('cents cut before they are multiplied', () => {
    const found = ofControl(sale('149.50', 'EUR', '14950'), hex(`6132INV-714900ken@example.jp${secret}`));
    expect(found).toMatchObject({ name: 'decimal-amount', variant: 'cents-cut' });
  });

  const refund: ControlCase = {
    ...sale('', '', ''),
    slots: slots([
      ['login', 'acme-shop'],
      ['clientOrderId', 'INV-7'],
      ['orderId', '7712034'],
      ['amount', ''],
      ['currency', ''],
    ]),
    amountText: undefined,
    currency: undefined,
  };
  const inDollars: ControlCase = {
    ...refund,
    slots: refund.slots.map((slot) => ({
      ...slot,
      value: { amount: '2500', currency: 'USD' }[slot.name] ?? slot.value,
    })),
    amountText: '25.00',
    currency: 'USD',
  };
  test.each<readonly [string, string, ControlCase, string]>([
    ['amount-currency', 'None', refund, 'acme-shopINV-77712034NoneNone'],
    ['amount-currency', 'undefined', refund, 'acme-shopINV-77712034undefinedundefined'],
    ['amount-currency', 'numeric', inDollars, 'acme-shopINV-777120342500840'],
    ['orderid-text', 'number', refund, 'acme-shopINV-77712034.0'],
    ['decimal-amount', 'not-inserted', sale('149.50', 'EUR', '14950'), '6132INV-7$amountken@example.jp'],
    ['endpoint-login', 'not-inserted', refund, '$loginINV-77712034'],
  ])('%s %s', (name, variant, given, text) => {
    expect(ofControl(given, hex(text + secret))).toMatchObject({ name, variant });
  });

  const euros = sale('149.50', 'EUR', '14950');
  const [start, text] = ['6132INV-7', `6132INV-714950ken@example.jp${secret}`];
  const tagged: ControlCase = {
    ...euros,
    slots: euros.slots.map((slot) => (slot.name === 'email' ? { ...slot, value: 'ken+shop@example.jp' } : slot)),
    url: 'https://gate.example/paynet/api/v2/sale/6132',
    body: [
      ['client_orderid', 'INV-7'],
      ['phone', '+4930123456'],
    ],
  };
  const manyCases: readonly (readonly [string, string, ControlCase, string])[] = [
    ['missing-email', 'values-mail', tagged, text],
    ['orderid-text', 'other-field', tagged, `6132+493012345614950ken+shop@example.jp${secret}`],
    ['order', 'field-added', tagged, `sale6132INV-714950ken+shop@example.jp${secret}`],
    ['orderid-text', 'value-cut', sale('149.50', 'EUR', '14950', 'INV-7-2026'), text],
    ['charset', 'values-replaced', sale('149.50', 'EUR', '14950', 'INV\\7'), text.replace('INV-7', 'INV/7')],
    ['orderid-text', 'value-slug', sale('149.50', 'EUR', '14950', 'Straße 7'), text.replace('INV-7', 'strasse-7')],
    [
      'charset',
      'values-transliterated',
      sale('149.50', 'EUR', '14950', 'Заказ-9'),
      text.replace('INV', 'Zakaz').replace('-7', '-9'),
    ],
    ['endpoint-login', 'value-number', euros, text.replace('6132', '\u{17f4}')],
    ['decimal-amount', 'number-no-zero', sale('0.575', 'KWD', '575'), `${start}.575ken@example.jp${secret}`],
    // 1234567.8 is 1234567.75 in 32 bits.
    [
      'decimal-amount',
      'number-floating',
      sale('1234567.80', 'EUR', '123456780'),
      `${start}123456776ken@example.jp${secret}`,
    ],
    ['other-key', 'key-cut', euros, text.slice(0, -4)],
    ['other-key', 'key-uuid', euros, text.replace(secret, 'b4597fb1dca7b4418ff937d986b43d20')],
    ['other-key', 'key-word', euros, text.replace(secret, '$K')],
    ['charset', 'text-reversed', euros, [...text].reverse().join('')],
    ['charset', 'text-base64', euros, Buffer.from(text).toString('base64')],
    ['charset', 'length-before', euros, `\0${String.fromCharCode(text.length)}${text}`],
    ['order', 'length-before', euros, `461325INV-751495014ken@example.jp36${secret}`],
    ['order', 'lines', euros, `6132\n      INV-7\n      14950\n      ken@example.jp\n      ${secret}`],
  ];
  test.each(oneIn(8, manyCases, 0))('%s %s of many', (name, variant, given, signed) => {
    const found = ofControl(given, hex(signed));
    expect(found).toMatchObject({ name, variant });
    expect(found?.detail).not.toContain(secret);
  });

  test('a value in a charset of its own, a short hash, and text around the digest', () => {
    // printf … | iconv -t koi8-r, and the polynomial of String.hashCode, each in Python.
    const zakaz = Buffer.concat([
      Buffer.from('6132'),
      Buffer.from('fac1cbc1da2d3939', 'hex'),
      Buffer.from(`14950ken@example.jp${secret}`),
    ]);
    expect(ofControl(sale('149.50', 'EUR', '14950', 'Заказ-99'), sha1(zakaz).toString('hex'))).toMatchObject({
      name: 'charset',
      variant: 'koi8-r',
    });
    expect(ofControl(euros, 'cfcbcd8b')).toMatchObject({ name: 'digest', variant: 'hash-code' });
    for (const around of [`SHA1(stdin)= ${hex(text)}\n`, `${hex(text)}  -\n`, ` ${hex(text)}\n`])
      expect(ofControl(euros, around)).toMatchObject({ name: 'digest', variant: 'written-around' });
    expect(ofControl(euros, hex(`${text}?`.repeat(3)))).toBeUndefined();
  });

  const pairs: readonly (readonly [string, string])[] = [
    ['decimal-amount, order', `${secret}6132INV-71.495E4ken@example.jp`],
    ['decimal-amount, other-key', `${start}1495ken@example.jp${Buffer.from(secret, 'base64').toString()}`],
    ['order, order', `${secret}INV-7613214950ken@example.jp`],
    ['charset, order', Buffer.from(`INV-7613214950ken@example.jp${secret}`).toString('base64')],
  ];
  test.each(oneIn(5, pairs, 0))('%s together', (names, signed) => {
    const [pair = []] = findControlMistakes(euros, hex(signed)).explanations;
    expect(
      pair
        .map(({ name }) => name)
        .sort()
        .join(', '),
    ).toBe(names);
  });

  test('UTF-8 encoded twice, and a byte order mark in the key, each with advice that helps', () => {
    const twice = Buffer.from('Zimmer-Ü').toString('latin1');
    const found = ofControl(sale('1.00', 'EUR', '100', 'Zimmer-Ü'), hex(`6132${twice}100ken@example.jp${secret}`));
    expect(found).toMatchObject({ name: 'charset', variant: 'byte-by-byte' });
    expect(remedyFor({ name: 'charset', variant: 'byte-by-byte' }).change).not.toContain('convert the text to UTF-8');
    const marked = ofControl(sale('1.00', 'EUR', '100'), hex(`6132INV-7100ken@example.jp\uFEFF${secret}`));
    expect(marked).toMatchObject({ name: 'key-whitespace', variant: 'byte-order-mark' });
    const { change, causes } = remedyFor({ name: 'key-whitespace', variant: 'byte-order-mark' });
    expect(change).not.toContain('strip spaces');
    expect(causes.php).toContain('trim() does not remove it');
  });
});

const url = 'https://gate.example/paynet/api/v4/transfer/6132';
const fields: readonly Pair[] = [
  ['client_orderid', 'x-778'],
  ['amount', '12.00'],
  ['currency', 'USD'],
  ['deposit2card', 'true'],
  ['order_desc', 'plain'],
];
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const own = (method: string): readonly Pair[] => [
  ['oauth_consumer_key', 'acme-shop'],
  ['oauth_nonce', '4fT9kLm2Qx7Z'],
  ['oauth_signature_method', method],
  ['oauth_timestamp', '1795000000'],
  ['oauth_version', '1.0'],
];
const base = (address = url, pairs: readonly Pair[] = [...fields, ...own('HMAC-SHA1')]) => {
  const joined = pairs.map(([name, value]) => `${percent(name)}=${percent(value)}`).sort();
  return `POST&${percent(address)}&${percent(joined.join('&'))}`;
};
const mac = (text: string) => createHmac('sha1', `${secret}&`).update(text).digest('base64');
const given: OauthCase = {
  method: 'POST',
  url,
  body: fields,
  signatureMethod: 'HMAC-SHA1',
  consumerKey: 'acme-shop',
  nonce: '4fT9kLm2Qx7Z',
  timestamp: '1795000000',
  hasVersion: true,
  secret,
};
const byRsa: OauthCase = { ...given, secret: undefined, signatureMethod: 'RSA-SHA256', privateKey, publicKey };
const rsaBase = (address = url, pairs: readonly Pair[] = [...fields, ...own('RSA-SHA256')]) => base(address, pairs);
const rsa = (text: string, key = privateKey, hash = 'RSA-SHA256') => createSign(hash).update(text).sign(key);
const first = (each: OauthCase, signature: string) => findOauthMistakes(each, signature).explanations[0]?.[0];

describe('an OAuth signature', () => {
  test('without its padding, and with neither - nor _', () => {
    const found = Array.from({ length: 99 }, (_, at) => ({ ...given, nonce: `n${at}` }))
      .map((each) => ({
        each,
        signature: mac(
          base(
            url,
            [...fields, ...own('HMAC-SHA1')].map(([name, value]) =>
              name === 'oauth_nonce' ? [name, each.nonce] : [name, value],
            ),
          ),
        ).replace('=', ''),
      }))
      .find(({ signature }) => !/[+/]/.test(signature));
    if (found === undefined) throw new Error('every signature has a + or a /');
    expect(first(found.each, found.signature)).toMatchObject({ name: 'digest', variant: 'no-padding' });
  });

  test('hexadecimal of the length that is due is not the signature of another key', () => {
    const signature = rsa(rsaBase(`${url}?nothing=known`), privateKey, 'RSA-SHA1').toString('hex');
    expect(signature).toHaveLength(512);
    expect(first(byRsa, signature)?.detail ?? '').not.toContain('different key');
  });

  test.each(['True', '1'])('a boolean signed as %s is advised to be signed as it is sent', (word) => {
    const changed = [...fields, ...own('HMAC-SHA1')].map(
      ([name, value]): Pair => [name, name === 'deposit2card' ? word : value],
    );
    const found = first(given, mac(base(url, changed)));
    if (found === undefined) throw new Error('nothing found');
    expect(found.detail).toContain('deposit2card');
    expect(remedyFor(found, { scheme: 'HMAC-SHA1' }).change).toContain('sign the text that is sent');
  });

  const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString();
  const protocol = own('HMAC-SHA1');
  const all = [...fields, ...protocol];
  const otherTexts: readonly (readonly [string, string, string])[] = [
    ['scheme-host-port', 'path-prefix-lost', base(url.replace('/paynet', ''))],
    ['scheme-host-port', 'path-end-lost', base(url.replace('/6132', ''))],
    ['scheme-host-port', 'path-version', base(url.replace('v4', 'v2'))],
    ['scheme-host-port', 'path-operation', base(url.replace('transfer', 'payout'))],
    ['scheme-host-port', 'other-host', base('http://localhost:8080/paynet/api/v4/transfer/6132')],
    ['empty-values', 'oauth-left-out', base(url, fields)],
    ['empty-values', 'field-added', base(url, [...all, ['submit', '']])],
    [
      'empty-values',
      'consumer-key-endpoint',
      base(url, [...fields, ...protocol.with(0, ['oauth_consumer_key', '6132'])]),
    ],
    ['body-left-out', 'hash-of-form-text', base(url, [...all, ['oauth_body_hash', sha1(body).toString('base64')]])],
    ['repeated-or-nested-names', 'name-written', base(url, [['client-order-id', 'x-778'], ...all.slice(1)])],
    ['encoded-twice-or-once', 'elements-otherwise', body],
  ];
  test.each(oneIn(8, otherTexts, 0))('%s %s', (name, variant, text) => {
    expect(first(given, mac(text))).toMatchObject({ name, variant });
  });

  const addresses: readonly (readonly [string, string])[] = [
    ['the placeholder {endpointId} in place of 6132', url.replace('6132', '{endpointId}')],
    ['http signed instead of https, and 0 in place of 6132', url.replace('https', 'http').replace('6132', '0')],
    ['/6132 twice in the path', `${url}/6132`],
    ['two slashes in the path', url.replace('/api', '//api')],
    ['"?" after the path', `${url}?`],
    ['the host localhost instead of gate.example', url.replace('gate.example', 'localhost')],
    ['no host instead of gate.example', url.replace('gate.example', '')],
    ['a user before the host', url.replace('gate', 'acme@gate')],
    ['the port :8443 signed where none is right', url.replace('.example', '.example:8443')],
    ['another value of the request in place of 6132', url.replace('6132', 'acme-shop')],
    ['only the path, and the path without /api', '/paynet/v4/transfer/6132'],
  ];
  test.each(oneIn(8, addresses, 0))('another address: %s', (words, address) => {
    const found = first(given, mac(base(address)));
    expect(found).toMatchObject({ name: 'scheme-host-port', variant: 'address-printed' });
    expect(found?.detail).toContain(words);
    expect(found?.detail).not.toContain(secret);
  });

  // The text of a value that is sent, and of the one that was signed.
  const values: readonly (readonly [string, string, string, string])[] = [
    ['values-cut', 'cut at its first "\\n"', 'line 1\nline 2', 'line 1'],
    ['values-line-ends', 'a carriage return before', 'line 1\nline 2', 'line 1\r\nline 2'],
    ['values-beyond-bmp', 'with ? for characters beyond U+FFFF', 'Zoë 🎉', 'Zoë ?'],
    ['values-beyond-bmp', 'without characters beyond U+FFFF', '🎉 漢', ' 漢'],
    ['values-masked', 'signed masked', '4444333322221111', '444433******1111'],
    ['values-ip', 'in full', '2001:db8::7', '2001:0db8:0000:0000:0000:0000:0000:0007'],
    ['value-encoded', 'already encoded', 'joe@example.com', 'joe%40example.com'],
    ['values-plus-as-blank', 'with + written as %20', 'https://a.example/?x=a+b', 'https://a.example/?x=a%20b'],
    ['values-url', 'with http', 'https://a.example/r?x=1', 'http://a.example/r?x=1'],
    ['values-number', 'with 00 for the +', '+4930123456', '004930123456'],
  ];
  test.each(oneIn(8, values, 2))('%s: %s', (variant, words, sent, signed) => {
    const withText = (text: string): Pair[] => [...fields.with(4, ['order_desc', 'a b']), ['credit_card_number', text]];
    const found = first({ ...given, body: withText(sent) }, mac(base(url, [...withText(signed), ...protocol])));
    expect(found).toMatchObject({ variant });
    expect(found?.detail).toContain(words);
    expect(found?.detail).toContain('credit_card_number');
    expect(found?.detail).not.toMatch(/\p{Cc}|4444|1111/u);
  });

  const pretty = base().replaceAll('&', ' & ');
  const otherFields: readonly (readonly [string, string, string])[] = [
    ['fields-left-out', 'order_desc', base(url, [...fields.slice(0, 1), ...fields.slice(3, 4), ...protocol])],
    ['fields-left-out', 'the fields of the amount left out', base(url, [...fields.toSpliced(1, 2), ...protocol])],
    [
      'fields-added',
      'cvv2 and credit_card_number signed empty',
      base(url, [...all, ['cvv2', ''], ['credit_card_number', '']]),
    ],
    ['fields-added', 'login signed', base(url, [...all, ['login', 'acme-shop']])],
    [
      'fields-swapped',
      '(client_orderid, order_desc)',
      base(url, [['client_orderid', 'plain'], ...all.slice(1, 4), ['order_desc', 'x-778'], ...protocol]),
    ],
    ['elements-otherwise', 'joined with " & "', pretty],
    ['elements-otherwise', 'as JSON', JSON.stringify(Object.fromEntries(fields), undefined, 2)],
    [
      'hash-of-text',
      'oauth_body_hash',
      base(url, [...protocol, ['oauth_body_hash', createHash('md5').update(body).digest('hex')]]),
    ],
  ];
  test.each(oneIn(8, otherFields, 0))('%s: %s', (variant, words, text) => {
    const found = first(given, mac(text));
    expect(found).toMatchObject({ variant });
    expect(found?.detail).toContain(words);
  });

  test('two mistakes: a value of a field beside a line feed, an encoder beside the key', () => {
    const names = (signature: string) =>
      findOauthMistakes(given, signature).explanations.map((each) => each.map(({ variant }) => variant).join());
    const changed = all.map(([name, value]): Pair => [name, name === 'deposit2card' ? 'True' : value]);
    expect(names(mac(`${base(url, changed)}\n`))).toEqual(['text-line-feed,values-boolean']);
    const noted: OauthCase = { ...given, body: fields.with(4, ['order_desc', "it's *one*"]) };
    const star = base(url, [...noted.body, ...protocol]).replaceAll('%252A', '*');
    const found = findOauthMistakes(noted, createHmac('sha1', secret).update(star).digest('base64')).explanations;
    expect(found.map((each) => each.map(({ variant }) => variant).join())).toEqual(['no-ampersand,encoder']);
  });

  test('another port than the one that is due is no default port that was kept', () => {
    const there = { ...given, url: url.replace('.example', '.example:8443') };
    expect(first(there, mac(base(url.replace('.example', '.example:443'))))).toMatchObject({
      variant: 'other-port',
      detail: 'the port :443 signed; it must be :8443',
    });
  });

  test('of another private key of the same size, which ours does not open', () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    // One text in 256 ends like PSS by chance.
    const found = ['a', 'b', 'c', 'd', 'e'].map((text) => first(byRsa, rsa(text, other).toString('base64')));
    const named = found.filter((each) => each?.variant === 'other-pair');
    expect(named.length).toBeGreaterThan(2);
    expect(named[0]?.detail).toContain('it was made with another private key');
    expect(first(byRsa, rsa('a text of nobody').toString('base64'))).toBeUndefined();
  });

  const ways: readonly (readonly [string, string, string, (bytes: Buffer) => string])[] = [
    [
      'digest',
      'written-around',
      'other characters between',
      (bytes) => ` ${bytes.toString('hex').replace(/..(?=.)/g, '$& ')}`,
    ],
    ['digest', 'written-around', 'openssl dgst', (bytes) => `RSA-SHA256(base.txt)= ${bytes.toString('hex')}\n`],
    ['digest', 'written-around', 'other text around', (bytes) => `sig=<${bytes.toString('base64')}>`],
    ['digest', 'reversed', 'last byte first', (bytes) => Buffer.from(bytes).reverse().toString('base64')],
    ['rsa-key-or-method', 'hash-alone', 'without a signature', () => sha256(rsaBase()).toString('base64')],
    ['rsa-key-or-method', 'hash-alone', 'without a signature', () => sha256(rsaBase()).toString('hex')],
  ];
  test.each(oneIn(8, ways, 0))('RSA: %s %s, %s', (name, variant, words, write) => {
    const found = first(byRsa, write(rsa(rsaBase())));
    expect(found).toMatchObject({ name, variant });
    expect(found?.detail).toContain(words);
  });

  test('RSA: a hash of another text, which nothing has signed, is named with what is wrong with the text', () => {
    const { explanations } = findOauthMistakes(byRsa, sha256(rsaBase(url.replace('https', 'http'))).toString('base64'));
    expect(explanations[0]?.map(({ variant }) => variant)).toEqual(['hash-alone', 'http-for-https']);
    const unknown = first(byRsa, sha256('a text of nobody').toString('base64'));
    expect(unknown?.detail).toContain('like SHA-256 or an HMAC with it');
  });

  test('the same by RSA', () => {
    const left = rsa(rsaBase(url, fields)).toString('base64');
    expect(first(byRsa, left)).toMatchObject({ name: 'empty-values', variant: 'oauth-left-out' });
    const short = rsa(rsaBase(url.replace('/6132', ''))).toString('base64');
    expect(first(byRsa, short)).toMatchObject({ name: 'scheme-host-port', variant: 'path-end-lost' });
  });
});

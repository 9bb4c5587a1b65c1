import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Assume,
  assumeDefaults,
  atLeastOne,
  control,
  exactlyOne,
  type Field,
  forbidden,
  hmac,
  type KindName,
  kindOf,
  kinds,
  notAfter,
  type Operation,
  onlyWith,
  operationById,
  type RuleForm,
  requiredWhen,
  switched,
  together,
  unsigned,
} from '../../src/spec/index.js';
import { checkRequest, checkValue, fieldsInForce, protectionOf } from '../../src/wire/check.js';

const field = (wire: string, kind: KindName, more: Partial<Field> = {}): Field => ({
  wire,
  kind,
  meaning: wire,
  need: 'optional',
  basis: 'stated',
  ...more,
});

const fields = {
  order: field('client_orderid', 'clientOrderId', { need: 'required' }),
  amount: field('amount', 'amount'),
  currency: field('currency', 'currency'),
  parts: field('parts', 'amountList'),
  least: field('least', 'amount'),
  first: field('first', 'date'),
  last: field('last', 'date'),
  card: field('credit_card_number', 'cardNumber'),
  token: field('cardrefid', 'gatewayId'),
  flag: field('deposit2card', 'boolean'),
  target: field('destination-card-no', 'cardNumber'),
  old: field('old', 'text', { need: 'required', when: { switch: 'card-ref-source', value: 'card-data' } }),
};

function rowWith(rules: readonly RuleForm<keyof typeof fields>[]): Operation {
  return {
    id: 'TRIAL',
    command: 'trial',
    path: '/api/v2/trial',
    examples: [],
    brief: 'trial',
    fields,
    rules: rules.map((rule) => ({ ...rule, basis: 'stated' })),
    protection: switched('unsigned-forms', { none: unsigned, control: control('login', 'order'), hmac }),
    records: { request: null, reply: 'AsyncResponse' },
    effect: 'money',
    opens: true,
    withoutAmount: 'nothing',
    basis: 'A10',
  };
}

const plain = rowWith([]);
const carded: Assume = { ...assumeDefaults, 'card-ref-source': 'card-data' };
const card = '4444333322221111';

function problems(row: Operation, values: Record<string, string>, assume = assumeDefaults): string[] {
  return checkRequest(row, { order: 'o', ...values }, { assume, endpointId: '4001', name: (key) => `--${key}` }).map(
    ({ why }) => why,
  );
}

describe('fieldsInForce and protectionOf', () => {
  test('a field of a switch is in force only at its value', () => {
    const keys = fieldsInForce(plain, assumeDefaults).map(([key]) => key);
    expect(keys).toEqual(Object.keys(fields).filter((key) => key !== 'old'));
    expect(fieldsInForce(plain, carded).at(-1)).toEqual(['old', fields.old]);
  });

  test.each([
    ['none', { scheme: 'none' }],
    ['control', { scheme: 'control', values: ['login', 'order'] }],
    ['hmac', { scheme: 'hmac-sha1' }],
    ['constructor', { scheme: 'none' }],
  ])('unsigned-forms %s', (value, protection) => {
    expect(protectionOf(plain, { ...assumeDefaults, 'unsigned-forms': value })).toEqual(protection);
  });
});

describe('the length of an amount is that of what is sent', () => {
  const minor: Assume = { ...assumeDefaults, 'body-amount': 'minor' };
  test.each<[key: 'amount' | 'parts', text: string, currency: string, most: string]>([
    ['amount', '999999999999', 'USD', 'use at most 999999999.99 in USD'],
    ['parts', '1.00,999999999999', 'USD', 'use at most 999999999.99 in USD'],
    ['parts', Array.from({ length: 40 }, () => '10').join(','), 'USD', 'at most 128 characters as sent; this has 239'],
    ['amount', '999999999999.99', '', 'use at most 12 characters as sent; this has 15'],
  ])('%s %s %s: %s', (key, text, currency, most) => {
    expect(problems(plain, { [key]: text, currency })).toEqual([expect.stringContaining(most)]);
  });

  test('an amount that just fits is taken; in minor units the point does not count', () => {
    expect(problems(plain, { amount: '999999999.99', currency: 'USD' })).toEqual([]);
    expect(problems(plain, { amount: '999999999999', currency: 'JPY' })).toEqual([]);
    expect(problems(plain, { amount: '9999999999.99', currency: 'USD' }, minor)).toEqual([]);
    expect(problems(plain, { amount: '99999999999.99', currency: 'USD' }, minor)).toHaveLength(1);
  });
});

describe('a transfer', () => {
  const transfer = operationById('TRANSFER_V4');
  const always = { clientOrderId: 'o', amount: '1.00', currency: 'USD', ipAddress: '192.0.2.1' };
  const paying = { cardNumber: card, cardHolder: 'JANE DOE', expireMonth: '12', expireYear: '2034', cvv: '123' };
  const whole = {
    ...paying,
    cardRecurringId: '7',
    deposit2card: 'false',
    destinationCardNumber: card,
    destinationRecurringId: '8',
  };
  const { cvv, ...withoutCvv } = paying;
  const none: Assume = { ...assumeDefaults, 'transfer-rules': 'none' };
  test.each<[what: string, values: Record<string, string>, ok: boolean]>([
    ['every field of the example the interface signs', whole, true],
    ['the same from the deposit', { ...whole, deposit2card: 'true' }, true],
    ['a card to a card', { ...paying, destinationCardNumber: card }, true],
    ['a card without its security code', { ...withoutCvv, destinationCardNumber: card }, false],
    ['a token with a security code', { cardRecurringId: '7', cvv, destinationRecurringId: '8' }, true],
    ['a token alone', { cardRecurringId: '7', destinationCardNumber: card }, true],
    ['the deposit', { deposit2card: 'true', destinationCardNumber: card }, true],
    ['the deposit with a security code', { deposit2card: 'true', cvv, destinationCardNumber: card }, false],
    ['a card and a token', { ...paying, cardRecurringId: '7', destinationCardNumber: card }, false],
    ['two receivers', { deposit2card: 'true', destinationCardNumber: card, destinationRecurringId: '8' }, false],
  ])('of %s is taken: %#', (_, values, ok) => {
    expect(problems(transfer, { ...always, ...values }).length === 0).toBe(ok);
    expect(problems(transfer, { ...always, ...values }, none)).toEqual([]);
  });
});

describe('checkRequest', () => {
  test('reports all at once, in the order of the row, and not the values', () => {
    const found = checkRequest(
      rowWith([together('token', 'target')]),
      { amount: '1e3', card: '4444333322221112', token: '7', unheardOf: 'x' },
      { assume: assumeDefaults, endpointId: '4001', name: (key) => `--${key}` },
    );
    expect(found).toEqual([
      { key: 'order', kind: 'missing', why: '--order is missing' },
      { key: 'amount', kind: 'invalid', why: '--amount: use a decimal number such as 10.42' },
      { key: 'card', kind: 'invalid', why: '--card: check the number: its check digit is wrong' },
      {
        keys: ['token', 'target'],
        kind: 'rule',
        why: 'use --token and --target together: --target is missing',
      },
    ]);
  });

  test('empty text is absent', () => {
    expect(problems(plain, { order: '', amount: '' })).toEqual(['--order is missing']);
  });

  test.each([
    ['100.00', 'JPY', 'iso4217', ['--amount: use a whole number: JPY has no decimals, such as 500']],
    ['100.00', 'JPY', '4001/JPY=2', []],
    ['100.00', 'JPY', '4002/JPY=2', ['--amount: use a whole number: JPY has no decimals, such as 500']],
    ['1.2345', 'KWD', 'iso4217', ['--amount: use at most 3 digits after the decimal point in KWD, such as 10.420']],
    ['10.005', 'USD', 'iso4217', ['--amount: use at most 2 digits after the decimal point in USD, such as 10.42']],
    ['1,00', 'USD', 'iso4217', ['--amount: use a decimal number, such as 10.42']],
    ['10.005', 'XXX', 'iso4217', ['--currency: use an ISO 4217 currency code']],
    ['10.005', '', 'iso4217', []],
  ])('amount %s %s under %s', (amount, currency, digits, expected) => {
    expect(problems(plain, { amount, currency }, { ...assumeDefaults, 'minor-digits': digits })).toEqual(expected);
  });
});

describe('rules', () => {
  type Rules = RuleForm<keyof typeof fields>;
  const cardOrToken = exactlyOne(['card'], ['token']);
  const shared = exactlyOne(['card', 'target'], ['token', 'target']);
  const byFlag = exactlyOne(['flag=true', 'card'], ['flag=false', 'token']);
  const never = forbidden(['card', 'token'], 'a void is never partial');
  const needs = requiredWhen('flag', ['true'], ['card']);
  const dated = notAfter('first', 'last');

  test.each<[rule: Rules, values: Record<string, string>]>([
    [together('card', 'token'), {}],
    // A field that is not in force binds nobody.
    [together('card', 'old'), { card }],
    [atLeastOne('card', 'token'), { card, token: '1' }],
    [atLeastOne('old'), {}],
    [exactlyOne(['card'], ['card', 'token']), { card, token: '1' }],
    [byFlag, { flag: 'false', token: '1' }],
    [dated, { first: '2030-01-31', last: '2030-01-31' }],
    // As numbers and not as text.
    [notAfter('least', 'amount'), { least: '9.5', amount: '10' }],
    [onlyWith('flag', 'card', 'token'), { flag: 'true', token: '1' }],
    [needs, { flag: 'false' }],
    [never, { token: '' }],
  ])('%j lets %j pass', (rule, values) => {
    expect(problems(rowWith([rule]), values)).toEqual([]);
  });

  test.each<[rule: Rules, values: Record<string, string>, why: string]>([
    [together('card', 'token'), { card, token: '' }, 'use --card and --token together: --token is missing'],
    [atLeastOne('card', 'token'), {}, 'at least one of --card and --token is needed'],
    [cardOrToken, { card, token: '1' }, 'exactly one of these is needed: --card | --token'],
    [exactlyOne(['card', 'target'], ['token']), { card }, '--card and --target | --token'],
    [shared, { card, token: '1', target: card }, '--card and --target | --token and --target'],
    [byFlag, { flag: 'false', card }, '--flag=true and --card | --flag=false and --token'],
    [dated, { first: '2030-02-01', last: '2030-01-31' }, '--first is after --last'],
    [notAfter('least', 'amount'), { least: '10.01', amount: '10' }, '--least is more than --amount'],
    [onlyWith('flag', 'card', 'token'), { flag: 'true' }, '--flag is allowed only with --card or --token'],
    [needs, { flag: 'true' }, '--card is missing: it is needed when --flag is true'],
    [never, { token: '1' }, '--token is not allowed here: a void is never partial'],
  ])('%j refuses %j', (rule, values, why) => {
    expect(problems(rowWith([rule]), values)).toEqual([expect.stringContaining(why)]);
  });
});

function fieldOf(kind: KindName, more: Partial<Field> = {}): Field {
  return field('x', kind, { ...(kind === 'choice' ? { values: ['Y', 'N', 'U'] } : {}), ...more });
}

function kindNamed(text: string): KindName {
  const found = Object.keys(kinds).find((name): name is KindName => name === text);
  if (found === undefined) throw new Error(`no kind ${text}`);
  return found;
}

describe('checkValue', () => {
  test.each<[KindName, string, string]>([
    ['cardNumber', '4444333322221112', 'check the number: its check digit is wrong'],
    ['currency', 'XXZ', 'use an ISO 4217 currency code'],
    ['date', '2029-02-29', 'use a date that exists'],
    ['url', 'https://@shop.example', 'use an http or https address with a host and without a user name'],
    ['base64', 'eyJhIjoxfQ=', 'use complete Base64: its length or its padding is wrong'],
    ['choice', 'y', 'use one of Y, N, U'],
    ['currency', 'usd', 'use a three-letter ISO 4217 code in upper case'],
    ['text', 'a\ud800b', 'use text that UTF-8 can encode; this contains an unpaired surrogate'],
  ])('%s %j %s', (kind, text, why) => {
    expect(checkValue(fieldOf(kind), text)).toBe(why);
  });

  test('counts characters, not UTF-16 units', () => {
    const short = fieldOf('text', { max: 3 });
    expect(checkValue(short, '😀😀😀')).toBeUndefined();
    expect(checkValue(short, '😀😀😀😀')).toBe('use at most 3 characters');
    expect(checkValue(short, 'abcd')).toBe('use at most 3 characters');
  });

  test('a client order id has no emoji, unless the profile says that any character will do (A53)', () => {
    const any = { ...assumeDefaults, 'order-id-characters': 'any' };
    for (const text of ['17😀', '17©\ufe0f', '👩‍👧']) {
      expect(checkValue(fieldOf('clientOrderId'), text)).toBe(
        'use 1 to 128 printable characters without emoji or leading or trailing spaces',
      );
      expect(checkValue(fieldOf('clientOrderId'), text, any)).toBeUndefined();
    }
    expect(checkValue(fieldOf('clientOrderId'), 'a\nb', any)).toBeDefined();
  });

  test('an id of the gateway is letters, digits, - and _, as long as the profile says (A52)', () => {
    const short = { ...assumeDefaults, 'gateway-id-length': '20' };
    for (const text of ['PAYNET-112233', 'ref_9-A', '12345', 'x'.repeat(128)])
      expect(checkValue(fieldOf('gatewayId'), text)).toBeUndefined();
    expect(checkValue(fieldOf('gatewayId'), 'x'.repeat(129))).toBe('use at most 128 characters');
    expect(checkValue(fieldOf('gatewayId'), 'x'.repeat(21), short)).toBe('use at most 20 characters');
    expect(checkValue(fieldOf('gatewayId'), '12/3')).toBe("use the gateway's id: letters, digits, - and _");
  });

  test('no reason repeats a value that is not open', () => {
    const hidden = Object.keys(kinds)
      .map(kindNamed)
      .filter((name) => kindOf(name).secrecy !== 'open');
    expect(hidden).toContain('cardNumber');
    fc.assert(
      fc.property(fc.constantFrom(...hidden), fc.string({ unit: 'grapheme', minLength: 4 }), (kind, text) => {
        expect(checkValue(fieldOf(kind), `#${text}#`) ?? '').not.toContain(text);
      }),
    );
  });
});

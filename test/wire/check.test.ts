import { isIP } from 'node:net';
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
import { processorTime } from '../support/processor-time.js';
import { propertyRuns } from '../support/property-runs.js';
import { samples } from '../support/samples.js';

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
    expect(fieldsInForce(plain, assumeDefaults).map(([key]) => key)).toEqual([
      'order',
      'amount',
      'currency',
      'parts',
      'least',
      'first',
      'last',
      'card',
      'token',
      'flag',
      'target',
    ]);
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

  test('a plain protection stays', () => {
    expect(protectionOf({ ...plain, protection: hmac }, assumeDefaults)).toEqual(hmac);
  });
});

describe('the length of an amount is that of what is sent', () => {
  const minor: Assume = { ...assumeDefaults, 'body-amount': 'minor' };
  test.each<[what: string, values: Record<string, string>, assume: Assume, found: string[]]>([
    [
      'twelve digits that become fifteen characters',
      { amount: '999999999999', currency: 'USD' },
      assumeDefaults,
      ['--amount: use at most 999999999.99 in USD'],
    ],
    [
      'more digits than any amount has',
      { amount: '99999999999999', currency: 'USD' },
      assumeDefaults,
      ['--amount: use at most 999999999.99 in USD'],
    ],
    [
      'the same in a currency of three decimals',
      { amount: '99999999999999', currency: 'KWD' },
      assumeDefaults,
      ['--amount: use at most 99999999.999 in KWD'],
    ],
    [
      'the same in a currency of none',
      { amount: '9999999999999', currency: 'JPY' },
      assumeDefaults,
      ['--amount: use at most 999999999999 in JPY'],
    ],
    ['nine digits and two', { amount: '999999999.99', currency: 'USD' }, assumeDefaults, []],
    ['nine digits, filled up to twelve characters', { amount: '999999999', currency: 'USD' }, assumeDefaults, []],
    ['twelve digits of a currency without a fraction', { amount: '999999999999', currency: 'JPY' }, assumeDefaults, []],
    ['the same in minor units, which have no point', { amount: '9999999999.99', currency: 'USD' }, minor, []],
    [
      'too long in minor units as well',
      { amount: '99999999999.99', currency: 'USD' },
      minor,
      ['--amount: use at most 9999999999.99 in USD'],
    ],
    [
      'one of a list',
      { parts: '1.00,999999999999', currency: 'USD' },
      assumeDefaults,
      ['--parts: use at most 999999999.99 in USD'],
    ],
    [
      'a list that is filled up beyond its limit',
      { parts: Array.from({ length: 40 }, () => '10').join(','), currency: 'USD' },
      assumeDefaults,
      ['--parts: use at most 128 characters as sent; this has 239'],
    ],
    [
      'without a currency, as it stands',
      { amount: '999999999999.99' },
      assumeDefaults,
      ['--amount: use at most 12 characters as sent; this has 15'],
    ],
  ])('%s', (_, values, assume, found) => {
    expect(problems(plain, values, assume)).toEqual(found);
  });
});

describe('recurring payments', () => {
  const recurring = operationById('CREATE_RP_V4');
  const found = (values: Record<string, string>) =>
    problems(recurring, values).filter((why) => / is (?:after|more than) /.test(why));
  test.each([
    [{ startDate: '2030-02-01', finishDate: '2030-01-31' }, ['--startDate is after --finishDate']],
    [{ startDate: '2029-12-31', finishDate: '2030-01-01' }, []],
    [{ startDate: '2030-01-31', finishDate: '2030-01-31' }, []],
    [{ startDate: '2030-01-31' }, []],
    [{ amountFrom: '10.00', amountTo: '9.99', currency: 'USD' }, ['--amountFrom is more than --amountTo']],
    [{ amountFrom: '9.5', amountTo: '10', currency: 'USD' }, []],
    [{ amountFrom: '10.0', amountTo: '10', currency: 'USD' }, []],
    [{ amountFrom: '9.05', amountTo: '9.5', currency: 'USD' }, []],
  ])('start and finish, least and greatest stand in their order: %j', (values, expected) => {
    expect(found(values)).toEqual(expected);
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
  test('finds nothing wrong with a good request', () => {
    expect(problems(plain, { amount: '10.42', currency: 'USD', card })).toEqual([]);
  });

  test('reports all at once, in the order of the row, and not the values', () => {
    const found = checkRequest(
      rowWith([together('token', 'target')]),
      { amount: '1e3', card: '4444333322221112', token: '7', unheardOf: 'x' },
      { assume: assumeDefaults, endpointId: '4001', name: (key) => `--${key}` },
    );
    expect(found).toEqual([
      { key: 'order', kind: 'missing', why: '--order is missing' },
      { key: 'amount', kind: 'invalid', why: '--amount: use a decimal number, such as 10.42' },
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

  test('names fields as the reader knows them', () => {
    const found = checkRequest(
      plain,
      {},
      { assume: assumeDefaults, endpointId: '1', name: (key) => plain.fields[key]?.wire ?? key },
    );
    expect(found.map(({ why }) => why)).toEqual(['client_orderid is missing']);
  });

  test('a required field of a switch is required only there', () => {
    expect(problems(plain, {}, carded)).toEqual(['--old is missing']);
  });

  test.each([
    ['100.00', 'JPY', 'iso4217', ['--amount: use a whole number: JPY has no decimals, such as 500']],
    ['100', 'JPY', 'iso4217', []],
    ['100.00', 'JPY', 'hundredths', []],
    ['100.00', 'JPY', '4001/JPY=2', []],
    ['100.00', 'JPY', '4002/JPY=2', ['--amount: use a whole number: JPY has no decimals, such as 500']],
    ['1.234', 'KWD', 'iso4217', []],
    ['1.2345', 'KWD', 'iso4217', ['--amount: use at most 3 digits after the decimal point in KWD, such as 10.420']],
    ['10.005', 'USD', 'iso4217', ['--amount: use at most 2 digits after the decimal point in USD, such as 10.42']],
    ['1,00', 'USD', 'iso4217', ['--amount: use a point instead of the comma, such as 10.42']],
    ['1,00', 'JPY', 'iso4217', ['--amount: use a point instead of the comma, such as 500']],
    ['1,00', '', 'iso4217', ['--amount: use a point instead of the comma, such as 10.42']],
    ['12.5X', 'JPY', 'iso4217', ['--amount: use a decimal number, such as 500']],
    ['-5', 'USD', 'iso4217', ['--amount: use an amount above zero, such as 10.42']],
    ['0', '', 'iso4217', ['--amount: use an amount above zero, such as 10.42']],
    [
      '€1.00',
      'USD',
      'iso4217',
      ['--amount: leave out the currency, such as 10.42; the currency belongs in --currency'],
    ],
    ['10.005', 'XXX', 'iso4217', ['--currency: use an ISO 4217 currency code']],
    ['10.005', '', 'iso4217', []],
  ])('amount %s %s under %s', (amount, currency, digits, expected) => {
    expect(problems(plain, { amount, currency }, { ...assumeDefaults, 'minor-digits': digits })).toEqual(expected);
  });

  test('holds each amount of a list against the currency', () => {
    expect(problems(plain, { parts: '1.00,2.005', currency: 'USD' })).toEqual([
      '--parts: use at most 2 digits after the decimal point in USD, such as 10.42',
    ]);
    expect(problems(plain, { parts: '1.00,2.5', currency: 'USD' })).toEqual([]);
  });
});

describe('rules', () => {
  const cases: [string, RuleForm<keyof typeof fields>, Record<string, string>, string[]][] = [
    ['together, none', together('card', 'token'), {}, []],
    ['together, all', together('card', 'token'), { card, token: '1' }, []],
    ['together, one', together('card', 'token'), { card }, ['use --card and --token together: --token is missing']],
    [
      'together, one of three',
      together('card', 'token', 'flag'),
      { token: '1' },
      ['use --card, --token and --flag together: --card and --flag are missing'],
    ],
    [
      'together, the other empty',
      together('card', 'token'),
      { card, token: '' },
      ['use --card and --token together: --token is missing'],
    ],
    ['together, the other not in force', together('card', 'old'), { card }, []],
    ['atLeastOne, none', atLeastOne('card', 'token'), {}, ['at least one of --card and --token is needed']],
    ['atLeastOne, one', atLeastOne('card', 'token'), { token: '1' }, []],
    ['atLeastOne, both', atLeastOne('card', 'token'), { card, token: '1' }, []],
    ['atLeastOne, not in force', atLeastOne('old'), {}, []],
    ['exactlyOne, none', exactlyOne(['card'], ['token']), {}, ['exactly one of these is needed: --card | --token']],
    ['exactlyOne, one', exactlyOne(['card'], ['token']), { token: '1' }, []],
    [
      'exactlyOne, both',
      exactlyOne(['card'], ['token']),
      { card, token: '1' },
      ['exactly one of these is needed: --card | --token'],
    ],
    [
      'exactlyOne, part of a group',
      exactlyOne(['card', 'target'], ['token']),
      { card },
      ['exactly one of these is needed: --card and --target | --token'],
    ],
    [
      'exactlyOne, a group and part of another',
      exactlyOne(['card', 'target'], ['token']),
      { card, token: '1' },
      ['exactly one of these is needed: --card and --target | --token'],
    ],
    [
      'exactlyOne, groups sharing a member',
      exactlyOne(['card', 'target'], ['token', 'target']),
      { token: '1', target: card },
      [],
    ],
    [
      'exactlyOne, the shared member alone',
      exactlyOne(['card', 'target'], ['token', 'target']),
      { target: card },
      ['exactly one of these is needed: --card and --target | --token and --target'],
    ],
    [
      'exactlyOne, all of the sharing groups',
      exactlyOne(['card', 'target'], ['token', 'target']),
      { card, token: '1', target: card },
      ['exactly one of these is needed: --card and --target | --token and --target'],
    ],
    ['exactlyOne, a group inside another', exactlyOne(['card'], ['card', 'token']), { card, token: '1' }, []],
    ['exactlyOne, a value that is there', exactlyOne(['flag=true'], ['card']), { flag: 'true' }, []],
    ['exactlyOne, another value of the field', exactlyOne(['flag=true'], ['card']), { flag: 'false', card }, []],
    [
      'exactlyOne, the value and another group',
      exactlyOne(['flag=true'], ['card']),
      { flag: 'true', card },
      ['exactly one of these is needed: --flag=true | --card'],
    ],
    [
      'exactlyOne, only another value',
      exactlyOne(['flag=true'], ['card']),
      { flag: 'false' },
      ['exactly one of these is needed: --flag=true | --card'],
    ],
    [
      'exactlyOne, two values of one field',
      exactlyOne(['flag=true', 'card'], ['flag=false', 'token']),
      { flag: 'false', token: '1' },
      [],
    ],
    [
      'exactlyOne, the value of the other group',
      exactlyOne(['flag=true', 'card'], ['flag=false', 'token']),
      { flag: 'false', card },
      ['exactly one of these is needed: --flag=true and --card | --flag=false and --token'],
    ],
    ['exactlyOne, a group not in force', exactlyOne(['old', 'card'], ['token']), { token: '1' }, []],
    [
      'exactlyOne, a member of a group not in force',
      exactlyOne(['old', 'card'], ['token']),
      { card, token: '1' },
      ['exactly one of these is needed: --token'],
    ],
    ['exactlyOne, no group in force', exactlyOne(['old']), {}, []],
    ['notAfter, in order', notAfter('first', 'last'), { first: '2030-01-31', last: '2030-02-01' }, []],
    ['notAfter, the same day', notAfter('first', 'last'), { first: '2030-01-31', last: '2030-01-31' }, []],
    [
      'notAfter, the first day behind the last',
      notAfter('first', 'last'),
      { first: '2030-02-01', last: '2030-01-31' },
      ['--first is after --last'],
    ],
    ['notAfter, one of them absent', notAfter('first', 'last'), { first: '2030-02-01' }, []],
    [
      'notAfter, one of them no date, which is reported by itself',
      notAfter('first', 'last'),
      { first: '2030-02-31', last: '2030-01-31' },
      ['--first: use a date that exists'],
    ],
    ['notAfter, amounts as numbers and not as text', notAfter('least', 'amount'), { least: '9.5', amount: '10' }, []],
    [
      'notAfter, equal amounts written in two ways',
      notAfter('least', 'amount'),
      { least: '10.5', amount: '10.50' },
      [],
    ],
    [
      'notAfter, the least amount above the greatest',
      notAfter('least', 'amount'),
      { least: '10.01', amount: '10' },
      ['--least is more than --amount'],
    ],
    ['onlyWith, absent', onlyWith('flag', 'card'), {}, []],
    ['onlyWith, present with', onlyWith('flag', 'card'), { flag: 'true', card }, []],
    [
      'onlyWith, present without',
      onlyWith('flag', 'card', 'token'),
      { flag: 'true' },
      ['--flag is allowed only with --card or --token'],
    ],
    ['onlyWith, one of several', onlyWith('flag', 'card', 'token'), { flag: 'true', token: '1' }, []],
    ['requiredWhen, absent', requiredWhen('flag', ['true'], ['card']), {}, []],
    ['requiredWhen, another value', requiredWhen('flag', ['true'], ['card']), { flag: 'false' }, []],
    [
      'requiredWhen, lacking',
      requiredWhen('flag', ['true'], ['card', 'token']),
      { flag: 'true' },
      ['--card is missing: it is needed when --flag is true', '--token is missing: it is needed when --flag is true'],
    ],
    ['requiredWhen, there', requiredWhen('flag', ['true', 'false'], ['card']), { flag: 'false', card }, []],
    ['requiredWhen, not in force', requiredWhen('flag', ['true'], ['old']), { flag: 'true' }, []],
    ['forbidden, absent', forbidden(['card', 'token'], 'a void is never partial'), {}, []],
    ['forbidden, empty', forbidden(['token'], 'a void is never partial'), { token: '' }, []],
    [
      'forbidden, present',
      forbidden(['card', 'token'], 'a void is never partial'),
      { token: '1' },
      ['--token is not allowed here: a void is never partial'],
    ],
  ];

  test.each(cases)('%s', (_, rule, values, expected) => {
    expect(problems(rowWith([rule]), values)).toEqual(expected);
  });

  test.each([
    [atLeastOne('card', 'token'), {}, { keys: ['card', 'token'], kind: 'rule' }],
    [exactlyOne(['card', 'target'], ['token', 'target']), {}, { keys: ['card', 'target', 'token'], kind: 'rule' }],
    [onlyWith('flag', 'card'), { flag: 'true' }, { keys: ['flag', 'card'], kind: 'rule' }],
    [requiredWhen('flag', ['true'], ['card']), { flag: 'true' }, { key: 'card', kind: 'missing' }],
    [forbidden(['token'], 'x'), { token: '1' }, { key: 'token', kind: 'rule' }],
  ])('%j names its fields', (rule, values, expected) => {
    const options = { assume: assumeDefaults, endpointId: '1', name: (key: string) => key };
    expect(checkRequest(rowWith([rule]), { order: 'o', ...values }, options)).toMatchObject([expected]);
  });
});

function fieldOf(kind: KindName, more: Partial<Field> = {}): Field {
  return field('x', kind, { ...(kind === 'choice' ? { values: ['Y', 'N', 'U'] } : {}), ...more });
}

const samplesThatAre = (which: 'good' | 'bad') =>
  Object.entries(samples).flatMap(([name, kind]) =>
    kind[which].map((text) => [name, text, fieldOf(kindNamed(name))] as const),
  );

function kindNamed(text: string): KindName {
  const found = Object.keys(kinds).find((name): name is KindName => name === text);
  if (found === undefined) throw new Error(`no kind ${text}`);
  return found;
}

describe('the samples of every kind', () => {
  test.each(samplesThatAre('good'))('%s takes %j', (_, text, field) => {
    expect(checkValue(field, text)).toBeUndefined();
  });

  test.each(samplesThatAre('bad'))('%s refuses %j', (_, text, field) => {
    expect(checkValue(field, text)).toBeTypeOf('string');
  });
});

describe('checkValue', () => {
  test.each<[KindName, string, string]>([
    ['amount', '1e3', 'use a decimal number, such as 10.42'],
    ['amount', '0.00', 'use an amount above zero, such as 10.42'],
    ['amount', '1,00', 'use a point instead of the comma, such as 10.42'],
    ['amount', '99999999999999', 'use at most 12 digits before the point, such as 10.42'],
    ['amount', '1.23456', 'use at most 4 digits after the decimal point, such as 10.42'],
    ['cardNumber', '4444333322221112', 'check the number: its check digit is wrong'],
    ['currency', 'XXZ', 'use an ISO 4217 currency code'],
    ['country', 'ZZ', 'use an ISO 3166 country code'],
    ['date', '2029-02-29', 'use a date that exists'],
    ['birthday', '19900431', 'use a date that exists'],
    ['url', 'https://@shop.example', 'use an http or https address with a host and without a user name'],
    ['url', 'https://shop.example/\u0000', 'use an http or https address with a host and without a user name'],
    ['amountList', '10.00,0.00', 'use amounts above zero separated by commas, such as 10.00,5.00'],
    ['amountList', '10.00.1', 'use amounts above zero separated by commas, such as 10.00,5.00'],
    ['base64', 'eyJhIjoxfQ=', 'use complete Base64: its length or its padding is wrong'],
    ['base64', 'ab+_', 'use complete Base64: its length or its padding is wrong'],
    ['base64', 'abcde', 'use complete Base64: its length or its padding is wrong'],
    ['choice', 'x', 'use one of Y, N, U'],
    ['choice', 'y', 'use one of Y, N, U; did you mean Y?'],
    ['currency', 'usd', 'use a three-letter ISO 4217 code in upper case; did you mean USD?'],
    ['currency', 'EURO', 'use a three-letter ISO 4217 code in upper case; did you mean EUR?'],
    ['currency', '€', 'use a three-letter ISO 4217 code in upper case; write the code, such as EUR'],
    ['currency', '$', 'use a three-letter ISO 4217 code in upper case; write the code, such as USD, CAD or AUD'],
    ['country', 'de', 'use a two-letter ISO 3166 code in upper case; did you mean DE?'],
    ['boolean', 'True', 'use true or false; did you mean true?'],
    ['text', 'a\ud800b', 'use text that UTF-8 can encode; this contains an unpaired surrogate'],
  ])('%s %j %s', (kind, text, why) => {
    expect(checkValue(fieldOf(kind), text)).toBe(why);
  });

  test.each<[KindName, string]>([
    ['date', '2000-02-29'],
    ['ip', '::ffff:192.0.2.1'],
    ['ip', '0.0.0.0'],
    ['amountList', '10'],
    ['base64', 'ab-_'],
    ['base64', 'abcd'],
    ['cardNumber', '6011000990139424'],
    ['cardNumber', '378282246310005'],
    ['choice', 'U'],
    ['url', 'http://[2001:db8::1]:8080/x?y=z#a'],
  ])('%s takes %s', (kind, text) => {
    expect(checkValue(fieldOf(kind), text)).toBeUndefined();
  });

  test('counts characters, not UTF-16 units', () => {
    const short = fieldOf('text', { max: 3 });
    expect(checkValue(short, '😀😀😀')).toBeUndefined();
    expect(checkValue(short, '😀😀😀😀')).toBe('use at most 3 characters');
    expect(checkValue(short, 'abcd')).toBe('use at most 3 characters');
  });

  test("a field's own limit wins over its kind's, both ways", () => {
    expect(checkValue(fieldOf('email', { max: 200 }), `${'a'.repeat(150)}@example.com`)).toBeUndefined();
    expect(checkValue(fieldOf('email', { max: 50 }), `${'a'.repeat(60)}@example.com`)).toBe(
      'use at most 50 characters',
    );
  });

  test('an e-mail of more than 50 characters is taken, as the longer of the published lengths has it (A49)', () => {
    expect(checkValue(fieldOf('email'), `${'a'.repeat(116)}@example.com`)).toBeUndefined();
    expect(checkValue(fieldOf('email'), `${'a'.repeat(117)}@example.com`)).toBe('use at most 128 characters');
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

  test('a very long text is refused quickly', () => {
    const took = processorTime();
    for (const kind of Object.keys(kinds))
      expect(checkValue(fieldOf(kindNamed(kind), { max: 1e7 }), `${'1 '.repeat(500_000)}\n`)).toBeDefined();
    expect(took()).toBeLessThan(2000);
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

test('an address is an IP address exactly when node says so', () => {
  const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ unit: fc.constantFrom(...'0125:.fF'), maxLength: 18 }));
  fc.assert(
    fc.property(text, (address) => {
      const isRight = isIP(address) !== 0 && !address.includes('%');
      expect(checkValue(fieldOf('ip'), address) === undefined, address).toBe(isRight);
    }),
    { numRuns: propertyRuns * 10 },
  );
});

// The regions ICU can name, less those that ISO 3166-1 only reserves, has withdrawn, or leaves to users.
test('the countries are those of ISO 3166-1', () => {
  const notAssigned =
    'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ'.split(' ');
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => checkValue(fieldOf('country'), code) === undefined);
  expect(codes).toHaveLength(249);
  expect(codes.filter((code) => names.of(code) === undefined || notAssigned.includes(code))).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { compose } from '../../src/payments/compose.js';
import { createReplyRedactor } from '../../src/payments/reply-redaction.js';
import { assumeDefaults, operationById } from '../../src/spec/index.js';
import { Secret } from '../../src/wire/mask.js';

const key = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const card = '4444333322221111';
const other = '5555555555554444';
const target = { baseUrl: 'https://gate.example', endpointId: '1144', login: 'shop', assume: assumeDefaults };
const sale = compose(
  operationById('SALE'),
  {
    ...{
      clientOrderId: '902B4FF5',
      amount: '123',
      currency: 'USD',
      cardNumber: card,
      cvv: '123',
      email: 'jane@example.com',
    },
    ...{ address1: '123 Main Street', orderDesc: 'sale 123 of today' },
  },
  [['pan', other]],
  target,
);
const control = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const guard = createReplyRedactor(sale, { controlKey: new Secret(key) }, [control]);
const shownAs = (name: string, value: string) => guard.fields(new Map([[name, value]])).get(name);
const shell = (command: string, input: string) =>
  execFileSync('sh', ['-c', command], { input, encoding: 'utf8' }).trim();

describe('an echo is masked', () => {
  test.each([
    ['error-message', `card ${card} with code 123 refused`, 'card •••• 1111 with code ••• refused'],
    ['error-message', '4444 3333 2222 1111', '•••• 1111'],
    ['error-message', `unknown field pan=${other}`, 'unknown field pan=•••• 4444'],
    ['error-message', `the key is ${key}!`, 'the key is •••!'],
    [
      'redirect-url',
      `https://gate.example/pay?key=${key}&c=${control}&x=1`,
      'https://gate.example/pay?key=•••&c=•••&x=1',
    ],
    ['error-message', 'card 5555 5555 5555 4444 is not yours', 'card •••• 4444 is not yours'],
    ['masked-card-number', '4012888888881881', '•••• 1881'],
    ['card-printed-name', 'JANE 4012888888881881', 'JANE •••• 1881'],
    ['error-message', `control ${control} is wrong`, 'control ••• is wrong'],
    ['nested', '{"a":{"cvv2":"123","cvc": 123,"n":123}}', '{"a":{"cvv2":"•••","cvc": "•••","n":123}}'],
    ['paynet-order-id', card, '•••• 1111'],
    ['control', 'ffffffffffffffffffffffffffffffffffffffff', '•••'],
  ])('%s %j as %j', (name, value, expected) => {
    expect(shownAs(name, value)).toBe(expected);
  });

  test('also in the name of a field', () => {
    expect([...guard.fields(new Map([[`${card} is wrong`, 'x']])).keys()]).toEqual(['•••• 1111 is wrong']);
  });
});

describe('the log masks no less than the screen', () => {
  const status = compose(operationById('STATUS'), { clientOrderId: '902B4FF5' }, [], target);
  const later = createReplyRedactor(status, { controlKey: new Secret(key) }, [], sale);
  const without = createReplyRedactor(status, { controlKey: new Secret(key) }, []);
  const logged = (fields: Readonly<Record<string, string>>, by = without) =>
    Object.fromEntries(by.loggedFields(new Map(Object.entries(fields))));

  test('each field as on the screen, and of an address no more than scheme and host', () => {
    expect(
      logged({
        ...{ cvv: '987', 'security-code': '987', control: 'ffff', amount: '9.87', 'error-code': '123' },
        card: '{"cvc": 987}',
        'error-message': 'card 4444333322221111 cvv 987; go to HTTPS://gate.example?x=SECRET first',
        'redirect-url': 'https://gate.example/pay?session=SECRET',
        go: '{"to":"bank-app:\\/\\/pay\\/SECRET"}',
        html: '<form action="https://acs.example/SECRET"><input value="SECRET"></form>',
      }),
    ).toEqual({
      ...{ cvv: '•••', 'security-code': '•••', control: '•••', amount: '9.87', 'error-code': '123' },
      card: '{"cvc": "•••"}',
      'error-message': 'card •••• 1111 cvv •••; go to HTTPS://gate.example/… first',
      'redirect-url': 'https://gate.example/…',
      go: '{"to":"bank-app:\\/\\/pay/…"}',
      html: '<…>',
    });
  });

  test.each([
    ['<p>CVV2: 987, 12 items</p>', '<p>CVV2: •••, 12 items</p>'],
    ['<a href="https://gate.example/SECRET">x</a>', '<a href="https://gate.example/…">x</a>'],
    [`x-echo: ${card}, ${key}`, 'x-echo: •••• 1111, •••'],
  ])('a header, and a body without fields: %s', (text, expected) => {
    expect(without.loggedText(text)).toBe(expected);
  });

  test('the code of the request whose outcome is asked for is known to each later question', () => {
    expect(logged({ 'error-message': 'code 123, card 4444333322221111', x: '123' }, later)).toEqual({
      'error-message': 'code •••, card •••• 1111',
      x: '•••',
    });
    const fields = new Map([
      ['error-message', 'code 123 refused'],
      ['amount', '123'],
    ]);
    expect([...later.fields(fields).values()]).toEqual(['code ••• refused', '123']);
    expect(later.fields(new Map([['echoed-address', '123 Main Street']])).get('echoed-address')).toBe(
      '123 Main Street',
    );
  });
});

describe('a code that a message names is masked without being known', () => {
  const status = compose(operationById('STATUS'), { clientOrderId: '902B4FF5' }, [], target);
  const message = (text: string) =>
    createReplyRedactor(status, { controlKey: new Secret(key) }, [])
      .fields(new Map([['error-message', text]]))
      .get('error-message');
  test.each([
    ['card 4444333322221111 cvv 123', 'card •••• 1111 cvv •••'],
    ['the security code is 123.', 'the security code is •••.'],
    ['the CVV of the card (123) is wrong', 'the CVV of the card (•••) is wrong'],
    ['CVV is wrong, error 123', 'CVV is wrong, error 123'],
  ])('%s', (text, expected) => {
    expect(message(text)).toBe(expected);
  });
});

const shown64 = (text: string) => shell('base64 -w 0', text);

describe('what is no echo stays', () => {
  test.each([
    ['amount', '123'],
    ['error-code', '123'],
    ['paynet-order-id', '4012888888881881'],
    ['serial-number', '00000000-0000-0000-0000-000001502990'],
    ['last-four-digits', '1111'],
    ['masked-card-number', '401288******1881'],
    ['redirect-url', 'https://gate.example/pay/1234567890123456?token=9f2c'],
    ['tds-creq-form-acs-url', 'https://acs.example/123/4012888888881881?x=123'],
    ['processor-tx-id', '4012888888881881'],
    ['processor-credit-arn', '74537604221222132710572'],
    ['descriptor', 'SHOP 123 401-288-888-888-1881'],
    ['trace', '4012888888881881'],
    ['echoed-address', '123 Main Street'],
    ['error-message', 'order 123456789012345 and 4012888888881882 are not known'],
    [
      'tds-creq-form-creq',
      shown64('{"threeDSServerTransID":"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","acsTransID":"123"}'),
    ],
  ])('%s %j', (name, value) => {
    expect(shownAs(name, value)).toBe(value);
  });
});

import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ControlCase, findControlMistakes, findOauthMistakes } from '../../../src/signing/diagnose/index.js';
import { oneIn } from '../../support/every.js';
import { caseOf, rich } from './orders.js';
import { baseString, hmac, type Order, percent, sha1 } from './signer.js';

const order: Order = { ...rich, secret: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20' };
const base = baseString(order);
const mac = (key: string, text: string) => createHmac('sha1', key).update(text).digest();
const key = `${order.secret}&`;
const right = mac(key, base);
const names = (signature: string) =>
  findOauthMistakes(caseOf(order), signature).explanations[0]?.map(({ name, variant }) => `${name} ${variant}`);

test.each<readonly [string, string]>([
  ['digest text-line-feed', mac(key, `${base}\n`).toString('base64')],
  ['signing-key word-behind', mac(`${key}undefined`, base).toString('base64')],
  ['signing-key no-dashes', mac('B17F59B4A7DC41B48FF937D986B43D20&', base).toString('base64')],
  ['digest bytes-printed', `b'${right.toString('base64')}'`],
  ['digest hex-marked', (right.toString('hex').match(/../g) ?? []).join('-').toUpperCase()],
  [
    'digest hashed-before',
    createHmac('sha1', key)
      .update(Buffer.from(sha1(base), 'hex'))
      .digest('base64'),
  ],
  ['empty-values version-left-out', mac(key, baseString({ ...order, version: false })).toString('base64')],
  [
    'body-left-out field',
    mac(key, baseString({ ...order, body: order.body.filter(([name]) => name !== 'city') })).toString('base64'),
  ],
])('%s', (named, signature) => {
  expect(names(signature)).toEqual([named]);
});

const pairs: readonly (readonly [string, string, string])[] = [
  ['signing-key word-behind', 'method GET', mac(`${key}null`, base.replace(/^POST/, 'GET')).toString('base64')],
  ['signing-key word-behind', 'digest sha256', createHmac('sha256', `${key}null`).update(base).digest('base64')],
  ['scheme-host-port http-for-https', 'empty-values version-left-out', pair()],
];

test.each(oneIn(3, pairs, 0))('%s and %s together', (one, other, signature) => {
  expect(names(signature)?.toSorted()).toEqual([one, other].toSorted());
});

function pair(): string {
  const text = baseString({ ...order, version: false });
  return mac(key, text.replace('&https%3A', '&http%3A')).toString('base64');
}

test('a blank in a signature is only named where the signature without it fits', () => {
  const signature = hmac(order);
  const blank = Array.from({ length: 99 }, (_, at) => ({ ...order, nonce: `n${at}` })).find((each) =>
    hmac(each).includes('+'),
  );
  if (blank === undefined) throw new Error('no signature has a +');
  const carried = hmac(blank).replaceAll('+', ' ');
  expect(findOauthMistakes(caseOf(blank), carried).mistakes).toMatchObject([
    { name: 'header-not-encoded', variant: 'plus-became-blank' },
  ]);
  expect(findOauthMistakes(caseOf({ ...blank, nonce: 'other' }), carried).explanations).toEqual([]);
  expect(findOauthMistakes(caseOf(order), ` ${signature.slice(1)}`, { quick: true }).explanations).toEqual([]);
  expect(percent(' ')).toBe('%20');
});

const sale: ControlCase = {
  key: order.secret,
  encoding: 'hex-lower',
  login: 'Shop',
  endpointId: '4001',
  slots: [
    ['endpointId', '4001'],
    ['clientOrderId', '0007 '],
    ['amount', '1040'],
    ['email', 'Jane@example.com'],
  ].map(([name = '', value = '']) => ({ name, wire: name, value })),
  amountText: '10.40',
  currency: 'USD',
  email: 'Jane@example.com',
};

test.each<readonly [string, string]>([
  ['order separator-comma', sha1(`4001,0007 ,1040,Jane@example.com,${order.secret}`)],
  ['order separator-line-feed', sha1(`4001\n0007 \n1040\nJane@example.com${order.secret}`)],
  ['decimal-amount float', sha1(`40010007 1040.0Jane@example.com${order.secret}`)],
  ['decimal-amount digits', sha1(`40010007 10.4000Jane@example.com${order.secret}`)],
  ['orderid-text trimmed', sha1(`400100071040Jane@example.com${order.secret}`)],
  ['orderid-text number', sha1(`400171040Jane@example.com${order.secret}`)],
  ['digest twice', sha1(sha1(`40010007 1040Jane@example.com${order.secret}`).toUpperCase())],
  ['order other-operation', sha1(`Shop0007 1040USD${order.secret}`)],
])('control: %s', (named, control) => {
  const [found = []] = findControlMistakes(sale, control).explanations;
  expect(found.map(({ name, variant }) => `${name} ${variant}`)).toEqual([named]);
});

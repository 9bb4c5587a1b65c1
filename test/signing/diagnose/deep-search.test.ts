import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type Diagnosis,
  diffControl,
  diffOauth,
  findControlMistakes,
  findOauthMistakes,
} from '../../../src/signing/diagnose/index.js';
import { isEvery, oneIn } from '../../support/every.js';
import { caseOf, controlSale, plain, rich } from './orders.js';
import { baseString, header, hmac, type Order } from './signer.js';

type Limits = { readonly deep?: true; readonly clock: () => number };
const deep = { deep: true };
const nameless = { match: false, mistakes: [], explanations: [] };
const right = { match: true, mistakes: [], explanations: [] };
const named = ({ explanations }: Diagnosis) =>
  explanations.map((all) => all.map(({ name, variant }) => `${name} ${variant}`));

const secret = 'b17f59b4-a7dc-41b4-8ff9-37d986b43d2a';
const withAmount = (amount: string): Order => ({ ...plain, secret, body: [['amount', amount]] });

function namesAFraction(): void {
  const given = caseOf(withAmount('1234.50'));
  const signature = createHmac('sha1', `{${secret}}&`)
    .update(baseString(withAmount('2469/2')))
    .digest('base64');
  expect(findOauthMistakes(given, signature)).toEqual(nameless);
  expect(named(diffOauth(given, { signature }, deep))).toEqual([
    ['signing-key key-uuid', 'body-left-out number-fraction'],
  ]);
}

const { key } = controlSale;

function namesAnExponent(): void {
  const control = createHash('shake256', { outputLength: 20 }).update(`order-71.234500e+03${key}`).digest('hex');
  // The search without --deep finds it too, where its time allows.
  expect(named(findControlMistakes(controlSale, control))).toEqual([['decimal-amount exponent', 'digest shake256']]);
  expect(named(diffControl(controlSale, { control }, deep))).toEqual([['decimal-amount exponent', 'digest shake256']]);
}

test('control: an exponent in the amount with SHAKE256 of 20 bytes is named by both searches', namesAnExponent);
// It takes three times as long.
if (isEvery)
  test('HMAC: a fraction for the amount with a key in braces is named by the deep search alone', namesAFraction);

test('what is right stays right in the deep search', () => {
  for (const order of [rich, plain, withAmount('1234.50')]) {
    const signature = hmac(order);
    expect(findOauthMistakes(caseOf(order), signature, deep)).toEqual(right);
    expect(diffOauth(caseOf(order), { header: header(order, signature) }, deep)).toEqual(right);
  }
  const control = createHash('sha1').update(`order-7123450${key}`).digest('hex');
  expect(diffControl(controlSale, { control }, deep)).toEqual(right);
});

test('a search ends at its limit by the clock, and says what it tried', () => {
  // Every look at the clock finds ten seconds gone.
  let now = 0;
  const clock = () => {
    now += 10_000;
    return now;
  };
  const nothing = Buffer.alloc(20, 1);
  // Six looks, one for each thousand; by day for one of the three ways in.
  const ways = [
    (limits: Limits) => findOauthMistakes(caseOf(plain), nothing.toString('base64'), limits),
    (limits: Limits) => diffOauth(caseOf(plain), { header: header(plain, nothing.toString('base64')) }, limits),
    (limits: Limits) => findControlMistakes(controlSale, nothing.toString('hex'), limits),
  ];
  for (const search of oneIn(3, ways, 2))
    expect(search({ deep: true, clock })).toMatchObject({
      match: false,
      explanations: [],
      search: { tried: 6000, isTimeUp: true },
    });
  // The first look is late already.
  for (const search of ways)
    expect(search({ clock })).toMatchObject({
      match: false,
      explanations: [],
      search: { tried: 1000, isTimeUp: true },
    });
  // A length alone names nothing before all is tried: another mistake may be beside it.
  const sha256 = Buffer.alloc(32, 1).toString('base64');
  expect(named(findOauthMistakes(caseOf(plain), sha256, { clock }))).toEqual([]);
  // In time, all is tried, and nothing said about it.
  const inTime = findOauthMistakes(caseOf(plain), sha256, { quick: true, clock: () => 0 });
  expect(named(inTime)).toEqual([['digest length']]);
  expect(inTime.search).toBeUndefined();
});

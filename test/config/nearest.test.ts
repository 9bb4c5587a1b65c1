import { expect, test } from 'vitest';
import { nearest } from '../../src/errors/message-text.js';

const commands = ['sale', 'status', 'preauth', 'payout', 'capture', 'card-ref create', 'void'];

test.each([
  ['slae', 'sale'],
  ['sal', 'sale'],
  ['SALE', 'sale'],
  ['statsu', 'status'],
  ['preauht', 'preauth'],
  ['pay-out', 'payout'],
  ['capure', 'capture'],
  ['card_ref create', 'card-ref create'],
  ['refund', undefined],
  ['x', undefined],
  ['', undefined],
  ['s'.repeat(100_000), undefined],
])('%j suggests %j', (word, expected) => {
  expect(nearest(word, commands)).toBe(expected);
});

test('the closest of several is suggested, the first of equals', () => {
  expect(nearest('base-ur', ['base-uri', 'base-url'])).toBe('base-uri');
  expect(nearest('basee-url', ['base-uri', 'base-url'])).toBe('base-url');
  expect(nearest('a', [])).toBeUndefined();
});

import { expect, test } from 'vitest';
import { operations } from '../../src/spec/index.js';
import { stageOf, transactionKinds } from '../../src/spec/lifecycle.js';
import { stageText, transactionText } from '../../src/spec/transaction-words.js';

test('every kind of transaction is called as its command or the first word of it', () => {
  const names = new Set(operations.flatMap(({ command }) => [command, command.split(' ')[0]]));
  expect(Object.values(transactionKinds).filter(({ name }) => !names.has(name))).toEqual([]);
});

test.each([
  ['reversal', 'approved', 'none', 'return approved'],
  ['cancel', 'declined', 'none', 'return declined'],
  ['preauth', 'chain_declined', 'none', 'preauth chain declined'],
  ['capture', 'processing', 'none', 'capture waiting for the bank'],
  ['payout-check', 'processing', 'validating', 'payout check validating'],
  ['payout-check', 'processing', 'validated', 'payout check validated'],
  ['sale', 'processing', 'form', 'sale waiting for the payer: form not filled in yet'],
] as const)('%s, %s, %s', (kind, status, step, words) => {
  expect(transactionText(kind, status, step)).toBe(words);
  expect(stageText(stageOf(kind, status, step))).toBe(words);
});

test('a 3-D Secure step is named; the word of order-stage says only that it is one', () => {
  expect(transactionText('sale', 'processing', 'challenge')).toBe('sale waiting for the payer: 3-D Secure challenge');
  expect(stageText('sale_3d_validating')).toBe('sale waiting for the payer: 3-D Secure');
});

test.each(['recurring payment 5 charged 1.00 USD', 'sale', 'sale_approved now', ''])('%j is no stage', (text) => {
  expect(stageText(text)).toBeUndefined();
});

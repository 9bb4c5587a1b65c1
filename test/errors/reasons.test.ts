import { expect, test } from 'vitest';
import { fail } from '../../src/errors/index.js';

test('a part in square brackets is left out where its fact is not known', () => {
  const facts = { names: 'payout, [return]', command: 'batch plan' };
  const told = (more: Record<string, string | undefined>) => fail('noBatchOperation', { ...facts, ...more }).message;
  expect(told({})).toBe('--operation: use one of payout, [return]');
  expect(told({ meant: undefined })).toBe('--operation: use one of payout, [return]');
  expect(told({ meant: '[{names}]' })).toBe('--operation: use one of payout, [return]; did you mean [{names}]?');
  expect(fail('PORT_TAKEN', { port: 1 }).message).toBe('port 1 is in use');
  expect(fail('PORT_TAKEN', { port: 1, holder: 'another program' }).message).toBe(
    'port 1 is in use by another program',
  );
});

test('what stands after a bar is said where the fact is not known', () => {
  expect(fail('INTERRUPTED').message).toBe('interrupted; no payment was sent');
  expect(fail('INTERRUPTED', { nothing: 'nothing was saved' }).message).toBe('interrupted; nothing was saved');
});

test('the words of a reason are filled from the facts, and braces in a fact stay as they are', () => {
  const error = fail('limitOrAll', { command: 'journal {why}' });
  expect([error.code, error.message, error.next]).toEqual([
    'USAGE',
    'use either --limit or --all',
    'see `paycli journal {why} --help`',
  ]);
});

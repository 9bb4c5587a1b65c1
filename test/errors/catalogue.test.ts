import { expect, test } from 'vitest';
import { fail } from '../../src/errors/index.js';

test('a part in square brackets is left out where its fact is not known, and braces in a fact stay as they are', () => {
  expect(fail('PORT_TAKEN', { port: 1 }).message).toBe('port 1 is in use');
  expect(fail('PORT_TAKEN', { port: 1, holder: undefined }).message).toBe('port 1 is in use');
  expect(fail('PORT_TAKEN', { port: 1, holder: '[{port}]' }).message).toBe('port 1 is in use by [{port}]');
});

test('what stands after a bar is said where the fact is not known', () => {
  expect(fail('INTERRUPTED').message).toBe('interrupted; no payment was sent');
  expect(fail('INTERRUPTED', { nothing: 'nothing was saved' }).message).toBe('interrupted; nothing was saved');
});

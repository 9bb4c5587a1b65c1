import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue, fail } from '../../src/errors/index.js';
import { reasons } from '../../src/errors/reasons/index.js';

const root = join(import.meta.dirname, '../../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');
const own = sources.filter((name) => name.startsWith('errors/reasons/'));

test('a reason has its name to itself, over all areas', () => {
  const names = own.flatMap((name) => [...textOf(name).matchAll(/^ {2}(\w+): \{/gm)].map(([, word = '']) => word));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect([...names].sort()).toEqual(Object.keys(reasons()).sort());
});

test('every reason is given somewhere', () => {
  const rest = sources
    .filter((name) => !name.startsWith('errors/'))
    .flatMap((name) => textOf(name).match(/\w+/g) ?? []);
  const words = new Set(rest);
  expect(Object.keys(reasons()).filter((name) => !words.has(name))).toEqual([]);
});

test('a reason gives what its code asks for, and nothing else', () => {
  for (const [name, { code, ...texts }] of Object.entries(reasons())) {
    const wanted = `${catalogue[code].title} ${catalogue[code].next}`;
    for (const fact of Object.keys(texts)) expect(wanted, `${name}: ${fact}`).toContain(`{${fact}`);
  }
});

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

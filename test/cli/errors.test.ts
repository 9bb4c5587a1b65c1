import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const wrong = ['sale', '--amount', '1', '--currency', 'USDD', '--test-card', 'approved'];

describe('an error is one JSON object on standard error, and nothing else is there', () => {
  test.each([
    ...['json', 'ndjson', 'yaml'].flatMap((form) => [
      { how: `-o ${form}`, argv: [...wrong, '-o', form], env: {} },
      { how: `--output=${form}`, argv: [...wrong, `--output=${form}`], env: {} },
      { how: `PAYCLI_OUTPUT=${form}`, argv: wrong, env: { PAYCLI_OUTPUT: form } },
    ]),
    { how: '--json', argv: [...wrong, '--json'], env: {} },
    { how: '--json=order.orderId', argv: [...wrong, '--json=order.orderId'], env: {} },
  ])('with $how', async ({ argv, env }) => {
    const ran = await paycli(argv, { env });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(ran.err)).toEqual({
      schema: 'paycli.error/1',
      code: 'FIELD_INVALID',
      message: '--currency: use a three-letter ISO 4217 code in upper case; did you mean USD?',
      next: 'correct the values; see `paycli sale --help`',
      exit: 2,
      http: null,
      facts: { command: 'sale' },
    });
  });

  test('its facts are values, not the words of a sentence', async () => {
    const ran = await paycli(['order', 'order-1', '--offline', '--json']);
    const { facts, message } = JSON.parse(ran.err);
    expect([ran.exit, message]).toEqual([2, expect.stringContaining('order-1')]);
    expect(facts).toEqual({ command: 'order', order: 'order-1', profile: 'sandbox' });
  });

  test('and names the help topic where there is one', async () => {
    const ran = await paycli(['profile', 'show', '--origins', '--profile', 'shop', '-o', 'yaml']);
    expect([ran.exit, JSON.parse(ran.err)]).toMatchObject([3, { code: 'PROFILE_UNKNOWN', topic: 'profiles' }]);
  });
});

test.each(['text', 'csv', 'table'])('with -o %s it is words', async (form) => {
  const ran = await paycli([...wrong, '-o', form]);
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toMatch(/^error: --currency: use .*\nnext: {2}correct the values; see `paycli sale --help`\n$/m);
});

test('PAYCLI_OUTPUT that is no form is told as words, and not taken for text', async () => {
  const ran = await paycli(['profile', 'show', '--origins'], { env: { PAYCLI_OUTPUT: 'jsn' } });
  expect([ran.exit, ran.out]).toEqual([3, '']);
  expect(ran.err).toMatch(/^error: PAYCLI_OUTPUT: use one of text, .*; did you mean json\?$/m);
});

describe('the place of an error', () => {
  const failing = (usual: Runtime): Runtime => ({
    ...usual,
    database: () => Promise.reject(new TypeError('never shown')),
  });
  const run = (flags: readonly string[]) => paycli(['journal', 'list', ...flags], { outside: failing });

  test.each([[[]], [['-v']], [['--verbose']], [['--json']]])('is not shown with %j', async (flags) => {
    const ran = await run(flags);
    expect(ran.exit).toBe(1);
    expect(ran.err).not.toMatch(/^ {4}at /m);
  });

  test.each([[['-v', '-v']], [['-vv']], [['--verbose', '-v']], [['-vvv']]])('is shown with %j', async (flags) => {
    const ran = await run(flags);
    expect(ran.exit).toBe(1);
    expect(ran.err).toMatch(/^ {4}at .*\.ts:\d+:\d+$/m);
    expect(ran.err).not.toContain('never shown');
  });

  test('is shown of the user’s own mistakes as well', async () => {
    expect((await paycli([...wrong, '-vv'])).err).toMatch(/^ {4}at .*src\/cli\/core\/resolve-fields\.ts:\d+:\d+$/m);
  });
});

describe('a guess is never run', () => {
  test.each([
    [['sal', '--amount', '1']],
    [['sale', '--amuont', '1', '--currency', 'USD', '--test-card', 'approved']],
    [['help', 'slae']],
  ])('%j', async (argv) => {
    const home = temporaryHome();
    const ran = await paycli(argv, { home });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain('did you mean');
    expect(existsSync(join(home, 'state'))).toBe(false);
  });
});

describe('several mistakes', () => {
  test('in flags are told at once, and no value of theirs', async () => {
    const argv = ['sale', '--card-numbr', '4444333322221111', '--cvw=987', '--amount', '5,00', '--live=1', '-o', 'jsn'];
    const ran = await paycli(argv);
    expect(ran.exit).toBe(2);
    expect(ran.err).toMatch(
      /^error: 5 problems:\n {2}unknown flag --card-numbr .*\n {2}unknown flag --cvw .*\n {2}--amount: .*\n {2}--live .*\n {2}--output: .*\nnext: /,
    );
    for (const value of ['4444333322221111', '987', '5,00', 'jsn']) expect(ran.err).not.toContain(value);
  });

  test('a value that looks like a flag, and what stands behind --, are no flags', async () => {
    const ran = await paycli(['sale', '--order-desc=--amuont', '--frob', '--', '--nor-this']);
    expect(ran.err).toContain('unknown flag --frob for paycli sale');
    expect(ran.err).not.toContain('--amuont');
    expect(ran.err).not.toContain('--nor-this');
  });

  test('short flags may stand together', async () => {
    const ran = await paycli(['profile', 'show', '--origins', '-qvx', '-ojsn']);
    expect(ran.err).toMatch(/2 problems:\n {2}unknown flag -x for paycli profile show\n {2}--output: use one of/);
  });

  test('what a failed source would have given is not called missing', async () => {
    const ran = await paycli(['sale', '--amount', '1', '--currency', 'EURO', '--test-card', 'aproved']);
    expect(ran.err).toContain('2 problems');
    expect(ran.err).not.toContain('is missing');
  });
});

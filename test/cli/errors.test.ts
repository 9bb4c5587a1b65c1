import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
});

test.each(['text', 'csv', 'table'])('with -o %s it is words', async (form) => {
  const ran = await paycli([...wrong, '-o', form]);
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toMatch(/^error: --currency: use .*\nnext: {2}correct the values; see `paycli sale --help`\n$/m);
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

  test('what a failed source would have given is not called missing', async () => {
    const ran = await paycli(['sale', '--amount', '1', '--currency', 'EURO', '--test-card', 'aproved']);
    expect(ran.err).toContain('2 problems');
    expect(ran.err).not.toContain('is missing');
  });
});

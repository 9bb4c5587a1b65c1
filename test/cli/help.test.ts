import { describe, expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';

describe('mistyped words', () => {
  test.each([
    [['sal'], 'paycli sale'],
    [['card-ref', 'crate'], 'paycli card-ref create'],
    [['sale', '--amuont', '1'], '--amount'],
    [['authorize', '--amount', '1.00'], 'paycli preauth'],
    [['refund', '--help'], 'paycli return'],
    [['help', 'tokenize'], 'paycli card-ref create'],
    [['charge'], 'paycli sale'],
    [['sign', 'curl'], 'paycli sign OPERATION --code curl'],
    // The help that is pointed to is that of the command that was run.
    [['sign', 'sale', '--profile', 'sandbox'], 'paycli sign sale --help'],
    [['reverse', '5'], 'paycli void'],
    [['retry', '5'], 'paycli resolve'],
    [['credit', '5'], 'paycli payout'],
    [['profile', '--json', 'show'], 'paycli profile show'],
    [['--json', 'profile', 'show'], 'paycli profile'],
    [['return', 'order-1', '5.00'], 'too many arguments'],
    // The password of a database, and an empty text.
    [['journal', 'one', 'postgres://me:hunter2@db.example/x'], 'too many arguments'],
    [['sale', ''], 'too many arguments'],
  ] as const)('%s: suggested, exit 2, never run', async (argv, says) => {
    const ran = await paycli(argv);
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(says);
  });

  test('a part of a card number, a security code or a part of a key among other words is not repeated', async () => {
    for (const words of [
      ['4444', '3333', '2222', '1111'],
      ['3782', '822463', '10005'],
      ['here', '123'],
      ['444433332222111'],
      ['4444-3333'],
      ['control-key=7C9E6679-7425-40DE-944B-E07FC1F90AE7'],
      ['-----BEGIN', 'PRIVATE', 'KEY-----', 'here', '-----END', 'PRIVATE', 'KEY-----'],
    ]) {
      const ran = await paycli(['sale', '--', ...words]);
      expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('too many arguments')]);
      for (const word of words) expect(ran.err).not.toContain(word);
    }
  });
});

test.each([[[]], [['sign']]])('no block of the help of %j is without a heading', async (command) => {
  const { out } = await paycli([...command, '--help']);
  expect(out).not.toMatch(/\n\n\n|\n\n {2}\w+ {2,}\S/);
});

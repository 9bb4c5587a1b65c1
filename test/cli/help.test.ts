import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

test.each([
  ['refund', 'return'],
  ['authorize', 'preauth'],
  ['auth', 'preauth'],
  ['cancel', 'void'],
  ['charge', 'sale'],
  ['purchase', 'sale'],
  ['disburse', 'payout'],
  ['webhook', 'callback'],
  ['tokenize', 'card-ref create'],
  ['batch upload', 'batch plan'],
  ['poll', 'status'],
  ['Refund', 'return'],
])('help for %s, another word for a command, is the help of %s', async (word, command) => {
  const own = await paycli([...command.split(' '), '--help']);
  expect(own.out).toContain('Usage: paycli ');
  for (const argv of [
    [...word.split(' '), '--help'],
    [...word.split(' '), '-h'],
    ['help', ...word.split(' ')],
  ]) {
    const ran = await paycli(argv);
    expect([ran.exit, ran.err, ran.out]).toEqual([0, '', `\`${word}\` is \`paycli ${command}\`:\n\n${own.out}`]);
  }
});

describe('mistyped words', () => {
  test.each([
    [['sal'], 'did you mean `paycli sale`?'],
    [['payment', 'list'], 'did you mean `paycli orders`?'],
    [['sales', 'show'], 'did you mean `paycli order`?'],
    [['refund', 'history'], 'did you mean `paycli journal list`?'],
    [['card-ref', 'crate'], 'did you mean `paycli card-ref create`?'],
    [['sale', '--amuont', '1'], 'did you mean --amount?'],
    [['recipe', 'sale'], 'use `paycli sign OPERATION --recipe`'],
    [['flow', 'order-1'], 'use `paycli order`'],
    [['timeline', 'order-1'], 'use `paycli order --timeline`'],
    [['can', 'return', 'order-1'], 'use `paycli order --can`'],
    [['version'], 'use `paycli --version --verbose`'],
    [['card-ref', 'create-v4', '5'], 'unknown command `card-ref create-v4`; use `paycli card-ref create --api v4`'],
    [['sign', 'card-ref', 'create-v4', '5'], 'use `paycli sign card-ref create --api v4`'],
    [['sign', 'php', 'refund', '5'], 'did you mean `paycli sign php return`?'],
    [['payout', 'form', '--amount', '5'], 'unknown command `payout form`; use `paycli form payout`'],
    [['assumptions', 'explain', 'control-encodin'], 'did you mean control-encoding?'],
    ...['authorize', 'authorise', 'authorization', 'authorisation', 'hold'].map(
      (word) => [[word, '--amount', '1.00'], 'did you mean `paycli preauth`?'] as const,
    ),
    ...['pay', 'payment', 'purchase', 'charge'].map((word) => [[word], 'did you mean `paycli sale`?'] as const),
    ...['tokenize', 'tokenise', 'token'].map((word) => [[word], 'did you mean `paycli card-ref create`?'] as const),
    [['reverse', '5'], 'did you mean `paycli void` or `paycli return`?'],
    [['retry', '5'], 'did you mean `paycli status` or `paycli resolve`? (neither sends the payment again)'],
    [['settle', '5'], 'did you mean `paycli capture` or `paycli resolve`?'],
    [['sign', 'curl', 'order-400'], '; the operation comes first, as in `paycli sign curl status ORDER`'],
    [['listen'], 'did you mean `paycli callback listen`?'],
    [['transactions'], 'did you mean `paycli orders`?'],
    [['sale', '--jsn'], 'did you mean --json?'],
    [['rfund', '5'], 'did you mean `paycli return`?'],
    [['webhok'], 'did you mean `paycli callback`?'],
    [['reconcile', 'file.csv'], 'did you mean `paycli batch reconcile`?'],
    [['curl', 'sale'], 'did you mean `paycli sign curl`?'],
    ...['show', 'get', 'lookup', 'transaction'].map((word) => [[word, '5'], 'did you mean `paycli order`?'] as const),
    ...['setup', 'configure', 'login'].map((word) => [[word], 'did you mean `paycli init`?'] as const),
    [['profile', 'delete', 'shop'], 'did you mean `paycli profile remove`?'],
    [['batch', 'status'], 'did you mean `paycli batch show`?'],
    [['batch', 'stop'], 'did you mean `paycli batch pause`?'],
    ...['list', 'search', 'find'].map((word) => [[word], 'did you mean `paycli orders`?'] as const),
    [['help', 'outcomes'], 'did you mean `paycli help sandbox`?'],
    [['help', '403'], 'did you mean `paycli help runbooks`?'],
    [['credit', '5'], 'did you mean `paycli return` or `paycli payout`?'],
    [['credit', '--help'], 'did you mean `paycli return` or `paycli payout`?'],
    [
      ['chargeback', '5'],
      'did you mean `paycli order`? (it shows what happened to an order; nothing sends a chargeback,',
    ],
    ...['disburse', 'withdraw'].map((word) => [[word], 'did you mean `paycli payout`?'] as const),
    ...['query', 'inquiry'].map((word) => [[word, '5'], 'did you mean `paycli status`?'] as const),
    [['keys', 'rotate'], 'did you mean `paycli profile set-key`?'],
    [['profile', 'rotate-key'], 'did you mean `paycli profile set-key`?'],
    [['sale', '--curl'], 'did you mean `paycli sign curl sale`?'],
    [['--curl'], 'did you mean `paycli sign curl`?'],
    [['profile', '--json', 'show'], 'did you mean `paycli profile show --json`?'],
    [['profile', '--json'], 'did you mean `paycli profile list --json`?'],
    [['return', 'order-1', '5.00'], 'takes only <order>; give an amount with --amount\n'],
    [['return', 'order-1', '5.00', 'EUR'], 'takes only <order>; give an amount with --amount and --currency'],
    [
      ['callback', 'list', 'order-1'],
      'unexpected argument order-1: paycli callback list takes only flags; give an order',
    ],
    [
      ['sale', 'two words', 'here'],
      "unexpected arguments 'two words', here: paycli sale takes only flags; quote values",
    ],
    // The password of a database, and an empty text, which has nothing to name.
    [['journal', 'list', 'postgres://me:hunter2@db.example/x'], 'unexpected argument: paycli journal list takes only'],
    [['sale', ''], 'unexpected argument: paycli sale takes only flags'],
  ] as const)('%s: suggested, exit 2, never run', async (argv, says) => {
    const ran = await paycli(argv);
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(says);
  });

  test.each([['--json'], ['-o', 'json'], ['--output=json', '-q'], ['--ndjson']])(
    '%s alone says that the command is missing, as one JSON object',
    async (...argv) => {
      const ran = await paycli(argv);
      expect(ran.exit).toBe(2);
      expect(JSON.parse(ran.err)).toMatchObject({
        code: 'USAGE',
        message: 'no command is given, only flags',
        next: 'see `paycli --help`',
      });
    },
  );

  test.each(['return', 'status', 'order', 'resolve'])('help is not taken as an order of %s', async (command) => {
    const ran = await paycli([command, 'help']);
    expect([ran.exit, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).toContain('`help` is not an order id');
    expect(ran.err).toContain(`see \`paycli ${command} --help\``);
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
      expect([ran.exit, ran.err.split(';')[0]]).toEqual([
        2,
        `error: unexpected argument${words.length > 1 ? 's' : ''}: paycli sale takes only flags`,
      ]);
    }
  });

  test.each([
    [['order', '12345', '--can'], 'there is no operation of that name'],
    [['journal', 'list', '--select'], '--json and --select: there is no field of that name'],
    [[], 'unknown command\n'],
    [['sign'], 'unknown command\n'],
  ])('a key in place of a word of %j is not repeated', async (argv, says) => {
    for (const key of ['7C9EABCD-74CD-40DE-944B-EABCDEF90AE7', 'MCowBQYDK2VwAyEAGbAbCdEfGhIjKlMnOpQrStUv']) {
      const ran = await paycli([...argv, key], { home: temporaryHome() });
      expect([ran.exit, ran.err.startsWith(`error: ${says}`)], ran.err).toEqual([2, true]);
      expect(ran.err).not.toContain(key.slice(0, 10));
    }
  });

  test('a card number in the wrong place is not repeated', async () => {
    for (const argv of [
      ['4444333322221111'],
      ['sale', '--card-numbr=4444333322221111'],
      ['status', '4444333322221111', '4444333322221111'],
    ]) {
      const ran = await paycli(argv);
      expect(ran.exit).toBe(2);
      expect(ran.err).not.toContain('4444333322221111');
    }
  });
});

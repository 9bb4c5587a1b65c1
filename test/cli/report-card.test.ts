import { describe, expect, test } from 'vitest';
import { audit } from '../../src/sandbox/audit/index.js';
import { type ListeningSandbox, openListeningSandbox } from './listening-sandbox.js';

const payer = [
  ...['--order-desc', 'Two tickets', '--email', 'jane@example.com', '--phone', '+4930123456', '--address1', 'Example Street 1'],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.10'],
];
const money = ['--amount', '10.42', '--currency', 'USD'];
const by = (id: string) => ['--client-order-id', id];
const card = (name = 'approved') => ['--test-card', name];
const sale = (id: string, name = 'approved') => ['sale', ...money, ...card(name), ...payer, ...by(id)];
const bank = ['--account-number', '12345678901234567890', '--bank-name', 'A Bank', '--bank-branch', 'Main'];
const holder = ['--first-name', 'Jane', '--last-name', 'Doe', '--email', 'jane@example.com', '--address1', 'Example Street 1'];

/** Runs what comes before a command, and the command: `@` stands for the order id that the last reply named. */
async function walk(site: ListeningSandbox, lines: readonly (readonly string[])[]): Promise<void> {
  let order = '';
  let ref = '';
  for (const line of lines) {
    const ran = await site.run([...line.map((word) => (word === '@' ? order : word === '@ref' ? ref : word)), '--json']);
    expect(ran.exit, `${line.join(' ')}\n${ran.err}${ran.out}`).toBeOneOf([0, 6, 7]);
    const replied: { readonly order?: { readonly orderId?: string }; readonly result?: Readonly<Record<string, string>> } = JSON.parse(
      ran.out.trim().split('\n')[0]?.startsWith('{"') ? (ran.out.trim().split('\n')[0] ?? '{}') : ran.out || '{}',
    );
    order = replied.order?.orderId ?? order;
    ref = replied.result?.['card-ref-id'] ?? ref;
  }
}

const hold = ['preauth', ...money, ...card(), ...payer, ...by('h'), '--wait'];
const kept = [
  [...sale('s'), '--wait'],
  ['card-ref', 'create', '@', ...by('s')],
] as const;

const commands: readonly (readonly [command: string, lines: readonly (readonly string[])[]])[] = [
  ['sale', [sale('s')]],
  ['sale', [[...sale('s'), '--wait']]],
  ['sale', [[...sale('s', 'slow'), '--wait', '--wait-timeout', '20']]],
  ['preauth', [hold]],
  ['capture', [hold, ['capture', '@', ...by('h'), '--wait']]],
  ['void', [hold, ['void', '@', ...by('h'), '--wait']]],
  [
    'return',
    [
      [...sale('s'), '--wait'],
      ['return', '@', ...by('s'), '--wait'],
    ],
  ],
  ['status', [sale('s'), ['status', '@']]],
  ['status', [sale('s'), ['status', '@', '--wait']]],
  ['account-verification', [['account-verification', ...card(), ...payer, ...by('v'), '--wait']]],
  ['payout send', [['payout', 'send', ...money, ...bank, ...by('p'), '--wait']]],
  ['payout check', [['payout', 'check', ...money, ...bank, ...by('p'), '--wait']]],
  [
    'payout pay',
    [
      ['payout', 'check', ...money, ...bank, ...by('p'), '--wait'],
      ['payout', 'pay', '@', ...by('p'), '--wait'],
    ],
  ],
  [
    'transfer',
    [['transfer', ...money, ...card(), '--destination-card-number', '5555666644441111', '--ip-address', '192.0.2.1', ...by('t'), '--wait']],
  ],
  ['card-ref create', kept],
  [
    'card-ref create-v4',
    [
      [...sale('s'), '--wait'],
      ['card-ref', 'create-v4', '@', ...by('s')],
    ],
  ],
  ['card-ref info', [...kept, ['card-ref', 'info', '--card-ref-id', '@ref']]],
  [
    'rebill',
    [...kept, ['rebill', ...money, '--card-ref-id', '@ref', '--order-desc', 'x', '--ip-address', '192.0.2.1', ...by('r'), '--wait']],
  ],
  [
    'recurring create',
    [
      [
        ...['recurring', 'create', '--recurring-card-type', 'SRC', ...card(), ...money, ...holder],
        ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', ...by('c')],
      ],
    ],
  ],
  ['pan-eligibility send', [...kept, ['pan-eligibility', 'send', '--sending-card-ref-id', '@ref', ...by('e'), '--wait']]],
  ...(['challenge', 'fail', 'abandon', 'timeout'] as const).flatMap((path) =>
    ['3ds-method', '3ds-challenge', '3ds-pares'].map(
      (name) =>
        [
          '3ds run',
          [
            [...sale('s', name), '--wait'],
            ['3ds', 'run', '--order', '@', ...by('s'), '--path', path],
          ],
        ] as const,
    ),
  ),
  [
    '3ds run',
    [
      [...sale('s', '3ds-frictionless'), '--wait'],
      ['3ds', 'run', '--order', '@', ...by('s'), '--path', 'frictionless'],
    ],
  ],
  [
    '3ds run',
    [
      [...sale('s', '3ds-simplified'), '--wait'],
      ['3ds', 'run', '--order', '@', ...by('s'), '--path', 'challenge'],
    ],
  ],
  ['doctor', [['doctor']]],
  ['doctor', [['doctor', '--online']]],
  ['wait', [sale('s'), ['wait', '@']]],
  [
    'flow',
    [
      [...sale('s'), '--wait'],
      ['flow', '@'],
    ],
  ],
  ['resolve', [sale('s'), ['resolve', '--all', '--once']]],
];

describe('after a command of paycli, the report card of a sandbox that listens is empty', () => {
  test.each(commands.map(([command, lines]) => ({ command, lines, last: (lines.at(-1) ?? []).slice(0, 12).join(' ') })))(
    '$command: $last',
    async ({ lines }) => {
      const site = openListeningSandbox();
      await walk(site, lines);
      expect(audit(site.world.store).map(({ rule, detail, request }) => `${rule}: ${detail} (${request?.line})`)).toEqual([]);
    },
  );
});

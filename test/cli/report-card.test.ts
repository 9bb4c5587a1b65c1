import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { audit } from '../../src/sandbox/audit/report.js';
import { payouts } from '../batch/command.js';
import { type ListeningSandbox, openListeningSandbox } from './listening-sandbox.js';
import { creqOf, cres } from './orders.js';
import { controlKey } from './profiles.js';

const payer = [
  ...[
    '--order-desc',
    'Two tickets',
    '--email',
    'jane@example.com',
    '--phone',
    '+4930123456',
    '--address1',
    'Example Street 1',
  ],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.10'],
];
const money = ['--amount', '10.42', '--currency', 'USD'];
const by = (id: string) => ['--client-order-id', id];
const card = (name = 'approved') => ['--test-card', name];
const sale = (id: string, name = 'approved') => ['sale', ...money, ...card(name), ...payer, ...by(id)];
const bank = ['--account-number', '12345678901234567890', '--bank-name', 'A Bank', '--bank-branch', 'Main'];
const holder = [
  '--first-name',
  'Jane',
  '--last-name',
  'Doe',
  '--email',
  'jane@example.com',
  '--address1',
  'Example Street 1',
];

/** What earlier replies named, for the words of later lines. */
interface Seen {
  readonly [word: string]: string;
}

interface Replied {
  readonly order?: { readonly orderId?: string };
  readonly result?: Readonly<Record<string, string>>;
  readonly plan?: string;
}

function seenIn({ order, result = {}, plan }: Replied): Seen {
  const creq = result['tds-creq-form-creq'];
  const words = {
    '@': order?.orderId,
    '@ref': result['card-ref-id'],
    '@plan': plan,
    '@page': result['redirect-url'],
    '@creq': creq,
    '@cres': creq === undefined ? undefined : cres(creqOf(result)),
    '@tds': result['tds-method-url-frame-3ds-server-trans-id'],
    '@pares': deflateSync(paRes).toString('base64'),
  };
  return Object.fromEntries(
    Object.entries(words).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const paRes = '<ThreeDSecure><Message><PARes><TX><status>Y</status></TX></PARes></Message></ThreeDSecure>';

/** Runs what comes before a command, and the command: `@` stands for the order id that the last reply named. */
async function walk(sandbox: ListeningSandbox, lines: readonly (readonly string[])[]): Promise<void> {
  writeFileSync(join(sandbox.home, 'payouts.csv'), payouts(2), { mode: 0o600 });
  writeFileSync(join(sandbox.home, 'fields.key'), `${controlKey}\n`, { mode: 0o600 });
  let seen: Seen = {};
  for (const line of lines) {
    const ran = await sandbox.run([...line.map((word) => seen[word] ?? word), '--json']);
    expect(ran.exit, `${line.join(' ')}\n${ran.err}${ran.out}`).toBeOneOf([0, 6, 7]);
    const [first = ''] = ran.out.trim().split('\n');
    const replied: Replied = JSON.parse(first.startsWith('{"') ? first : ran.out || '{}');
    seen = { ...seen, ...seenIn(replied) };
  }
}

const plan = [
  'batch',
  'plan',
  'payouts.csv',
  '--operation',
  'payout',
  '--expect-count',
  '2',
  '--expect-total',
  'EUR=20.84',
];
const hold = ['preauth', ...money, ...card(), ...payer, ...by('h'), '--wait'];
const kept = [
  [...sale('s'), '--wait'],
  ['card-ref', 'create', '@', ...by('s')],
] as const;

const commands: readonly (readonly [command: string, lines: readonly (readonly string[])[]])[] = [
  ['sale', [sale('s')]],
  ['sale', [[...sale('s', 'slow'), '--wait', '--wait-timeout', '20']]],
  ['preauth', [hold]],
  ['capture', [hold, ['capture', '@', ...by('h'), '--all', '--wait']]],
  ['void', [hold, ['void', '@', ...by('h'), '--wait']]],
  [
    'return',
    [
      [...sale('s'), '--wait'],
      ['return', '@', ...by('s'), '--all', '--wait'],
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
    [
      [
        'transfer',
        ...money,
        ...card(),
        '--destination-card-number',
        '5555666644441111',
        '--ip-address',
        '192.0.2.1',
        ...by('t'),
        '--wait',
      ],
    ],
  ],
  ['card-ref create', kept],
  [
    'card-ref create --api v4',
    [
      [...sale('s'), '--wait'],
      ['card-ref', 'create', '@', ...by('s'), '--api', 'v4'],
    ],
  ],
  ['card-ref info', [...kept, ['card-ref', 'info', '--card-ref-id', '@ref']]],
  [
    'rebill',
    [
      ...kept,
      [
        'rebill',
        ...money,
        '--card-ref-id',
        '@ref',
        '--order-desc',
        'x',
        '--ip-address',
        '192.0.2.1',
        ...by('r'),
        '--wait',
      ],
    ],
  ],
  [
    'recurring',
    [
      [
        ...['recurring', '--recurring-card-type', 'SRC', ...card(), ...money, ...holder],
        ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', ...by('c')],
      ],
    ],
  ],
  ['pan-eligibility', [...kept, ['pan-eligibility', '--sending-card-ref-id', '@ref', ...by('e'), '--wait']]],
  ['resolve', [sale('s'), ['resolve', '--all', '--once']]],
  ['form sale', [['form', 'sale', ...money, ...payer, ...by('f')]]],
  ['form preauth', [['form', 'preauth', ...money, ...payer, ...by('f')]]],
  ['form payment', [['form', 'payment', ...money, ...payer, ...by('f')]]],
  ['form payout', [['form', 'payout', ...money, ...by('f')]]],
  ['form account-verification', [['form', 'account-verification', ...payer, ...by('f')]]],
  [
    'upload-3ds method',
    [
      [...sale('s', '3ds-method'), '--wait'],
      ['upload-3ds', 'method', '@', ...by('s'), '--tds-server-trans-id', '@tds', '--tds-comp-ind', 'N'],
    ],
  ],
  [
    'upload-3ds cres',
    [
      [...sale('s', '3ds-challenge'), '--wait'],
      ['upload-3ds', 'cres', '@', ...by('s'), '--c-res', '@cres'],
    ],
  ],
  [
    'upload-3ds pares',
    [
      [...sale('s', '3ds-pares'), '--wait'],
      ['upload-3ds', 'pares', '@', ...by('s'), '--pa-res', '@pares'],
    ],
  ],
  ['request', [sale('s'), ['request', '/api/v2/status', '--field', 'client_orderid=s']]],
  ['profile set-key', [['profile', 'set-key', 'shop', 'control', '--file', 'fields.key']]],
  ['batch run', [plan, ['batch', 'run', '@plan', '--rate', '1000/s']]],
  ['callback listen', [sale('s'), ['callback', 'listen', '--timeout', '5']]],
];

describe('after a command of paycli, the audit report of a sandbox that listens is empty', () => {
  test.each(
    commands.map(([command, lines]) => ({
      command,
      lines,
      last: (lines.at(-1) ?? []).slice(0, 12).join(' '),
    })),
  )('$command: $last', async ({ lines }) => {
    const sandbox = openListeningSandbox();
    await walk(sandbox, lines);
    expect(
      audit(sandbox.sandboxState.store).map(({ rule, detail, request }) => `${rule}: ${detail} (${request?.line})`),
    ).toEqual([]);
  });
});

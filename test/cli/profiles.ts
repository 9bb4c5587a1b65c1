import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, type Ran, reply, type TestOptions, temporaryHome } from '../support/runtime.js';

export const controlKey = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';

export interface ProfileSpec {
  readonly class?: 'sandbox' | 'test' | 'live';
  readonly baseUrl?: string;
  /** Further YAML lines of the profile. */
  readonly more?: readonly string[];
  readonly withoutControlKey?: boolean;
  readonly withoutRedirectUrl?: boolean;
  /** The gateway is asked about a new client order id, and before a return; most tests plan no reply to that. */
  readonly asksFirst?: boolean;
}

/** A home with one profile named shop, its control key in a file, and no card or secret in the configuration. */
export function homeWithProfile(spec: ProfileSpec = {}): string {
  const home = temporaryHome();
  const config = join(home, 'config');
  mkdirSync(config, { mode: 0o700 });
  const key = join(home, 'control.key');
  writeFileSync(key, `${controlKey}\n`, { mode: 0o600 });
  const lines = [
    'default-profile: shop',
    'profiles:',
    '  shop:',
    `    class: ${spec.class ?? 'test'}`,
    `    base-url: ${spec.baseUrl ?? 'https://gate.example/prefix'}`,
    '    login: my-shop',
    '    endpoint-id: 1144',
    ...(spec.withoutControlKey === true ? [] : [`    control-key: { file: ${key} }`]),
    ...(spec.withoutRedirectUrl === true ? [] : ['    redirect-url: https://shop.example/return']),
    ...(spec.asksFirst === true ? [] : ['    ask-first: off']),
    ...(spec.more ?? []).map((line) => `    ${line}`),
  ];
  writeFileSync(join(config, 'config.yaml'), `${lines.join('\n')}\n`);
  return home;
}

const made = new Map<number, string>();

/**
 * An RSA key, the same in every test of this process: making one takes longer than most tests. The path of the PEM file.
 */
export function rsaKey(home: string, bits = 2048): string {
  const pem = made.get(bits) ?? newKey(bits);
  made.set(bits, pem);
  const path = join(home, 'rsa.pem');
  writeFileSync(path, pem, { mode: 0o600 });
  return path;
}

function newKey(modulusLength: number): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/** All fields of a sale, as flags. */
export const saleFlags: readonly string[] = [
  'sale',
  ...['--client-order-id', '902B4FF5'],
  ...['--amount', '10.42'],
  ...['--currency', 'USD'],
  ...['--card-number', '4444333322221111'],
  ...['--card-holder', 'JANE DOE'],
  ...['--expire-month', '12'],
  ...['--expire-year', '2034'],
  ...['--cvv', '123'],
  ...['--order-desc', 'Two tickets'],
  ...['--email', 'jane@example.com'],
  ...['--phone', '+4930123456'],
  ...['--address1', 'Example Street 1'],
  ...['--city', 'Berlin'],
  ...['--zip-code', '10115'],
  ...['--country', 'DE'],
  ...['--ip-address', '192.0.2.10'],
];

/** A good reply to a sale. */
export const taken = {
  type: 'async-response',
  'serial-number': '00000000-0000-0000-0000-0000015b2f9a',
  'merchant-order-id': '902B4FF5',
  'paynet-order-id': '12345',
};

export const statusReply = (status: string, more: Readonly<Record<string, string>> = {}) => ({
  type: 'status-response',
  'serial-number': '00000000-0000-0000-0000-0000015b2f9b',
  'merchant-order-id': '902B4FF5',
  'paynet-order-id': '12345',
  status,
  ...more,
});

/** What status says of a payment that was refused. */
export const noSuchOrder = reply(400, { type: 'validation-error', 'error-message': 'No such order' });

/** The status of the sale of `saleFlags` once it is approved. */
export const soldStatus = statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' });

/** A return of a part of order 12345 that names all it needs. */
export const partialReturn = (amount: string): readonly string[] => [
  ...['return', '12345', '--client-order-id', '902B4FF5', '--amount', amount, '--currency', 'USD'],
];

/** The status of order 12345 after returns of this sum in USD. */
export const returnedStatus = (sum: string, more: Readonly<Record<string, string>> = {}) =>
  statusReply('approved', {
    ...{ 'transaction-type': 'reversal', currency: 'USD', 'total-reversal-amount': sum },
    ...more,
  });

/** The reply to a status query about the order of `saleFlags`, of which this transaction was approved last. */
export const approvedReply = (type: string, more: Readonly<Record<string, string>>) =>
  reply(
    200,
    statusReply('approved', { 'transaction-type': type, currency: 'USD', 'initial-amount': '10.42', ...more }),
  );

export const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };

/** Runs a command that reaches the gateway as often as there are replies. */
export function run(
  home: string,
  argv: string | readonly string[],
  replies: readonly Delivery[] = [],
  more: TestOptions = {},
): Promise<Ran> {
  return paycli(argv, { home, network: replies.map((one) => () => one), ...more });
}

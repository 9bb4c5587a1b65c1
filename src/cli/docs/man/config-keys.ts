import type { ConfigEntries, ProfileEntries } from '../../../config/schema.js';

/** One key of a configuration file. */
export interface ConfigKey {
  readonly type: string;
  readonly meaning: string;
  /** A value it may have, as YAML. */
  readonly example: string;
  /** In which files it counts, besides the user file. */
  readonly project: 'yes' | 'when trusted' | 'never';
}

const free = 'yes';
const guarded = 'when trusted';
const userOnly = 'never';

const key = (type: string, example: string, project: ConfigKey['project'], meaning: string): ConfigKey => ({
  type,
  meaning,
  example,
  project,
});

/** Every key at the top of a file; the type makes a missing one an error. */
export const fileKeys: Readonly<Record<keyof ConfigEntries, ConfigKey>> = {
  'default-profile': key(
    'text',
    'shop-test',
    free,
    'the profile used when neither --profile nor PAYCLI_PROFILE names one; `sandbox` is the built-in one',
  ),
  output: key('word', 'json', free, 'output format: text, json, ndjson, csv, yaml or table'),
  timeout: key(
    'duration',
    '60s',
    free,
    'longest wait for the first byte of a reply, such as 500ms, 30s or 2m, at most 1d; a plain number is seconds',
  ),
  'live-hosts': key(
    'list of hosts',
    '[gate.example.com]',
    userOnly,
    'hosts always treated as live; a test profile cannot use them',
  ),
  approvers: key(
    'mapping',
    '{ mary: ~/keys/mary.pub }',
    userOnly,
    'who may approve batches, by name: the file of an Ed25519 public key (PEM), or the key itself in Base64',
  ),
  profiles: key('mapping', '{}', guarded, 'profiles by name; a name consists of letters, digits, dots and dashes'),
  defaults: key(
    'mapping',
    '{ order-desc: Test order }',
    free,
    'default values for fields, by flag or wire name. In a project file without trust only order-desc, purpose, site-url and merchant-data. Never card data',
  ),
};

/** Every key of a profile. */
export const profileKeys: Readonly<Record<keyof ProfileEntries, ConfigKey>> = {
  class: key(
    'word',
    'test',
    guarded,
    'sandbox, test or live. Required. A live profile requires --live on every command that queries or sends',
  ),
  'base-url': key(
    'address',
    'https://sandbox.gateway.example/prefix',
    guarded,
    'base address of the gateway, including any path prefix; https, or http on this machine',
  ),
  login: key('text', 'my-shop', guarded, 'the merchant login'),
  'endpoint-id': key('digits', '4001', guarded, 'the endpoint, or the endpoint group (A38)'),
  endpoints: key(
    'mapping',
    '{ EUR: 4002, payout: 5001, payout/USD: 5002 }',
    guarded,
    'other endpoints by currency, by operation or both; the most specific one is used',
  ),
  'control-key-file': key(
    'path',
    '~/keys/control',
    guarded,
    'file with the merchant control key, mode 0600. A relative path is relative to the folder of the configuration file',
  ),
  'control-key-stdin': key('true or false', 'true', guarded, 'the control key comes from standard input'),
  'control-key-fd': key('number', '3', guarded, 'the control key comes from this open file descriptor, 3 or above'),
  'control-key-env': key('name', 'SHOP_KEY_FILE', guarded, 'a variable that names the file of the control key'),
  'control-key-keyring': key(
    'entry',
    'shop-test/control-key',
    guarded,
    'an entry in the system keyring, service paycli',
  ),
  'control-key-since': key(
    'time',
    "'2026-11-01T09:30:00Z'",
    guarded,
    'when paycli stored the control key in the keyring; `paycli profile list` shows it',
  ),
  'control-key-helper': key(
    'list',
    '[pass, show, shop/control]',
    userOnly,
    'a program with its arguments that prints the control key; no shell, at most 10 seconds',
  ),
  'private-key-file': key(
    'path',
    '~/keys/rsa.pem',
    guarded,
    'file with the RSA private key (PEM), mode 0600, for the RSA-SHA256 operations',
  ),
  'private-key-fd': key('number', '4', guarded, 'the private key comes from this open file descriptor'),
  'private-key-env': key('name', 'SHOP_PEM_FILE', guarded, 'a variable that names its file'),
  'private-key-keyring': key('entry', 'shop-test/private-key', guarded, 'an entry in the system keyring'),
  'private-key-helper': key('list', '[pass, show, shop/rsa]', userOnly, 'a program that prints it'),
  'passphrase-file': key(
    'path',
    '~/keys/passphrase',
    guarded,
    'file with the passphrase of the private key, mode 0600',
  ),
  'passphrase-env': key('name', 'SHOP_PASSPHRASE_FILE', guarded, 'a variable that names its file'),
  'passphrase-fd': key('number', '5', guarded, 'the passphrase comes from this open file descriptor'),
  'passphrase-keyring': key('entry', 'shop-test/passphrase', guarded, 'an entry in the system keyring'),
  'passphrase-helper': key('list', '[pass, show, shop/phrase]', userOnly, 'a program that prints it'),
  'ca-file': key('path', '~/keys/ca.pem', guarded, "custom CA certificate (PEM), in addition to the system's"),
  'server-callback-url': key(
    'address',
    'https://shop.example/callback',
    guarded,
    'where the gateway reports the outcome, unless the command sets another address',
  ),
  'redirect-url': key('address', 'https://shop.example/return', guarded, 'where the browser of the payer returns to'),
  'notify-url': key(
    'address',
    'https://shop.example/notify',
    guarded,
    'where the gateway reports every transaction of an order',
  ),
  'ask-first': key(
    'on or off',
    'off',
    guarded,
    'off sends a payment with a new client order id without asking the gateway first whether it has that order; every result says so',
  ),
  'repeat-window': key(
    'duration',
    '15m',
    guarded,
    'how long after an approval an equal payment counts as a repeat, which has to be confirmed; 15m when left out',
  ),
  'max-amount': key(
    'money, or a list',
    '500.00 EUR',
    guarded,
    'maximum amount of a payment, capture, return or payout. Currencies not listed are refused',
  ),
  'max-total-per-day': key(
    'money, or a list',
    '[2000.00 EUR, 1000.00 USD]',
    guarded,
    'maximum total per day (UTC); returns count towards it',
  ),
  'require-approval': key(
    'true or false',
    'true',
    guarded,
    'batches of this profile need the approval of a second person',
  ),
  'approval-above': key(
    'money, or a list',
    '1000.00 EUR',
    guarded,
    'on a live profile, batches up to this total need no approval; if this is not set, every batch needs approval',
  ),
  assume: key(
    'mapping',
    '{ control-encoding: hex-upper }',
    guarded,
    'assumptions by their switch; see paycli-assumptions(7)',
  ),
  defaults: key(
    'mapping',
    '{ order-desc: Test order }',
    guarded,
    'like the top-level defaults, but for this profile only; they take precedence',
  ),
};
